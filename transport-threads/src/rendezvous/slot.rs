//! What a rank publishes to its peers for the time of one generation.

use crate::sync::UnsafeCell;
use crossbeam_utils::CachePadded;

/// One rank's payload: written by its owner while its generation is open or over, read by anybody in between.
#[derive(Debug)]
pub(super) struct Slot<P>(UnsafeCell<Option<P>>);

// SAFETY: needed because a slot is shared by all ranks. The methods below are unsafe, and what they ask of the caller
// is that accesses never overlap with a write; so sharing a slot does nothing but share a `&P` (`P: Sync`) and, if a
// guard was leaked and the slot is dropped by the last owner of the rendezvous, move a `P` (`P: Send`).
unsafe impl<P: Send + Sync> Sync for Slot<P> {}

impl<P> Slot<P> {
    pub(super) fn new() -> Self {
        Self(UnsafeCell::new(None))
    }

    /// # Safety
    /// Nobody accesses the slot meanwhile, and no reference into it is alive.
    pub(super) unsafe fn publish(&self, payload: P) {
        // SAFETY: the caller's promise.
        self.0.with_mut(|slot| unsafe { *slot = Some(payload) });
    }

    /// # Safety
    /// As for `publish`.
    pub(super) unsafe fn retire(&self) -> Option<P> {
        // SAFETY: the caller's promise.
        self.0.with_mut(|slot| unsafe { (*slot).take() })
    }

    /// # Safety
    /// The slot is published, and nobody writes it as long as the reference is alive.
    pub(super) unsafe fn read(&self) -> &P {
        // SAFETY: the caller's promise.
        let payload = self.0.with(|slot| unsafe { (*slot).as_ref() });
        payload.expect("a rank is counted only after it published")
    }
}

/// The payloads of all ranks of a sealed generation.
#[derive(Debug)]
pub(crate) struct Peers<'a, P> {
    slots: &'a [CachePadded<Slot<P>>],
}

impl<'a, P> Peers<'a, P> {
    /// # Safety
    /// For all of `'a`, the slots are published and nobody writes them.
    pub(super) const unsafe fn new(slots: &'a [CachePadded<Slot<P>>]) -> Self {
        Self { slots }
    }

    /// The number of ranks.
    pub(crate) const fn size(&self) -> usize {
        self.slots.len()
    }

    /// What `rank` published.
    ///
    /// # Panics
    /// If there is no such rank.
    pub(crate) fn get(&self, rank: usize) -> &'a P {
        // SAFETY: promised on construction.
        unsafe { self.slots[rank].read() }
    }

    /// What every rank published, in rank order.
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = &'a P> {
        // SAFETY: promised on construction.
        self.slots.iter().map(|slot| unsafe { slot.read() })
    }
}
