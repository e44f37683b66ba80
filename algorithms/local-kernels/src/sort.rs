//! Sorting one rank's keys.
//!
//! | keys | kernel |
//! |---|---|
//! | 8, 16 bits | counting |
//! | 32, 64 bits | vectorised quicksort, where the CPU has AVX-512 or AVX2 |
//! | 128 bits, other CPUs | the standard library's unstable sort |
//!
//! Sorted, nearly sorted, reversed and constant input is seen before any of them starts.

mod counting;
mod distribute;
mod index;
mod level;
mod nearly;
#[cfg(target_arch = "x86_64")]
mod simd;

pub use index::{SortIndex, sort_with_index};

use level::Level;
use nearly::sort_if_nearly_sorted;

use crate::{Key, Order, SortKey};

/// What the kernels need of each width; seals [`Key`].
pub trait Kernel: Copy {
    /// Sorts ascending.
    fn sort(keys: &mut [Self]);

    /// The bits in which not all keys agree.
    fn differing_bits(keys: &[Self]) -> Self;

    /// The bits from `low` on, at most 64 of them.
    fn bits_from(self, low: u32) -> u64;

    /// `self` with `bits` set from `low` on.
    fn with_bits_from(self, low: u32, bits: u64) -> Self;
}

macro_rules! kernel {
    ($($K:ty: $sort:expr;)*) => {$(
        impl Kernel for $K {
            #[inline]
            fn sort(keys: &mut [Self]) {
                $sort(keys)
            }

            fn differing_bits(keys: &[Self]) -> Self {
                keys.iter().fold(0, |differing, key| differing | (key ^ keys[0]))
            }

            #[inline(always)]
            fn bits_from(self, low: u32) -> u64 {
                (self >> low) as u64
            }

            #[inline(always)]
            fn with_bits_from(self, low: u32, bits: u64) -> Self {
                self | (bits as $K) << low
            }
        }
    )*};
}

kernel! {
    u8: counting::sort_u8;
    u16: |keys| counting::sort_u16(keys, Level::detect());
    u32: |keys| sort_u32(keys, Level::detect());
    u64: |keys| sort_u64(keys, Level::detect());
    u128: |keys: &mut [u128]| keys.sort_unstable();
}

macro_rules! sort_at_level {
    ($sort:ident, $K:ty, $avx512:ident, $avx2:ident) => {
        fn $sort(keys: &mut [$K], level: Level) {
            let sort_any = |keys: &mut [$K]| match level {
                #[cfg(target_arch = "x86_64")]
                // SAFETY: the CPU has the features of a level that is available.
                Level::Avx512 if level.is_available() => unsafe { simd::$avx512(keys) },
                #[cfg(target_arch = "x86_64")]
                // SAFETY: as above.
                Level::Avx2 if level.is_available() => unsafe { simd::$avx2(keys) },
                _ => keys.sort_unstable(),
            };
            if !is_sorted_or_reversed(keys) && !sort_if_nearly_sorted(keys, sort_any) {
                sort_any(keys);
            }
        }
    };
}

sort_at_level!(sort_u32, u32, sort_u32_avx512, sort_u32_avx2);
sort_at_level!(sort_u64, u64, sort_u64_avx512, sort_u64_avx2);

/// Whether the keys rise, after reversing them if they fall. Random keys are given up on after a few.
fn is_sorted_or_reversed<K: Ord>(keys: &mut [K]) -> bool {
    if keys.is_sorted() {
        return true;
    }
    let falling = keys.is_sorted_by(|a, b| a >= b);
    if falling {
        keys.reverse();
    }
    falling
}

/// Sorts keys ascending, in place.
///
/// # Complexity
/// O(n log n) at worst, O(n) for sorted, reversed or constant input.
///
/// # Examples
/// ```
/// let mut keys = [3u32, 1, 2];
/// maniple_kernels::sort_keys(&mut keys);
/// assert_eq!(keys, [1, 2, 3]);
/// ```
pub fn sort_keys<K: Key>(keys: &mut [K]) {
    K::sort(keys);
}

/// Maps values to their encoded keys and sorts these, inside the allocation of `values`.
///
/// # Order and ties
/// `order`, with `-0.0` before `+0.0` (after it when descending); [`from_keys`] gives the values back bit for bit.
#[must_use]
pub fn sort_values<T: SortKey>(values: Vec<T>, order: Order) -> Vec<T::Key> {
    let mut keys = into_keys(values, order);
    sort_keys(&mut keys);
    keys
}

/// Maps values to encoded keys that keep every bit pattern, inside the allocation of `values`.
#[must_use]
pub fn into_keys<T: SortKey>(values: Vec<T>, order: Order) -> Vec<T::Key> {
    // Source and target have the same size and alignment, so `collect` writes in place.
    values.into_iter().map(|value| order.encode::<T>(value.to_key())).collect()
}

/// The values of encoded keys, inside the allocation of `keys`; the inverse of [`into_keys`].
///
/// # Panics
/// If a key belongs to no value, which can happen for `char` alone.
#[must_use]
pub fn from_keys<T: SortKey>(keys: Vec<T::Key>, order: Order) -> Vec<T> {
    keys.into_iter().map(|key| T::from_key(order.decode::<T>(key))).collect()
}

/// The encoded canonical keys of values: what [`sort_with_index`] wants for an argsort in which both zeros are equal and
/// all NaNs are.
#[must_use]
pub fn canonical_keys<T: SortKey>(values: &[T], order: Order) -> Vec<T::Key> {
    values.iter().map(|value| order.encode::<T>(value.canonical())).collect()
}

#[cfg(test)]
mod tests;
