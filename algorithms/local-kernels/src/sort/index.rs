//! Stable sort of keys together with the positions they came from.
//!
//! A key and its position are packed into one integer, the key above, and the integers are sorted: positions make them
//! distinct and keep ties in order. Bits that all keys share are left out. Where what differs is still too long for the
//! integer, only its leading bits, the *prefix*, are packed; the keys are then fetched by position, and the rare runs of equal
//! prefixes are sorted by what follows. Large arrays are first dealt out to buckets, because fetching all over a large array
//! takes longer than sorting it.

use super::distribute::{Dealt, MIN_KEYS, distribute};
use super::level::Level;
use super::{sort_u32, sort_u64};
use crate::Key;

/// Runs of equal prefixes up to this length are sorted by insertion: no allocation.
const SHORT_RUN: usize = 16;

/// An integer that holds positions: `u32`, `u64` or `usize`.
pub trait SortIndex: Copy + Ord + Send + Sync + 'static {
    /// The greatest position it holds.
    const MAX: u64;

    /// The position, which is at most [`MAX`](Self::MAX).
    fn from_usize(position: usize) -> Self;

    /// The position.
    fn to_usize(self) -> usize;
}

macro_rules! sort_index {
    ($($I:ident)*) => {$(
        impl SortIndex for $I {
            const MAX: u64 = $I::MAX as u64;

            #[inline(always)]
            fn from_usize(position: usize) -> Self {
                position as $I
            }

            #[inline(always)]
            fn to_usize(self) -> usize {
                self as usize
            }
        }
    )*};
}

sort_index! { u32 u64 usize }

/// Sorts keys ascending and returns the position each of them came from: a stable argsort with the keys sorted along.
///
/// # Order and ties
/// Equal keys keep their order: their positions rise.
///
/// # Complexity
/// O(n log n); O(n) for keys that rise already. Memory for up to two more arrays of 8 bytes per key besides the result.
///
/// # Panics
/// If a position of `keys` does not fit in `I`.
///
/// # Examples
/// ```
/// let mut keys = [2u64, 5, 2, 5, 1];
/// let index: Vec<u32> = maniple_kernels::sort_with_index(&mut keys);
/// assert_eq!(keys, [1, 2, 2, 5, 5]);
/// assert_eq!(index, [4, 0, 2, 1, 3]);
/// ```
#[must_use]
pub fn sort_with_index<K: Key, I: SortIndex>(keys: &mut [K]) -> Vec<I> {
    sort_with_index_at(keys, Level::detect())
}

pub(super) fn sort_with_index_at<K: Key, I: SortIndex>(keys: &mut [K], level: Level) -> Vec<I> {
    let positions = keys.len() as u64;
    assert!(
        positions.saturating_sub(1) <= I::MAX,
        "expected positions up to {}, found {positions} keys",
        I::MAX
    );
    if keys.is_sorted() {
        (0..keys.len()).map(I::from_usize).collect()
    } else if keys.is_sorted_by(|a, b| a >= b) {
        reverse(keys)
    } else {
        sort_packed(keys, level, keys.len() >= MIN_KEYS)
    }
}

/// Reverses falling keys; ties keep their order.
fn reverse<K: Key, I: SortIndex>(keys: &mut [K]) -> Vec<I> {
    keys.reverse();
    let mut index: Vec<I> = (0..keys.len()).rev().map(I::from_usize).collect();
    let mut rest = index.as_mut_slice();
    for ties in keys.chunk_by(|a, b| a == b) {
        let (indices, behind) = rest.split_at_mut(ties.len());
        indices.reverse();
        rest = behind;
    }
    index
}

/// Sorts keys that are not all equal, `large` arrays by way of buckets unless a packed integer holds all that matters.
fn sort_packed<K: Key, I: SortIndex>(keys: &mut [K], level: Level, large: bool) -> Vec<I> {
    let window = Window::of(keys);
    let position_bits = usize::BITS - (keys.len() - 1).leading_zeros();
    let bits = window.width() + position_bits;
    if bits <= 32 {
        let mut packed: Vec<u32> = window.pack(keys, position_bits).map(|wide| wide as u32).collect();
        sort_u32(&mut packed, level);
        window.unpack(packed.into_iter().map(u64::from), position_bits, keys)
    } else if bits <= 64 {
        let mut packed: Vec<u64> = window.pack(keys, position_bits).collect();
        sort_u64(&mut packed, level);
        window.unpack(packed.into_iter(), position_bits, keys)
    } else if large {
        sort_by_bucket(keys, level)
    } else {
        sort_by_prefix(keys, &window.leading(64 - position_bits), position_bits, level)
    }
}

/// The bits of a key from `low` up to `high`.
struct Window<K> {
    low: u32,
    high: u32,
    /// What all keys have outside of the window; zeros inside.
    common: K,
}

impl<K: Key> Window<K> {
    /// The narrowest window outside of which all keys agree; they must not all be equal.
    fn of(keys: &[K]) -> Self {
        let differing = K::differing_bits(keys).to_u128();
        let (low, high) = (differing.trailing_zeros(), 128 - differing.leading_zeros());
        let inside = (u128::MAX >> (128 - (high - low))) << low;
        Self { low, high, common: K::from_u128(keys[0].to_u128() & !inside) }
    }

    fn width(&self) -> u32 {
        self.high - self.low
    }

    /// The upper `bits` bits of the window.
    fn leading(self, bits: u32) -> Self {
        Self { low: self.high - bits, ..self }
    }

    /// The windows' contents, at most 64 bits with the position in the low `position_bits`.
    fn pack(&self, keys: &[K], position_bits: u32) -> impl Iterator<Item = u64> {
        let (low, inside) = (self.low, u64::MAX >> (64 - self.width()));
        keys.iter()
            .zip(0u64..)
            .map(move |(&key, position)| (key.bits_from(low) & inside) << position_bits | position)
    }

    /// Restores the keys and returns the positions.
    fn unpack<I: SortIndex>(
        &self,
        packed: impl ExactSizeIterator<Item = u64>,
        position_bits: u32,
        keys: &mut [K],
    ) -> Vec<I> {
        let positions = (1 << position_bits) - 1;
        let restore = |(key, packed): (&mut K, u64)| {
            *key = self.common.with_bits_from(self.low, packed >> position_bits);
            I::from_usize((packed & positions) as usize)
        };
        keys.iter_mut().zip(packed).map(restore).collect()
    }
}

/// Deals the keys out and sorts the buckets.
fn sort_by_bucket<K: Key, I: SortIndex>(keys: &mut [K], level: Level) -> Vec<I> {
    let Dealt { keys: mut dealt, mut index, buckets } = distribute(keys);
    for bucket in buckets {
        sort_run(&mut dealt[bucket.clone()], &mut index[bucket.clone()], level);
        keys[bucket.clone()].copy_from_slice(&dealt[bucket]);
    }
    index
}

/// Sorts by a window that is not all of what differs, then by the rest where windows are equal.
fn sort_by_prefix<K: Key, I: SortIndex>(
    keys: &mut [K],
    prefix: &Window<K>,
    position_bits: u32,
    level: Level,
) -> Vec<I> {
    let mut packed: Vec<u64> = prefix.pack(keys, position_bits).collect();
    sort_u64(&mut packed, level);
    let position = |packed: u64| (packed & ((1 << position_bits) - 1)) as usize;
    let fetched: Vec<K> = packed.iter().map(|&packed| keys[position(packed)]).collect();
    keys.copy_from_slice(&fetched);
    drop(fetched);
    let mut index: Vec<I> = packed.iter().map(|&packed| I::from_usize(position(packed))).collect();
    let mut start = 0;
    while start < packed.len() {
        let run =
            packed[start..].iter().take_while(|&&next| (next ^ packed[start]) >> position_bits == 0).count();
        if run > 1 {
            sort_run(&mut keys[start..start + run], &mut index[start..start + run], level);
        }
        start += run;
    }
    index
}

/// Sorts a bucket or a run of equal prefixes, moving the index along.
fn sort_run<K: Key, I: SortIndex>(keys: &mut [K], index: &mut [I], level: Level) {
    if keys.is_sorted() {
        return;
    }
    if keys.len() > SHORT_RUN {
        // In a run, what differs lies below its prefix, and a bucket is not dealt out again: this ends.
        let order: Vec<I> = sort_packed(keys, level, false);
        let before = index.to_vec();
        for (to, from) in index.iter_mut().zip(order) {
            *to = before[from.to_usize()];
        }
        return;
    }
    for sorted in 1..keys.len() {
        let place = keys[..sorted].partition_point(|&key| key <= keys[sorted]);
        keys[place..=sorted].rotate_right(1);
        index[place..=sorted].rotate_right(1);
    }
}
