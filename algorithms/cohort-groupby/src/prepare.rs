//! Phases 1 to 4: from this rank's rows to states that are about to move, and the plan of how.

use maniple_core::{Comm, Layout};
use maniple_kernels::Key;

use crate::align::Block;
use crate::assign_owners::{Owners, Strategy, Volumes, choose};
use crate::column::Shape;
use crate::discover_cohorts::{Numbered, discover_cohorts, number_by_list};
use crate::finish::AGREE_BYTES;
use crate::grouping::{Result, Settings};
use crate::plan::{GroupPlan, PlannedBytes};
use crate::question::{Asked, Expected, agree_on_question};
use crate::reduce_blockwise::{Present, reduce_blockwise};
use crate::states::{Needs, States};
use crate::value::{Label, Value};

/// What is known when states are about to move.
#[derive(Debug)]
pub(crate) struct Prepared<T: Value, K> {
    pub(crate) states: States<T>,
    /// The accumulator of each of this rank's labels.
    pub(crate) at: Vec<u32>,
    /// The labels of this rank among those of all ranks.
    pub(crate) numbered: Numbered<K>,
    pub(crate) owners: Owners,
    pub(crate) plan: GroupPlan,
}

/// Reduces the block to the states of `needs`; the plan is that of everything asked.
#[track_caller]
pub(crate) fn prepare<T: Value, L: Label>(
    comm: &Comm,
    layouts: [&Layout; 2],
    settings: &Settings<T, L>,
    asked: &Asked,
    block: Block<'_, T, L>,
    needs: Needs,
) -> Result<Prepared<T, L::Key>> {
    let expected = settings.expected.as_deref().map(Expected::new);
    let (outer, inner) = block.lanes;

    let (states, present) = reduce_blockwise(block, needs);
    let Present { keys, at } = wanted::<L>(present, expected.as_ref(), settings.keep_nan_labels);

    let counts = agree_on_question(comm, layouts, settings, expected.as_ref(), asked, keys.len())?;
    let numbered = match &expected {
        Some(expected) => number_by_list(comm, &keys, &expected.keys),
        None => discover_cohorts(comm, &keys, &counts)?,
    };
    let owners = Owners::new(&numbered.positions, numbered.groups, comm.size());

    let shape = Shape { outer, labels: 0, inner };
    let state_bytes = States::<T>::new(asked.needs, shape).bytes_per_label();
    let (volumes, sent) = all_volumes(comm, &numbered, &owners, state_bytes)?;
    let (strategy, reason) = choose(settings.method, volumes);
    let result_bytes = size_of::<L>() + size_of::<u64>() + shape.lanes() * asked.result_bytes;
    let plan = GroupPlan {
        strategy,
        reason,
        groups: numbered.groups,
        present: counts.iter().sum(),
        state_bytes,
        bytes: PlannedBytes {
            discover: sent,
            states: match strategy {
                Strategy::ReduceScatter => volumes.reduce_scatter,
                Strategy::Cohorts | Strategy::Local => volumes.cohorts,
            },
            results: bytes_of_agreement(comm, asked)
                + bytes_to_replicate(comm, settings.replicated, numbered.groups * result_bytes),
        },
        cohorts: Vec::new(),
    };
    Ok(Prepared { states, at, numbered, owners, plan })
}

/// The labels that are to be groups.
fn wanted<L: Label>(
    present: Present<L::Key>,
    expected: Option<&Expected<L::Key>>,
    keep_nan: bool,
) -> Present<L::Key> {
    let last_number = L::NANS.complement();
    let is_wanted = |key: &L::Key| match expected {
        Some(expected) => expected.keys.binary_search(key).is_ok(),
        None => keep_nan || *key <= last_number,
    };
    let Present { keys, at } = present;
    let (keys, at) = keys.into_iter().zip(at).filter(|(key, _)| is_wanted(key)).unzip();
    Present { keys, at }
}

/// What all ranks together would send by each strategy, and what they have sent until then.
#[track_caller]
fn all_volumes<K: Key>(
    comm: &Comm,
    numbered: &Numbered<K>,
    owners: &Owners,
    state_bytes: usize,
) -> Result<(Volumes, u64)> {
    let mine = owners.volumes(comm.rank(), state_bytes);
    let all = comm.all_gather(&[numbered.sent, mine.cohorts, mine.reduce_scatter])?;
    let sum = |at: usize| all.iter().skip(at).step_by(3).sum::<u64>();
    const WORDS: u64 = 2 + 3; // to agree on the question, and here
    let sent = sum(0) + pairs(comm) * WORDS * size_of::<u64>() as u64;
    Ok((Volumes { cohorts: sum(1), reduce_scatter: sum(2) }, sent))
}

fn bytes_of_agreement(comm: &Comm, asked: &Asked) -> u64 {
    if asked.may_fail { pairs(comm) * AGREE_BYTES } else { 0 }
}

fn bytes_to_replicate(comm: &Comm, replicated: bool, bytes: usize) -> u64 {
    if replicated { (comm.size() as u64 - 1) * bytes as u64 } else { 0 }
}

/// Pairs of ranks.
fn pairs(comm: &Comm) -> u64 {
    (comm.size() * (comm.size() - 1)) as u64
}
