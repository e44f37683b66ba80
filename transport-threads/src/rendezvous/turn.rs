//! One rank's way through one generation, as a pair of guards.
//!
//! From its arrival on a rank is counted on: peers wait for it, and read what it lent them. Whatever ends its part,
//! an error, an early return or a panic, it may not go before the generation is aborted or over. So the way is walked
//! by [`Turn`], whose `drop` walks the rest of it; the guards around it allow each step only in its phase.

use super::fault::Fault;
use super::gate::Ticket;
use super::slot::Peers;
use super::verdict::Reporter;
use super::{Rendezvous, Seat};
use crate::sync::refuted;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// A rank that is counted in and doesn't know yet whether all are. It may do what needs no peer.
///
/// Dropped, for instance by a panic, it poisons the rendezvous and waits until no peer can read its payload.
#[derive(Debug)]
#[must_use = "a generation goes on only when every rank enters"]
pub(crate) struct Arrived<'a, P, E: Clone>(Turn<'a, P, E>);

/// A rank that may read what all ranks published.
///
/// Dropped, for instance by a panic, it gives all ranks an error and waits until no peer can read its payload.
#[derive(Debug)]
#[must_use = "a generation ends only when every rank finishes"]
pub(crate) struct Entered<'a, P, E: Clone>(Turn<'a, P, E>);

impl<'a, P, E: Clone> Arrived<'a, P, E> {
    pub(super) fn begin(
        seat: &'a mut Seat<P, E>,
        payload: P,
        verify: impl FnOnce(Peers<'_, P>) -> Option<E>,
    ) -> Result<Self, E> {
        let turn = Turn::arrive(seat, payload)?;
        if turn.ticket.seals
            && let Err(panic) = turn.seal(verify)
        {
            drop(turn);
            resume_unwind(panic);
        }
        Ok(Self(turn))
    }

    /// Waits for all ranks.
    ///
    /// # Errors
    /// The reason of the poison, if it came before the last rank: the generation is aborted. Or what `verify` found:
    /// the generation is over, and the next one may follow. Collective: no rank enters then.
    pub(crate) fn enter(mut self) -> Result<Entered<'a, P, E>, E> {
        self.0.enter()?;
        if self.0.rendezvous().verdict.refusal().is_some() {
            return Err(self.0.finish(None).expect("a refusal stands until the next seal"));
        }
        Ok(Entered(self.0))
    }
}

impl<P, E: Clone> Entered<'_, P, E> {
    /// What every rank published.
    pub(crate) fn peers(&self) -> Peers<'_, P> {
        // SAFETY: the generation is released, so every slot was published before; no rank retires its slot before this
        // rank has left, which `finish` and `drop` do, and both end the borrow.
        unsafe { Peers::new(&self.0.rendezvous().slots) }
    }

    /// Reports this rank's error, if any, and waits until every rank has finished reading.
    ///
    /// Returns the generation's error, on every rank the same: that of the lowest rank that reported one.
    pub(crate) fn finish(mut self, error: Option<E>) -> Option<E> {
        self.0.finish(error)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Counted in; the slot is published.
    Arrived,
    /// Released; peers' slots may be read.
    Entered,
    /// Counted out; peers may still read this rank's slot.
    Left,
    /// The slot is retired.
    Over,
}

#[derive(Debug)]
struct Turn<'a, P, E: Clone> {
    seat: &'a mut Seat<P, E>,
    ticket: Ticket,
    phase: Phase,
}

impl<'a, P, E: Clone> Turn<'a, P, E> {
    fn arrive(seat: &'a mut Seat<P, E>, payload: P) -> Result<Self, E> {
        assert!(!seat.away, "rank {} leaked the guard of a collective", seat.rank);
        let slot = &seat.rendezvous.slots[seat.rank];
        // SAFETY: this rank isn't counted in, so no peer reads its slot; the seat is the only one of its rank, it isn't
        // away, and it is borrowed mutably: nobody writes the slot, and no guard of this rank reads it.
        unsafe { slot.publish(payload) };
        match seat.rendezvous.gate.arrive(seat.base) {
            Ok(ticket) => {
                seat.away = true;
                seat.base = ticket.exit.ticks;
                Ok(Self { seat, ticket, phase: Phase::Arrived })
            }
            Err(poisoned) => {
                // SAFETY: as above; the arrival was refused.
                drop(unsafe { slot.retire() });
                Err(seat.rendezvous.poisoned(poisoned))
            }
        }
    }

    fn rendezvous(&self) -> &Rendezvous<P, E> {
        &self.seat.rendezvous
    }

    /// The last rank's duty: judge what all have published, then let them go on, whatever happened.
    fn seal(&self, verify: impl FnOnce(Peers<'_, P>) -> Option<E>) -> Result<(), Box<dyn Any + Send>> {
        let rendezvous = self.rendezvous();
        rendezvous.verdict.clear();
        // SAFETY: all ranks have arrived, so every slot was published; all wait for the release below, and not even
        // poison lets one of them go before it.
        let peers = unsafe { Peers::new(&rendezvous.slots) };
        let judged = catch_unwind(AssertUnwindSafe(|| verify(peers)));
        if let Some(error) = judged.as_ref().map_or_else(|_| Some(self.panicked()), Clone::clone) {
            rendezvous.verdict.report(Reporter::Seal, error);
        }
        rendezvous.gate.release();
        judged.map(drop)
    }

    fn enter(&mut self) -> Result<(), E> {
        let gate = &self.rendezvous().gate;
        let outcome = match self.ticket.seals {
            true => Ok(()), // released by this rank itself
            false => gate.wait(self.ticket.entry, &*self.seat.watch),
        };
        outcome.map(|()| self.phase = Phase::Entered).map_err(|poisoned| {
            // Not sealed, nor ever to be: nobody reads this rank's slot.
            self.retire();
            self.rendezvous().poisoned(poisoned)
        })
    }

    fn finish(&mut self, error: Option<E>) -> Option<E> {
        self.leave(error);
        self.exit();
        self.rendezvous().verdict.error()
    }

    fn leave(&mut self, error: Option<E>) {
        if let Some(error) = error {
            self.rendezvous().verdict.report(Reporter::Rank(self.seat.rank), error);
        }
        if self.rendezvous().gate.defect.is(Fault::RetireBeforeExit) {
            self.retire();
        }
        let last = self.rendezvous().gate.leave(self.ticket.exit);
        self.phase = Phase::Left;
        if last {
            self.retire();
        }
    }

    /// Waits until everybody has left, if that isn't known yet.
    fn exit(&mut self) {
        if self.phase == Phase::Left {
            // Poison doesn't end this wait (a peer may still be reading), so there is no error to pass on.
            let _ = self.rendezvous().gate.wait(self.ticket.exit, &*self.seat.watch);
            self.retire();
        }
    }

    fn retire(&mut self) {
        self.phase = Phase::Over;
        self.seat.away = false;
        // SAFETY: the generation is over or aborted: no peer reads this slot before this rank arrives again. Nobody
        // else writes it, and no guard of this rank reads it any more.
        drop(unsafe { self.rendezvous().slots[self.seat.rank].retire() });
    }

    /// The error for the peers of a rank that unwinds.
    fn panicked(&self) -> E {
        let rank = self.seat.rank;
        // SAFETY: this rank's slot is published until it retires it, and only this rank writes it.
        let payload = unsafe { self.rendezvous().slots[rank].read() };
        (self.rendezvous().panicked)(rank, payload)
    }
}

/// Walks the rest of the way.
impl<P, E: Clone> Drop for Turn<'_, P, E> {
    fn drop(&mut self) {
        if refuted() {
            return;
        }
        if self.phase == Phase::Arrived {
            // Peers that still wait shall not wait for a rank that won't come again; if the generation is already
            // sealed they go on, and may read this rank's payload.
            self.rendezvous().poison(self.panicked());
            let _ = self.enter();
        }
        if self.phase == Phase::Entered {
            self.leave(Some(self.panicked()));
        }
        self.exit();
    }
}
