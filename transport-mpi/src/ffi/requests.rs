//! Messages that travel while their rank does something else.

use std::ffi::c_int;
use std::marker::PhantomData;
use std::mem::MaybeUninit;

use maniple_core::{Bytes, CommError};
use mpi::ffi::*;

use super::{Handle, check, int};

/// What MPI needs to know of messages under way; kept, so that a small message costs no allocation.
#[derive(Debug, Default)]
pub(crate) struct Slots {
    raw: Vec<MPI_Request>,
    /// Of each request: how many bytes must arrive, if it is a receive.
    expected: Vec<Option<usize>>,
    statuses: Vec<MaybeUninit<MPI_Status>>,
}

/// Messages under way. Their buffers stay borrowed until they have arrived: who drops this earlier ends the process.
#[derive(Debug)]
pub(crate) struct Requests<'a> {
    slots: &'a mut Slots,
    buffers: PhantomData<&'a mut [u8]>,
}

impl<'a> Requests<'a> {
    pub(crate) fn new(slots: &'a mut Slots) -> Self {
        slots.expected.clear();
        Requests { slots, buffers: PhantomData }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.slots.raw.is_empty()
    }

    pub(crate) fn send(
        &mut self,
        comm: &Handle,
        to: c_int,
        tag: c_int,
        data: &'a [u8],
    ) -> Result<(), CommError> {
        // SAFETY: a constant of the library.
        let mut request = unsafe { RSMPI_REQUEST_NULL };
        // SAFETY: `data` stays borrowed for `'a`, and `self` waits for the message before `'a` ends.
        let code = unsafe {
            MPI_Isend(data.as_ptr().cast(), int(data.len())?, RSMPI_UINT8_T, to, tag, comm.raw, &mut request)
        };
        check("MPI_Isend", code)?;
        self.slots.raw.push(request);
        self.slots.expected.push(None);
        Ok(())
    }

    pub(crate) fn recv(
        &mut self,
        comm: &Handle,
        from: c_int,
        tag: c_int,
        into: &'a mut Bytes,
    ) -> Result<(), CommError> {
        // SAFETY: a constant of the library.
        let mut request = unsafe { RSMPI_REQUEST_NULL };
        let len = into.len();
        // SAFETY: `into` stays borrowed for `'a`, and `self` waits for the message before `'a` ends.
        let code = unsafe {
            MPI_Irecv(into.as_mut_ptr().cast(), int(len)?, RSMPI_UINT8_T, from, tag, comm.raw, &mut request)
        };
        check("MPI_Irecv", code)?;
        self.slots.raw.push(request);
        self.slots.expected.push(Some(len));
        Ok(())
    }

    /// Waits for all messages. The first receive that got less than its buffer: its number and the bytes that came.
    ///
    /// After an error some may still be under way, so that this value can't be dropped.
    pub(crate) fn wait(&mut self) -> Result<Option<(usize, usize)>, CommError> {
        let Slots { raw, expected, statuses } = &mut *self.slots;
        let n = int(raw.len())?;
        statuses.clear();
        statuses.resize(raw.len(), MaybeUninit::zeroed());
        // SAFETY: `n` requests of ours, and as many statuses to write.
        let code = unsafe { MPI_Waitall(n, raw.as_mut_ptr(), statuses.as_mut_ptr().cast()) };
        let code = if code == 0 { 0 } else { first_error(statuses, code) };
        check("MPI_Waitall", code)?;
        raw.clear();
        let receives = expected.iter().zip(statuses).filter_map(|(e, status)| Some(((*e)?, status)));
        for (i, (expected, status)) in receives.enumerate() {
            let mut count = 0;
            // SAFETY: the status was written by `MPI_Waitall`.
            check("MPI_Get_count", unsafe { MPI_Get_count(status.as_ptr(), RSMPI_UINT8_T, &mut count) })?;
            if count as usize != expected {
                return Ok(Some((i, count as usize)));
            }
        }
        Ok(None)
    }
}

/// Of a failed `MPI_Waitall`, the error of the first message that has one.
fn first_error(statuses: &[MaybeUninit<MPI_Status>], code: c_int) -> c_int {
    // SAFETY: all were zeroed, and perhaps written since; both are valid.
    let errors = statuses.iter().map(|s| unsafe { s.assume_init_ref() }.MPI_ERROR);
    errors.into_iter().find(|&e| e != 0).unwrap_or(code)
}

impl Drop for Requests<'_> {
    fn drop(&mut self) {
        if !self.slots.raw.is_empty() {
            // MPI still writes into buffers that are about to go. Whoever uses this type has said before why it can't wait.
            std::process::abort();
        }
    }
}
