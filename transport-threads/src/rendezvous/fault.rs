//! Defects that the models plant, to show that they would be found.
//!
//! A model that passes proves little unless its neighbour, with one step of the protocol left out, fails. Each defect
//! is one such step. Outside the models every question here folds to "no".

use crate::sync::{MODELLED, Ordering};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// Peers' slots are read without waiting for the release.
    NoEntryWait,
    /// A slot is retired without waiting for the readers.
    NoExitWait,
    /// A slot is retired before this rank's own exit arrival.
    RetireBeforeExit,
    /// Poison ends the exit wait as it ends the entry wait.
    PoisonReleasesExit,
    /// Poison ends the entry wait of a sealed generation.
    AbortSealed,
    /// An arrival is counted in spite of poison.
    ArrivePoisoned,
    /// A rank that falls asleep looks at the counter before it takes the lock, not after.
    LookWithoutLock,
    /// The entry arrival orders nothing.
    RelaxedArrive,
    /// The release orders nothing.
    RelaxedRelease,
    /// The exit arrival orders nothing.
    RelaxedLeave,
    /// The waits order nothing.
    RelaxedWait,
}

/// The defect something was built with, if any.
#[derive(Clone, Copy, Debug)]
pub(super) struct Defect(Option<Fault>);

impl Defect {
    pub(super) const NONE: Self = Self(None);

    #[cfg(all(test, loom))]
    pub(super) const fn planted(fault: Fault) -> Self {
        Self(Some(fault))
    }

    pub(super) fn is(self, fault: Fault) -> bool {
        MODELLED && self.0 == Some(fault)
    }

    /// `ordering`, unless `fault` took it away.
    pub(super) fn relax(self, fault: Fault, ordering: Ordering) -> Ordering {
        if self.is(fault) { Ordering::Relaxed } else { ordering }
    }
}
