use std::fmt::Debug;

use proptest::prelude::*;

use super::*;
use crate::patterns::{Pattern, Rng, odd_float};

/// Lengths around the sizes at which kernels change their ways.
fn lengths() -> impl Iterator<Item = usize> {
    (0..70).chain([100, 127, 128, 129, 200, 255, 256, 257, 300, 511, 513, 1000, 2049, 5000])
}

fn check_sort<K: Key>(keys: &[K], what: &dyn Debug) {
    let mut expected = keys.to_vec();
    expected.sort();
    let mut found = keys.to_vec();
    sort_keys(&mut found);
    assert!(found == expected, "{what:?} {} x {}", K::BITS, keys.len());
}

/// Every level of this machine sorts alike.
fn check_levels<K: Key>(keys: &[K], sort: fn(&mut [K], Level), what: &dyn Debug) {
    let mut expected = keys.to_vec();
    expected.sort();
    for level in Level::ALL.into_iter().filter(|level| level.is_available()) {
        let mut found = keys.to_vec();
        sort(&mut found, level);
        assert!(found == expected, "{level:?} {what:?} {} x {}", K::BITS, keys.len());
    }
}

#[test]
fn every_level_sorts() {
    for &pattern in Pattern::ALL {
        for len in lengths().chain([20_000]) {
            check_levels(&pattern.keys(len, 1 + len % 5, 6), sort_u32, &pattern);
            check_levels(&pattern.keys(len, 1 + len % 5, 6), sort_u64, &pattern);
            check_levels(&pattern.keys(len, 1 + len % 5, 6), counting::sort_u16, &pattern);
        }
    }
}

fn check_index<K: Key, I: SortIndex + Debug>(keys: &[K], what: &dyn Debug) {
    let mut expected: Vec<usize> = (0..keys.len()).collect();
    expected.sort_by_key(|&i| keys[i]);
    for level in Level::ALL.into_iter().filter(|level| level.is_available()) {
        let what = (level, what, K::BITS, keys.len());
        let mut found = keys.to_vec();
        let index: Vec<I> = index::sort_with_index_at(&mut found, level);
        assert!(index.iter().map(|i| i.to_usize()).eq(expected.iter().copied()), "{what:?}");
        assert!(found.iter().eq(expected.iter().map(|&i| &keys[i])), "{what:?}");
    }
}

/// The prefix leaves out exactly what distinguishes these keys, or nothing, or most of it.
#[test]
fn argsort_of_windows_at_every_width() {
    let mut rng = Rng(9);
    for len in [2, 17, 300, 3000] {
        for bits in 0..=64 {
            for low in [0, 13, 64 - bits] {
                let inside = if bits == 0 { 0 } else { u64::MAX >> (64 - bits) };
                let constant = rng.next();
                let keys: Vec<u64> = (0..len)
                    .map(|_| constant ^ (rng.next() & inside).checked_shl(low).unwrap_or(0))
                    .collect();
                check_index::<_, u32>(&keys, &(bits, low));
                let wide: Vec<u128> =
                    keys.iter().map(|&key| u128::from(key) << 40 | u128::from(key & 3)).collect();
                check_index::<_, usize>(&wide, &(bits, low));
            }
        }
        // Long runs of equal prefixes, and short ones.
        for prefixes in [3, len as u64 / 4 + 1] {
            let keys: Vec<u64> =
                (0..len).map(|_| rng.up_to(prefixes) << 40 | rng.up_to(1 << 20) | rng.next() << 63).collect();
            check_index::<_, u64>(&keys, &prefixes);
        }
    }
}

fn check_patterns<K: Key>() {
    for &pattern in Pattern::ALL {
        for len in lengths() {
            let keys: Vec<K> = pattern.keys(len, 1 + len % 5, len as u64);
            check_sort(&keys, &pattern);
            check_index::<K, u32>(&keys, &pattern);
            check_index::<K, u64>(&keys, &pattern);
        }
    }
}

#[test]
fn patterns_u8() {
    check_patterns::<u8>();
}

#[test]
fn patterns_u16() {
    check_patterns::<u16>();
}

#[test]
fn patterns_u32() {
    check_patterns::<u32>();
}

#[test]
fn patterns_u64() {
    check_patterns::<u64>();
}

#[test]
fn patterns_u128() {
    check_patterns::<u128>();
}

#[test]
fn long_arrays() {
    for &pattern in Pattern::ALL {
        for len in [70_000, 300_001] {
            check_sort(&pattern.keys::<u16>(len, 8, 1), &pattern);
            check_sort(&pattern.keys::<u32>(len, 8, 2), &pattern);
            check_sort(&pattern.keys::<u64>(len, 8, 3), &pattern);
            check_index::<u64, u32>(&pattern.keys(len, 8, 4), &pattern);
        }
    }
}

#[test]
fn a_neighbouring_slice_is_left_alone() {
    for len in lengths() {
        let mut around = Pattern::Uniform.keys::<u64>(len + 64, 1, 5);
        let before = around.clone();
        sort_keys(&mut around[32..32 + len]);
        assert_eq!(around[..32], before[..32]);
        assert_eq!(around[32 + len..], before[32 + len..]);
        let mut around = Pattern::Uniform.keys::<u32>(len + 64, 1, 5);
        let before = around.clone();
        sort_keys(&mut around[32..32 + len]);
        assert_eq!(around[..32], before[..32]);
        assert_eq!(around[32 + len..], before[32 + len..]);
    }
}

#[test]
fn floats_keep_their_bits_in_every_order() {
    let mut rng = Rng(7);
    let values: Vec<f64> = (0..3000).map(|_| odd_float(&mut rng)).collect();
    let orders = [Order::ASCENDING, Order::ASCENDING.descending(), Order::ASCENDING.nan_first()];
    for order in orders {
        let sorted: Vec<f64> = from_keys(sort_values(values.clone(), order), order);
        let codes: Vec<u64> = canonical_keys(&sorted, order);
        assert!(codes.is_sorted());
        let bits = |values: &[f64]| {
            let mut bits: Vec<u64> = values.iter().map(|x| x.to_bits()).collect();
            bits.sort();
            bits
        };
        assert_eq!(bits(&sorted), bits(&values));
    }
}

#[test]
fn mapping_reuses_the_allocation() {
    let values = vec![1.5f64; 1000];
    let place = values.as_ptr() as usize;
    let keys = sort_values(values, Order::ASCENDING);
    assert_eq!(keys.as_ptr() as usize, place);
    let values: Vec<f64> = from_keys(keys, Order::ASCENDING);
    assert_eq!(values.as_ptr() as usize, place);
}

/// Descending by reversal would reverse the ties too.
#[test]
fn descending_argsort_keeps_ties_in_order() {
    let falling = Order::ASCENDING.descending();
    let mut keys = canonical_keys(&[2i64, 5, 2, 5, 1], falling);
    assert_eq!(sort_with_index::<_, u32>(&mut keys), [1, 3, 0, 2, 4]);
    let mut keys = canonical_keys(&[-0.0, f64::NAN, 0.0, -f64::NAN, -0.0, 1.0], falling);
    assert_eq!(sort_with_index::<_, u64>(&mut keys), [5, 0, 2, 4, 1, 3]);
}

/// NaN in every fifth place once made a comparison sort lose the order of the numbers.
#[test]
fn many_nans() {
    let values: Vec<f64> =
        (0..32768).map(|i| if i % 5 == 0 { f64::NAN } else { (i * 7919 % 1013) as f64 }).collect();
    let mut numbers: Vec<f64> = values.iter().copied().filter(|x| !x.is_nan()).collect();
    numbers.sort_by(f64::total_cmp);
    let sorted: Vec<f64> = from_keys(sort_values(values, Order::ASCENDING), Order::ASCENDING);
    assert_eq!(sorted[..26214], numbers);
    assert!(sorted[26214..].iter().all(|x| x.is_nan()));
}

proptest! {
    #[test]
    fn any_keys(keys in prop::collection::vec(any::<u64>(), 0..600), mask: u64) {
        // A random mask makes duplicates and constant bits.
        let keys: Vec<u64> = keys.into_iter().map(|key| key & mask).collect();
        check_sort(&keys, &mask);
        check_index::<_, u32>(&keys, &mask);
        check_levels(&keys, sort_u64, &mask);
        check_levels(&keys.iter().map(|&key| key as u32).collect::<Vec<_>>(), sort_u32, &mask);
        check_sort(&keys.iter().map(|&key| key as u16).collect::<Vec<_>>(), &mask);
        check_index::<_, u32>(&keys.iter().map(|&key| key as u32).collect::<Vec<_>>(), &mask);
    }
}
