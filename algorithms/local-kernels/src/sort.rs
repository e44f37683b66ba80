//! Sorting one rank's keys.
//!
//! Entry points; the kernels are in the files below.

mod index;

pub use index::{SortIndex, sort_with_index};

use crate::{Key, Order, SortKey};

/// The kernels of each width; seals [`Key`].
pub trait Kernel: Sized {
    /// Sorts ascending.
    fn sort(keys: &mut [Self]);
}

macro_rules! kernel {
    ($($K:ty)*) => {$(
        impl Kernel for $K {
            fn sort(keys: &mut [Self]) {
                keys.sort_unstable();
            }
        }
    )*};
}

kernel! { u8 u16 u32 u64 u128 }

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
    values
        .into_iter()
        .map(|value| order.encode::<T>(value.to_key()))
        .collect()
}

/// The values of encoded keys, inside the allocation of `keys`; the inverse of [`into_keys`].
///
/// # Panics
/// If a key belongs to no value, which can happen for `char` alone.
#[must_use]
pub fn from_keys<T: SortKey>(keys: Vec<T::Key>, order: Order) -> Vec<T> {
    keys.into_iter()
        .map(|key| T::from_key(order.decode::<T>(key)))
        .collect()
}

/// The encoded canonical keys of values: what [`sort_with_index`] wants for an argsort in which both zeros are equal and
/// all NaNs are.
#[must_use]
pub fn canonical_keys<T: SortKey>(values: &[T], order: Order) -> Vec<T::Key> {
    values
        .iter()
        .map(|value| order.encode::<T>(value.canonical()))
        .collect()
}

#[cfg(test)]
mod tests;
