//! The typed collectives of one rank.

mod gather;
mod neighbours;
mod reduce;
mod to_all;

use std::cell::Cell;
use std::fmt;
use std::panic::Location;
use std::rc::Rc;

use crate::blocks::{Blocks, BlocksError};
use crate::call::{Call, Op, Scope, ScopeGuard};
use crate::communicator::Communicator;
use crate::element::{ElemSig, Element};
use crate::error::CommError;
use crate::solo::Solo;

pub use neighbours::{RecvFrom, SendTo};

/// One rank's handle on a group of ranks: every collective, typed.
///
/// A clone is the same communicator. It belongs to the thread of its rank, so it is neither `Send` nor `Sync`: a
/// collective can't be called by two threads of one rank. Work inside a rank may use as many threads as it likes, on
/// ndarray views.
///
/// Each method is a *collective*: every rank of the communicator calls it, in the same order. A transport that can tell (the
/// thread transport always can) turns a violation into an error on every rank that names each rank's call and line.
///
/// # Errors
/// Every method returns [`CommError`] if the ranks do not agree, if a rank has failed or returned, or if the transport
/// fails; wrong arguments of one rank are an error on every rank. Send buffers are left as they were, receive buffers hold
/// nothing of use.
///
/// ```compile_fail,E0277
/// fn send<T: Send>(_: T) {}
/// send(maniple_core::Comm::solo()); // a rank is one thread's
/// ```
#[derive(Clone)]
pub struct Comm {
    transport: Rc<dyn Communicator>,
    scope: Rc<Cell<Option<Scope>>>,
}

impl fmt::Debug for Comm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Comm(rank {} of {}, {:?})", self.rank(), self.size(), self.transport)
    }
}

impl Comm {
    /// A handle on one rank's side of a transport.
    pub fn new(transport: Rc<dyn Communicator>) -> Self {
        Comm { transport, scope: Rc::default() }
    }

    /// A communicator of this rank alone.
    pub fn solo() -> Self {
        Comm::new(Rc::new(Solo))
    }

    /// This rank, from 0.
    pub fn rank(&self) -> usize {
        self.transport.rank()
    }

    /// The number of ranks.
    pub fn size(&self) -> usize {
        self.transport.size()
    }

    /// Do both handles belong to the same communicator?
    pub fn is_same(&self, other: &Comm) -> bool {
        Rc::ptr_eq(&self.transport, &other.transport)
    }

    /// The transport below, for wrappers.
    pub fn transport(&self) -> &Rc<dyn Communicator> {
        &self.transport
    }

    /// Names the operation of which the following collectives are a part, until the guard is dropped: errors then give
    /// its name and the line of *its* caller. Ranks in differently named operations don't match. Inside another scope, the
    /// outer one stays.
    #[track_caller]
    pub fn scope(&self, name: &'static str) -> ScopeGuard {
        ScopeGuard::enter(&self.scope, Scope { name, at: Location::caller() })
    }

    /// Returns when every rank has come here.
    ///
    /// # Errors
    /// See [`Comm`].
    #[track_caller]
    pub fn barrier(&self) -> Result<(), CommError> {
        self.transport.barrier(self.call(Op::Barrier))
    }

    /// Runs `work` on one rank after the other, by rising rank: for output that people read.
    ///
    /// # Communication
    /// As many barriers as there are ranks.
    ///
    /// # Errors
    /// See [`Comm`].
    #[track_caller]
    pub fn in_order<R>(&self, work: impl FnOnce() -> R) -> Result<R, CommError> {
        let _scope = self.scope("in_order");
        (0..self.rank()).try_for_each(|_| self.barrier())?;
        let result = work();
        (self.rank()..self.size()).try_for_each(|_| self.barrier())?;
        Ok(result)
    }

    /// A communicator of the ranks that give the same `color`, ordered by `key`, then by rank; `None` for `None`.
    /// It is independent of this one.
    ///
    /// # Communication
    /// One collective with a few bytes per rank.
    ///
    /// # Errors
    /// See [`Comm`].
    #[track_caller]
    pub fn split(&self, color: Option<u32>, key: i64) -> Result<Option<Comm>, CommError> {
        let part = self.transport.split(self.call(Op::Split), color, key)?;
        Ok(part.map(|transport| self.over(transport)))
    }

    /// A communicator of the same ranks, independent of this one.
    ///
    /// # Errors
    /// See [`Comm`].
    #[track_caller]
    pub fn duplicate(&self) -> Result<Comm, CommError> {
        let same = self.split(Some(0), 0)?;
        Ok(same.unwrap_or_else(|| unreachable!("a rank that gives a color is in a part")))
    }

    /// A handle on another transport, in the same scope.
    pub(crate) fn over(&self, transport: Rc<dyn Communicator>) -> Self {
        Comm { transport, scope: Rc::clone(&self.scope) }
    }

    /// Tells every rank that this one can't go on; they get [`CommError::PeerFailed`] with `why`.
    pub fn fail(&self, why: &str) {
        self.transport.fail(why);
    }

    #[track_caller]
    fn call(&self, op: Op) -> Call {
        Call {
            op,
            elem: None,
            len: None,
            root: None,
            args: None,
            at: Location::caller(),
            scope: self.scope.get(),
        }
    }

    #[track_caller]
    fn call_of<T: Element>(&self, op: Op) -> Call {
        Call { elem: Some(ElemSig::of::<T>()), ..self.call(op) }
    }

    /// Passes `checked` on if it is fine; otherwise no rank gets past `call`.
    fn unless(&self, call: Call, checked: Result<(), CommError>) -> Result<(), CommError> {
        checked.map_err(|why| self.transport.refuse(call, why))
    }

    fn check_rank(&self, call: Call, named: usize) -> Result<(), CommError> {
        if named < self.size() {
            return Ok(());
        }
        Err(CommError::NoSuchRank { rank: self.rank(), named, size: self.size(), call: call.to_string() })
    }

    fn check_len(
        &self,
        call: Call,
        what: &'static str,
        expected: usize,
        found: usize,
    ) -> Result<(), CommError> {
        if found == expected {
            return Ok(());
        }
        Err(CommError::Length { rank: self.rank(), what, expected, found, call: call.to_string() })
    }

    fn check_blocks(&self, call: Call, checked: Result<(), BlocksError>) -> Result<(), CommError> {
        checked.map_err(|why| CommError::Blocks { rank: self.rank(), why, call: call.to_string() })
    }

    fn check_sends(&self, call: Call, blocks: &Blocks, len: usize) -> Result<(), CommError> {
        self.check_blocks(call, blocks.check(self.size(), len))
    }

    fn check_recvs(&self, call: Call, blocks: &Blocks, len: usize) -> Result<(), CommError> {
        self.check_blocks(call, blocks.check_disjoint(self.size(), len))
    }
}
