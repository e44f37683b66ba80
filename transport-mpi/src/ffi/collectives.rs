//! The native collectives.

use std::ffi::c_int;
use std::mem::MaybeUninit;
use std::ptr;

use maniple_core::{Bytes, CommError};
use mpi::ffi::*;

use super::{Datatype, Handle, Parts, check, int};

impl Handle {
    pub(crate) fn barrier(&self) -> Result<(), CommError> {
        // SAFETY: a valid communicator.
        check("MPI_Barrier", unsafe { MPI_Barrier(self.raw) })
    }

    /// The root's part in a broadcast.
    pub(crate) fn bcast_from(&self, root: c_int, data: &[u8]) -> Result<(), CommError> {
        let len = int(data.len())?;
        // SAFETY: on the root MPI only reads the `len` bytes, though it takes a mutable pointer.
        let code = unsafe { MPI_Bcast(data.as_ptr().cast_mut().cast(), len, RSMPI_UINT8_T, root, self.raw) };
        check("MPI_Bcast", code)
    }

    /// Every other rank's part in a broadcast.
    pub(crate) fn bcast_into(&self, root: c_int, into: &mut Bytes) -> Result<(), CommError> {
        let len = int(into.len())?;
        // SAFETY: MPI writes at most `len` bytes, all inside `into`.
        check("MPI_Bcast", unsafe { MPI_Bcast(into.as_mut_ptr().cast(), len, RSMPI_UINT8_T, root, self.raw) })
    }

    pub(crate) fn all_gather_v(
        &self,
        datatype: &Datatype,
        send: &[u8],
        recv: &mut Bytes,
        parts: &Parts,
    ) -> Result<(), CommError> {
        assert!(parts.fit(self.size(), datatype, recv.len()), "parts inside the receive buffer");
        let n = int(send.len() / datatype.size())?;
        // SAFETY: `n` elements are in `send`, every part lies in `recv`, there is one part per rank, and all is borrowed
        // until the call returns. The buffers are distinct, also for MPICH when they are empty.
        let code = unsafe {
            MPI_Allgatherv(
                distinct(send).cast(),
                n,
                datatype.raw,
                distinct_mut(recv).cast(),
                parts.counts.as_ptr(),
                parts.displs.as_ptr(),
                datatype.raw,
                self.raw,
            )
        };
        check("MPI_Allgatherv", code)
    }

    pub(crate) fn all_to_all_v(
        &self,
        datatype: &Datatype,
        send: &[u8],
        sends: &Parts,
        recv: &mut Bytes,
        recvs: &Parts,
    ) -> Result<(), CommError> {
        let ranks = self.size();
        assert!(sends.fit(ranks, datatype, send.len()), "parts inside the send buffer");
        assert!(recvs.fit(ranks, datatype, recv.len()), "parts inside the receive buffer");
        // SAFETY: as in `all_gather_v`, for both buffers.
        let code = unsafe {
            MPI_Alltoallv(
                distinct(send).cast(),
                sends.counts.as_ptr(),
                sends.displs.as_ptr(),
                datatype.raw,
                distinct_mut(recv).cast(),
                recvs.counts.as_ptr(),
                recvs.displs.as_ptr(),
                datatype.raw,
                self.raw,
            )
        };
        check("MPI_Alltoallv", code)
    }

    /// The same number of words from each rank for every rank.
    pub(crate) fn all_gather_u64(&self, send: &[u64]) -> Result<Vec<u64>, CommError> {
        let mut recv = vec![0_u64; send.len() * self.size()];
        let n = int(send.len())?;
        // SAFETY: `n` words to send, and room for `n` from every rank.
        let code = unsafe {
            MPI_Allgather(
                send.as_ptr().cast(),
                n,
                RSMPI_UINT64_T,
                recv.as_mut_ptr().cast(),
                n,
                RSMPI_UINT64_T,
                self.raw,
            )
        };
        check("MPI_Allgather", code)?;
        Ok(recv)
    }

    /// One number from each rank for each rank.
    pub(crate) fn all_to_all_u64(&self, send: &[u64]) -> Result<Vec<u64>, CommError> {
        assert_eq!(send.len(), self.size(), "one number per rank");
        let mut recv = vec![0_u64; send.len()];
        // SAFETY: both buffers hold one number per rank.
        let code = unsafe {
            MPI_Alltoall(
                send.as_ptr().cast(),
                1,
                RSMPI_UINT64_T,
                recv.as_mut_ptr().cast(),
                1,
                RSMPI_UINT64_T,
                self.raw,
            )
        };
        check("MPI_Alltoall", code)?;
        Ok(recv)
    }
}

/// Two empty slices may have the same address, which MPICH takes for aliasing buffers: give each an address of its own.
fn distinct(send: &[u8]) -> *const u8 {
    static NOTHING: u64 = 0;
    if send.is_empty() { ptr::from_ref(&NOTHING).cast() } else { send.as_ptr() }
}

fn distinct_mut(recv: &mut Bytes) -> *mut MaybeUninit<u8> {
    // Never written through: only passed with counts of zero.
    if recv.is_empty() { ptr::without_provenance_mut(64) } else { recv.as_mut_ptr() }
}
