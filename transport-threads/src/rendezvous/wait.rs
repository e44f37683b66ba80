//! What a waiting rank is given and tells.

use std::thread;

/// A point of a generation that a rank waits for.
///
/// Opaque: got from [`Watch::blocked`], and good for `Rendezvous::is_satisfied` of the rendezvous it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    /// The count to reach.
    pub(super) ticks: u64,
    /// Poison ends the wait while the count is below this. 0: poison doesn't end it.
    pub(super) abort_below: u64,
}

/// The generation was poisoned before it was sealed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Poisoned;

/// How often a rank looks again before it goes to sleep.
///
/// Spinning saves two system calls and a wake-up when the peers are about to arrive and have a core to do it on, and
/// takes that core from them when they haven't.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Patience {
    looks: u32,
}

impl Patience {
    /// Look `looks` times.
    pub(crate) const fn looks_of(looks: u32) -> Self {
        Self { looks }
    }

    /// Spin for some microseconds if each of `ranks` can have a core, else look just once.
    ///
    /// Asks the system for the number of cores: call it once per cluster, not per communicator.
    pub(crate) fn for_ranks(ranks: usize) -> Self {
        const SPINS: u32 = 1000;
        let cores = thread::available_parallelism().map_or(1, usize::from);
        Self::looks_of(if ranks <= cores { SPINS } else { 1 })
    }

    pub(super) const fn looks(self) -> u32 {
        self.looks
    }
}

/// Hears when a rank goes to sleep and when it wakes.
///
/// The two calls come in pairs, on the rank's own thread, without any lock held: `blocked` may ask other rendezvous
/// whether their targets are satisfied, and may poison, this one too. A rank that reported `blocked` is stuck only as
/// long as its target is not satisfied. Neither call may panic.
pub(crate) trait Watch {
    /// The rank is about to sleep until `target`.
    fn blocked(&self, target: Target);
    /// The rank goes on.
    fn unblocked(&self);
}

/// Nobody watches.
impl Watch for () {
    fn blocked(&self, _: Target) {}
    fn unblocked(&self) {}
}
