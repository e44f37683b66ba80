//! Sorted input and unwritten output, both as keys and payloads in step.

use std::mem::MaybeUninit;
use std::ptr::{self, NonNull};
use std::slice;

/// A sorted run: as many payloads as keys.
#[derive(Debug)]
pub(super) struct Run<'a, K, I> {
    keys: &'a [K],
    payload: &'a [I],
}

// Not derived: the slices are `Copy` whatever they hold.
impl<K, I> Clone for Run<'_, K, I> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<K, I> Copy for Run<'_, K, I> {}

/// `len` payloads without content: what turns bare keys into records.
pub(super) fn units<'a>(len: usize) -> &'a [()] {
    // SAFETY: a slice of a zero-sized type occupies no memory, so any aligned non-null pointer serves.
    unsafe { slice::from_raw_parts(NonNull::dangling().as_ptr(), len) }
}

impl<'a, K: Copy + Ord, I: Copy> Run<'a, K, I> {
    pub(super) fn new(keys: &'a [K], payload: &'a [I]) -> Self {
        let (expected, found) = (keys.len(), payload.len());
        assert!(expected == found, "expected a payload for each of {expected} keys, found {found}");
        Self { keys, payload }
    }

    pub(super) fn keys(&self) -> &'a [K] {
        self.keys
    }

    pub(super) fn payload(&self) -> &'a [I] {
        self.payload
    }

    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    pub(super) fn split_at(&self, mid: usize) -> (Self, Self) {
        let (keys, payload) = (self.keys.split_at(mid), self.payload.split_at(mid));
        (Self { keys: keys.0, payload: payload.0 }, Self { keys: keys.1, payload: payload.1 })
    }

    /// The records `from..to`.
    pub(super) fn part(&self, from: usize, to: usize) -> Self {
        Self { keys: &self.keys[from..to], payload: &self.payload[from..to] }
    }

    /// Whether all of `self` stands before all of `next`, a higher run. Neither is empty.
    pub(super) fn precedes(&self, next: Self) -> bool {
        self.keys[self.len() - 1] <= next.keys[0]
    }
}

/// A piece of the output. Whoever takes one by value fills every slot.
#[derive(Debug)]
pub(super) struct Slots<'a, K, I> {
    keys: &'a mut [MaybeUninit<K>],
    payload: &'a mut [MaybeUninit<I>],
}

impl<'a, K: Copy + Ord, I: Copy> Slots<'a, K, I> {
    pub(super) fn new(keys: &'a mut [MaybeUninit<K>], payload: &'a mut [MaybeUninit<I>]) -> Self {
        assert_eq!(keys.len(), payload.len());
        Self { keys, payload }
    }

    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }

    pub(super) fn split_at(self, mid: usize) -> (Self, Self) {
        let (keys, payload) = (self.keys.split_at_mut(mid), self.payload.split_at_mut(mid));
        (Self { keys: keys.0, payload: payload.0 }, Self { keys: keys.1, payload: payload.1 })
    }

    /// The same slots for a shorter time.
    pub(super) fn reborrow(&mut self) -> Slots<'_, K, I> {
        Slots { keys: self.keys, payload: self.payload }
    }

    /// `len` slots from `from` on.
    pub(super) fn part(self, from: usize, len: usize) -> Self {
        self.split_at(from).1.split_at(len).0
    }

    pub(super) fn copy_from(self, run: Run<'_, K, I>) {
        assert_eq!(self.len(), run.len());
        // SAFETY: both sides are as long as `run`, and a `&mut` does not overlap a `&`. `MaybeUninit<T>` is laid out as `T`.
        unsafe {
            ptr::copy_nonoverlapping(run.keys.as_ptr(), self.keys.as_mut_ptr().cast(), run.len());
            ptr::copy_nonoverlapping(run.payload.as_ptr(), self.payload.as_mut_ptr().cast(), run.len());
        }
    }

    pub(super) fn set(&mut self, at: usize, key: K, payload: I) {
        self.keys[at].write(key);
        self.payload[at].write(payload);
    }

    pub(super) fn as_mut_ptrs(&mut self) -> (*mut K, *mut I) {
        (self.keys.as_mut_ptr().cast(), self.payload.as_mut_ptr().cast())
    }

    /// The records that were written here.
    ///
    /// # Safety
    /// Every slot was written.
    pub(super) unsafe fn written(self) -> Run<'a, K, I> {
        // SAFETY: the caller vouches for the contents; lengths and lifetimes are those of the slots.
        unsafe {
            Run {
                keys: slice::from_raw_parts(self.keys.as_ptr().cast(), self.keys.len()),
                payload: slice::from_raw_parts(self.payload.as_ptr().cast(), self.payload.len()),
            }
        }
    }
}
