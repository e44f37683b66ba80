//! Phase 2: how the ranks' distinct keys are joined. One all-gather of exact figures, and a ladder over them.

use std::fmt;

use maniple_core::{Comm, CommError};
use maniple_kernels::Key;

/// Up to this many bytes in all, everyone gathers everything: one collective, whose time is its latency.
const FEW_BYTES: usize = 1 << 20;

/// A span counts as dense up to this many possible keys for each distinct key of a rank: the span's bits, reduced and
/// gathered, then weigh four bytes per key, half of the smallest exchange of keys and counts.
const DENSE: usize = 16;

/// A span counts as dense up to this many possible keys whatever else: 8 KiB of bits.
const DENSE_ANYWAY: usize = 1 << 16;

/// The greatest span that is done by bits if the caller wants it: 2 MiB of them.
const DENSE_PREFERRED: usize = 1 << 24;

/// How the ranks' distinct keys are joined. All regimes give the same answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Regime {
    /// This rank's distinct keys are all there are.
    Local,
    /// Every rank gathers all keys.
    Small,
    /// A bit for each possible key of a small span.
    Dense,
    /// Every range of keys has an owner.
    Large,
}

/// Why a regime was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// The array is replicated.
    Replicated,
    /// The caller preferred it.
    Preferred,
    /// There is one rank.
    OneRank,
    /// What would be gathered is little.
    Few {
        /// All ranks' distinct keys with their counts and first indices, in bytes.
        bytes: usize,
    },
    /// The keys are dense between the lowest and the highest.
    SmallSpan {
        /// The number of possible keys.
        span: usize,
    },
    /// There are too many keys for any of the others.
    Many {
        /// The sum of the ranks' numbers of distinct keys.
        keys: usize,
    },
}

/// A regime, and why it was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// How the keys were joined.
    pub regime: Regime,
    /// Why so.
    pub reason: Reason,
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: ", self.regime)?;
        match self.reason {
            Reason::Replicated => f.write_str("the array is replicated"),
            Reason::Preferred => f.write_str("preferred by the caller"),
            Reason::OneRank => f.write_str("there is one rank"),
            Reason::Few { bytes } => write!(f, "all keys together are {bytes} bytes"),
            Reason::SmallSpan { span } => write!(f, "all keys lie in a span of {span}"),
            Reason::Many { keys } => write!(f, "the ranks have {keys} keys"),
        }
    }
}

/// What all ranks know about each other's distinct keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Figures<K> {
    /// How many each rank has.
    pub(crate) distinct: Vec<usize>,
    /// The lowest and the highest key of all.
    pub(crate) bounds: Option<(K, K)>,
}

impl<K: Key> Figures<K> {
    /// # Communication
    /// One all-gather of 40 bytes per rank.
    pub(crate) fn gather(comm: &Comm, keys: &[K]) -> Result<Self, CommError> {
        const WIDTH: usize = 5;
        let bounds = keys.first().zip(keys.last());
        let words = |key: Option<&K>| key.map_or(0, |key| key.to_u128());
        let halves = |wide: u128| [wide as u64, (wide >> 64) as u64];
        let [low, high] = [bounds.map(|b| b.0), bounds.map(|b| b.1)].map(|key| halves(words(key)));
        let mine: [u64; WIDTH] = [keys.len() as u64, low[0], low[1], high[0], high[1]];

        let all = comm.all_gather(&mine)?;
        let key = |low: u64, high: u64| K::from_u128(u128::from(low) | u128::from(high) << 64);
        let bounds = all.chunks_exact(WIDTH).filter(|of_rank| of_rank[0] > 0);
        let bounds = bounds.map(|of_rank| (key(of_rank[1], of_rank[2]), key(of_rank[3], of_rank[4])));
        Ok(Figures {
            distinct: all.chunks_exact(WIDTH).map(|of_rank| of_rank[0] as usize).collect(),
            bounds: bounds.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))),
        })
    }

    /// All ranks' distinct keys, those of several ranks as often as they occur.
    pub(crate) fn total(&self) -> usize {
        self.distinct.iter().sum()
    }

    /// The number of possible keys from the lowest to the highest; `None` if it is no `usize`.
    fn span(&self) -> Option<usize> {
        let Some((low, high)) = self.bounds else { return Some(0) };
        usize::try_from(high.wrapping_sub(low).to_u128()).ok()?.checked_add(1)
    }
}

/// The ladder. `record` is the size of a key with its columns.
pub(crate) fn choose_regime<K: Key>(
    figures: &Figures<K>,
    record: usize,
    replicated: bool,
    preferred: Option<Regime>,
) -> Choice {
    let because = |regime, reason| Choice { regime, reason };
    let (total, size, span) = (figures.total(), figures.distinct.len(), figures.span());
    let span_up_to = |most: usize| span.filter(|&span| span <= most);

    // 1. Every rank has every element; to join what they have would count each of them several times.
    if replicated {
        return because(Regime::Local, Reason::Replicated);
    }
    // 2. As the caller likes, where it is possible.
    let possible = |regime: &Regime| match regime {
        Regime::Local => size == 1,
        Regime::Dense => span_up_to(DENSE_PREFERRED).is_some(),
        Regime::Small | Regime::Large => true,
    };
    if let Some(regime) = preferred.filter(possible) {
        return because(regime, Reason::Preferred);
    }
    // 3. Nobody to join with.
    if size == 1 {
        return because(Regime::Local, Reason::OneRank);
    }
    // 4. One collective.
    let bytes = total.saturating_mul(record);
    if bytes <= FEW_BYTES {
        return because(Regime::Small, Reason::Few { bytes });
    }
    // 5. No key moves, and nothing is compared.
    if let Some(span) = span_up_to((total / size).saturating_mul(DENSE).max(DENSE_ANYWAY)) {
        return because(Regime::Dense, Reason::SmallSpan { span });
    }
    // 6.
    because(Regime::Large, Reason::Many { keys: total })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(distinct: &[usize], low: u64, high: u64) -> Figures<u64> {
        Figures { distinct: distinct.to_vec(), bounds: Some((low, high)) }
    }

    #[test]
    fn every_rung_is_reached() {
        let choose = |figures: &Figures<u64>, preferred| choose_regime(figures, 16, false, preferred);
        let wide = figures(&[40_000, 30_000], 0, u64::MAX);
        let narrow = figures(&[40_000, 30_000], 7, 560_006);
        let few = figures(&[65_535, 1], 0, u64::MAX);
        for (found, regime, reason) in [
            (choose(&few, None), Regime::Small, Reason::Few { bytes: 1 << 20 }),
            (choose(&narrow, None), Regime::Dense, Reason::SmallSpan { span: 560_000 }),
            (
                choose(&figures(&[40_000, 30_000], 7, 560_007), None),
                Regime::Large,
                Reason::Many { keys: 70_000 },
            ),
            (choose(&wide, None), Regime::Large, Reason::Many { keys: 70_000 }),
            (choose(&figures(&[70_000], 0, 9), None), Regime::Local, Reason::OneRank),
            (choose_regime(&wide, 16, true, Some(Regime::Large)), Regime::Local, Reason::Replicated),
            (choose(&few, Some(Regime::Large)), Regime::Large, Reason::Preferred),
            // What is not possible gives way.
            (choose(&few, Some(Regime::Dense)), Regime::Small, Reason::Few { bytes: 1 << 20 }),
            (choose(&few, Some(Regime::Local)), Regime::Small, Reason::Few { bytes: 1 << 20 }),
        ] {
            assert_eq!(found, Choice { regime, reason });
        }
    }

    #[test]
    fn figures_of_nothing_and_of_the_widest_keys() {
        let comm = Comm::solo();
        let none = Figures::<u64>::gather(&comm, &[]).unwrap();
        assert_eq!((none.total(), none.bounds, none.span()), (0, None, Some(0)));
        let all = Figures::gather(&comm, &[0, u128::MAX]).unwrap();
        assert_eq!((all.bounds, all.span()), (Some((0, u128::MAX)), None));
        let high = Figures::gather(&comm, &[u128::MAX - 4, u128::MAX]).unwrap();
        assert_eq!(high.span(), Some(5));
        assert_eq!(figures(&[2], 0, u64::MAX).span(), None);
    }

    #[test]
    fn a_choice_says_why() {
        let choice = Choice { regime: Regime::Dense, reason: Reason::SmallSpan { span: 9 } };
        assert_eq!(choice.to_string(), "Dense: all keys lie in a span of 9");
    }
}
