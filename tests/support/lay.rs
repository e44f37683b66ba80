//! How elements lie over ranks.

use maniple::prelude::*;
use proptest::prelude::*;

/// How `n` elements may lie on `ranks` ranks: evenly, anyhow, with empty ranks, all on one.
pub fn counts(n: usize, ranks: usize) -> impl Strategy<Value = Vec<usize>> + Clone {
    let even = Just(maniple::Blocks::even(n, ranks).counts().to_vec());
    let weights = |some: std::ops::Range<u32>| prop::collection::vec(some, ranks);
    let one = (0..ranks).prop_map(move |r| (0..ranks).map(|i| if i == r { n } else { 0 }).collect());
    prop_oneof![
        even,
        weights(1..20).prop_map(move |w| by_weight(n, &w)),
        weights(0..3).prop_map(move |w| by_weight(n, &w)),
        one,
    ]
}

/// `n` elements in proportion to weights; to the last rank if all weigh nothing.
fn by_weight(n: usize, weights: &[u32]) -> Vec<usize> {
    let total: u64 = weights.iter().map(|&w| u64::from(w)).sum();
    let mut sum = 0_u64;
    let mut ends: Vec<usize> = weights
        .iter()
        .map(|&w| {
            sum += u64::from(w);
            (n as u64 * sum).checked_div(total).unwrap_or(0) as usize
        })
        .collect();
    *ends.last_mut().expect("at least one rank") = n;
    let begins = std::iter::once(0).chain(ends.iter().copied());
    begins.zip(&ends).map(|(begin, end)| end - begin).collect()
}

/// The part of `whole` that a layout with these counts gives each rank, as a distributed array.
pub fn share<T: Element>(comm: &Comm, whole: &[T], counts: &[usize]) -> DistArray<T, Ix1> {
    let mine = maniple::Blocks::packed(counts.to_vec()).range(comm.rank());
    let local = Array1::from_vec(whole[mine].to_vec());
    DistArray::from_local(comm, local, Axis(0)).expect("blocks of one array")
}

/// The counts of a reported case, spread over the ranks that there are: the case's own layout if it has as many ranks, else with
/// the elements of the missing ranks on the last one, and empty ranks behind.
pub fn counts_like(reported: &[usize], ranks: usize) -> Vec<usize> {
    let mut counts: Vec<usize> = reported.iter().copied().take(ranks).collect();
    counts.resize(ranks, 0);
    counts[ranks - 1] += reported.iter().skip(ranks).sum::<usize>();
    counts
}

/// Several layouts of `n` elements: even, all on the first, middle or last rank, and with an empty rank first, in the middle and
/// last.
pub fn layouts(n: usize, ranks: usize) -> Vec<Vec<usize>> {
    let without = |gap: usize| {
        let mut counts = maniple::Blocks::even(n, ranks - 1).counts().to_vec();
        counts.insert(gap, 0);
        counts
    };
    let only = |r: usize| (0..ranks).map(|i| if i == r { n } else { 0 }).collect::<Vec<_>>();
    let mut all =
        vec![maniple::Blocks::even(n, ranks).counts().to_vec(), only(0), only(ranks / 2), only(ranks - 1)];
    if ranks > 1 {
        all.extend([without(0), without(ranks / 2), without(ranks - 1)]);
    }
    all
}
