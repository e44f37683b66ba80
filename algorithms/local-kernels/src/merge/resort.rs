//! Merging by sorting again.

use super::records::{Run, Slots};

/// Fills `out` with the stable merge of `runs`: concatenates them and sorts the whole stably.
pub(super) fn resort<K: Copy + Ord, I: Copy>(runs: &[Run<'_, K, I>], mut out: Slots<'_, K, I>) {
    let mut records = Vec::with_capacity(out.len());
    for run in runs {
        records.extend(run.keys().iter().copied().zip(run.payload().iter().copied()));
    }
    // The sort of the standard library finds the runs again.
    records.sort_by_key(|&(key, _)| key);
    for (at, (key, payload)) in records.into_iter().enumerate() {
        out.set(at, key, payload);
    }
}
