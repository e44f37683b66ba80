//! The counter that every step of a generation is read from, and the waiting on it.
//!
//! One word: a flag, and ticks that only grow. A generation of `size` ranks that begins at tick `base` is
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
use crate::sync::{AtomicU64, Condvar, Mutex, Ordering, PoisonError, lock};
use crossbeam_utils::CachePadded;

/// No rank may arrive any more, and who waits in an open generation gives up.
const POISON: u64 = 1 << 63;
const TICKS: u64 = POISON - 1;

#[derive(Debug)]
pub(super) struct Gate {
    /// On a line of its own: ranks spin on it.
    state: CachePadded<AtomicU64>,
    size: u64,
    patience: Patience,
    /// Whether anybody sleeps whom nobody has woken.
    asleep: Mutex<bool>,
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
            asleep: Mutex::new(false),
            bell: Condvar::new(),
            defect,
        }
    }

    /// Counts this rank into the generation that begins at tick `base`. The caller has published its slot and isn't
    /// counted yet, so that no other generation can be the current one.
    pub(super) fn arrive(&self, base: u64) -> Result<Ticket, Poisoned> {
        // Release: my slot is written before I'm counted. Acquire: the last to arrive reads the slots of all; every
        // tick is a read-modify-write, so this one continues the release sequence of each arrival before it. On
        // failure Acquire pairs with the Release in `poison`.
        let ordering = self.defect.relax(Fault::RelaxedArrive, Ordering::AcqRel);
        let mut before = base; // right for the first to arrive
        loop {
            if before & POISON != 0 && !self.defect.is(Fault::ArrivePoisoned) {
                return Err(Poisoned);
            }
            match self.state.compare_exchange_weak(before, before + 1, ordering, Ordering::Acquire) {
                Ok(_) => break,
                Err(now) => before = now,
            }
        }
        let sealed = base + self.size;
        let abort_below = if self.defect.is(Fault::AbortSealed) { sealed + 1 } else { sealed };
        Ok(Ticket {
            seals: (before & TICKS) + 1 == sealed,
            entry: Target { ticks: sealed + 1, abort_below },
            exit: Target { ticks: sealed + 1 + self.size, abort_below: 0 },
        })
    }

    /// Lets everybody out of the entry wait. Only for the rank whose arrival sealed the generation.
    pub(super) fn release(&self) {
        // Release: what the sealing rank decided is written before anybody goes on.
        self.state.fetch_add(1, self.defect.relax(Fault::RelaxedRelease, Ordering::Release));
        self.wake();
    }

    /// Counts this rank out of the generation that ends at `exit`: it reads no peer's slot any more. Says whether it was
    /// the last, so that there is nothing left to wait for.
    pub(super) fn leave(&self, exit: Target) -> bool {
        // Release: my reads of the peers' slots are over, and my report is written, before I'm counted. Acquire: the
        // last to leave reads the reports of all, and writes its slot.
        let before = self.state.fetch_add(1, self.defect.relax(Fault::RelaxedLeave, Ordering::AcqRel));
        let last = (before & TICKS) + 1 == exit.ticks;
        if last {
            self.wake();
        }
        last
    }

    /// Refuses all later arrivals and ends the waits of an open generation.
    pub(super) fn poison(&self) {
        // Release: the reason is written before anybody can see that there is one.
        self.state.fetch_or(POISON, Ordering::Release);
        self.wake();
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
        for pause in self.patience.pauses() {
            if let Some(outcome) = self.look(target) {
                return outcome;
            }
            pause();
        }
        watch.blocked(target);
        let outcome = self.sleep(target);
        watch.unblocked();
        outcome
    }

    /// Whether the wait for `target` is over, and how.
    fn look(&self, target: Target) -> Option<Result<(), Poisoned>> {
        // Acquire: pairs with the Release of every tick up to the target, and with that of `poison`.
        let state = self.state.load(self.defect.relax(Fault::RelaxedWait, Ordering::Acquire));
        let (ticks, poisoned) = (state & TICKS, state & POISON != 0);
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
        let early = self.defect.is(Fault::LookWithoutLock).then(|| self.look(target));
        let mut asleep = lock(&self.asleep);
        loop {
            // A waker changes the counter before it takes the lock. So if it took the lock before this rank did, the
            // change is seen here; if after, this rank can hear the bell by then: no wake-up is lost.
            if let Some(outcome) = early.unwrap_or_else(|| self.look(target)) {
                return outcome;
            }
            *asleep = true;
            asleep = self.bell.wait(asleep).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Wakes all sleepers, after a change that some of them may wait for; each looks for itself.
    ///
    /// Two calls per generation, each for all: so the wake-ups are linear in the ranks, and without sleepers there is no
    /// system call.
    fn wake(&self) {
        let anybody = self.size > 1 && std::mem::take(&mut *lock(&self.asleep));
        if anybody {
            self.bell.notify_all();
        }
    }
}
