//! Phase 1: this rank's labels as codes `0..n`, so that an accumulator is found by indexing.

use std::borrow::Cow;
use std::ops::Range;

use maniple_kernels::{Key, Order, canonical_keys, distinct};

use crate::value::Label;

/// Labels that span at most this many keys get an accumulator for each possible one however few rows there are.
const SMALL_SPAN: usize = 1 << 10;

/// Accumulators for possible labels pay up to one for so many rows: an empty one costs clearing and scanning.
const ROWS_PER_SLOT: usize = 2;

/// How labels become codes.
#[derive(Debug)]
pub(crate) enum Factors<K> {
    /// The code is the distance of the key from the lowest; some codes may have no label.
    Dense { low: K, slots: usize },
    /// The code is the position of the key among the distinct ones.
    Coded { keys: Vec<K>, codes: Vec<u32> },
}

impl<K: Key> Factors<K> {
    /// Number of codes.
    pub(crate) fn len(&self) -> usize {
        match self {
            Factors::Dense { slots, .. } => *slots,
            Factors::Coded { keys, .. } => keys.len(),
        }
    }

    /// The key of a code.
    pub(crate) fn key(&self, code: usize) -> K {
        match self {
            Factors::Dense { low, .. } => low.wrapping_add(K::from_u128(code as u128)),
            Factors::Coded { keys, .. } => keys[code],
        }
    }

    /// The codes of some rows.
    pub(crate) fn codes<L: Label<Key = K>>(&self, labels: &[L], rows: Range<usize>) -> Cow<'_, [u32]> {
        match self {
            Factors::Coded { codes, .. } => Cow::Borrowed(&codes[rows]),
            Factors::Dense { low, .. } => {
                let code = |label: &L| label.canonical().wrapping_sub(*low).to_u128() as u32;
                Cow::Owned(labels[rows].iter().map(code).collect())
            }
        }
    }
}

/// Chooses and finds the codes.
///
/// With one lane the labels are as many as the values, so it pays to spare the array of codes where keys are dense. With many
/// lanes finding codes costs little, and accumulators for labels that are not there would cost lanes times as much.
pub(crate) fn factorize<L: Label>(labels: &[L], lanes: usize) -> Factors<L::Key> {
    if lanes == 1
        && let Some((low, slots)) = span(labels)
        && slots <= SMALL_SPAN.max(labels.len() / ROWS_PER_SLOT)
    {
        return Factors::Dense { low, slots };
    }
    let found = distinct(&canonical_keys(labels, Order::ASCENDING)).codes().run();
    let found = found.unwrap_or_else(|_| unreachable!("a rank has fewer than 2^32 rows"));
    Factors::Coded { keys: found.keys, codes: found.codes.unwrap_or_default() }
}

/// The lowest key, and how many keys there are from it to the highest.
fn span<L: Label>(labels: &[L]) -> Option<(L::Key, usize)> {
    let first = labels.first()?.canonical();
    let (mut low, mut high) = (first, first);
    for label in labels {
        let key = label.canonical();
        (low, high) = (low.min(key), high.max(key));
    }
    let distance = usize::try_from(high.wrapping_sub(low).to_u128()).ok()?;
    Some((low, distance.checked_add(1)?))
}

#[cfg(test)]
mod tests {
    use maniple_kernels::SortKey;

    use super::*;

    fn decoded<L: Label>(labels: &[L], lanes: usize) -> Vec<L::Key> {
        let factors = factorize(labels, lanes);
        let codes = factors.codes(labels, 0..labels.len()).into_owned();
        codes.into_iter().map(|code| factors.key(code as usize)).collect()
    }

    #[test]
    fn a_code_stands_for_its_label() {
        let wide = [i64::MIN, 5, i64::MAX, 5, -1, 0];
        let near: Vec<i64> = (0..10_000).map(|i| -2000 + i * i % 4001).collect();
        let top = [u64::MAX, u64::MAX - 3, u64::MAX];
        for lanes in [1, 7] {
            assert_eq!(decoded(&wide, lanes), canonical_keys(&wide, Order::ASCENDING));
            assert_eq!(decoded(&near, lanes), canonical_keys(&near, Order::ASCENDING));
            assert_eq!(decoded(&top, lanes), top);
            assert_eq!(decoded(&[f64::NAN, -0.0, 0.0, -f64::NAN], lanes)[1..3], [0.0f64.canonical(); 2]);
            assert_eq!(decoded::<bool>(&[], lanes), []);
        }
        assert!(matches!(factorize(&near, 1), Factors::Dense { slots: 4001, .. }));
        assert!(matches!(factorize(&near, 2), Factors::Coded { .. }));
        assert!(matches!(factorize(&wide, 1), Factors::Coded { .. }));
    }
}
