//! Phase 3: which labels there are on all ranks, and the position of this rank's among them.
//!
//! No coordinator, and no list of all labels unless it is short:
//!
//! | labels | how |
//! |---|---|
//! | the caller names the expected ones | every rank looks its own up |
//! | few | every rank sees every rank's |
//! | many | a directory: splitters cut the labels into one range for each rank, which numbers those in its range |
//!
//! The directory is ordered, not hashed, because groups come sorted by label: numbering and sorting are one step.
//! Its ranges are balanced by regular samples of each rank's ascending distinct labels (Shi and Schaeffer 1992): a rank gets
//! at most `1 + 1/OVERSAMPLING` of its fair share, and one sample more from each rank.

use maniple_core::{Blocks, Comm, DistArray, Layout, Result};
use maniple_kernels::{Key, sort_keys};
use maniple_lshape::Redistribute;
use ndarray::{Array1, Axis};

/// Labels of all ranks together are few up to so many bytes: one collective is then faster than four.
const FEW_BYTES: usize = 64 << 10;

/// Samples that each rank would give for each range if all had as many labels.
const OVERSAMPLING: usize = 4;

/// The labels of this rank among those of all ranks.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Numbered<K> {
    /// Number of groups.
    pub(crate) groups: usize,
    /// The group of each of this rank's labels, ascending.
    pub(crate) positions: Vec<usize>,
    /// The labels of the groups that this rank owns: its part of the even layout.
    pub(crate) owned: Vec<K>,
    /// Bytes that this rank sent to find out.
    pub(crate) sent: u64,
}

/// The numbering by a list of labels that every rank has, ascending; this rank's others must be gone.
pub(crate) fn number_by_list<K: Key>(comm: &Comm, keys: &[K], all: &[K]) -> Numbered<K> {
    let mine = Blocks::even(all.len(), comm.size()).range(comm.rank());
    Numbered { groups: all.len(), positions: positions(keys, all), owned: all[mine].to_vec(), sent: 0 }
}

/// The numbering by what labels there are: `keys` are this rank's, ascending, `counts` says how many each rank has.
pub(crate) fn discover_cohorts<K: Key>(comm: &Comm, keys: &[K], counts: &[usize]) -> Result<Numbered<K>> {
    let total: usize = counts.iter().sum();
    match comm.size() == 1 || total * size_of::<K>() <= FEW_BYTES {
        true => see_all(comm, keys),
        false => ask_directory(comm, keys, counts),
    }
}

/// One collective: everyone sees everyone's labels.
fn see_all<K: Key>(comm: &Comm, keys: &[K]) -> Result<Numbered<K>> {
    let everyone = Blocks::whole(keys.len(), comm.size());
    let all = comm.exchange(keys, &everyone, |parts: &[&[K]]| merged(parts.concat()))?;
    Ok(Numbered { sent: sent(comm, &everyone, size_of::<K>()), ..number_by_list(comm, keys, &all) })
}

/// Labels to the rank whose range they are in, which merges and numbers them, and positions back.
fn ask_directory<K: Key>(comm: &Comm, keys: &[K], counts: &[usize]) -> Result<Numbered<K>> {
    let samples = Blocks::packed(counts.iter().map(|&n| n.div_ceil(stride(counts))).collect());
    let mut sample = vec![K::MIN; samples.total()];
    let regular: Vec<K> = keys.iter().copied().step_by(stride(counts)).collect();
    comm.all_gather_v_into(&regular, &mut sample, &samples)?;
    let ranges = cut(keys, &splitters(sample, comm.size()));

    let (asked, askers) = comm.all_to_all_v(keys, &ranges)?;
    let directory = merged(asked.clone());
    let held = comm.all_gather_value(directory.len())?;
    let first: usize = held[..comm.rank()].iter().sum();
    let answers: Vec<u64> = askers
        .ranges()
        .flat_map(|asker| positions(&asked[asker], &directory))
        .map(|position| (first + position) as u64)
        .collect();
    let mut positions = vec![0_u64; keys.len()];
    comm.all_to_all_v_into(&answers, &askers, &mut positions, &ranges)?;

    let (owned, moved) = to_owners(comm, directory, &held)?;
    let others = comm.size() as u64 - 1;
    let word = size_of::<u64>() as u64;
    Ok(Numbered {
        groups: held.iter().sum(),
        positions: positions.into_iter().map(|position| position as usize).collect(),
        owned,
        sent: (regular.len() * size_of::<K>()) as u64 * others
            + word * others // the counts of labels asked for
            + sent(comm, &ranges, size_of::<K>())
            + word * others // labels in each range
            + sent(comm, &askers, size_of::<u64>())
            + 2 * word * others // the layout agreed on
            + moved * size_of::<K>() as u64,
    })
}

/// The directory's labels in the even layout; and how many this rank gives away.
fn to_owners<K: Key>(comm: &Comm, directory: Vec<K>, held: &[usize]) -> Result<(Vec<K>, u64)> {
    let groups: usize = held.iter().sum();
    let found = Layout::from_counts(&[groups], Axis(0), held)?;
    let even = Layout::even(&[groups], Axis(0), comm.size())?;
    let (mine, stay) = (found.range(comm.rank()), even.range(comm.rank()));
    let both = mine.end.min(stay.end).saturating_sub(mine.start.max(stay.start));
    let moved = (mine.len() - both) as u64;
    let directory = DistArray::from_parts(comm, Array1::from_vec(directory), found)?;
    let owned = directory.into_layout(&even)?.into_local();
    Ok((owned.into_iter().collect(), moved))
}

/// Every so manieth label of a rank is a sample.
fn stride(counts: &[usize]) -> usize {
    let (total, size) = (counts.iter().sum::<usize>(), counts.len());
    (total / (OVERSAMPLING * size * size)).max(1)
}

/// `size - 1` keys that cut the samples evenly: range r holds the keys from splitter `r - 1` on, up to splitter r.
fn splitters<K: Key>(mut sample: Vec<K>, size: usize) -> Vec<K> {
    sort_keys(&mut sample);
    (1..size).map(|r| sample[r * sample.len() / size]).collect()
}

/// Ascending keys cut at the splitters.
fn cut<K: Key>(keys: &[K], splitters: &[K]) -> Blocks {
    let cuts = splitters.iter().map(|splitter| keys.partition_point(|key| key < splitter));
    let offsets: Vec<usize> = [0].into_iter().chain(cuts).chain([keys.len()]).collect();
    Blocks::between(&offsets)
}

/// Distinct, ascending.
fn merged<K: Key>(mut keys: Vec<K>) -> Vec<K> {
    sort_keys(&mut keys);
    keys.dedup();
    keys
}

/// Where each of some ascending keys stands in an ascending list that has them all.
fn positions<K: Key>(keys: &[K], list: &[K]) -> Vec<usize> {
    let mut from = 0;
    let find = |key: &K| {
        from += gallop(&list[from..], key);
        from
    };
    keys.iter().map(find).collect()
}

/// The first place of a list that is not less than the key, which is supposed to be near the beginning.
fn gallop<K: Key>(list: &[K], key: &K) -> usize {
    let mut reach = 1;
    while reach < list.len() && list[reach] < *key {
        reach *= 2;
    }
    let begin = reach / 2;
    begin + list[begin..list.len().min(reach + 1)].partition_point(|other| other < key)
}

/// Bytes that this rank sends to others by blocks of elements of `size` bytes.
fn sent(comm: &Comm, blocks: &Blocks, size: usize) -> u64 {
    let others = blocks.counts().iter().enumerate().filter(|(rank, _)| *rank != comm.rank());
    others.map(|(_, count)| (count * size) as u64).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_near_and_far() {
        let list: Vec<u32> = (0..1000).map(|i| 3 * i).collect();
        for step in [1, 2, 7, 500] {
            let at: Vec<usize> = (0..1000).step_by(step).collect();
            let keys: Vec<u32> = at.iter().map(|&i| list[i]).collect();
            assert_eq!(positions(&keys, &list), at);
        }
        assert_eq!(positions(&[2997], &list), [999]);
        assert!(positions::<u8>(&[], &[]).is_empty());
    }

    #[test]
    fn ranges_are_balanced_however_labels_lie() {
        // Rank 1 has most labels, rank 2 none, rank 3 those of rank 0 again.
        let of_rank: [Vec<u64>; 4] =
            [(0..5000).collect(), (2000..90_000).collect(), vec![], (0..5000).collect()];
        let counts: Vec<usize> = of_rank.iter().map(Vec::len).collect();
        let stride = stride(&counts);
        let sample = of_rank.iter().flat_map(|keys| keys.iter().copied().step_by(stride)).collect();
        let splitters = splitters(sample, 4);
        let mut load = vec![0; 4];
        for keys in &of_rank {
            cut(keys, &splitters).counts().iter().zip(&mut load).for_each(|(n, load)| *load += n);
        }
        let total: usize = counts.iter().sum();
        assert_eq!(load.iter().sum::<usize>(), total);
        let fair = total / 4;
        assert!(load.iter().all(|&n| n <= fair + fair / OVERSAMPLING + 4 * stride), "{load:?} of {total}");
    }

    #[test]
    fn one_rank_numbers_its_own() {
        let comm = Comm::solo();
        let found = discover_cohorts(&comm, &[4_u16, 8, 9], &[3]).unwrap();
        assert_eq!(found, Numbered { groups: 3, positions: vec![0, 1, 2], owned: vec![4, 8, 9], sent: 0 });
        assert_eq!(ask_directory(&comm, &[4_u16, 8, 9], &[3]).unwrap(), found);
        assert_eq!(ask_directory::<u16>(&comm, &[], &[0]).unwrap().groups, 0);
    }
}
