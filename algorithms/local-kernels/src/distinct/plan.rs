//! The choice of strategy: a sample, and a ladder that gives the first strategy that pays and the reason.

use std::fmt;

use super::hash;
use crate::{Key, SortKey};

/// Fewer keys than this are sorted without looking at them.
const TINY: usize = 64;

/// Keys sampled at most: enough to tell 1e5 distinct keys from 1e6 by the pairs they make (84 against 8).
const SAMPLE: usize = 4096;

/// A table pays up to this many slots for each key: a slot costs clearing and scanning, an eighth of sorting a key.
const SLOTS_PER_KEY: usize = 4;

/// Slots a table may have whatever the number of keys, if it is asked for.
const PREFERRED_SLOTS: usize = 1 << 20;

/// A hash table pays if every key occurs this often on average.
const REPEATS: usize = 4;

/// How distinct keys are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Strategy {
    /// One pass over stretches of equal keys.
    Runs,
    /// A counter for each possible key of a small span.
    Table,
    /// A hash table that stays in cache.
    Hash,
    /// A sort.
    Sort,
}

/// A strategy, and why it was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Choice {
    /// The strategy that found the answer.
    pub strategy: Strategy,
    /// Why this one.
    pub reason: Reason,
}

/// Why a strategy was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// The caller preferred it.
    Preferred,
    /// The keys are too few for another strategy to pay.
    FewKeys,
    /// The keys are ascending.
    Ascending,
    /// Most sampled keys equal their neighbour.
    RunLike,
    /// All keys lie in a small span.
    SmallSpan {
        /// The number of possible keys.
        slots: usize,
    },
    /// A sample shows few distinct keys.
    FewDistinct {
        /// How many, extrapolated from the sample.
        estimate: usize,
    },
    /// A sample shows many distinct keys.
    ManyDistinct {
        /// How many, extrapolated from the sample.
        estimate: usize,
    },
    /// The table preferred by the caller would need too many slots.
    SpanTooGreat,
    /// The hash table outgrew its budget.
    Outgrown {
        /// The index of the key that was one too many.
        at: usize,
    },
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: ", self.strategy)?;
        match self.reason {
            Reason::Preferred => f.write_str("preferred by the caller"),
            Reason::FewKeys => write!(f, "fewer than {TINY} keys"),
            Reason::Ascending => f.write_str("the keys are ascending"),
            Reason::RunLike => f.write_str("most sampled keys equal their neighbour"),
            Reason::SmallSpan { slots } => write!(f, "all keys lie in a span of {slots}"),
            Reason::FewDistinct { estimate } => write!(f, "few distinct keys, about {estimate}"),
            Reason::ManyDistinct { estimate } => write!(f, "many distinct keys, about {estimate}"),
            Reason::SpanTooGreat => f.write_str("the span of the keys is too great for a table"),
            Reason::Outgrown { at } => write!(f, "a hash table outgrew its budget at key {at}"),
        }
    }
}

/// A choice with the figures that the strategy needs.
#[derive(Debug)]
pub(super) struct Planned<K> {
    pub(super) choice: Choice,
    pub(super) method: Method<K>,
}

#[derive(Debug)]
pub(super) enum Method<K> {
    Runs,
    /// Keys `low..low + slots`.
    Table {
        low: K,
        slots: usize,
    },
    /// About `expected` distinct keys.
    Hash {
        expected: usize,
    },
    Sort,
}

impl<K> Method<K> {
    fn because(self, reason: Reason) -> Planned<K> {
        let strategy = match self {
            Method::Runs => Strategy::Runs,
            Method::Table { .. } => Strategy::Table,
            Method::Hash { .. } => Strategy::Hash,
            Method::Sort => Strategy::Sort,
        };
        Planned { choice: Choice { strategy, reason }, method: self }
    }
}

/// The ladder.
pub(super) fn choose<T: SortKey>(values: &[T]) -> Planned<T::Key> {
    // 1. A strategy that needs a sample costs more than sorting a handful.
    if values.len() < TINY {
        return Method::Sort.because(Reason::FewKeys);
    }
    // 2. One pass; input without order ends the check at its first descent.
    if values.is_sorted_by_key(|value| value.canonical()) {
        return Method::Runs.because(Reason::Ascending);
    }
    let sample = Sample::of(values);
    // 3. The run heads are at most a quarter of the keys.
    if sample.run_like {
        return Method::Runs.because(Reason::RunLike);
    }
    // 4. No comparison at all. The sample spares most inputs the pass that finds the span.
    let most = most_slots(values.len());
    if sample.span().is_some_and(|slots| slots <= most)
        && let Some((low, slots)) =
            span(values.iter().map(|value| value.canonical())).filter(|&(_, slots)| slots <= most)
    {
        return Method::Table { low, slots }.because(Reason::SmallSpan { slots });
    }
    // 5. A table of what is there instead of what could be there. Half of its budget, since the estimate is a lower bound.
    let estimate = sample.estimate.min(values.len());
    if estimate <= hash::BUDGET / 2
        && estimate.saturating_mul(REPEATS) <= values.len()
        && values.len() <= hash::MOST_KEYS
    {
        return Method::Hash { expected: estimate }.because(Reason::FewDistinct { estimate });
    }
    // 6.
    Method::Sort.because(Reason::ManyDistinct { estimate })
}

/// The strategy that the caller prefers, if it can hold the keys.
pub(super) fn preferred<T: SortKey>(values: &[T], strategy: Strategy) -> Planned<T::Key> {
    let method = match strategy {
        Strategy::Runs => Method::Runs,
        Strategy::Hash if values.len() <= hash::MOST_KEYS => Method::Hash { expected: 1 },
        Strategy::Table if !values.is_empty() => {
            let most = most_slots(values.len()).max(PREFERRED_SLOTS);
            match span(values.iter().map(|value| value.canonical())) {
                Some((low, slots)) if slots <= most && values.len() <= u32::MAX as usize => {
                    Method::Table { low, slots }
                }
                _ => return Method::Sort.because(Reason::SpanTooGreat),
            }
        }
        _ => Method::Sort,
    };
    method.because(Reason::Preferred)
}

/// The greatest table that pays. Its counters are `u32`.
fn most_slots(n: usize) -> usize {
    if n <= u32::MAX as usize { n.saturating_mul(SLOTS_PER_KEY) } else { 0 }
}

/// The lowest key and the number of possible keys from it to the highest.
fn span<K: Key>(keys: impl Iterator<Item = K>) -> Option<(K, usize)> {
    let (low, high) = keys.fold(None, |bounds, key| {
        Some(bounds.map_or((key, key), |(low, high): (K, K)| (low.min(key), high.max(key))))
    })?;
    let slots = high.wrapping_sub(low).to_u128().checked_add(1)?;
    Some((low, usize::try_from(slots).ok()?))
}

/// What a sample of the keys tells.
struct Sample<K> {
    /// Whether most keys equal the next one.
    run_like: bool,
    /// Ascending.
    keys: Vec<K>,
    /// The number of distinct keys of the whole (Chao's lower bound, "Nonparametric estimation of the number of classes
    /// in a population", 1984): keys seen once and keys seen twice tell how many were not seen.
    estimate: usize,
}

impl<K: Key> Sample<K> {
    fn of<T: SortKey<Key = K>>(values: &[T]) -> Self {
        let n = values.len();
        let key = |i: usize| values[i].canonical();
        let len = SAMPLE.min(n / 8).max(1);
        // One position at random in each of `len` strides: a period of the keys does not show.
        let stride = n / len;
        let positions = (0..len).map(|i| i * stride + hash::mix(i as u128) as usize % stride);
        let equal = positions.clone().filter(|&i| i + 1 < n && key(i) == key(i + 1)).count();
        let mut keys: Vec<K> = positions.map(key).collect();
        keys.sort_unstable();
        let (mut distinct, mut once, mut twice) = (0, 0, 0);
        for group in keys.chunk_by(|a, b| a == b) {
            distinct += 1;
            once += (group.len() == 1) as usize;
            twice += (group.len() == 2) as usize;
        }
        let unseen = once * once.saturating_sub(1) / (2 * (twice + 1));
        Self { run_like: equal * 4 >= len * 3, keys, estimate: distinct + unseen }
    }

    fn span(&self) -> Option<usize> {
        span([self.keys[0], self.keys[self.keys.len() - 1]].into_iter()).map(|(_, slots)| slots)
    }
}

#[cfg(test)]
mod tests;
