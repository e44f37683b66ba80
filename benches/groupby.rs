//! Grouped reductions on two ranks, next to a loop over a table of sums, for which labels must be known to be dense, and to a hash
//! table for each of two threads.
//!
//! `cargo bench --bench groupby [-- <part of a name>]`. Every figure is the median over rounds, in each of which all sides run one after the other, so that
//! a busy machine slows all of them. Peers return the same groups, sorted; every round checks the sums.

use std::hint::black_box;
use std::time::Instant;

use hashbrown::HashMap;
use maniple::prelude::*;
use maniple_groupby::{GroupBy, count, max, mean, min, sum};
use rayon::prelude::*;

const ROUNDS: usize = 7;
const N: usize = 10_000_000;

fn main() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("two threads");
    println!("{N} f64 values, i64 labels; milliseconds, and how many times as long as ours a peer takes");
    println!(
        "{:<28}{:<7}{:>8}{:>17}{:>17}{:>17}",
        "labels", "what", "ours", "table, 1 thread", "table, 2", "hashbrown, 2"
    );
    let random = Labels::random;
    let scattered = |i: usize| random(i, 366).wrapping_mul(0x9E37_79B9_7F4A_7C15_u64 as i64);
    pool.install(|| {
        Labels::new("12 random", 12, |i| random(i, 12)).run();
        Labels::new("366 random", 366, |i| random(i, 366)).run();
        Labels::new("100000 random", 100_000, |i| random(i, 100_000)).run();
        Labels::new("days of hours", N / 24 + 1, |i| (i / 24) as i64).run();
        Labels::new("366 far apart", 0, scattered).run();
    });
}

/// A workload.
struct Labels {
    name: &'static str,
    /// Labels are below it; zero: they are anything.
    dense: usize,
    labels: Vec<i64>,
    values: Vec<f64>,
}

/// Sum, rows, least, greatest.
type Five = (f64, u64, f64, f64);

const NOTHING: Five = (0.0, 0, f64::INFINITY, f64::NEG_INFINITY);

fn add(state: &mut Five, x: f64) {
    *state = (state.0 + x, state.1 + 1, state.2.min(x), state.3.max(x));
}

fn merge(a: Five, b: Five) -> Five {
    (a.0 + b.0, a.1 + b.1, a.2.min(b.2), a.3.max(b.3))
}

impl Labels {
    fn new(name: &'static str, dense: usize, label: impl Fn(usize) -> i64) -> Self {
        let values = (0..N).map(|i| Labels::random(i + N, 1000) as f64).collect();
        Labels { name, dense, labels: (0..N).map(label).collect(), values }
    }

    /// The i-th of random numbers below `most`.
    fn random(i: usize, most: u64) -> i64 {
        let mut z = (i as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((u128::from(z ^ (z >> 31)) * u128::from(most)) >> 64) as i64
    }

    fn run(&self) {
        let wanted = std::env::args().skip(1).find(|arg| !arg.starts_with('-'));
        if wanted.is_some_and(|part| !self.name.contains(&part)) {
            return;
        }
        self.compare(
            "sum",
            |s| s.sums(),
            |s| s.table(0.0, |a, x| *a += x, |a, b| a + b, 1),
            |s| s.table(0.0, |a, x| *a += x, |a, b| a + b, 2),
            |s| s.hashed(0.0, |a, x| *a += x, |a, b| a + b),
        );
        self.compare(
            "five",
            |s| s.fives(),
            |s| first(s.table(NOTHING, add, merge, 1)),
            |s| first(s.table(NOTHING, add, merge, 2)),
            |s| first(s.hashed(NOTHING, add, merge)),
        );
    }

    /// Prints the time of ours and how much more peers take.
    fn compare(
        &self,
        what: &str,
        ours: impl Fn(&Self) -> (f64, Vec<f64>),
        one: impl Fn(&Self) -> Vec<f64>,
        two: impl Fn(&Self) -> Vec<f64>,
        hashed: impl Fn(&Self) -> Vec<f64>,
    ) {
        let timed = |peer: &dyn Fn(&Self) -> Vec<f64>| {
            let begin = Instant::now();
            let sums = peer(self);
            (begin.elapsed().as_secs_f64(), sums)
        };
        let rounds: Vec<[f64; 4]> = (0..ROUNDS)
            .map(|_| {
                let (time, sums) = ours(self);
                let check = |(time, found): (f64, Vec<f64>)| {
                    assert_eq!(found, sums, "sums of integers below 2^53 are exact");
                    time
                };
                let hashed = check(timed(&hashed));
                match self.dense {
                    0 => [time, f64::NAN, f64::NAN, hashed],
                    _ => [time, check(timed(&one)), check(timed(&two)), hashed],
                }
            })
            .collect();
        let ms = |side: usize| 1e3 * median(rounds.iter().map(|round| round[side]).collect());
        let peer = |side: usize| match rounds[0][side].is_nan() {
            true => "-".into(),
            false => {
                let ratio = median(rounds.iter().map(|round| round[side] / round[0]).collect());
                format!("{:.1} = {ratio:.2}x", ms(side))
            }
        };
        let name = format!("groupby/{}/2", self.name);
        println!("{name:<28}{what:<7}{:>8.1}{:>17}{:>17}{:>17}", ms(0), peer(1), peer(2), peer(3));
    }

    /// Seconds and result of ours on two ranks.
    fn on_ranks(
        &self,
        ask: impl Fn(&DistArrayView<'_, f64, Ix1>, &DistArrayView<'_, i64, Ix1>) -> DistArray<f64, Ix1> + Sync,
    ) -> (f64, Vec<f64>) {
        let of_rank = maniple::Cluster::new(2).run(|comm| {
            let whole =
                |labels| DistArrayView::from_replicated(comm, ndarray::aview1(labels), Axis(0)).unwrap();
            let x = DistArrayView::from_replicated(comm, ndarray::aview1(&self.values), Axis(0)).unwrap();
            let labels = whole(&self.labels);
            comm.barrier().unwrap();
            let begin = Instant::now();
            let sums = ask(&x, &labels);
            comm.barrier().unwrap();
            let time = begin.elapsed().as_secs_f64();
            (time, sums.gather().unwrap().to_vec())
        });
        of_rank.expect("a cluster").swap_remove(0)
    }

    fn sums(&self) -> (f64, Vec<f64>) {
        self.on_ranks(|x, labels| x.group_by(labels).sum().unwrap().values)
    }

    fn fives(&self) -> (f64, Vec<f64>) {
        self.on_ranks(|x, labels| {
            let groups = x.group_by(labels).agg((sum(), mean(), count(), min(), max())).unwrap();
            black_box(groups.values).0
        })
    }

    /// A table with a state for each label, for each of `threads`.
    fn table<S: Copy + Send + Sync>(
        &self,
        nothing: S,
        add: impl Fn(&mut S, f64) + Sync,
        merge: impl Fn(S, S) -> S + Sync,
        threads: usize,
    ) -> Vec<S> {
        let rows = N.div_ceil(threads);
        let tables: Vec<Vec<S>> = (self.labels.par_chunks(rows))
            .zip(self.values.par_chunks(rows))
            .map(|(labels, values)| {
                let mut table = vec![nothing; self.dense];
                labels.iter().zip(values).for_each(|(&label, &x)| add(&mut table[label as usize], x));
                table
            })
            .collect();
        let both = |a: Vec<S>, b: Vec<S>| a.into_iter().zip(b).map(|(a, b)| merge(a, b)).collect();
        tables.into_iter().reduce(both).unwrap_or_default()
    }

    /// A hash table for each of two threads, merged and sorted.
    fn hashed<S: Copy + Send + Sync>(
        &self,
        nothing: S,
        add: impl Fn(&mut S, f64) + Sync,
        merge: impl Fn(S, S) -> S + Sync,
    ) -> Vec<S> {
        type Table<S> = HashMap<i64, S, foldhash::fast::FixedState>;
        let rows = N.div_ceil(2);
        let tables: Vec<Table<S>> = (self.labels.par_chunks(rows))
            .zip(self.values.par_chunks(rows))
            .map(|(labels, values)| {
                let mut table = Table::default();
                for (&label, &x) in labels.iter().zip(values) {
                    add(table.entry(label).or_insert(nothing), x);
                }
                table
            })
            .collect();
        let both = |mut a: Table<S>, b: Table<S>| {
            b.into_iter().for_each(|(label, state)| {
                a.entry(label).and_modify(|mine| *mine = merge(*mine, state)).or_insert(state);
            });
            a
        };
        let mut groups: Vec<(i64, S)> =
            tables.into_iter().reduce(both).unwrap_or_default().into_iter().collect();
        groups.sort_unstable_by_key(|group| group.0);
        groups.into_iter().map(|group| group.1).collect()
    }
}

/// The sums, as a check.
fn first(states: Vec<Five>) -> Vec<f64> {
    black_box(states).into_iter().map(|state| state.0).collect()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
