//! A shortcut: keys of 8 and 16 bits are counted, and no element moves.

use std::ops::Range;

use maniple_core::{Comm, Result, memory};
use maniple_kernels::Key;

/// Does counting move fewer bytes than sorting, with so many elements on each rank?
pub(crate) fn pays<K: Key>(each: usize) -> bool {
    // An all-reduce moves each count twice.
    K::BITS <= 16 && (2 * size_of::<usize>()) << K::BITS <= each * size_of::<K>()
}

/// The part `mine` of all ranks' keys in order.
pub(crate) fn count_and_fill<K: Key>(
    comm: &Comm,
    keys: impl Iterator<Item = K>,
    mine: Range<usize>,
) -> Result<Vec<K>> {
    let counts = comm.all_reduce(&count(keys), |a, b| a + b)?;
    Ok(fill(&counts, mine))
}

fn count<K: Key>(keys: impl Iterator<Item = K>) -> Vec<usize> {
    let mut counts = vec![0; 1 << K::BITS];
    keys.for_each(|key| counts[key.to_u128() as usize] += 1);
    counts
}

/// The part `mine` of the sequence that has each key as often as `counts` says.
fn fill<K: Key>(counts: &[usize], mine: Range<usize>) -> Vec<K> {
    let mut keys = memory::with_capacity(mine.len());
    let mut begin = 0;
    for (key, &count) in counts.iter().enumerate() {
        let end = begin + count;
        let here = end.min(mine.end).saturating_sub(begin.max(mine.start));
        keys.extend(std::iter::repeat_n(K::from_u128(key as u128), here));
        begin = end;
    }
    keys
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_of_the_counted_sequence() {
        let keys = [5_u8, 0, 255, 5, 5, 0];
        let counts = count(keys.into_iter());
        let sorted = [0, 0, 5, 5, 5, 255];
        for begin in 0..=6 {
            for end in begin..=6 {
                assert_eq!(fill::<u8>(&counts, begin..end), sorted[begin..end]);
            }
        }
    }

    #[test]
    fn counts_are_worth_it_when_they_are_shorter() {
        assert!(pays::<u8>(1 << 12) && !pays::<u8>((1 << 12) - 1));
        assert!(pays::<u16>(1 << 19) && !pays::<u16>((1 << 19) - 1));
        assert!(!pays::<u32>(usize::MAX / 4));
    }
}
