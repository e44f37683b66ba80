//! Input distributions for tests and benches: deterministic, seeded, integers only.
//!
//! Sources: Helman, Bader, JaJa 1998 (zero, bucket-sorted, g-group, staggered, duplicates, worst-load); Axtmann and Sanders
//! 2017 (mirrored, all-to-one, reverse, almost sorted, root-dup, two-dup, eight-dup, zipf); Musser 1997 (killer).
//! "Rank" `r` of `p` stands for the `r`-th of `p` equal blocks of the array.

use crate::{Key, SortKey};

/// SplitMix64: small, seedable, good enough for inputs.
#[derive(Clone, Debug)]
pub struct Rng(pub u64);

impl Rng {
    /// The next 64 random bits.
    #[allow(clippy::should_implement_trait, reason = "an iterator without an end would only add unwraps")]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Uniform in `0..=max`.
    pub fn up_to(&mut self, max: u64) -> u64 {
        ((u128::from(self.next()) * (u128::from(max) + 1)) >> 64) as u64
    }

    /// Uniform in the open interval (0, 1).
    pub fn unit(&mut self) -> f64 {
        ((self.next() >> 12) as f64 + 0.5) / (1u64 << 52) as f64
    }

    /// Standard normal, by Box and Muller.
    pub fn normal(&mut self) -> f64 {
        (-2.0 * self.unit().ln()).sqrt() * (std::f64::consts::TAU * self.unit()).cos()
    }
}

macro_rules! patterns {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// A distribution of input.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Pattern { $($(#[$doc])* $name,)* }

        impl Pattern {
            /// Every distribution.
            pub const ALL: &[Pattern] = &[$(Pattern::$name),*];
        }
    };
}

patterns! {
    /// Uniform over the whole range of the key.
    Uniform,
    /// The mean of four uniform keys.
    Gaussian,
    /// One value.
    Zero,
    /// Each rank holds its values in `p` rising ranges, unsorted within a range.
    BucketSorted,
    /// Ranks in groups of two; each group's values belong to a far group.
    GGroup,
    /// Each rank's values lie in one range of another rank.
    Staggered,
    /// Half of the ranks hold one value, a quarter another, and so on.
    DeterministicDuplicates,
    /// Runs of random length of one random small value.
    RandomizedDuplicates,
    /// The values of a sorted sequence dealt round-robin, with ties at the regular samples: worst load for regular sampling.
    WorstLoad,
    /// Rank `r` holds the range of the rank whose number is `r` with its bits reversed.
    Mirrored,
    /// Each rank has one smallest value for rank 0, the rest is for the last rank.
    AllToOne,
    /// Rising.
    Sorted,
    /// Falling.
    Reverse,
    /// Exponentially distributed.
    Exponential,
    /// Rising, with one swap of neighbours in a hundred elements.
    AlmostSorted,
    /// Rising in the first 95 %, random in the rest.
    NinetyFive,
    /// `i mod sqrt(n)`.
    RootDup,
    /// `(i^2 + n/2) mod n`.
    TwoDup,
    /// `(i^8 + n/2) mod n`.
    EightDup,
    /// Zipf's law over about `sqrt(n)` values.
    Zipf,
    /// Rising saw teeth of odd lengths.
    Saws,
    /// Rising, then falling.
    PipeOrgan,
    /// Musser's killer of quicksorts whose pivot is a median of three.
    Killer,
    /// Keys of lognormal floats with sigma 100, which defeats a bisection by value.
    Lognormal,
    /// Keys of NaNs of both signs, infinities, zeros, subnormals and a few ordinary floats.
    FloatMix,
    /// The lowest and the highest key, and their neighbours.
    Extremes,
    /// Only the low half of the bits varies.
    EqualHighHalves,
    /// Uniform, but one key takes three quarters of the array.
    HeavyKey,
    /// The blocks of two ranks meet inside one heavy key, smaller keys before it and greater ones behind.
    HeavyBoundary,
}

impl Pattern {
    /// `len` keys of this distribution, as if they were the concatenated blocks of `ranks` ranks.
    ///
    /// # Panics
    /// If `ranks` is zero.
    pub fn keys<K: Key>(self, len: usize, ranks: usize, seed: u64) -> Vec<K> {
        assert!(ranks > 0, "expected at least one rank");
        let bits = K::BITS.min(64);
        let narrow = self.integers(len, ranks, bits, seed);
        // A wider key repeats the pattern in both halves, so that neither is constant where the pattern is not.
        narrow.into_iter().map(|k| K::from_u128(u128::from(k) << 64 | u128::from(k))).collect()
    }

    fn integers(self, len: usize, ranks: usize, bits: u32, seed: u64) -> Vec<u64> {
        let max = u64::MAX >> (64 - bits);
        let (n, p) = (len.max(1) as u64, ranks as u64);
        let mut rng = Rng(seed);
        // A small integer kept inside the key's range; a key of 64 bits with its leading ones kept.
        let small = |v: u64| v & max;
        let leading = |v: u64| v >> (64 - bits);
        let rank_of = |i: u64| (u128::from(i) * u128::from(p) / u128::from(n)) as u64;
        let within = |i: u64| (u128::from(i) * u128::from(p) % u128::from(n)) as f64 / n as f64;
        // A uniform value of the range that belongs to a rank.
        let of_rank = |rng: &mut Rng, rank: u64| (max / p) * rank + rng.up_to(max / p);
        let each = |f: &mut dyn FnMut(u64) -> u64| (0..len as u64).map(f).collect::<Vec<_>>();
        match self {
            Pattern::Uniform => each(&mut |_| rng.up_to(max)),
            Pattern::Gaussian => each(&mut |_| (0..4).map(|_| rng.up_to(max) / 4).sum()),
            Pattern::Zero => each(&mut |_| 0),
            Pattern::BucketSorted => each(&mut |i| of_rank(&mut rng, (within(i) * p as f64) as u64)),
            Pattern::GGroup => each(&mut |i| {
                let group = rank_of(i) / 2 * 2;
                of_rank(&mut rng, (group + p / 2 + (within(i) * 2.0) as u64) % p)
            }),
            Pattern::Staggered => each(&mut |i| {
                let r = rank_of(i);
                of_rank(&mut rng, if r < p / 2 { 2 * r + 1 } else { (2 * r).saturating_sub(p) })
            }),
            Pattern::DeterministicDuplicates => each(&mut |i| {
                let halvings = (n as f64 / (n - i) as f64).log2() as u32;
                small((n >> halvings).ilog2() as u64)
            }),
            Pattern::RandomizedDuplicates => {
                let (mut left, mut value) = (0, 0);
                each(&mut |_| {
                    if left == 0 {
                        (left, value) = (1 + rng.up_to(n / p), rng.up_to(31));
                    }
                    left -= 1;
                    small(value)
                })
            }
            Pattern::WorstLoad => each(&mut |i| {
                let dealt = within(i) * n as f64;
                let sample = (dealt / p as f64).floor();
                scaled(sample * p as f64 / n as f64, max)
            }),
            Pattern::Mirrored => {
                let width = p.next_power_of_two().trailing_zeros();
                let mirrored = |r: u64| {
                    if width == 0 { 0 } else { (r.reverse_bits() >> (64 - width)) % p }
                };
                each(&mut |i| of_rank(&mut rng, mirrored(rank_of(i))))
            }
            Pattern::AllToOne => each(&mut |i| {
                let first = i == 0 || rank_of(i - 1) != rank_of(i);
                if first { p - 1 - rank_of(i) } else { of_rank(&mut rng, p - 1) }
            }),
            Pattern::Sorted => each(&mut |i| scaled(i as f64 / n as f64, max)),
            Pattern::Reverse => each(&mut |i| scaled((n - i) as f64 / n as f64, max)),
            Pattern::Exponential => each(&mut |_| scaled(-rng.unit().ln() / 40.0, max)),
            Pattern::AlmostSorted => {
                let mut keys = Pattern::Sorted.integers(len, ranks, bits, seed);
                for _ in 0..len / 100 {
                    let i = rng.up_to(n - 2) as usize;
                    keys.swap(i, i + 1);
                }
                keys
            }
            Pattern::NinetyFive => each(&mut |i| {
                if i < n / 20 * 19 { scaled(i as f64 / n as f64, max) } else { rng.up_to(max) }
            }),
            Pattern::RootDup => each(&mut |i| small(i % n.isqrt())),
            Pattern::TwoDup => each(&mut |i| small((power(i, 2, n) + n / 2) % n)),
            Pattern::EightDup => each(&mut |i| small((power(i, 8, n) + n / 2) % n)),
            Pattern::Zipf => each(&mut |_| small((n as f64).sqrt().powf(rng.unit()) as u64)),
            Pattern::Saws => {
                let tooth = (n.isqrt() | 1).max(3);
                each(&mut |i| scaled((i % tooth) as f64 / tooth as f64, max))
            }
            Pattern::PipeOrgan => each(&mut |i| scaled(i.min(n - 1 - i) as f64 / n as f64, max)),
            Pattern::Killer => killer(len).into_iter().map(small).collect(),
            Pattern::Lognormal => each(&mut |_| leading((100.0 * rng.normal()).exp().to_key())),
            Pattern::FloatMix => each(&mut |_| leading(odd_float(&mut rng).to_key())),
            Pattern::Extremes => each(&mut |_| [0, max, 1, max - 1][rng.up_to(3) as usize]),
            Pattern::EqualHighHalves => {
                each(&mut |_| ((max / 3) & !(max >> (bits / 2))) | rng.up_to(max >> (bits / 2)))
            }
            Pattern::HeavyKey => each(&mut |_| {
                if rng.up_to(3) > 0 { max / 3 } else { rng.up_to(max) }
            }),
            Pattern::HeavyBoundary => each(&mut |i| {
                let at = i as f64 / n as f64 * p as f64;
                let boundary = (p / 2) as f64;
                if at < boundary - 0.5 {
                    rng.up_to(max / 2 - 1)
                } else if at < boundary + 0.5 {
                    max / 2
                } else {
                    max / 2 + 1 + rng.up_to(max / 2 - 1)
                }
            }),
        }
    }
}

/// `fraction` of the way from 0 to `max`, monotone; the cast saturates.
fn scaled(fraction: f64, max: u64) -> u64 {
    ((fraction * max as f64) as u64).min(max)
}

fn power(base: u64, exponent: u32, modulus: u64) -> u64 {
    (0..exponent)
        .fold(1 % modulus, |product, _| (u128::from(product) * u128::from(base) % u128::from(modulus)) as u64)
}

/// A float from the corners of the format.
pub fn odd_float(rng: &mut Rng) -> f64 {
    let sign = rng.next() << 63;
    let mantissa = rng.next() >> 12;
    let bits = match rng.up_to(7) {
        0 => 0x7FF0_0000_0000_0000 | mantissa | 1,
        1 => 0x7FF8_0000_0000_0000,
        2 => 0x7FF0_0000_0000_0000,
        3 => 0,
        4 => mantissa,
        5 => 1,
        6 => (rng.normal() * 100.0).to_bits(),
        _ => 1.0f64.to_bits(),
    };
    f64::from_bits(bits | sign)
}

/// Musser's permutation: the median of the first, the middle and the last key always is one of the two smallest.
fn killer(len: usize) -> Vec<u64> {
    let half = len / 2;
    let mut keys: Vec<u64> = (1..=len as u64).collect();
    for i in 1..=half {
        if i % 2 == 1 {
            keys[i - 1] = i as u64;
            keys[i] = (half + i) as u64;
        }
        keys[half + i - 1] = 2 * i as u64;
    }
    keys
}
