//! Stable sort of keys together with the positions they came from.

use crate::Key;

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
    let last = keys.len().saturating_sub(1) as u64;
    assert!(last <= I::MAX, "expected positions up to {}, found {} keys", I::MAX, keys.len());
    let mut pairs: Vec<(K, I)> = keys.iter().enumerate().map(|(i, &key)| (key, I::from_usize(i))).collect();
    // No two pairs are equal, so the unstable sort is stable here.
    pairs.sort_unstable();
    for (key, pair) in keys.iter_mut().zip(&pairs) {
        *key = pair.0;
    }
    pairs.into_iter().map(|pair| pair.1).collect()
}
