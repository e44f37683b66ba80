//! What a waiting rank is given and tells.

use crate::sync::{spin_loop, yield_now};
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
/// Looking saves two system calls and a wake-up when the peers are about to arrive and have a core to do it on, and takes
/// that core from them when they haven't.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Patience {
    spins: u32,
    yields: u32,
}

impl Patience {
    /// Look `looks` times in a row.
    pub(crate) const fn looks_of(looks: u32) -> Self {
        Self { spins: looks, yields: 0 }
    }

    /// What suits `ranks` on this machine.
    ///
    /// Asks the system for the number of cores: call it once per cluster, not per communicator.
    pub(crate) fn for_ranks(ranks: usize) -> Self {
        // A microsecond of spinning, which is what a barrier takes when each rank has a core; then some 20 of giving way,
        // in case some share a core all the same because other programs run.
        const OWN_CORE: Patience = Patience { spins: 30, yields: 50 };
        // Ranks that share cores get on when this one sleeps.
        const SHARED_CORE: Patience = Patience::looks_of(1);
        let cores = thread::available_parallelism().map_or(1, usize::from);
        if ranks <= cores { OWN_CORE } else { SHARED_CORE }
    }

    /// What to do after each look.
    pub(super) fn pauses(self) -> impl Iterator<Item = fn()> {
        let pause = move |look| if look < self.spins { spin_loop } else { yield_now };
        (0..self.spins + self.yields).map(pause)
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
