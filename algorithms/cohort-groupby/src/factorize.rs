//! Phase 1: this rank's labels as codes `0..n`, so that an accumulator is found by indexing.
//!
//! | codes | serve | cost |
//! |---|---|---|
//! | the distance from the lowest label | one lane, labels in a small span | nothing is looked up or stored |
//! | the order of appearance | one lane, few labels | a hash table that stays in cache |
//! | the position among the distinct labels | the rest | 4 bytes for each row, found beforehand |
//!
//! The first two are found chunk by chunk while values are reduced, so labels are read once. A sample chooses, and a wrong guess
//! costs time, never the answer: [`Misfit`] says so, and the next kind takes over. With many lanes codes cost little next to the
//! values, while accumulators for labels that are not there would cost lanes times as much: they are always found beforehand.

use std::hash::BuildHasher;
use std::ops::Range;

use hashbrown::HashTable;
use maniple_kernels::{Key, Order, canonical_keys, distinct, sort_keys};

use crate::value::Label;

/// Labels that span at most this many keys get an accumulator for each possible one however few rows there are.
const SMALL_SPAN: usize = 1 << 10;

/// Accumulators for possible labels pay up to one for so many rows: an empty one costs clearing and scanning.
const ROWS_PER_SLOT: usize = 2;

/// Labels that a hash table may hold: beyond, cache misses make it as slow as a sort.
const MOST_HASHED: usize = 1 << 17;

/// Labels looked at to choose. Evenly spaced: of rising labels the lowest and the highest are among them.
const SAMPLE: usize = 1 << 11;

/// The span of the sample is widened by one in so many, on both sides.
const MARGIN: usize = 8;

/// How labels become codes.
#[derive(Debug)]
pub(crate) enum Factors<K> {
    /// The code is the distance of the key from `low`, at most `reach`; some codes may have no label.
    Dense { low: K, reach: K },
    /// The code is the place of the key in the order of appearance.
    Hashed { table: HashTable<(K, u32)>, keys: Vec<K> },
    /// The code of every row is known; it is the position of the key among the distinct ones.
    Coded { keys: Vec<K>, codes: Vec<u32> },
}

/// A label that these codes can't express.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Misfit;

impl<K: Key> Factors<K> {
    /// The codes that a sample suggests.
    pub(crate) fn guess<L: Label<Key = K>>(labels: &[L], lanes: usize) -> Self {
        if lanes != 1 {
            return Self::coded(labels);
        }
        let sample = Sample::of(labels);
        match sample.widened() {
            Some((low, reach)) if is_small(reach, labels.len()) => Factors::Dense { low, reach },
            _ if sample.distinct <= MOST_HASHED / 2 => Factors::hashed(),
            _ => Self::coded(labels),
        }
    }

    /// What takes over after a misfit.
    pub(crate) fn after_misfit<L: Label<Key = K>>(self, labels: &[L]) -> Self {
        match self {
            Factors::Dense { .. } => match span(labels) {
                Some((low, reach)) if is_small(reach, labels.len()) => Factors::Dense { low, reach },
                _ => Factors::hashed(),
            },
            Factors::Hashed { .. } | Factors::Coded { .. } => Self::coded(labels),
        }
    }

    fn hashed() -> Self {
        Factors::Hashed { table: HashTable::new(), keys: Vec::new() }
    }

    fn coded<L: Label<Key = K>>(labels: &[L]) -> Self {
        let found = distinct(&canonical_keys(labels, Order::ASCENDING)).codes().run();
        let found = found.unwrap_or_else(|_| unreachable!("a rank has fewer than 2^32 rows"));
        Factors::Coded { keys: found.keys, codes: found.codes.unwrap_or_default() }
    }

    /// Number of codes, until now.
    pub(crate) fn len(&self) -> usize {
        match self {
            Factors::Dense { reach, .. } => reach.to_u128() as usize + 1,
            Factors::Hashed { keys, .. } | Factors::Coded { keys, .. } => keys.len(),
        }
    }

    /// The key of a code.
    pub(crate) fn key(&self, code: u32) -> K {
        match self {
            Factors::Dense { low, .. } => low.wrapping_add(K::from_u128(code.into())),
            Factors::Hashed { keys, .. } | Factors::Coded { keys, .. } => keys[code as usize],
        }
    }

    /// Puts the codes of some rows into `codes`. Rows come in order.
    pub(crate) fn encode<L: Label<Key = K>>(
        &mut self,
        labels: &[L],
        rows: Range<usize>,
        codes: &mut Vec<u32>,
    ) -> Result<(), Misfit> {
        codes.clear();
        match self {
            Factors::Dense { low, reach } => {
                let (low, reach) = (*low, *reach);
                let mut outside = false;
                codes.extend(labels[rows].iter().map(|label| {
                    let distance = label.canonical().wrapping_sub(low);
                    outside |= distance > reach;
                    distance.to_u128() as u32
                }));
                if outside { Err(Misfit) } else { Ok(()) }
            }
            Factors::Hashed { table, keys } => {
                let mut last = None;
                for label in &labels[rows] {
                    let key = label.canonical();
                    let code = match last {
                        Some((same, code)) if same == key => code,
                        _ => look_up(table, keys, key),
                    };
                    last = Some((key, code));
                    codes.push(code);
                }
                if keys.len() > MOST_HASHED { Err(Misfit) } else { Ok(()) }
            }
            Factors::Coded { codes: all, .. } => {
                codes.extend_from_slice(&all[rows]);
                Ok(())
            }
        }
    }
}

/// The code of a key, which gets the next one if it is new.
#[inline(always)]
fn look_up<K: Key>(table: &mut HashTable<(K, u32)>, keys: &mut Vec<K>, key: K) -> u32 {
    // A fixed hash: equal input takes equal time.
    let hash = |key: &K| foldhash::fast::FixedState::default().hash_one(key);
    match table.find(hash(&key), |entry| entry.0 == key) {
        Some(&(_, code)) => code,
        None => {
            let code = keys.len() as u32;
            table.insert_unique(hash(&key), (key, code), |entry| hash(&entry.0));
            keys.push(key);
            code
        }
    }
}

/// Does an accumulator for each possible label pay?
fn is_small<K: Key>(reach: K, rows: usize) -> bool {
    reach.to_u128() < SMALL_SPAN.max(rows / ROWS_PER_SLOT) as u128
}

/// The lowest key, and the distance of the highest from it.
fn span<L: Label>(labels: &[L]) -> Option<(L::Key, L::Key)> {
    let first = labels.first()?.canonical();
    let (low, high) = labels.iter().fold((first, first), |(low, high), label| {
        let key = label.canonical();
        (low.min(key), high.max(key))
    });
    Some((low, high.wrapping_sub(low)))
}

/// What evenly spaced labels say about all of them.
struct Sample<K> {
    /// The lowest and the highest.
    ends: Option<(K, K)>,
    /// Estimated distinct labels.
    distinct: usize,
}

impl<K: Key> Sample<K> {
    fn of<L: Label<Key = K>>(labels: &[L]) -> Self {
        let step = (labels.len() / SAMPLE).max(1);
        let mut keys: Vec<K> =
            labels.iter().step_by(step).chain(labels.last()).map(|label| label.canonical()).collect();
        sort_keys(&mut keys);
        let (mut distinct, mut once, mut twice) = (0, 0, 0);
        for group in keys.chunk_by(|a, b| a == b) {
            distinct += 1;
            once += usize::from(group.len() == 1);
            twice += usize::from(group.len() == 2);
        }
        // Those not seen, by how many were seen once and twice (Chao 1984).
        let unseen = once * once.saturating_sub(1) / (2 * (twice + 1));
        Sample { ends: keys.first().copied().zip(keys.last().copied()), distinct: distinct + unseen }
    }

    /// The lowest key and the reach of a span that is a little wider than the sample's.
    fn widened(&self) -> Option<(K, K)> {
        let (low, high) = self.ends?;
        let margin = (high.to_u128() - low.to_u128()) / MARGIN as u128;
        let low = low.to_u128().saturating_sub(margin);
        let high = high.to_u128().saturating_add(margin).min(K::MAX.to_u128());
        Some((K::from_u128(low), K::from_u128(high - low)))
    }
}

#[cfg(test)]
mod tests {
    use maniple_kernels::SortKey;

    use super::*;

    fn decoded<L: Label>(labels: &[L], lanes: usize) -> Vec<L::Key> {
        let mut factors = Factors::guess(labels, lanes);
        loop {
            let mut all = Vec::new();
            let mut codes = Vec::new();
            let step = labels.len() / 3 + 1;
            let encoded = (0..labels.len()).step_by(step).try_for_each(|begin| {
                factors.encode(labels, begin..labels.len().min(begin + step), &mut codes)?;
                all.extend(codes.iter().map(|&code| factors.key(code)));
                Ok(())
            });
            match encoded {
                Ok(()) => return all,
                Err(Misfit) => factors = factors.after_misfit(labels),
            }
        }
    }

    #[test]
    fn a_code_stands_for_its_label() {
        let wide = [i64::MIN, 5, i64::MAX, 5, -1, 0];
        let near: Vec<i64> = (0..20_000).map(|i| -2000 + i * i % 4001).collect();
        let top = [u64::MAX, u64::MAX - 3, u64::MAX];
        for lanes in [1, 7] {
            assert_eq!(decoded(&wide, lanes), canonical_keys(&wide, Order::ASCENDING));
            assert_eq!(decoded(&near, lanes), canonical_keys(&near, Order::ASCENDING));
            assert_eq!(decoded(&top, lanes), top);
            let zeros = &decoded(&[f64::NAN, -0.0, 0.0, -f64::NAN], lanes)[1..3];
            assert_eq!(zeros, [0.0_f64.canonical(); 2]);
            assert_eq!(decoded::<bool>(&[], lanes), []);
        }
        assert!(matches!(Factors::guess(&near, 1), Factors::Dense { .. }));
        assert!(matches!(Factors::guess(&near, 2), Factors::Coded { .. }));
        assert!(matches!(Factors::guess(&wide, 1), Factors::Hashed { .. }));
        assert!(matches!(Factors::guess::<u8>(&[], 1), Factors::Hashed { .. }));
    }

    #[test]
    fn wrong_guesses_are_put_right() {
        // One label lies far outside of the sample's span: exactly known, then hashed.
        let mut labels: Vec<u32> = (0..100_000).map(|i| 1_000_000 + i % 300).collect();
        labels[77_777] = 1_000_900;
        assert!(matches!(Factors::guess(&labels, 1), Factors::Dense { .. }));
        assert_eq!(decoded(&labels, 1), labels);
        labels[77_777] = 9;
        assert!(matches!(Factors::guess(&labels, 1).after_misfit(&labels), Factors::Hashed { .. }));
        assert_eq!(decoded(&labels, 1), labels);
        // Nearly all sampled rows have one label, and the others have each their own.
        let step = 400_000 / SAMPLE;
        let labels: Vec<u64> =
            (0..400_000).map(|i| if i % step == 0 { 7 } else { (i as u64) << 30 }).collect();
        assert!(matches!(Factors::guess(&labels, 1), Factors::Hashed { .. }));
        assert_eq!(decoded(&labels, 1), labels);
    }

    #[test]
    fn a_span_of_every_key_has_a_code_for_each() {
        let labels: Vec<u8> = (0..=255).rev().collect();
        assert!(matches!(Factors::guess(&labels, 1), Factors::Dense { low: 0, reach: 255 }));
        assert_eq!(decoded(&labels, 1), labels);
    }
}
