//! The distinct keys of several ranks' distinct keys. No communication.

use maniple_core::memory;
use maniple_kernels::{Key, merge_into};

use crate::slot::Slot;

/// A run that holds less than this part of the joined keys is searched for, not walked along them.
const SPARSE: usize = 8;

/// The distinct keys of sorted `runs`, ascending.
pub(crate) fn merge<K: Key>(runs: &[&[K]]) -> Vec<K> {
    let mut keys = memory::with_capacity(runs.iter().map(|run| run.len()).sum());
    merge_into(runs, &mut keys);
    keys.dedup();
    keys
}

/// Appends the position in `keys` of each key of `run`. Both are ascending without repetition, and `keys` has all of `run`.
pub(crate) fn answer<K: Key, S: Slot>(run: &[K], keys: &[K], answers: &mut Vec<S>) {
    if run.len() < keys.len() / SPARSE {
        let mut from = 0;
        answers.extend(run.iter().map(|key| {
            from += gallop(&keys[from..], key);
            S::at(from)
        }));
    } else {
        let mut at = 0;
        answers.extend(run.iter().map(|key| {
            while keys[at] < *key {
                at += 1;
            }
            S::at(at)
        }));
    }
}

/// The position of `key` in `keys`, near the front.
fn gallop<K: Ord>(keys: &[K], key: &K) -> usize {
    let mut reach = 1;
    while reach < keys.len() && keys[reach] < *key {
        reach *= 2;
    }
    let from = reach / 2;
    from + keys[from..keys.len().min(reach + 1)].partition_point(|k| k < key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_several_runs_are_kept_once() {
        let runs: [&[u32]; 4] = [&[0, 3, u32::MAX], &[], &[0, 1, 2, 3], &[9]];
        let keys = merge(&runs);
        assert_eq!(keys, [0, 1, 2, 3, 9, u32::MAX]);
        let mut answers: Vec<u64> = Vec::new();
        runs.iter().for_each(|run| answer(run, &keys, &mut answers));
        assert_eq!(answers, [0, 3, 5, 0, 1, 2, 3, 4]);
    }

    #[test]
    fn sparse_runs_are_answered_alike() {
        let keys: Vec<u64> = (0..1000).map(|i| i * i).collect();
        for step in 1..1200 {
            for begin in 0..step.min(40) {
                let at: Vec<u32> = (begin..1000).step_by(step).map(|i| i as u32).collect();
                let run: Vec<u64> = at.iter().map(|&i| keys[i as usize]).collect();
                let mut answers: Vec<u32> = Vec::new();
                answer(&run, &keys, &mut answers);
                assert_eq!(answers, at);
            }
        }
    }
}
