//! Nearly sorted keys: the few that are out of place are taken out, sorted, and merged back.
//!
//! One pass finds them. A key that is less than the last one kept is out of place, or else those kept last are: the first
//! such key in a row can push out one of them, the next one two, and so on. So an exchanged pair costs one key, and a few great
//! keys don't push out all that follow.
//!
//! Source: the idea is that of Ernerfeldt's drop-merge sort (2016).

/// One key in so many may be out of place: with more, sorting them all is faster.
const SHARE: usize = 16;

/// Keys out of place that are borne before there are `SHARE` times as many others.
const SLACK: usize = 16;

/// Positions between two questions whether to go on.
const STRIDE: usize = 64;

/// Keys below which sorting them all is as fast.
const FEW: usize = 1 << 10;

/// Sorts nearly sorted keys; leaves others in any order, and says so by `false`.
pub(super) fn sort_if_nearly_sorted<K: Ord + Copy>(keys: &mut [K], sort: impl FnOnce(&mut [K])) -> bool {
    if keys.len() < FEW {
        return false;
    }
    let mut out = Vec::new();
    let few = take_out(keys, &mut out);
    let kept = keys.len() - out.len();
    if few {
        sort(&mut out);
        merge_back(keys, kept, &out);
    }
    few
}

/// Moves keys that are out of place to `out` and the others to the front, unless there are many: then nothing is lost, and nothing
/// won.
fn take_out<K: Ord + Copy>(keys: &mut [K], out: &mut Vec<K>) -> bool {
    let (mut kept, mut misfits_in_a_row) = (0, 0);
    let mut last = keys[0]; // of those kept, in a register
    for begin in (0..keys.len()).step_by(STRIDE) {
        if out.len().saturating_sub(SLACK) * SHARE > begin {
            keys[kept..begin].copy_from_slice(out);
            out.clear();
            return false;
        }
        for at in begin..keys.len().min(begin + STRIDE) {
            let key = keys[at];
            if last > key {
                misfits_in_a_row += 1;
                if kept > misfits_in_a_row && keys[kept - 1 - misfits_in_a_row] > key {
                    out.push(key);
                    continue;
                }
                let fit = kept - keys[..kept].iter().rev().take_while(|&&k| k > key).count();
                out.extend_from_slice(&keys[fit..kept]);
                kept = fit;
            }
            misfits_in_a_row = 0;
            keys[kept] = key;
            last = key;
            kept += 1;
        }
    }
    true
}

/// Merges the sorted `out` into the sorted `keys[..kept]`, from the end: what stands between two of `out` moves as a block.
fn merge_back<K: Ord + Copy>(keys: &mut [K], kept: usize, out: &[K]) {
    let (mut end, mut free) = (kept, keys.len());
    for &key in out.iter().rev() {
        let begin = end_of_less(&keys[..end], key);
        free -= end - begin;
        keys.copy_within(begin..end, free);
        free -= 1;
        keys[free] = key;
        end = begin;
    }
}

/// Where the keys up to `key` end, sought from the back: it is near.
fn end_of_less<K: Ord>(sorted: &[K], key: K) -> usize {
    let mut step = 1;
    let mut end = sorted.len();
    while end >= step && sorted[end - step] > key {
        end -= step;
        step *= 2;
    }
    let begin = end.saturating_sub(step);
    begin + sorted[begin..end].partition_point(|k| *k <= key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::patterns::{Pattern, Rng};

    fn check(keys: &[u64]) -> bool {
        let (mut found, mut expected) = (keys.to_vec(), keys.to_vec());
        expected.sort_unstable();
        let done = sort_if_nearly_sorted(&mut found, |out| out.sort_unstable());
        if !done {
            found.sort_unstable(); // nothing may be lost
        }
        assert_eq!(found, expected);
        done
    }

    #[test]
    fn few_keys_out_of_place() {
        let mut rng = Rng(4);
        for n in [FEW, FEW + 1, 5 * FEW + 17] {
            let rising: Vec<u64> = (0..n as u64).map(|i| i / 3).collect();
            for out in [0, 1, 2, n / 100, n / 40] {
                let mut keys = rising.clone();
                (0..out).for_each(|_| keys[rng.up_to(n as u64 - 1) as usize] = rng.up_to(2 * n as u64));
                assert!(check(&keys), "{out} of {n} random");
                let mut keys = rising.clone();
                (0..out).for_each(|_| {
                    let at = rng.up_to(n as u64 - 2) as usize;
                    keys.swap(at, at + 1);
                });
                assert!(check(&keys), "{out} of {n} exchanged");
            }
            let mut keys = rising;
            keys[0] = u64::MAX;
            keys[n - 1] = 0;
            assert!(check(&keys));
        }
    }

    #[test]
    fn other_keys_are_kept() {
        for &pattern in Pattern::ALL {
            for n in [0, 1, FEW - 1, FEW, 4 * FEW + 5] {
                check(&pattern.keys(n, 3, 2));
            }
        }
        assert!(!check(&Pattern::Uniform.keys(4 * FEW, 3, 2)));
    }

    #[test]
    fn the_end_of_less_is_found_from_any_distance() {
        for n in 0..40 {
            let sorted: Vec<u64> = (0..n).map(|i| 2 * i).collect();
            for key in 0..2 * n + 2 {
                assert_eq!(end_of_less(&sorted, key), sorted.partition_point(|&k| k <= key));
            }
        }
    }
}
