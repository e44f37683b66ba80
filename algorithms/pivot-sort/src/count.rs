//! Shortcuts: keys of which there are few are counted, and no element moves.
//!
//! Two forms of the same: of 8 and 16 bits all possible keys are counted, of wider ones those that occur. What the ranks
//! tell each other are counts; each then writes its part of the result.

use std::ops::Range;

use maniple_core::{Comm, Result, memory};
use maniple_kernels::{Key, distinct};

use crate::look::Look;

/// How many bytes of elements a byte of counts must replace. Counting is the faster sort too, so it pays early.
const PAYS: usize = 8;

/// Does counting all possible keys move fewer bytes than sorting, with `each` elements on a rank?
pub(crate) fn all_keys_pay<K: Key>(each: usize) -> bool {
    // An all-reduce moves each count twice.
    K::BITS <= 16 && (2 * size_of::<usize>()) << K::BITS <= each * size_of::<K>()
}

/// Does counting the keys that occur, if there are no more than `looks` say?
pub(crate) fn few_keys_pay<K: Key>(each: usize, looks: &[Look]) -> bool {
    lists_pay::<K>(each, looks.iter().map(|look| look.distinct).sum())
}

fn lists_pay<K: Key>(each: usize, entries: usize) -> bool {
    entries.saturating_mul(PAYS * (size_of::<K>() + size_of::<u64>())) <= each * size_of::<K>()
}

/// Keys, ascending, and how often each occurs.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Counts<K> {
    keys: Vec<K>,
    counts: Vec<u64>,
}

impl<K: Key> Counts<K> {
    /// Of all ranks, for every possible key.
    pub(crate) fn of_all_keys(comm: &Comm, keys: impl Iterator<Item = K>) -> Result<Self> {
        let mut counts = vec![0; 1 << K::BITS];
        keys.for_each(|key| counts[key.to_u128() as usize] += 1);
        let counts = comm.all_reduce(&counts, |a, b| a + b)?;
        Ok(Counts { keys: (0..counts.len()).map(|key| K::from_u128(key as u128)).collect(), counts })
    }

    /// Of this rank, for the keys that occur.
    pub(crate) fn of(keys: &[K]) -> Self {
        let found = distinct(keys).run().unwrap_or_else(|_| unreachable!("fails for codes alone"));
        Counts { keys: found.keys, counts: found.counts }
    }

    /// Of all ranks; none if a rank has so many keys that moving elements is cheaper.
    pub(crate) fn gather(&self, comm: &Comm, each: usize) -> Result<Option<Self>> {
        let entries = comm.all_reduce_value(self.keys.len(), |a, b| a.saturating_add(b))?;
        if !lists_pay::<K>(each, entries) {
            return Ok(None);
        }
        let (keys, counts) = (comm.all_gather_v(&self.keys)?.0, comm.all_gather_v(&self.counts)?.0);
        let mut entries: Vec<(K, u64)> = keys.into_iter().zip(counts).collect();
        entries.sort_unstable();
        Ok(Some(Counts::joined(&entries)))
    }

    fn joined(entries: &[(K, u64)]) -> Self {
        let of_key = |group: &[(K, u64)]| (group[0].0, group.iter().map(|entry| entry.1).sum::<u64>());
        let (keys, counts) = entries.chunk_by(|a, b| a.0 == b.0).map(of_key).unzip();
        Counts { keys, counts }
    }

    /// The part `mine` of the sequence that has each key so often, in `storage` if it is large enough.
    pub(crate) fn write(&self, mut storage: Vec<K>, mine: Range<usize>) -> Vec<K> {
        if storage.capacity() < mine.len() {
            storage = memory::with_capacity(mine.len());
        }
        storage.clear();
        let mut begin = 0;
        for (&key, &count) in self.keys.iter().zip(&self.counts) {
            let end = begin + count as usize;
            let here = end.min(mine.end).saturating_sub(begin.max(mine.start));
            storage.extend(std::iter::repeat_n(key, here));
            begin = end;
        }
        storage
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_of_the_counted_sequence() {
        let keys = [5_u8, 0, 255, 5, 5, 0];
        let sorted = [0, 0, 5, 5, 5, 255];
        for counts in [Counts::of_all_keys(&Comm::solo(), keys.into_iter()).unwrap(), Counts::of(&keys)] {
            for begin in 0..=6 {
                for end in begin..=6 {
                    assert_eq!(counts.write(Vec::new(), begin..end), sorted[begin..end]);
                }
            }
        }
    }

    #[test]
    fn storage_is_used_again_if_it_is_large_enough() {
        let counts = Counts::of(&[7_u32; 100]);
        let storage = Vec::with_capacity(100);
        let begin = storage.as_ptr();
        let written = counts.write(storage, 0..100);
        assert_eq!((written.as_ptr(), &written[..]), (begin, &[7; 100][..]));
        assert_eq!(counts.write(vec![1, 2, 3], 10..20), [7; 10]);
    }

    #[test]
    fn lists_of_all_ranks_are_joined() {
        let joined = Counts::joined(&[(1_u16, 2), (1, 3), (4, 1), (9, 1), (9, 1)]);
        assert_eq!(joined, Counts { keys: vec![1, 4, 9], counts: vec![5, 1, 2] });
    }

    #[test]
    fn counts_are_worth_it_when_they_are_shorter() {
        assert!(all_keys_pay::<u8>(1 << 12) && !all_keys_pay::<u8>((1 << 12) - 1));
        assert!(all_keys_pay::<u16>(1 << 19) && !all_keys_pay::<u16>((1 << 19) - 1));
        assert!(!all_keys_pay::<u32>(usize::MAX / 4));
        let looks = [Look { rising: false, falling: false, distinct: 50 }; 2];
        assert!(few_keys_pay::<u64>(1_600, &looks) && !few_keys_pay::<u64>(1_599, &looks));
        let counts = Counts::of(&(0..1_000_u64).collect::<Vec<_>>());
        assert_eq!(counts.gather(&Comm::solo(), 1_000).unwrap(), None);
        assert_eq!(counts.gather(&Comm::solo(), 16_000).unwrap(), Some(counts));
    }
}
