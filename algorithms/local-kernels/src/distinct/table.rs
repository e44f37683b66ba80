//! Keys in a small span: one counter for each possible key.

use super::{Found, Wanted};
use crate::{Key, SortKey};

/// Tables up to this size are counted in [`LANES`] copies: equal keys in a row would otherwise wait for each other's
/// increment to reach memory.
const SMALL: usize = 1 << 12;

const LANES: usize = 4;

/// Distinct keys of a non-empty slice whose keys lie in `low..low + slots`.
pub(super) fn table<T: SortKey>(values: &[T], low: T::Key, slots: usize, wanted: Wanted) -> Found<T::Key> {
    let slot = |value: T| value.canonical().wrapping_sub(low).to_u128() as usize;
    let mut table =
        if slots <= SMALL { count_in_lanes(values, slots, slot) } else { count(values, slots, slot) };

    let (mut found, mut counts) = (Vec::new(), Vec::new());
    let mut at_first = first_index(values, slots, slot, wanted);
    for (offset, entry) in table.iter_mut().enumerate().filter(|(_, entry)| **entry > 0) {
        counts.push(u64::from(*entry));
        // From here on the entry is the key's code. There are at most `u32::MAX` keys, so it fits.
        *entry = found.len() as u32;
        if wanted.first {
            at_first[found.len()] = at_first[offset];
        }
        found.push(low.wrapping_add(T::Key::from_u128(offset as u128)));
    }
    at_first.truncate(found.len());
    let codes =
        if wanted.codes { values.iter().map(|&value| table[slot(value)]).collect() } else { Vec::new() };
    Found { keys: found, counts, codes, first: at_first }
}

fn count<T: Copy>(values: &[T], slots: usize, slot: impl Fn(T) -> usize) -> Vec<u32> {
    let mut table = vec![0; slots];
    for &value in values {
        table[slot(value)] += 1;
    }
    table
}

fn count_in_lanes<T: Copy>(values: &[T], slots: usize, slot: impl Fn(T) -> usize) -> Vec<u32> {
    let mut lanes: [Vec<u32>; LANES] = std::array::from_fn(|_| vec![0; slots]);
    let (groups, rest) = values.as_chunks::<LANES>();
    for group in groups {
        for (lane, &value) in lanes.iter_mut().zip(group) {
            lane[slot(value)] += 1;
        }
    }
    let [mut table, others @ ..] = lanes;
    rest.iter().for_each(|&value| table[slot(value)] += 1);
    for lane in others {
        table.iter_mut().zip(lane).for_each(|(sum, count)| *sum += count);
    }
    table
}

/// The smallest index of every key that occurs, by slot: written from the back, so the first one stays.
fn first_index<T: Copy>(values: &[T], slots: usize, slot: impl Fn(T) -> usize, wanted: Wanted) -> Vec<usize> {
    if !wanted.first {
        return Vec::new();
    }
    let mut first = vec![0; slots];
    for (at, &value) in values.iter().enumerate().rev() {
        first[slot(value)] = at;
    }
    first
}
