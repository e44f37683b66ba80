#![doc = include_str!("README.md")]

mod fault;
mod gate;
mod slot;
mod turn;
mod verdict;
mod wait;

#[cfg(all(test, loom))]
mod models;
#[cfg(all(test, not(loom)))]
mod tests;

pub(crate) use slot::Peers;
pub(crate) use turn::Arrived;
pub(crate) use wait::{Patience, Target, Watch};

use crate::sync::{Arc, Mutex, lock};
use crossbeam_utils::CachePadded;
use fault::Defect;
use gate::Gate;
use slot::Slot;
use std::fmt;
use verdict::Verdict;

/// Makes the error that peers get when `rank`, which published the payload, leaves a generation by unwinding.
type Panicked<P, E> = dyn Fn(usize, &P) -> E + Send + Sync;

/// Where the ranks of one communicator meet, once per collective.
pub(crate) struct Rendezvous<P, E> {
    gate: Gate,
    slots: Box<[CachePadded<Slot<P>>]>,
    verdict: Verdict<E>,
    reason: Mutex<Option<E>>,
    panicked: Box<Panicked<P, E>>,
    taken: Mutex<Box<[bool]>>,
}

impl<P, E: Clone> Rendezvous<P, E> {
    /// A meeting place of `size` ranks.
    ///
    /// `panicked(rank, payload)` makes the error that peers get when `rank` drops its guard instead of finishing, that
    /// is, when it unwinds. It may run during a panic and must not panic itself.
    ///
    /// # Panics
    /// If `size` is 0.
    pub(crate) fn new(
        size: usize,
        patience: Patience,
        panicked: impl Fn(usize, &P) -> E + Send + Sync + 'static,
    ) -> Arc<Self> {
        Self::with_defect(size, patience, panicked, Defect::NONE)
    }

    fn with_defect(
        size: usize,
        patience: Patience,
        panicked: impl Fn(usize, &P) -> E + Send + Sync + 'static,
        defect: Defect,
    ) -> Arc<Self> {
        Arc::new(Self {
            gate: Gate::new(size, patience, defect),
            slots: (0..size).map(|_| CachePadded::new(Slot::new())).collect(),
            verdict: Verdict::new(),
            reason: Mutex::new(None),
            panicked: Box::new(panicked),
            taken: Mutex::new(vec![false; size].into_boxed_slice()),
        })
    }

    /// The right to take part as `rank`, given once; `None` if it is taken.
    ///
    /// # Panics
    /// If there is no such rank.
    pub(crate) fn seat(
        self: &Arc<Self>,
        rank: usize,
        watch: impl Watch + Send + 'static,
    ) -> Option<Seat<P, E>> {
        let was_taken = std::mem::replace(&mut lock(&self.taken)[rank], true);
        (!was_taken).then(|| Seat {
            rendezvous: Arc::clone(self),
            rank,
            watch: Box::new(watch),
            base: 0,
            away: false,
        })
    }

    /// Ends this meeting place for all ranks, from any thread. The first reason given is the one they get.
    ///
    /// A generation that is not sealed yet is aborted; one that is sealed runs to its end as if nothing had happened;
    /// every later arrival is refused.
    pub(crate) fn poison(&self, reason: E) {
        lock(&self.reason).get_or_insert(reason);
        self.gate.poison();
    }

    /// Why this meeting place was ended, if it was.
    pub(crate) fn reason(&self) -> Option<E> {
        lock(&self.reason).clone()
    }

    /// Whether a rank that reported [`Watch::blocked`] with `target` can go on.
    pub(crate) fn is_satisfied(&self, target: Target) -> bool {
        self.gate.is_satisfied(target)
    }

    fn poisoned(&self, _: wait::Poisoned) -> E {
        self.reason().expect("the reason is written before the flag")
    }
}

impl<P, E> fmt::Debug for Rendezvous<P, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rendezvous").field("gate", &self.gate).finish_non_exhaustive()
    }
}

/// One rank's place. Not shared: a rank is one thread's, and takes part in one collective at a time.
pub(crate) struct Seat<P, E> {
    rendezvous: Arc<Rendezvous<P, E>>,
    rank: usize,
    watch: Box<dyn Watch + Send>,
    /// The tick at which this rank's next generation begins.
    base: u64,
    /// From arrival to the end of the generation; stays set if the guard was leaked.
    away: bool,
}

impl<P, E: Clone> Seat<P, E> {
    /// Publishes `payload` and counts this rank in; the first step of a generation. Doesn't wait.
    ///
    /// The last rank to arrive runs its `verify` on all payloads while the others wait; an error that it returns makes
    /// every rank's [`Arrived::enter`] fail, so that no rank acts on payloads that don't fit together.
    ///
    /// A payload with raw pointers isn't `Send` and `Sync` by itself. Who implements these for it promises that, from
    /// `arrive` until the guard that comes of it is finished or dropped, the pointers are good for what peers do with
    /// them (and that guard is not leaked): peers access the payload in exactly that time.
    ///
    /// # Errors
    /// The reason of the poison. Not collective: peers may have arrived before it, then they get the same reason from
    /// `enter`.
    ///
    /// # Panics
    /// If the guard of an earlier generation was leaked. If `verify` panics, after the peers were let go with an error.
    pub(crate) fn arrive(
        &mut self,
        payload: P,
        verify: impl FnOnce(Peers<'_, P>) -> Option<E>,
    ) -> Result<Arrived<'_, P, E>, E> {
        Arrived::begin(self, payload, verify)
    }
}

impl<P, E> fmt::Debug for Seat<P, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Seat")
            .field("rank", &self.rank)
            .field("rendezvous", &self.rendezvous)
            .finish_non_exhaustive()
    }
}
