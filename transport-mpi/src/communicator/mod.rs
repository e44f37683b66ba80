//! `Communicator` over MPI, a file per kind of collective.
#![allow(unsafe_code)] // implements an unsafe trait; every call of MPI is in `ffi`

mod gather;
mod messages;
mod split;
mod to_all;

use std::cell::{Cell, RefCell};
use std::fmt;
use std::rc::Rc;

use maniple_core::{BcastBuf, Blocks, ByteRecv, ByteSend, Bytes, Call, CommError, Communicator};

use crate::ffi::{Handle, Parts, Slots};
use crate::last_words::die;
use crate::pulse::Joined;
use crate::world::World;

/// One rank's side of an MPI communicator.
pub(crate) struct Mpi {
    world: Rc<World>,
    handle: Handle,
    rank: usize,
    size: usize,
    /// What its ranks know it by when one has ended.
    joined: Rc<Joined>,
    /// The collective that this rank is in.
    inside: Cell<Option<Call>>,
    /// A collective that was called from inside another.
    reentered: RefCell<Option<CommError>>,
    /// What the native collective at hand sends and receives.
    parts: RefCell<(Parts, Parts)>,
    /// The messages at hand.
    slots: RefCell<Slots>,
    /// Receives what a visitor is shown; kept, because fresh memory is dear. Never holds a value, only capacity.
    scratch: RefCell<Vec<u8>>,
}

impl Mpi {
    /// All ranks.
    pub(crate) fn world(world: Rc<World>) -> Result<Self, CommError> {
        let handle = Handle::world()?;
        let members = (0..handle.size()).collect();
        Ok(Mpi::new(world, handle, 0, members))
    }

    fn new(world: Rc<World>, handle: Handle, number: u32, members: Box<[usize]>) -> Self {
        let (rank, size) = (handle.rank(), handle.size());
        let joined = world.pulse.join(number, members);
        let (inside, reentered) = (Cell::new(None), RefCell::default());
        let (parts, slots, scratch) = (RefCell::default(), RefCell::default(), RefCell::default());
        Mpi { world, handle, rank, size, joined, inside, reentered, parts, slots, scratch }
    }

    /// Every collective goes through here: no two at a time, and a sign for peers that may have ended.
    fn within<R>(&self, call: Call, run: impl FnOnce() -> Result<R, CommError>) -> Result<R, CommError> {
        if let Some(outer) = self.inside.get() {
            let (call, inside) = (call.to_string(), outer.to_string());
            let error = CommError::Reentrant { rank: self.joined.members[self.rank], call, inside };
            return Err(self.reentered.borrow_mut().get_or_insert(error).clone());
        }
        let _inside = Inside::begin(self, call);
        let result = run()?;
        // The collective that was called from a closure of this one has not taken place, so this one is no success either.
        self.reentered.borrow().clone().map_or(Ok(result), Err)
    }
}

/// The time that a rank spends in a collective, which may end by unwinding.
struct Inside<'a> {
    mpi: &'a Mpi,
    /// What the rank's pulse said before: it may be in a visit of another communicator.
    outer: u64,
}

impl<'a> Inside<'a> {
    fn begin(mpi: &'a Mpi, call: Call) -> Self {
        mpi.inside.set(Some(call));
        Inside { mpi, outer: mpi.world.pulse.enter(&mpi.joined) }
    }
}

impl Drop for Inside<'_> {
    fn drop(&mut self) {
        self.mpi.world.pulse.leave(self.outer);
        self.mpi.inside.set(None);
        self.mpi.reentered.take();
    }
}

// SAFETY: every declared byte is received by MPI from the rank it is declared to come from, or the call fails: message lengths
// are compared (`messages`), and in native collectives a longer message is MPI_ERR_TRUNCATE. That ranks call the same collective
// with the same element type and length is the program's duty under MPI; `Checked` makes sure of it.
unsafe impl Communicator for Mpi {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn barrier(&self, call: Call) -> Result<(), CommError> {
        self.within(call, || self.handle.barrier())
    }

    fn bcast(&self, call: Call, buf: BcastBuf<'_>) -> Result<(), CommError> {
        self.within(call, || self.one_to_all(call, buf))
    }

    fn all_gather_v(
        &self,
        call: Call,
        send: &[u8],
        recv: &mut Bytes,
        blocks: &Blocks,
    ) -> Result<(), CommError> {
        self.within(call, || self.all_to_everyone(call, send, recv, blocks))
    }

    fn all_to_all_v(
        &self,
        call: Call,
        send: &[u8],
        sends: &Blocks,
        recv: &mut Bytes,
        recvs: &Blocks,
    ) -> Result<(), CommError> {
        self.within(call, || self.each_to_each(call, send, sends, recv, recvs))
    }

    fn exchange(
        &self,
        call: Call,
        send: &[u8],
        sends: &Blocks,
        visit: &mut dyn FnMut(&[&[u8]]),
    ) -> Result<(), CommError> {
        self.within(call, || self.shown(call, send, sends, visit))
    }

    fn exchange_with(
        &self,
        call: Call,
        sends: &[ByteSend<'_>],
        recvs: &mut [ByteRecv<'_>],
        overlap: &mut dyn FnMut(),
    ) -> Result<(), CommError> {
        self.within(call, || self.messages(call, messages::NEIGHBOURS, sends, recvs, overlap))
    }

    fn split(
        &self,
        call: Call,
        color: Option<u32>,
        key: i64,
    ) -> Result<Option<Rc<dyn Communicator>>, CommError> {
        let part = self.within(call, || self.part(color, key))?;
        Ok(part.map(|part| Rc::new(part) as Rc<dyn Communicator>))
    }

    fn refuse(&self, _: Call, why: CommError) -> CommError {
        // The peers learn of it when this rank ends with the error: the job ends then.
        why
    }

    fn fail(&self, why: &str) {
        die(&self.world, why)
    }
}

impl fmt::Debug for Mpi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MPI, ranks {:?} of the job", self.joined.members)
    }
}

fn elem_size(call: Call) -> usize {
    call.elem.map_or(1, |e| e.size())
}
