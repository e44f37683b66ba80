//! A wrapper that compares what the ranks call, for transports that do not.
#![allow(unsafe_code)] // implements `Communicator`

mod compare;
mod wire;

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use crate::blocks::Blocks;
use crate::call::Call;
use crate::comm::Comm;
use crate::communicator::{BcastBuf, ByteRecv, ByteSend, Bytes, Communicator};
use crate::error::CommError;

/// A communicator that makes sure, before each collective, that all ranks call the same one with fitting arguments.
///
/// What would hang or garble memory under MPI is then the error that it is on threads, on every rank and in the same words, with
/// each rank's call and line; the communicator goes on after it.
///
/// All ranks wrap, or none.
///
/// # Communication
/// Each collective costs one more, of 24 bytes per rank. Those with counts or closures cost another; all-to-all a third, of
/// its counts, and `exchange_with` a fourth, of the lengths of all messages on all ranks.
///
/// ```
/// # let comm = maniple_core::Comm::solo();
/// let comm = maniple_core::Checked::wrap(&comm);
/// assert_eq!(comm.all_gather(&[1, 2])?.len(), 2 * comm.size());
/// # Ok::<(), maniple_core::CommError>(())
/// ```
#[derive(Debug)]
pub struct Checked {
    inner: Rc<dyn Communicator>,
    /// The collective that this rank is in.
    inside: Cell<Option<Call>>,
    /// A collective that was called from a closure of another one.
    reentered: RefCell<Option<CommError>>,
}

impl Checked {
    /// The same ranks, with checks.
    pub fn wrap(comm: &Comm) -> Comm {
        comm.over(Rc::new(Checked::new(Rc::clone(comm.transport()))))
    }

    fn new(inner: Rc<dyn Communicator>) -> Self {
        Checked { inner, inside: Cell::new(None), reentered: RefCell::default() }
    }

    /// Every collective goes through here: no two at a time.
    fn within<R>(&self, call: Call, run: impl FnOnce() -> Result<R, CommError>) -> Result<R, CommError> {
        if let Some(outer) = self.inside.get() {
            let (call, inside) = (call.to_string(), outer.to_string());
            let error = CommError::Reentrant { rank: self.rank(), call, inside };
            return Err(self.reentered.borrow_mut().get_or_insert(error).clone());
        }
        let _inside = Inside::begin(self, call);
        run()
    }
}

/// The time that a rank spends in a collective, which may end by unwinding.
struct Inside<'a>(&'a Checked);

impl<'a> Inside<'a> {
    fn begin(checked: &'a Checked, call: Call) -> Self {
        checked.inside.set(Some(call));
        Inside(checked)
    }
}

impl Drop for Inside<'_> {
    fn drop(&mut self) {
        self.0.inside.set(None);
        self.0.reentered.take();
    }
}

// SAFETY: every buffer goes to the wrapped transport, which gives the guarantees.
unsafe impl Communicator for Checked {
    fn rank(&self) -> usize {
        self.inner.rank()
    }

    fn size(&self) -> usize {
        self.inner.size()
    }

    fn barrier(&self, call: Call) -> Result<(), CommError> {
        self.within(call, || {
            self.same_call(call)?;
            self.inner.barrier(call)
        })
    }

    fn bcast(&self, call: Call, buf: BcastBuf<'_>) -> Result<(), CommError> {
        self.within(call, || {
            self.same_call(call)?;
            self.inner.bcast(call, buf)
        })
    }

    fn all_gather_v(
        &self,
        call: Call,
        send: &[u8],
        recv: &mut Bytes,
        blocks: &Blocks,
    ) -> Result<(), CommError> {
        self.within(call, || {
            self.same_parts(call, send.len(), blocks)?;
            self.inner.all_gather_v(call, send, recv, blocks)
        })
    }

    fn all_to_all_v(
        &self,
        call: Call,
        send: &[u8],
        sends: &Blocks,
        recv: &mut Bytes,
        recvs: &Blocks,
    ) -> Result<(), CommError> {
        self.within(call, || {
            self.same_call(call)?;
            self.same_counts(call, sends, recvs)?;
            self.inner.all_to_all_v(call, send, sends, recv, recvs)
        })
    }

    fn exchange(
        &self,
        call: Call,
        send: &[u8],
        sends: &Blocks,
        visit: &mut dyn FnMut(&[&[u8]]),
    ) -> Result<(), CommError> {
        self.within(call, || {
            self.same_call(call)?;
            self.inner.exchange(call, send, sends, visit)?;
            self.none_reentered(call)
        })
    }

    fn exchange_with(
        &self,
        call: Call,
        sends: &[ByteSend<'_>],
        recvs: &mut [ByteRecv<'_>],
        overlap: &mut dyn FnMut(),
    ) -> Result<(), CommError> {
        self.within(call, || {
            self.same_call(call)?;
            self.same_mail(call, sends, recvs)?;
            self.inner.exchange_with(call, sends, recvs, overlap)?;
            self.none_reentered(call)
        })
    }

    fn split(
        &self,
        call: Call,
        color: Option<u32>,
        key: i64,
    ) -> Result<Option<Rc<dyn Communicator>>, CommError> {
        self.within(call, || {
            self.same_call(call)?;
            let part = self.inner.split(call, color, key)?;
            Ok(part.map(|part| Rc::new(Checked::new(part)) as Rc<dyn Communicator>))
        })
    }

    fn refuse(&self, call: Call, why: CommError) -> CommError {
        self.within(call, || self.refused(call, &why)).err().unwrap_or(why)
    }

    fn fail(&self, why: &str) {
        self.inner.fail(why);
    }
}
