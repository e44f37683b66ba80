//! Phase 3: keys that cut the sorted whole at exact positions.
//!
//! A target `t` asks where the first `t` elements of the sorted whole end. The answer is a key, found by bisection on the integers
//! that keys are: all targets in lockstep, each inside a bracket of keys that shrinks, with many probes at a time. A round is
//! one all-reduce of the numbers of keys up to each probe. No sample, so no bad sample: the result is exact, and the
//! number of rounds depends on the width of the keys alone.
//!
//! Source: exact splitting after Cheng, Shah, Gilbert and Edelman, "A novel parallel sorting algorithm for contemporary
//! architectures" (2007), and Kowalewski, Jungblut and Fürlinger, "Engineering a distributed histogram sort" (CLUSTER 2019).
//! They bisect by one probe per splitter and by values; keys as integers make the rounds independent of the data.

use std::ops::Range;

use maniple_core::{Comm, Error, Result};
use maniple_kernels::Key;

/// Probes of one round, all targets together: 100 kB of counts, about where a round's time begins to depend on them.
const PROBES: usize = 12_500;

/// Probes per target. More save hardly a round: 255 finish 8 bits of the key in each.
const PROBES_PER_TARGET: usize = 255;

/// A cut of the sorted whole: before it stand all keys less than `key`, and the first `ties` of those equal to `key` (all
/// of them, where there are not so many).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Splitter<K> {
    /// The key at the cut.
    pub key: K,
    /// How many elements with this key stand before the cut, in the order of ranks and positions.
    pub ties: usize,
}

/// One splitter for each target: the cut behind the first `target` of all ranks' keys in sorted order.
///
/// # Shapes
/// `sorted` are this rank's keys, ascending; a rank may have none. `targets` are the same on all ranks, each at most the number
/// of keys on all ranks together; in rising order they share probes.
///
/// # Order and ties
/// Exact: with `below` the number of keys on all ranks that are less than a splitter's key and `equal` that of its
/// equals, `below + min(ties, equal)` is the target. The splitters are the same on every rank and do not depend on how the
/// keys lie on the ranks.
///
/// # Communication
/// An all-gather of two numbers, an all-reduce of two keys, and one all-reduce per round of at most 255 numbers per target, 12 500
/// in all (one per target if there are more targets). Rounds: at most 8 for 64-bit keys, 4 for 32 bits, 16 for 128 bits
/// with up to 49 targets; at most one per bit of the key whatever the number of targets. Keys that are spread evenly
/// take about half as many.
///
/// # Complexity
/// A binary search per probe.
///
/// # Errors
/// On every rank: [`Error::Disagree`] if the targets differ, [`Error::Unlike`] if one is beyond the number of keys;
/// [`Error::Comm`] as every collective.
///
/// # Examples
/// ```
/// use maniple_core::Comm;
/// use maniple_sort::find_splitters;
///
/// let comm = Comm::solo();
/// let sorted = [10_u32, 20, 20, 20, 30];
/// let middle = find_splitters(&comm, &sorted, &[2])?[0];
/// assert_eq!((middle.key, middle.ties), (20, 1));
/// # Ok::<(), maniple_core::Error>(())
/// ```
#[track_caller]
pub fn find_splitters<K: Key>(comm: &Comm, sorted: &[K], targets: &[usize]) -> Result<Vec<Splitter<K>>> {
    const NAME: &str = "find_splitters";
    let _scope = comm.scope(NAME);
    let facts = [("targets", format!("{targets:?}"))];
    let n = comm.agree_on(NAME, &facts, sorted.len() as u64)?.into_iter().sum::<u64>() as usize;
    if let Some(target) = targets.iter().find(|&&target| target > n) {
        let (expected, found) = (format!("at most {n}, the number of keys"), target.to_string());
        return Err(Error::Unlike { operation: NAME, what: "a target", expected, found });
    }
    search(comm, sorted, targets, n)
}

/// [`find_splitters`] with targets that are known to be right, and `n` keys in all.
pub(crate) fn search<K: Key>(
    comm: &Comm,
    sorted: &[K],
    targets: &[usize],
    n: usize,
) -> Result<Vec<Splitter<K>>> {
    // The edges of no keys are neutral.
    let edges = [sorted.first().copied().unwrap_or(K::MAX), sorted.last().copied().unwrap_or(K::MIN)];
    let edges = comm.all_reduce_value(edges, |a, b| [a[0].min(b[0]), a[1].max(b[1])])?;
    let mut brackets: Vec<_> =
        targets.iter().map(|&target| Bracket::new(target, n, edges, sorted.len())).collect();
    while brackets.iter().any(Bracket::is_open) {
        let round = Round::plan(&brackets, sorted);
        let counts = comm.all_reduce(&round.local_counts, |a, b| a + b)?;
        round.narrow(&mut brackets, &counts);
    }
    Ok(brackets.iter().map(Bracket::splitter).collect())
}

/// Where the key of one target can still lie.
#[derive(Clone, Debug)]
struct Bracket<K> {
    target: usize,
    low: K,
    high: K,
    /// Keys on all ranks that are less than `low`; fewer than `target` unless the search is over.
    below: usize,
    /// This rank's keys from `low` to `high`.
    local: Range<usize>,
}

impl<K: Key> Bracket<K> {
    fn new(target: usize, n: usize, [min, max]: [K; 2], len: usize) -> Self {
        let (low, high) = match target {
            0 => (min, min),                // nothing stands before it
            _ if target == n => (max, max), // everything does, however many are less than the greatest
            _ => (min, max),
        };
        Bracket { target, low, high, below: 0, local: 0..len }
    }

    fn is_open(&self) -> bool {
        self.low != self.high
    }

    fn splitter(&self) -> Splitter<K> {
        Splitter { key: self.low, ties: self.target - self.below }
    }
}

/// The probes of one round.
struct Round<K> {
    probes: Vec<K>,
    /// This rank's keys up to each probe.
    local_counts: Vec<usize>,
    /// Brackets that share probes, and which.
    groups: Vec<(Range<usize>, Range<usize>)>,
}

impl<K: Key> Round<K> {
    fn plan(brackets: &[Bracket<K>], sorted: &[K]) -> Self {
        let open = brackets.iter().filter(|b| b.is_open()).count();
        let each = (PROBES / open).clamp(1, PROBES_PER_TARGET);
        let mut round = Round { probes: Vec::new(), local_counts: Vec::new(), groups: Vec::new() };
        let mut first = 0;
        for group in brackets.chunk_by(|a, b| (a.low, a.high) == (b.low, b.high)) {
            let members = first..first + group.len();
            first = members.end;
            if group[0].is_open() {
                round.probe(&group[0], each * group.len(), sorted);
                let begin = round.groups.last().map_or(0, |(_, probes)| probes.end);
                round.groups.push((members, begin..round.probes.len()));
            }
        }
        round
    }

    /// Adds up to `count` probes that cut a bracket into equal parts, all less than its `high`.
    fn probe(&mut self, bracket: &Bracket<K>, count: usize, sorted: &[K]) {
        let parts = count as u32 + 1;
        let begin = self.probes.len();
        let mut up_to = bracket.local.start;
        for part in 1..parts {
            let probe = K::between(bracket.low, bracket.high, part, parts);
            if self.probes[begin..].last() != Some(&probe) {
                up_to += sorted[up_to..bracket.local.end].partition_point(|&key| key <= probe);
                self.probes.push(probe);
                self.local_counts.push(up_to);
            }
        }
    }

    /// Shrinks every open bracket to what lies between two probes.
    fn narrow(&self, brackets: &mut [Bracket<K>], counts: &[usize]) {
        for (members, range) in &self.groups {
            let (probes, local) = (&self.probes[range.clone()], &self.local_counts[range.clone()]);
            let counts = &counts[range.clone()];
            for bracket in &mut brackets[members.clone()] {
                let at = counts.partition_point(|&count| count < bracket.target);
                if counts.get(at) == Some(&bracket.target) {
                    // No key is divided: the cut stands before whatever comes next.
                    let next = probes[at].wrapping_add(K::from_u128(1));
                    *bracket = Bracket { low: next, high: next, below: bracket.target, ..bracket.clone() };
                    continue;
                }
                if at < probes.len() {
                    (bracket.high, bracket.local.end) = (probes[at], local[at]);
                }
                if at > 0 {
                    bracket.low = probes[at - 1].wrapping_add(K::from_u128(1));
                    (bracket.below, bracket.local.start) = (counts[at - 1], local[at - 1]);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All counts of all rounds, on one rank.
    fn counted<K: Key>(sorted: &[K], targets: &[usize]) -> (Vec<Splitter<K>>, usize) {
        let (comm, meter) = maniple_core::Metered::wrap(&Comm::solo());
        let splitters = search(&comm, sorted, targets, sorted.len()).unwrap();
        (splitters, meter.total().calls as usize - 1)
    }

    fn check<K: Key>(sorted: &[K], splitters: &[Splitter<K>], targets: &[usize]) {
        for (splitter, &target) in splitters.iter().zip(targets) {
            let below = sorted.partition_point(|&key| key < splitter.key);
            let equal = sorted[below..].partition_point(|&key| key == splitter.key);
            assert_eq!(below + splitter.ties.min(equal), target, "{splitter:?}");
        }
    }

    #[test]
    fn rounds_depend_on_the_width_of_the_keys() {
        let powers: Vec<u64> = (0..64).map(|bit| 1 << bit).chain([0, u64::MAX]).collect();
        let mut sorted = powers.clone();
        sorted.sort_unstable();
        let targets: Vec<usize> = (0..=sorted.len()).collect();
        for target in &targets {
            let (splitters, rounds) = counted(&sorted, &[*target]);
            check(&sorted, &splitters, &[*target]);
            assert!(rounds <= 8, "{rounds} rounds for target {target}");
        }
        let (splitters, together) = counted(&sorted, &targets);
        check(&sorted, &splitters, &targets);
        assert!(together <= 9, "{together} rounds for all targets"); // 187 probes for each instead of 255
        let wide: Vec<u128> = sorted.iter().map(|&key| u128::from(key) << 64 | 1).collect();
        let (splitters, rounds) = counted(&wide, &[33]);
        check(&wide, &splitters, &[33]);
        assert!(rounds <= 16, "{rounds} rounds for 128 bits");
    }

    #[test]
    fn an_even_spread_is_found_early() {
        let sorted: Vec<u64> = (0..100_000).map(|i| i * (u64::MAX / 100_000)).collect();
        let (splitters, rounds) = counted(&sorted, &[50_000]);
        check(&sorted, &splitters, &[50_000]);
        assert!(rounds <= 3, "{rounds} rounds");
    }

    #[test]
    fn more_targets_than_probes() {
        let sorted: Vec<u16> = (0..30_000).map(|i| i / 3).collect();
        let targets: Vec<usize> = (0..=30_000).collect();
        let (splitters, rounds) = counted(&sorted, &targets);
        check(&sorted, &splitters, &targets);
        assert!(rounds <= 16, "{rounds} rounds");
    }

    #[test]
    fn one_heavy_key_and_the_ends_of_the_range() {
        for key in [0, 1, 7, u8::MAX] {
            let sorted = [key; 5];
            let (splitters, rounds) = counted(&sorted, &[0, 1, 3, 5]);
            assert_eq!(splitters.iter().map(|s| s.ties).collect::<Vec<_>>(), [0, 1, 3, 5]);
            assert_eq!(rounds, 0, "the edges say it all");
        }
    }

    #[test]
    fn a_target_beyond_the_keys() {
        let error = find_splitters(&Comm::solo(), &[1_u32, 2], &[0, 3]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "find_splitters: a target is 3, expected at most 2, the number of keys"
        );
    }
}
