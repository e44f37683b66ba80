//! Phase 3, many keys: every range of keys has an owner.
//!
//! 1. Splitters cut the keys of all ranks into as many ranges as there are ranks, equally long up to the copies of one key. Equal keys are never
//!    split: whoever owns a range has all there is of its keys.
//! 2. One exchange brings each rank's keys to their owners, which merge them and note where each of them ended.
//! 3. Counts and first indices follow, and are joined by these notes.
//! 4. The notes go back the way the keys came: the answer to each key, its position. Together with the number of keys of
//!    the owners before, that is its global position.

use maniple_core::{Blocks, Comm, Layout, Result, memory};
use maniple_kernels::Key;
use maniple_sort::{cut_between, find_splitters};
use ndarray::Axis;

use crate::columns::Columns;
use crate::dedup_local::Local;
use crate::joined::{Joined, Wanted};
use crate::merge::{answer, merge};
use crate::slot::Slot;

/// Joins `total` keys of all ranks. The result lies as the owners have it.
///
/// # Communication
/// The splitters' rounds; one exchange of keys and one of each column, to the owners; the number of each owner's keys; one
/// exchange of answers back. Per key of a rank: its size and 8 bytes for each column out, 4 bytes (8 from 2³² keys on) back.
pub(crate) fn large<K: Key, S: Slot>(
    comm: &Comm,
    local: &Local<K>,
    total: usize,
    wanted: Wanted,
) -> Result<Joined<K>> {
    let ends = Blocks::even(total, comm.size()).displs()[1..].to_vec();
    let sends = cut_between(&local.keys, &find_splitters(comm, &local.keys, &ends)?);
    let owned: Owned<K, S> =
        comm.exchange(&local.keys, &sends, |runs| Owned::merge(runs, wanted.positions()))?;
    let columns = owned.join(comm, &local.columns, &sends)?;

    let counts = comm.all_gather_value(owned.keys.len())?;
    let layout = Layout::from_counts(&[counts.iter().sum()], Axis(0), &counts)?;
    let ids = match wanted.inverse {
        true => Some(answers_back(comm, &owned, &layout)?),
        false => None,
    };
    Ok(Joined { layout, keys: owned.keys, columns, ids })
}

/// What an owner has of its range.
#[derive(Debug)]
struct Owned<K, S> {
    keys: Vec<K>,
    /// The position in `keys` of each key received, rank by rank.
    answers: Vec<S>,
    /// Which answers are for which rank.
    askers: Blocks,
}

impl<K: Key, S: Slot> Owned<K, S> {
    fn merge(runs: &[&[K]], answered: bool) -> Self {
        let keys = merge(runs);
        let askers = Blocks::packed(runs.iter().map(|run| run.len()).collect());
        let mut answers = Vec::new();
        if answered {
            answers = memory::with_capacity(askers.total());
            runs.iter().for_each(|run| answer(run, &keys, &mut answers));
        }
        Owned { keys, answers, askers }
    }

    fn join(&self, comm: &Comm, columns: &Columns, sends: &Blocks) -> Result<Columns> {
        if columns.is_empty() {
            return Ok(Columns::default());
        }
        let answers: Vec<&[S]> = self.askers.ranges().map(|range| &self.answers[range]).collect();
        Ok(columns.to_owners(comm, sends, &answers, self.keys.len())?)
    }
}

/// The global positions of this rank's keys. `layout` says how many keys the owners have.
fn answers_back<K: Key, S: Slot>(comm: &Comm, owned: &Owned<K, S>, layout: &Layout) -> Result<Vec<u64>> {
    Ok(comm.exchange(&owned.answers, &owned.askers, |of_owners: &[&[S]]| {
        let mut ids = memory::with_capacity(of_owners.iter().map(|answers| answers.len()).sum());
        for (answers, begin) in of_owners.iter().zip(layout.displs()) {
            ids.extend(answers.iter().map(|answer| (begin + answer.position()) as u64));
        }
        ids
    })?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_owner_answers_every_key() {
        let owned: Owned<u32, u64> = Owned::merge(&[&[2, 5, 9], &[], &[5, 7]], true);
        assert_eq!(owned.keys, [2, 5, 7, 9]);
        assert_eq!(owned.answers, [0, 1, 3, 1, 2]);
        assert_eq!(owned.askers.counts(), [3, 0, 2]);
    }
}
