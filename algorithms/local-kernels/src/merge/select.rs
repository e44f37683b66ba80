//! Multisequence selection: where a merge would cut its runs.

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
/// ranking in X+Y and matrices with sorted columns" (1982): the weighted median of the brackets' middles rules out at
/// least a quarter of what is left.
pub fn multiselect<K: Copy + Ord>(runs: &[&[K]], t: usize) -> Vec<usize> {
    let total: usize = runs.iter().map(|run| run.len()).sum();
    assert!(t <= total, "expected to select at most {total} keys, found {t}");
    // The cut of run r lies in low[r]..=high[r].
    let mut low = vec![0; runs.len()];
    let mut high: Vec<usize> = runs.iter().map(|run| run.len().min(t)).collect();
    let mut middles = Vec::with_capacity(runs.len());
    let mut before = Vec::with_capacity(runs.len());
    while let Some((run, at)) = pivot(runs, &low, &high, &mut middles) {
        let pivot = runs[run][at];
        before.clear();
        before.extend(runs.iter().enumerate().map(|(r, keys)| {
            let bracket = &keys[low[r]..high[r]];
            match r.cmp(&run) {
                std::cmp::Ordering::Less => low[r] + bracket.partition_point(|&key| key <= pivot),
                std::cmp::Ordering::Equal => at,
                std::cmp::Ordering::Greater => low[r] + bracket.partition_point(|&key| key < pivot),
            }
        }));
        if before.iter().sum::<usize>() < t {
            // The pivot is among the first t, and with it all that stand before it.
            std::mem::swap(&mut low, &mut before);
            low[run] = at + 1;
        } else {
            std::mem::swap(&mut high, &mut before);
        }
    }
    low
}

/// The weighted median of the middles of the open brackets, as (run, position).
fn pivot<K: Copy + Ord>(
    runs: &[&[K]],
    low: &[usize],
    high: &[usize],
    middles: &mut Vec<(K, usize, usize)>,
) -> Option<(usize, usize)> {
    middles.clear();
    let mut weight = 0;
    for (run, keys) in runs.iter().enumerate().filter(|&(run, _)| low[run] < high[run]) {
        let at = low[run] + (high[run] - low[run]) / 2;
        middles.push((keys[at], run, at));
        weight += high[run] - low[run];
    }
    middles.sort_unstable();
    let mut seen = 0;
    middles.iter().find_map(|&(_, run, at)| {
        seen += high[run] - low[run];
        (2 * seen >= weight).then_some((run, at))
    })
}
