//! Multisequence selection: where a merge would cut its runs.

use std::cmp::Ordering;
use std::mem::swap;

/// Brackets that hold no more keys than this for each run are listed.
const LISTED: usize = 8;

/// How many records of each sorted run belong to the first `t` of the stable merge.
///
/// # Order and ties
/// The order of [`merge_into`](crate::merge_into): by key, then by run, then by position. The cuts are therefore unique,
/// and those for a greater `t` are nowhere smaller.
///
/// # Complexity
/// O(k (log k + log m) log n) comparisons for n keys in k runs of at most m.
///
/// # Panics
/// If `t` exceeds the number of keys.
///
/// # Examples
/// ```
/// use maniple_kernels::multiselect;
///
/// let runs = [&[1, 5, 5][..], &[], &[5, 7]];
/// assert_eq!(multiselect(&runs, 2), [2, 0, 0]);
/// assert_eq!(multiselect(&runs, 4), [3, 0, 1]);
/// ```
///
/// # Source
/// The bracket of each run shrinks around its cut as in Frederickson and Johnson, "The complexity of selection and
/// ranking in X+Y and matrices with sorted columns" (1982): a weighted median of one candidate in each bracket rules out
/// at least a quarter of what is left. Two deviations: candidates aim beyond `t` from its nearer side instead of at the
/// middle, and the last few keys are listed and selected from.
pub fn multiselect<K: Copy + Ord>(runs: &[&[K]], t: usize) -> Vec<usize> {
    let total: usize = runs.iter().map(|run| run.len()).sum();
    assert!(t <= total, "expected to select at most {total} keys, found {t}");
    let mut brackets =
        Brackets { low: vec![0; runs.len()], high: runs.iter().map(|run| run.len().min(t)).collect() };
    let mut candidates = Vec::with_capacity(runs.len());
    let mut before = Vec::with_capacity(runs.len());
    loop {
        let missing = t - brackets.low.iter().sum::<usize>();
        let open = brackets.high.iter().sum::<usize>() + missing - t;
        if open <= LISTED * runs.len() {
            return brackets.list(runs, missing);
        }
        let (run, at) = brackets.pivot(missing, open, runs, &mut candidates);
        let pivot = runs[run][at];
        before.clear();
        before.extend(runs.iter().zip(brackets.iter()).enumerate().map(|(r, (keys, (low, high)))| {
            let bracket = &keys[low..high];
            match r.cmp(&run) {
                Ordering::Less => low + bracket.partition_point(|&key| key <= pivot),
                Ordering::Equal => at,
                Ordering::Greater => low + bracket.partition_point(|&key| key < pivot),
            }
        }));
        if before.iter().sum::<usize>() < t {
            // The pivot is among the first t, and with it all that stand before it.
            swap(&mut brackets.low, &mut before);
            brackets.low[run] = at + 1;
        } else {
            swap(&mut brackets.high, &mut before);
        }
    }
}

/// The cut of run r lies in `low[r]..=high[r]`.
struct Brackets {
    low: Vec<usize>,
    high: Vec<usize>,
}

impl Brackets {
    fn iter(&self) -> impl Iterator<Item = (usize, usize)> {
        self.low.iter().copied().zip(self.high.iter().copied())
    }

    /// One candidate in each open bracket, of which the weighted median is the pivot, as (run, position).
    ///
    /// Half of the weight has its candidate at or above the pivot, and so all of the brackets' parts beyond. A candidate
    /// stands at the share `reach / open` of its bracket: with a reach of twice what is missing and a reserve for rounding
    /// down, the pivot is surely not among the first t, and everything from it on is ruled out.
    fn pivot<K: Copy + Ord>(
        &self,
        missing: usize,
        open: usize,
        runs: &[&[K]],
        candidates: &mut Vec<(K, usize, usize)>,
    ) -> (usize, usize) {
        let reach_up = 2 * (missing + runs.len());
        let reach_down = 2 * (open - missing + runs.len());
        let share = if 2 * reach_up < open {
            reach_up as f64 / open as f64
        } else if 2 * reach_down < open {
            1.0 - reach_down as f64 / open as f64
        } else {
            0.5
        };
        candidates.clear();
        for (run, (low, high)) in self.iter().enumerate().filter(|(_, (low, high))| low < high) {
            let at = low + ((share * (high - low) as f64) as usize).min(high - low - 1);
            candidates.push((runs[run][at], run, at));
        }
        candidates.sort_unstable();
        let mut weight = 0;
        let pivot = candidates.iter().find(|&&(_, run, _)| {
            weight += self.high[run] - self.low[run];
            2 * weight >= open
        });
        let &(_, run, at) = pivot.expect("open brackets have a median");
        (run, at)
    }

    /// The cuts, when few keys are left: the `missing` first of these belong to them.
    fn list<K: Copy + Ord>(self, runs: &[&[K]], missing: usize) -> Vec<usize> {
        let open = self.iter().zip(runs).enumerate();
        let mut keys: Vec<(K, usize)> = open
            .flat_map(|(r, ((low, high), keys))| keys[low..high].iter().map(move |&key| (key, r)))
            .collect();
        if missing < keys.len() {
            keys.select_nth_unstable(missing);
        }
        let mut cuts = self.low;
        keys[..missing].iter().for_each(|&(_, run)| cuts[run] += 1);
        cuts
    }
}
