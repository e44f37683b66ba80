//! The general case: equal keys end up side by side.

use super::{Found, Wanted};
use crate::{Key, SortIndex, SortKey, sort_keys, sort_with_index};

pub(super) fn sort<T: SortKey>(values: &[T], wanted: Wanted) -> Found<T::Key> {
    let mut keys: Vec<T::Key> = values.iter().map(|value| value.canonical()).collect();
    if !wanted.codes && !wanted.first {
        sort_keys(&mut keys);
        let counts = compact(&mut keys, |_, _| ());
        return Found { keys, counts, codes: Vec::new(), first: Vec::new() };
    }
    match u32::try_from(keys.len()) {
        Ok(_) => with_indices::<_, u32>(keys, wanted),
        Err(_) => with_indices::<_, usize>(keys, wanted),
    }
}

/// All that can be asked: a stable sort, so that the first index of a run is its smallest.
fn with_indices<K: Key, I: SortIndex>(mut keys: Vec<K>, wanted: Wanted) -> Found<K> {
    let indices: Vec<I> = sort_with_index(&mut keys);
    let mut codes = vec![0; if wanted.codes { keys.len() } else { 0 }];
    let mut first = Vec::new();
    let counts = compact(&mut keys, |code, run| {
        if wanted.codes {
            indices[run.clone()].iter().for_each(|index| codes[index.to_usize()] = code as u32);
        }
        if wanted.first {
            first.push(indices[run.start].to_usize());
        }
    });
    Found { keys, counts, codes, first }
}

/// Keeps one of each run of equal keys, in place, and gives the lengths of the runs; `visit` gets the number of each run and where
/// it was.
fn compact<K: Key>(sorted: &mut Vec<K>, mut visit: impl FnMut(usize, std::ops::Range<usize>)) -> Vec<u64> {
    let mut counts = Vec::new();
    let mut start = 0;
    while let Some(&key) = sorted.get(start) {
        let end = start + sorted[start..].iter().take_while(|&&other| other == key).count();
        visit(counts.len(), start..end);
        sorted[counts.len()] = key;
        counts.push((end - start) as u64);
        start = end;
    }
    sorted.truncate(counts.len());
    if sorted.len() < sorted.capacity() / 2 {
        sorted.shrink_to_fit();
    }
    counts
}
