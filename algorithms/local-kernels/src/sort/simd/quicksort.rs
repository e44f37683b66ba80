//! The recursion, as a loop with a stack.

use std::mem::MaybeUninit;

use super::Vector;
use super::network::MAX_ROWS;
use super::partition::{MIN_REGISTERS, partition};
use crate::Key;

/// A network for up to `MAX_ROWS * LANES` keys, compiled on its own: it is large, and called from two places.
///
/// # Safety
/// As [`Vector`]; the pointer is valid for so many keys.
pub(super) type SortSmall<K> = unsafe fn(*mut K, usize);

/// The pivot is the median of a sample: a small one where a bad pivot costs little.
const SAMPLES: [(usize, usize); 3] = [(1 << 10, 16), (1 << 14, 32), (usize::MAX, 64)];

/// A part of the array that is still to be sorted.
struct Range<K> {
    start: usize,
    len: usize,
    /// No key in the range is greater.
    bound: K,
    /// Partitions left before the range is given to a sort that cannot degenerate.
    patience: u32,
}

/// Sorts ascending.
///
/// # Order and ties
/// A pivot's equals go left. If the pivot is the greatest key of its range, the range is split into lesser keys and equal
/// ones, which are done: `d` distinct keys cost O(n log d).
///
/// # Complexity
/// O(n log n) at worst.
///
/// # Safety
/// As [`Vector`], and `sort_small` is a network of the same instruction set.
#[inline(always)]
pub(super) unsafe fn quicksort<V: Vector>(keys: &mut [V::Key], sort_small: SortSmall<V::Key>) {
    const { assert!(MIN_REGISTERS <= MAX_ROWS, "what is too long for a network is long enough to be partitioned") };
    let len = keys.len();
    let mut seed = len as u64;
    let mut stack = vec![Range { start: 0, len, bound: V::Key::MAX, patience: 2 * (len | 1).ilog2() + 4 }];
    while let Some(range) = stack.pop() {
        let part = &mut keys[range.start..range.start + range.len];
        if part.len() <= MAX_ROWS * V::LANES {
            // SAFETY: the caller's; `part` fits in the network.
            unsafe { sort_small(part.as_mut_ptr(), part.len()) };
        } else if range.patience == 0 {
            part.sort_unstable();
        } else {
            // SAFETY: the caller's.
            let pivot = unsafe { choose_pivot(part, &mut seed, sort_small) };
            // SAFETY: the caller's; `part` is longer than a network, hence long enough.
            let (low, high) = unsafe { split::<V>(part, range, pivot) };
            // The longer part waits at the bottom, so that the stack holds at most log2(n) ranges.
            let (first, second) = if low.len < high.len { (high, low) } else { (low, high) };
            stack.push(first);
            stack.push(second);
        }
    }
}

/// The median of keys from pseudo-random places, which no regular input can foresee.
///
/// # Safety
/// As [`SortSmall`]; `part` is not empty.
#[inline(always)]
unsafe fn choose_pivot<K: Key>(part: &[K], seed: &mut u64, sort_small: SortSmall<K>) -> K {
    let (_, count) =
        SAMPLES.into_iter().find(|&(longest, _)| part.len() <= longest).expect("the last entry has no limit");
    let mut sample = [MaybeUninit::<K>::uninit(); 64];
    for key in &mut sample[..count] {
        *seed = seed.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
        let place = (u128::from(*seed) * part.len() as u128) >> 64;
        // SAFETY: the product of a fraction below 1 and `len` is below `len`; a check per sample would cost as much as the load.
        key.write(unsafe { *part.get_unchecked(place as usize) });
    }
    // SAFETY: the first `count` keys of the sample are initialised, and every network has room for 64.
    unsafe {
        sort_small(sample.as_mut_ptr().cast(), count);
        sample[count / 2 - 1].assume_init()
    }
}

/// Partitions a range and returns what is left to be sorted.
///
/// # Safety
/// As [`partition`].
#[inline(always)]
unsafe fn split<V: Vector>(
    part: &mut [V::Key],
    range: Range<V::Key>,
    pivot: V::Key,
) -> (Range<V::Key>, Range<V::Key>) {
    let Range { start, len, bound, patience } = range;
    let patience = patience - 1;
    let greatest = pivot == bound;
    let empty = Range { start, len: 0, bound, patience };
    if greatest && pivot == V::Key::MIN {
        return (Range { ..empty }, empty);
    }
    let last_low = if greatest { pivot.wrapping_sub(V::Key::from_u128(1)) } else { pivot };
    // SAFETY: the caller's; `last_low` is below `bound`, hence below MAX.
    let low_len = unsafe { partition::<V>(part.as_mut_ptr(), len, last_low) };
    let low = Range { start, len: low_len, bound: last_low, patience };
    let high = Range { start: start + low_len, len: len - low_len, bound, patience };
    // Above all keys but its equals: these are in place.
    (low, if greatest { empty } else { high })
}
