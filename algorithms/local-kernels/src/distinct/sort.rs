//! The general case: equal keys end up side by side.

use super::{Found, Wanted};
use crate::{Key, sort_keys};

pub(super) fn sort<K: Key>(keys: &[K], wanted: Wanted) -> Found<K> {
    if wanted.codes || wanted.first { with_indices(keys, wanted) } else { values(keys) }
}

/// Keys and counts: a sort of the values, compacted in place.
fn values<K: Key>(keys: &[K]) -> Found<K> {
    let mut sorted = keys.to_vec();
    sort_keys(&mut sorted);
    let mut counts = Vec::new();
    let mut start = 0;
    while let Some(&key) = sorted.get(start) {
        let end = start + sorted[start..].iter().take_while(|&&other| other == key).count();
        sorted[counts.len()] = key;
        counts.push((end - start) as u64);
        start = end;
    }
    sorted.truncate(counts.len());
    if sorted.len() < sorted.capacity() / 2 {
        sorted.shrink_to_fit();
    }
    Found { keys: sorted, counts, codes: Vec::new(), first: Vec::new() }
}

/// All that can be asked: a sort of the indices by (key, index).
fn with_indices<K: Key>(keys: &[K], wanted: Wanted) -> Found<K> {
    let index_bits = usize::BITS - keys.len().saturating_sub(1).leading_zeros();
    let mut words: Vec<u64> = (0..keys.len() as u64).collect();
    order(&mut words, keys, index_bits);

    let mut found = Found { keys: Vec::new(), counts: Vec::new(), codes: Vec::new(), first: Vec::new() };
    if wanted.codes {
        found.codes = vec![0; keys.len()];
    }
    let mut start = 0;
    for (at, &word) in words.iter().enumerate() {
        let index = index_of(word, index_bits);
        let key = keys[index];
        if found.keys.last() != Some(&key) {
            if at > 0 {
                found.counts.push((at - start) as u64);
            }
            start = at;
            found.keys.push(key);
            if wanted.first {
                found.first.push(index);
            }
        }
        if wanted.codes {
            found.codes[index] = (found.keys.len() - 1) as u32;
        }
    }
    if !words.is_empty() {
        found.counts.push((words.len() - start) as u64);
    }
    found
}

/// Sorts words, whose low `index_bits` are distinct ascending indices, by (key, index).
///
/// The bits above the index take as much of the key as fits, counted from its highest bit that varies. Words that this
/// does not tell apart are ordered among themselves in the same way: their keys agree in all the bits used before, so
/// every level disposes of `64 - index_bits` more.
fn order<K: Key>(words: &mut [u64], keys: &[K], index_bits: u32) {
    let mut indices = words.iter().map(|&word| index_of(word, index_bits));
    let Some(first) = indices.next() else { return };
    let (low, high) = indices.fold((keys[first], keys[first]), |(low, high), index| {
        let key = keys[index];
        (low.min(key), high.max(key))
    });
    if low == high {
        return;
    }
    let span_bits = u128::BITS - high.wrapping_sub(low).to_u128().leading_zeros();
    let dropped = span_bits.saturating_sub(u64::BITS - index_bits);
    for word in &mut *words {
        let index = index_of(*word, index_bits);
        let prefix = keys[index].wrapping_sub(low).to_u128() >> dropped;
        *word = (prefix as u64) << index_bits | index as u64;
    }
    sort_keys(words);
    if dropped > 0 {
        let tied = words.chunk_by_mut(|a, b| a >> index_bits == b >> index_bits);
        tied.filter(|group| group.len() > 1).for_each(|group| order(group, keys, index_bits));
    }
}

fn index_of(word: u64, index_bits: u32) -> usize {
    (word & ((1 << index_bits) - 1)) as usize
}
