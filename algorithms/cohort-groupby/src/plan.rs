//! What a group-by is going to do: strategy, reason, cohorts, bytes.

use std::collections::BTreeMap;
use std::fmt;

use maniple_core::{Comm, Ranks, Result};

use crate::assign_owners::{Owners, Position, Reason, Strategy};

/// What a group-by is going to do, and what it will send. The same on every rank.
///
/// `to_string()` explains it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GroupPlan {
    /// How states come to their owners.
    pub strategy: Strategy,
    /// Why so.
    pub reason: Reason,
    /// Number of groups.
    pub groups: usize,
    /// Labels that a rank has, added up over all ranks: how many states there are after the blockwise reduction.
    pub present: usize,
    /// Bytes of the states of one label.
    pub state_bytes: usize,
    /// Bytes sent by all ranks together.
    pub bytes: PlannedBytes,
    /// The labels by the ranks that hold them, most labels first.
    pub cohorts: Vec<Cohort>,
}

/// Bytes sent by all ranks together, to others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PlannedBytes {
    /// To agree on the question, and to find labels and cohorts.
    pub discover: u64,
    /// States to their owners.
    pub states: u64,
    /// Results: to agree that there is one for each group, and to replicate them if that was asked for.
    pub results: u64,
}

impl PlannedBytes {
    /// All of them.
    pub fn total(self) -> u64 {
        self.discover + self.states + self.results
    }
}

/// Labels that live on the same set of ranks.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Cohort {
    /// The ranks.
    pub ranks: Ranks,
    /// How many labels.
    pub labels: u64,
}

/// Cohorts shown in words.
const SHOWN: usize = 8;

impl fmt::Display for GroupPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PlannedBytes { discover, states, results } = self.bytes;
        writeln!(f, "{:?}: {}", self.strategy, self.reason)?;
        writeln!(f, "{} groups, {} states of {} bytes", self.groups, self.present, self.state_bytes)?;
        writeln!(f, "{discover} bytes to find cohorts, {states} of states, {results} of results")?;
        write!(f, "{} cohorts", self.cohorts.len())?;
        for Cohort { ranks, labels } in self.cohorts.iter().take(SHOWN) {
            write!(f, "\n  {labels} labels on {ranks}")?;
        }
        match self.cohorts.len().saturating_sub(SHOWN) {
            0 => Ok(()),
            more => write!(f, "\n  and {more} more"),
        }
    }
}

/// The cohorts of all groups, from where each rank's labels lie: owners see who holds what, and tell everyone.
pub(crate) fn cohorts(comm: &Comm, positions: &[usize], owners: &Owners) -> Result<Vec<Cohort>> {
    let first = |owner| owners.groups.range(owner).start;
    let wire: Vec<Position> = (0..comm.size())
        .flat_map(|owner| {
            positions[owners.labels.range(owner)].iter().map(move |p| (p - first(owner)) as Position)
        })
        .collect();
    let words = comm.size().div_ceil(64);
    let mut held = vec![0_u64; owners.groups.count(comm.rank()) * words];
    comm.exchange(&wire, &owners.labels, |parts: &[&[Position]]| {
        for (rank, part) in parts.iter().enumerate() {
            part.iter().for_each(|&group| held[group as usize * words + rank / 64] |= 1 << (rank % 64));
        }
    })?;
    let mine = count(held.chunks_exact(words).map(|ranks| (ranks.to_vec(), 1)));
    let told: Vec<u64> =
        mine.into_iter().flat_map(|(ranks, labels)| ranks.into_iter().chain([labels])).collect();
    let (all, _) = comm.all_gather_v(&told)?;
    let all = count(all.chunks_exact(words + 1).map(|row| (row[..words].to_vec(), row[words])));
    let mut cohorts: Vec<Cohort> =
        all.into_iter().map(|(ranks, labels)| Cohort { ranks: set(&ranks), labels }).collect();
    cohorts.sort_by(|a, b| b.labels.cmp(&a.labels).then_with(|| a.ranks.as_slice().cmp(b.ranks.as_slice())));
    Ok(cohorts)
}

/// Labels of each set of ranks; those that nobody has do not count.
fn count(sets: impl Iterator<Item = (Vec<u64>, u64)>) -> BTreeMap<Vec<u64>, u64> {
    let mut counts = BTreeMap::new();
    for (ranks, labels) in sets.filter(|(ranks, _)| ranks.iter().any(|&word| word != 0)) {
        *counts.entry(ranks).or_default() += labels;
    }
    counts
}

fn set(words: &[u64]) -> Ranks {
    let ranks = (0..64 * words.len()).filter(|rank| words[rank / 64] >> (rank % 64) & 1 == 1);
    Ranks::new(ranks.collect())
}
