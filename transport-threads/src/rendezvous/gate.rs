//! The counter that every step of a generation is read from, and the waiting on it.
//!
//! One word: two flags, and ticks that only grow. A generation of `size` ranks that begins at tick `base` is
//!
//! ```text
//!   base            base + size     base + size + 1        base + 2 size + 1 = next base
//!    |--- size arrivals ---|--- release ---|--- size departures ---|
//!            open               sealed            copying
//! ```
//!
//! Nothing is reset between generations, so a slow rank can never mistake one for the next.

use super::fault::{Defect, Fault};
use super::wait::{Patience, Poisoned, Target, Watch};
use crate::sync::{AtomicU64, Condvar, Mutex, Ordering, lock, spin_loop};
use crossbeam_utils::CachePadded;

/// No rank may arrive any more, and who waits in an open generation gives up.
const POISON: u64 = 1 << 63;
/// A rank sleeps, or is about to: whoever lets it go on must ring.
const ASLEEP: u64 = 1 << 62;
const TICKS: u64 = ASLEEP - 1;

#[derive(Debug)]
pub(super) struct Gate {
    /// On a line of its own: ranks spin on it.
    state: CachePadded<AtomicU64>,
    size: u64,
    patience: Patience,
    bed: Mutex<()>,
    bell: Condvar,
    pub(super) defect: Defect,
}

/// What an arrival learns: whether it was the last, and what to wait for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ticket {
    pub(super) seals: bool,
    pub(super) entry: Target,
    pub(super) exit: Target,
}

impl Gate {
    pub(super) fn new(size: usize, patience: Patience, defect: Defect) -> Self {
        assert!(size > 0, "a rendezvous needs at least one rank");
        Self {
            state: CachePadded::new(AtomicU64::new(0)),
            size: size as u64,
            patience,
            bed: Mutex::new(()),
            bell: Condvar::new(),
            defect,
        }
    }

    /// Counts this rank into the current generation. The caller has published its slot and isn't counted yet.
    pub(super) fn arrive(&self) -> Result<Ticket, Poisoned> {
        // The current generation can't end without this rank, so no tick of another rank changes `base` below.
        //
        // Release: my slot is written before I'm counted. Acquire: the last to arrive reads the slots of all; every
        // tick is a read-modify-write, so this one continues the release sequence of each arrival before it. On
        // failure Acquire pairs with the Release in `poison`.
        let ordering = self.defect.relax(Fault::RelaxedArrive, Ordering::AcqRel);
        let refuse = |state| state & POISON != 0 && !self.defect.is(Fault::ArrivePoisoned);
        let before = self
            .state
            .fetch_update(ordering, Ordering::Acquire, |state| (!refuse(state)).then_some(state + 1))
            .map_err(|_| Poisoned)?
            & TICKS;
        let base = before - before % (2 * self.size + 1);
        let sealed = base + self.size;
        let abort_below = if self.defect.is(Fault::AbortSealed) { sealed + 1 } else { sealed };
        Ok(Ticket {
            seals: before + 1 == sealed,
            entry: Target { ticks: sealed + 1, abort_below },
            exit: Target { ticks: sealed + 1 + self.size, abort_below: 0 },
        })
    }

    /// Lets everybody out of the entry wait. Only for the rank whose arrival sealed the generation.
    pub(super) fn release(&self) {
        // Release: what the sealing rank decided is written before anybody goes on.
        self.tick(self.defect.relax(Fault::RelaxedRelease, Ordering::Release), |_| true);
    }

    /// Counts this rank out: it reads no peer's slot any more.
    pub(super) fn leave(&self) {
        // Release: my reads of the peers' slots are over, and my report is written, before I'm counted.
        let ordering = self.defect.relax(Fault::RelaxedLeave, Ordering::Release);
        self.tick(ordering, |ticks| ticks % (2 * self.size + 1) == 0);
    }

    fn tick(&self, ordering: Ordering, completes: impl FnOnce(u64) -> bool) {
        let before = self.state.fetch_add(1, ordering);
        if before & ASLEEP != 0 && completes((before & TICKS) + 1) {
            self.ring();
        }
    }

    /// Refuses all later arrivals and ends the waits of an open generation.
    pub(super) fn poison(&self) {
        // Release: the reason is written before anybody can see that there is one.
        let before = self.state.fetch_or(POISON, Ordering::Release);
        if before & ASLEEP != 0 {
            self.ring();
        }
    }

    pub(super) fn is_satisfied(&self, target: Target) -> bool {
        self.look(target).is_some()
    }

    /// Waits until `target` is reached, or can't be reached any more because of poison.
    pub(super) fn wait(&self, target: Target, watch: &dyn Watch) -> Result<(), Poisoned> {
        let skip = if target.abort_below > 0 { Fault::NoEntryWait } else { Fault::NoExitWait };
        if self.defect.is(skip) {
            return Ok(());
        }
        if let Some(outcome) = self.look(target) {
            return outcome;
        }
        for _ in 0..self.patience.spins() {
            spin_loop();
            if let Some(outcome) = self.look(target) {
                return outcome;
            }
        }
        watch.blocked(target);
        let outcome = self.sleep(target);
        watch.unblocked();
        outcome
    }

    fn look(&self, target: Target) -> Option<Result<(), Poisoned>> {
        // Acquire: pairs with the Release of every tick up to the target, and with that of `poison`.
        self.outcome(self.state.load(self.defect.relax(Fault::RelaxedWait, Ordering::Acquire)), target)
    }

    fn outcome(&self, state: u64, target: Target) -> Option<Result<(), Poisoned>> {
        let ticks = state & TICKS;
        let poisoned = state & POISON != 0;
        if ticks >= target.ticks {
            Some(Ok(()))
        } else if poisoned && (ticks < target.abort_below || self.defect.is(Fault::PoisonReleasesExit)) {
            // The flag and the count come from one load: no arrival is accepted after the flag, so this generation
            // is not sealed and never will be.
            Some(Err(Poisoned))
        } else {
            None
        }
    }

    fn sleep(&self, target: Target) -> Result<(), Poisoned> {
        let mut bed = lock(&self.bed);
        loop {
            // Look before lying down: a flag set in vain costs the next waker a system call.
            if let Some(outcome) = self.look(target) {
                return outcome;
            }
            if self.defect.is(Fault::LookWithoutLock) {
                drop(bed);
                if let Some(outcome) = self.lie_down(target) {
                    return outcome;
                }
                bed = lock(&self.bed);
            } else if let Some(outcome) = self.lie_down(target) {
                return outcome;
            }
            bed = self.bell.wait(bed).unwrap_or_else(crate::sync::PoisonError::into_inner);
        }
    }

    /// Sets the flag, and looks at what the counter was when it was set.
    ///
    /// Flag and ticks are one word, so a tick comes either before (and is seen here) or after (and sees the flag): no
    /// wake-up is lost, and no ordering stronger than Acquire (as in `look`) is needed for that.
    fn lie_down(&self, target: Target) -> Option<Result<(), Poisoned>> {
        let before = self.state.fetch_or(ASLEEP, self.defect.relax(Fault::RelaxedWait, Ordering::Acquire));
        self.outcome(before, target)
    }

    /// Wakes the sleepers; each looks again. One call for all of them, so a step costs O(size) wake-ups, not more.
    fn ring(&self) {
        // A sleeper holds the lock from setting the flag until the bell can reach it, so that after this point
        // whoever set the flag can be reached. Relaxed: it carries no data, and continues the release sequences.
        let bed = lock(&self.bed);
        self.state.fetch_and(!ASLEEP, Ordering::Relaxed);
        drop(bed);
        self.bell.notify_all();
    }
}
