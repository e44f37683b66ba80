//! Few distinct keys: a hash table that stays in cache, then a sort of what it holds.
//!
//! An entry is a key with its tally: a count, and an id in the order of appearance. The hash is fixed, so equal input
//! takes equal time. Input with more keys than the budget ends the attempt early.

use hashbrown::HashTable;

use super::{Found, Wanted};
use crate::{Key, SortKey};

/// Distinct keys that a table may hold: beyond, cache misses make it as slow as a sort.
pub(super) const BUDGET: usize = 1 << 18;

/// Bits of a tally that hold the id; the count stands above them.
const ID_BITS: u32 = 20;

/// A count of one.
const ONE: u64 = 1 << ID_BITS;

/// The greatest count that a tally holds.
pub(super) const MOST_KEYS: usize = usize::MAX >> ID_BITS;

/// Nothing came of it: the key at index `at` is one too many.
#[derive(Debug)]
pub(super) struct Outgrown {
    pub(super) at: usize,
}

pub(super) fn hash<T: SortKey>(
    values: &[T],
    expected: usize,
    wanted: Wanted,
) -> Result<Found<T::Key>, Outgrown> {
    let mut table = Table { entries: HashTable::with_capacity(expected.min(BUDGET)), first: Vec::new() };
    let mut codes = Vec::new();
    if wanted.codes {
        codes = vec![0; values.len()];
        for (at, (value, code)) in values.iter().zip(&mut codes).enumerate() {
            *code = table.tally(value.canonical(), at)?;
        }
    } else {
        for (at, value) in values.iter().enumerate() {
            table.tally(value.canonical(), at)?;
        }
    }
    Ok(ranked(table, codes, wanted))
}

struct Table<K> {
    entries: HashTable<(K, u64)>,
    /// The index where each key was first seen, by id.
    first: Vec<usize>,
}

impl<K: Key> Table<K> {
    /// Counts the key at index `at`, and gives its id.
    #[inline(always)]
    fn tally(&mut self, key: K, at: usize) -> Result<u32, Outgrown> {
        let hash = mix(key.to_u128());
        match self.entries.find_mut(hash, |entry| entry.0 == key) {
            Some((_, tally)) => {
                *tally += ONE;
                Ok(id_of(*tally))
            }
            None => self.insert(hash, key, at),
        }
    }

    #[cold]
    #[inline(never)]
    fn insert(&mut self, hash: u64, key: K, at: usize) -> Result<u32, Outgrown> {
        let id = self.first.len();
        if id == BUDGET {
            return Err(Outgrown { at });
        }
        self.entries.insert_unique(hash, (key, ONE | id as u64), |entry| mix(entry.0.to_u128()));
        self.first.push(at);
        Ok(id as u32)
    }
}

/// Sorts the keys, and turns ids into positions.
fn ranked<K: Key>(table: Table<K>, mut codes: Vec<u32>, wanted: Wanted) -> Found<K> {
    let mut entries: Vec<(K, u64)> = table.entries.into_iter().collect();
    entries.sort_unstable_by_key(|&(key, _)| key);
    let ids = entries.iter().map(|&(_, tally)| id_of(tally) as usize);
    if wanted.codes {
        let mut rank = vec![0; entries.len()];
        ids.clone().zip(0..).for_each(|(id, at)| rank[id] = at);
        codes.iter_mut().for_each(|code| *code = rank[*code as usize]);
    }
    let first = if wanted.first { ids.map(|id| table.first[id]).collect() } else { Vec::new() };
    let counts = entries.iter().map(|&(_, tally)| tally >> ID_BITS).collect();
    Found { keys: entries.into_iter().map(|(key, _)| key).collect(), counts, codes, first }
}

fn id_of(tally: u64) -> u32 {
    (tally % ONE) as u32
}

/// A hash whose low bits depend on every bit of `x`: the halves of the product of both halves, folded together.
#[inline(always)]
pub(super) fn mix(x: u128) -> u64 {
    // Odd constants without pattern: the fractions of the golden ratio and of the square root of three.
    let low = x as u64 ^ 0x9e37_79b9_7f4a_7c15;
    let high = (x >> 64) as u64 ^ 0xbb67_ae85_84ca_a73b;
    let product = u128::from(low) * u128::from(high);
    let folded = product as u64 ^ (product >> 64) as u64;
    // Keys that are multiples of a power of two still crowd in some stretches of bits: fold once more.
    folded ^ (folded >> 29)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// The table takes its bucket from the low bits and its tag from the top seven: both have to spread regular keys.
    #[test]
    fn regular_keys_spread() {
        let spread = |key: &dyn Fn(u128) -> u128, name: &str| {
            let hashes: Vec<u64> = (0..1024).map(|i| mix(key(i))).collect();
            let low: BTreeSet<u64> = hashes.iter().map(|hash| hash % (1 << 14)).collect();
            let top: BTreeSet<u64> = hashes.iter().map(|hash| hash >> 57).collect();
            // Chance gives 993 of 1024 and all 128.
            assert!(
                low.len() > 950 && top.len() > 100,
                "{name}: {} low parts, {} tags",
                low.len(),
                top.len()
            );
        };
        for shift in 0..118 {
            spread(&|i| i << shift, &format!("shifted by {shift}"));
        }
        for stride in [3, 1000, (1 << 40) + 1, 0x9e37_79b9_7f4a_7c15, u128::from(u64::MAX) / 3] {
            spread(&|i| u128::from((i * stride) as u64), &format!("stride {stride}"));
        }
        spread(&|i| u128::from((i as f64).to_bits()), "whole numbers as f64");
    }

    #[test]
    fn the_budget_is_exact() {
        let keys: Vec<u32> = (0..=BUDGET as u32).rev().collect();
        let wanted = Wanted { codes: false, first: false };
        assert_eq!(hash(&keys[..BUDGET], 1, wanted).unwrap().keys.len(), BUDGET);
        assert_eq!(hash(&keys, 1, wanted).unwrap_err().at, BUDGET);
    }
}
