//! Few distinct keys: an open-addressed hash table that stays in cache, then a sort of what it holds.
//!
//! A slot holds a key, its count and its id (the order of appearance). A count of zero marks a free slot, so no key is
//! special. The hash is fixed: equal input takes equal time. Input made to collide, and input with more keys than the
//! budget, end the attempt early.

use super::word::Word;
use super::{Found, Wanted};

/// Distinct keys that a table may hold: beyond, it leaves the second-level cache and a sort is as fast.
pub(super) const BUDGET: usize = 1 << 17;

/// A slot counts up to 2^44.
pub(super) const MOST_KEYS: usize = usize::MAX >> ID_BITS;

/// Slots to look at for one key before the attempt ends. At half load, chance makes no such cluster.
const MOST_PROBES: usize = 256;

const ID_BITS: u32 = 20;
const ONE: u64 = 1 << ID_BITS;

/// Nothing came of it: the key at index `at` found no place.
#[derive(Debug)]
pub(super) struct Outgrown {
    pub(super) at: usize,
}

pub(super) fn hash<K: Word>(
    keys: &[K],
    expected: usize,
    wanted: Wanted,
) -> Result<Found<K>, Outgrown> {
    let mut table = Table::for_keys(expected.min(BUDGET));
    let mut first = Vec::new();
    let mut codes = vec![0; if wanted.codes { keys.len() } else { 0 }];
    for (at, &key) in keys.iter().enumerate() {
        let slot = table.place(key).ok_or(Outgrown { at })?;
        let entry = &mut table.slots[slot];
        let id = if entry.tally == 0 {
            let id = table.held;
            if wanted.first {
                first.push(at);
            }
            table.insert(slot, key).ok_or(Outgrown { at })?;
            id as u32
        } else {
            entry.tally += ONE;
            entry.id()
        };
        if wanted.codes {
            codes[at] = id;
        }
    }
    Ok(ranked(table, codes, first))
}

/// Sorts the keys, and turns ids into positions.
fn ranked<K: Word>(table: Table<K>, mut codes: Vec<u32>, first: Vec<usize>) -> Found<K> {
    let mut entries: Vec<Slot<K>> = table
        .slots
        .into_iter()
        .filter(|slot| slot.tally > 0)
        .collect();
    entries.sort_unstable_by_key(|entry| entry.key);
    let mut rank = vec![0; entries.len()];
    for (at, entry) in entries.iter().enumerate() {
        rank[entry.id() as usize] = at as u32;
    }
    codes
        .iter_mut()
        .for_each(|code| *code = rank[*code as usize]);
    Found {
        keys: entries.iter().map(|entry| entry.key).collect(),
        counts: entries.iter().map(|entry| entry.tally >> ID_BITS).collect(),
        codes,
        first: if first.is_empty() {
            first
        } else {
            entries
                .iter()
                .map(|entry| first[entry.id() as usize])
                .collect()
        },
    }
}

#[derive(Clone, Copy)]
struct Slot<K> {
    key: K,
    /// The count above [`ID_BITS`] bits of id; zero if the slot is free.
    tally: u64,
}

impl<K> Slot<K> {
    fn id(&self) -> u32 {
        (self.tally & (ONE - 1)) as u32
    }
}

struct Table<K> {
    /// A power of two, at least twice `held`.
    slots: Vec<Slot<K>>,
    held: usize,
}

impl<K: Word> Table<K> {
    fn for_keys(expected: usize) -> Self {
        let len = (2 * expected).next_power_of_two().max(16);
        Self {
            slots: vec![
                Slot {
                    key: K::from_u128(0),
                    tally: 0
                };
                len
            ],
            held: 0,
        }
    }

    /// The slot that holds `key`, or the free one where it belongs.
    #[inline(always)]
    fn place(&self, key: K) -> Option<usize> {
        let mask = self.slots.len() - 1;
        let home = mix(key.to_u128()) as usize;
        for probe in 0..MOST_PROBES {
            let at = (home + probe) & mask;
            let slot = &self.slots[at];
            if slot.tally == 0 || slot.key == key {
                return Some(at);
            }
        }
        None
    }

    /// Puts a new key in its free slot; grows the table if it is half full. `None`: the budget is spent.
    #[cold]
    fn insert(&mut self, at: usize, key: K) -> Option<()> {
        if self.held == BUDGET {
            return None;
        }
        self.slots[at] = Slot {
            key,
            tally: ONE | self.held as u64,
        };
        self.held += 1;
        if 2 * self.held > self.slots.len() {
            let mut wider = Self::for_keys(2 * self.held);
            for slot in self.slots.iter().filter(|slot| slot.tally > 0) {
                let at = wider.place(slot.key)?;
                wider.slots[at] = *slot;
            }
            wider.held = self.held;
            *self = wider;
        }
        Some(())
    }
}

/// A hash whose low bits depend on every bit of `x`: the halves of the product of both halves, folded together.
#[inline(always)]
pub(super) fn mix(x: u128) -> u64 {
    // Odd constants without pattern: the fractions of the golden ratio and of the square root of three.
    let low = x as u64 ^ 0x9e37_79b9_7f4a_7c15;
    let high = (x >> 64) as u64 ^ 0xbb67_ae85_84ca_a73b;
    let product = u128::from(low) * u128::from(high);
    product as u64 ^ (product >> 64) as u64
}
