//! A sign of life per rank, so that a rank that has ended can tell whether a peer waits for it.
//!
//! MPI itself can't: a rank that returns early waits in `MPI_Finalize`, its peers in a collective, for ever. So each rank keeps
//! one word in a window: which communicator it is in a collective of, and the how-manieth. A rank that has ended reads the words
//! of its peers. Who has entered a later collective of a communicator than the ended rank took part in, waits for nothing.
//! It costs one store per collective.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::time::Duration;

use maniple_core::CommError;

use crate::ffi::{Handle, Window};

/// The word: 24 bits that name a communicator among those its members know, 40 that count its collectives.
const CALLS: u32 = 40;
const ENDED: u64 = u64::MAX;
/// The highest number that a communicator may have; the one above it would look like `ENDED`.
pub(crate) const MOST: u32 = (1 << (64 - CALLS)) - 2;

/// How long a rank whose process is busy may take to answer that another has spoken before.
const PATIENCE: Duration = Duration::from_millis(500);

#[derive(Debug)]
pub(crate) struct Pulse {
    window: Window,
    /// The communicators that this rank is or was a member of, by number.
    joined: RefCell<HashMap<u32, Rc<Joined>>>,
}

/// A communicator of this rank.
#[derive(Debug)]
pub(crate) struct Joined {
    number: u32,
    /// As numbered among all ranks.
    pub(crate) members: Box<[usize]>,
    /// Collectives that this rank has entered.
    calls: Cell<u64>,
}

impl Pulse {
    /// Collective over all ranks.
    pub(crate) fn new(world: &Handle) -> Result<Self, CommError> {
        Ok(Pulse { window: Window::new(world)?, joined: RefCell::default() })
    }

    /// This rank enters a collective. Gives back what the word was.
    pub(crate) fn enter(&self, comm: &Joined) -> u64 {
        comm.calls.set(comm.calls.get() + 1);
        self.window.set((u64::from(comm.number) << CALLS) | comm.calls.get())
    }

    /// This rank is back from it, to where it was `before`.
    pub(crate) fn leave(&self, before: u64) {
        self.window.set(before);
    }

    /// Is this the first rank of all that asks? To be asked by a rank that is about to end the job. Yes, if it can't be known in time.
    pub(crate) fn is_first_to_fail(&self) -> bool {
        !matches!(self.window.count(PATIENCE), Ok(Some(1..)))
    }

    /// This rank has ended. Returns when all have; with the number of a rank that waits for this one, if there is one.
    pub(crate) fn end(&self, ranks: usize) -> Result<Option<usize>, CommError> {
        self.window.set(ENDED);
        let mut pause = Duration::from_micros(50);
        let mut seen = vec![0; ranks];
        loop {
            let before = std::mem::take(&mut seen);
            for rank in 0..ranks {
                seen.push(self.window.get(rank as i32)?);
            }
            if seen.iter().all(|&word| word == ENDED) {
                return Ok(None);
            }
            // A word is believed when it has been read twice.
            let waits =
                |rank: &usize| before.get(*rank) == Some(&seen[*rank]) && self.is_beyond(*rank, seen[*rank]);
            if let Some(rank) = (0..ranks).find(waits) {
                return Ok(Some(rank));
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(50));
        }
    }

    /// Is `rank` in a collective which this one should have entered?
    ///
    /// Ranks number their communicators each for themselves, but all members of one give it the same number; so if `rank` is a
    /// member of ours with that number, it means ours.
    fn is_beyond(&self, rank: usize, word: u64) -> bool {
        let (comm, calls) = ((word >> CALLS) as u32, word & ((1 << CALLS) - 1));
        let beyond = |ours: &Rc<Joined>| ours.members.contains(&rank) && calls > ours.calls.get();
        word != ENDED && word != 0 && self.joined.borrow().get(&comm).is_some_and(beyond)
    }

    /// Collective over all ranks.
    pub(crate) fn free(self) -> Result<(), CommError> {
        self.window.free()
    }

    /// A communicator of these ranks, this one among them, before its first collective.
    pub(crate) fn join(&self, number: u32, members: Box<[usize]>) -> Rc<Joined> {
        let joined = Rc::new(Joined { number, members, calls: Cell::new(0) });
        self.joined.borrow_mut().insert(number, Rc::clone(&joined));
        joined
    }
}
