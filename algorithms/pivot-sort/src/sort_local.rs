//! Phase 2: this rank's values as sorted keys, in the storage of the values where that is ours.

use maniple_core::memory;
use maniple_kernels::{Order, SortKey, from_keys, into_keys, sort_keys};
use ndarray::{CowArray, Ix1};

/// The sorted keys of the values.
pub(crate) fn sort_local<T: SortKey>(values: CowArray<'_, T, Ix1>, order: Order) -> Vec<T::Key> {
    let mut keys = to_keys(values, order);
    sort_keys(&mut keys);
    keys
}

/// The keys of the values, in the order of the values.
pub(crate) fn to_keys<T: SortKey>(values: CowArray<'_, T, Ix1>, order: Order) -> Vec<T::Key> {
    if values.is_owned() {
        let values = into_vec(values);
        // The usual order as a constant: then unsigned values, which are their own keys, need no pass at all.
        return match order {
            Order::ASCENDING => into_keys(values, Order::ASCENDING),
            _ => into_keys(values, order),
        };
    }
    let mut keys = memory::with_capacity(values.len());
    keys.extend(values.iter().map(|value| order.encode::<T>(value.to_key())));
    keys
}

/// The values of keys, in the storage of the keys.
pub(crate) fn to_values<T: SortKey>(keys: Vec<T::Key>, order: Order) -> Vec<T> {
    match order {
        Order::ASCENDING => from_keys(keys, Order::ASCENDING),
        _ => from_keys(keys, order),
    }
}

/// The elements in order of their indices, in their own storage if they lie there so.
pub(crate) fn into_vec<T: Copy>(values: CowArray<'_, T, Ix1>) -> Vec<T> {
    let values = values.into_owned();
    if !values.is_standard_layout() {
        return values.iter().copied().collect();
    }
    let len = values.len();
    let (mut storage, begin) = values.into_raw_vec_and_offset();
    storage.truncate(begin.unwrap_or(0) + len);
    storage.drain(..begin.unwrap_or(0));
    storage
}

#[cfg(test)]
mod tests {
    use ndarray::{Array1, Axis, Slice, array};

    use super::*;

    #[test]
    fn owned_storage_is_used_again() {
        let values = Array1::from_vec(vec![3.5, -1.0, 2.0]);
        let storage = values.as_ptr().cast::<u64>();
        let keys = sort_local(values.into(), Order::ASCENDING);
        assert_eq!(keys.as_ptr(), storage);
        assert_eq!(keys, [-1.0, 2.0, 3.5].map(f64::to_key));
    }

    #[test]
    fn blocks_in_any_memory_order() {
        let whole = array![9, 8, 7, 6, 5, 4];
        let part = |slice: Slice| {
            let mut owned = whole.clone();
            owned.slice_axis_inplace(Axis(0), slice);
            let view = whole.slice_axis(Axis(0), slice);
            assert_eq!(
                sort_local(view.into(), Order::ASCENDING),
                sort_local(owned.clone().into(), Order::ASCENDING)
            );
            into_vec(owned.into())
        };
        assert_eq!(part((1..5).into()), [8, 7, 6, 5]);
        assert_eq!(part(Slice::new(1, None, 2)), [8, 6, 4]);
        assert_eq!(part(Slice::new(0, None, -2)), [4, 6, 8]);
        assert_eq!(part((3..3).into()), []);
    }
}
