//! Keys in a small span: one counter for each possible key.

use super::{Found, Wanted};
use crate::Key;

/// Tables up to this size are counted in [`LANES`] copies: equal keys in a row would otherwise wait for each other's
/// increment to reach memory.
const SMALL: usize = 1 << 12;

const LANES: usize = 4;

/// Distinct keys of a non-empty slice whose keys lie in `low..low + slots`.
pub(super) fn table<K: Key>(keys: &[K], low: K, slots: usize, wanted: Wanted) -> Found<K> {
    let slot = |key: K| key.wrapping_sub(low).to_u128() as usize;
    let mut table = if slots <= SMALL { count_in_lanes(keys, slots, slot) } else { count(keys, slots, slot) };

    let (mut found, mut counts) = (Vec::new(), Vec::new());
    let mut at_first = first_index(keys, slots, slot, wanted);
    for (offset, entry) in table.iter_mut().enumerate().filter(|(_, entry)| **entry > 0) {
        counts.push(u64::from(*entry));
        // From here on the entry is the key's code. There are at most `u32::MAX` keys, so it fits.
        *entry = found.len() as u32;
        if wanted.first {
            at_first[found.len()] = at_first[offset];
        }
        found.push(low.wrapping_add(K::from_u128(offset as u128)));
    }
    at_first.truncate(found.len());
    let codes = if wanted.codes { keys.iter().map(|&key| table[slot(key)]).collect() } else { Vec::new() };
    Found { keys: found, counts, codes, first: at_first }
}

fn count<K: Key>(keys: &[K], slots: usize, slot: impl Fn(K) -> usize) -> Vec<u32> {
    let mut table = vec![0; slots];
    for &key in keys {
        table[slot(key)] += 1;
    }
    table
}

fn count_in_lanes<K: Key>(keys: &[K], slots: usize, slot: impl Fn(K) -> usize) -> Vec<u32> {
    let mut lanes: [Vec<u32>; LANES] = std::array::from_fn(|_| vec![0; slots]);
    let (groups, rest) = keys.as_chunks::<LANES>();
    for group in groups {
        for (lane, &key) in lanes.iter_mut().zip(group) {
            lane[slot(key)] += 1;
        }
    }
    let [mut table, others @ ..] = lanes;
    rest.iter().for_each(|&key| table[slot(key)] += 1);
    for lane in others {
        table.iter_mut().zip(lane).for_each(|(sum, count)| *sum += count);
    }
    table
}

/// The smallest index of every key that occurs, by slot: written from the back, so the first one stays.
fn first_index<K: Key>(keys: &[K], slots: usize, slot: impl Fn(K) -> usize, wanted: Wanted) -> Vec<usize> {
    if !wanted.first {
        return Vec::new();
    }
    let mut first = vec![0; slots];
    for (at, &key) in keys.iter().enumerate().rev() {
        first[slot(key)] = at;
    }
    first
}
