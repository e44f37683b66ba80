//! Stable merge of sorted runs.
//!
//! The runs are what the ranks of a sort send each other; their order is the order of the ranks, so ties go to the lower
//! run, and inside a run records keep their order. One implementation serves both forms: values alone are records whose
//! payload is `()`.
//!
//! 1. [`Plan::of`] chooses between concatenating, one two-way merge, the cascade, and sorting again.
//! 2. [`two_way`] merges two runs without a branch that depends on the data, from both ends at once, and copies whole
//!    stretches where one run stays ahead.
//! 3. [`cascade`] merges many runs: [`multiselect`] cuts the output into blocks that fit the cache, and a tree of two-way
//!    merges finishes each block there, so memory is read once and written once however many runs there are.
//! 4. [`resort`] takes over where a merge does not pay: very many runs, or runs of a few records each.
//!
//! Source: multisequence selection after Varman, Scheufler, Iyer and Ricard, "Merging multiple lists on
//! hierarchical-memory multiprocessors" (1991).

mod cascade;
mod records;
mod resort;
mod select;
mod two_way;

use cascade::cascade;
use records::{Run, Slots, units};
use resort::resort;
use two_way::two_way;

pub use select::multiselect;

/// From this many runs on, sorting the concatenation is as fast as merging.
const MANY_RUNS: usize = 1 << 12;

/// Shorter runs than this on average leave the cascade more bookkeeping than merging.
const TINY_RUN: usize = 64;

/// Appends the stable merge of sorted `runs` to `out`.
///
/// # Order and ties
/// Ascending. Equal keys stand in the order of their runs, and inside a run in its order. A run that is not sorted gives
/// an unspecified order, or a panic.
///
/// # Complexity
/// O(n log k) for n keys in k runs; O(n) copying for runs that do not overlap. `out` grows only if its spare capacity is
/// less than n; besides it, a scratch buffer of one cache-sized block.
///
/// # Panics
/// Possibly, if a run is not sorted.
///
/// # Examples
/// ```
/// use maniple_kernels::merge_into;
///
/// let mut merged = Vec::new();
/// merge_into(&[&[1, 4, 4][..], &[], &[0, 4, 9]], &mut merged);
/// assert_eq!(merged, [0, 1, 4, 4, 4, 9]);
/// ```
pub fn merge_into<K: Copy + Ord>(runs: &[&[K]], out: &mut Vec<K>) {
    let runs: Vec<_> = runs.iter().map(|keys| Run::new(keys, units(keys.len()))).collect();
    append(&runs, out, &mut Vec::new());
}

/// Appends the stable merge of sorted runs of keys, each with its payload, to `keys` and `payload`.
///
/// # Order and ties
/// Ascending by key alone. Equal keys stand in the order of their runs, and inside a run in its order. A run that is not
/// sorted gives an unspecified order, or a panic.
///
/// # Complexity
/// As [`merge_into`], the payload moving with its key.
///
/// # Panics
/// If a run has not as many payloads as keys; possibly, if a run is not sorted.
///
/// # Examples
/// ```
/// use maniple_kernels::merge_with_payload_into;
///
/// let (mut keys, mut payload) = (Vec::new(), Vec::new());
/// merge_with_payload_into(&[(&[1u8, 3][..], &['a', 'b'][..]), (&[1, 2], &['c', 'd'])], &mut keys, &mut payload);
/// assert_eq!(keys, [1, 1, 2, 3]);
/// assert_eq!(payload, ['a', 'c', 'd', 'b']);
/// ```
pub fn merge_with_payload_into<K: Copy + Ord, I: Copy>(
    runs: &[(&[K], &[I])],
    keys: &mut Vec<K>,
    payload: &mut Vec<I>,
) {
    let runs: Vec<_> = runs.iter().map(|&(keys, payload)| Run::new(keys, payload)).collect();
    append(&runs, keys, payload);
}

/// How a set of runs is merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Plan {
    /// At most one run, or each run ends before the next begins: copying is all there is to do.
    Concatenate,
    /// Two runs: one pass.
    TwoWay,
    /// So many or so short runs that a sort is as fast.
    Resort,
    /// The general case.
    Cascade,
}

impl Plan {
    /// The ladder. `runs` holds no empty run.
    fn of<K: Copy + Ord, I: Copy>(runs: &[Run<'_, K, I>], total: usize) -> Plan {
        // 1. Nothing to interleave.
        if runs.windows(2).all(|pair| pair[0].precedes(pair[1])) {
            Plan::Concatenate
        // 2. A single merge reads and writes everything once as it is.
        } else if runs.len() == 2 {
            Plan::TwoWay
        // 3. More levels of merging than a sort takes, or more bookkeeping.
        } else if runs.len() >= MANY_RUNS || total / runs.len() < TINY_RUN {
            Plan::Resort
        // 4.
        } else {
            Plan::Cascade
        }
    }
}

fn append<K: Copy + Ord, I: Copy>(runs: &[Run<'_, K, I>], keys: &mut Vec<K>, payload: &mut Vec<I>) {
    let runs: Vec<_> = runs.iter().copied().filter(|run| !run.is_empty()).collect();
    let total = runs.iter().map(Run::len).sum();
    keys.reserve(total);
    payload.reserve(total);
    let mut out =
        Slots::new(&mut keys.spare_capacity_mut()[..total], &mut payload.spare_capacity_mut()[..total]);
    match Plan::of(&runs, total) {
        Plan::Concatenate => {
            for run in &runs {
                let (slots, rest) = out.split_at(run.len());
                slots.copy_from(*run);
                out = rest;
            }
        }
        Plan::TwoWay => two_way(runs[0], runs[1], out),
        Plan::Resort => resort(&runs, out),
        Plan::Cascade => cascade(&runs, out),
    }
    // SAFETY: `total` spare slots were reserved in both, and every plan fills all slots it is given.
    unsafe {
        keys.set_len(keys.len() + total);
        payload.set_len(payload.len() + total);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(runs: &[&[u32]]) -> Plan {
        let runs: Vec<_> = runs.iter().map(|keys| Run::new(keys, units(keys.len()))).collect();
        Plan::of(&runs, runs.iter().map(Run::len).sum())
    }

    #[test]
    fn the_ladder_takes_the_cheapest_step_that_serves() {
        let (low, high): (Vec<u32>, Vec<u32>) = ((0..100).collect(), (50..150).collect());
        assert_eq!(plan(&[]), Plan::Concatenate);
        assert_eq!(plan(&[&high]), Plan::Concatenate);
        assert_eq!(plan(&[&low[..51], &high, &[149]]), Plan::Concatenate);
        assert_eq!(plan(&[&low, &high]), Plan::TwoWay);
        assert_eq!(plan(&[&low, &high, &low]), Plan::Cascade);
        assert_eq!(plan(&[&low[..3], &high[..3], &low[..3]]), Plan::Resort);
        assert_eq!(plan(&vec![&low[..]; MANY_RUNS]), Plan::Resort);
    }
}
