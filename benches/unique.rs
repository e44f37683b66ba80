//! Sorted unique of i64 on two ranks against what one process with two threads can do.
//!
//! `cargo bench --bench unique -- [n] [part of a name]`. Peers, in the same run: rayon's parallel sort and dedup (with the inverse: a parallel sort of
//! value and index), and a hash table whose keys are sorted afterwards. Times are medians; `x` is the peer's time divided by ours.
//! The answers are compared, and a wrong one ends the run.

use std::time::{Duration, Instant};

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use maniple::Cluster;
use maniple::prelude::*;
use maniple_unique::{Request, SortedUnique};
use rayon::prelude::*;

const RANKS: usize = 2;
const REPEATS: usize = 7;

/// The values, and a figure for each of them or, for the inverse, for each element.
type Answer = (Vec<i64>, Vec<u64>);
type Ask = for<'a> fn(Request<'a, i64, Ix1>) -> Request<'a, i64, Ix1>;
type Peer = fn(&[i64]) -> Answer;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let n: u64 = args.iter().find_map(|arg| arg.parse().ok()).unwrap_or(10_000_000);
    let part = args.iter().find(|arg| arg.parse::<u64>().is_err()).map_or("", |part| part);
    rayon::ThreadPoolBuilder::new().num_threads(RANKS).build_global().expect("the first pool");
    let patterns: [(&str, &dyn Fn(u64) -> i64); 5] = [
        ("100-distinct", &|i| mix(mix(i) % 100) as i64),
        ("100k-distinct", &|i| mix(mix(i) % 100_000) as i64),
        ("all-distinct", &|i| mix(i) as i64),
        ("100-labels", &|i| (mix(i) % 100) as i64),
        ("n-labels", &|i| (mix(i) % n) as i64 - 1000),
    ];
    type Question = (&'static str, Ask, [(&'static str, Peer); 2]);
    let questions: [Question; 3] = [
        ("unique", |x| x, [("sort", peers::sorted), ("hash", peers::hashed)]),
        ("unique_counts", |x| x.counts(), [("sort", peers::sorted_counts), ("hash", peers::hashed_counts)]),
        (
            "unique_inverse",
            |x| x.inverse(),
            [("sort", peers::sorted_inverse), ("hash", peers::hashed_inverse)],
        ),
    ];
    for (pattern, value) in patterns {
        let whole: Vec<i64> = (0..n).map(value).collect();
        for (capability, ask, peers) in &questions {
            let name = format!("{capability}/{pattern}/{RANKS}/{n}");
            if name.contains(part) {
                compare(&name, &whole, *ask, peers);
            }
        }
    }
}

/// SplitMix64's output function: a permutation of all integers.
fn mix(i: u64) -> u64 {
    let mut z = i.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

fn compare(name: &str, whole: &[i64], ask: Ask, peers: &[(&str, Peer)]) {
    let mut ranks = Cluster::new(RANKS).run(|comm| on_rank(comm, whole, ask)).expect("a cluster of threads");
    let (ours, regime, answer) = ranks.swap_remove(0);
    print!("{name:<40} {:>7.1} ms", ours.as_secs_f64() * 1e3);
    for (peer, run) in peers {
        let mut times = Vec::new();
        for _ in 0..REPEATS {
            let begin = Instant::now();
            let found = run(whole);
            times.push(begin.elapsed());
            if found != answer {
                eprintln!("\n{name}: not the answer of {peer}");
                std::process::exit(1);
            }
        }
        print!("   {peer} x{:<5.2}", median(times).as_secs_f64() / ours.as_secs_f64());
    }
    println!("   {regime}");
}

/// The median of the times from when all ranks begin to when all are done.
fn on_rank(comm: &Comm, whole: &[i64], ask: Ask) -> (Duration, String, Answer) {
    let whole = ndarray::ArrayView1::from(whole);
    let x = DistArrayView::from_replicated(comm, whole, Axis(0)).expect("one axis");
    let mut times = Vec::new();
    loop {
        comm.barrier().expect("all ranks are here");
        let begin = Instant::now();
        let found = ask(x.unique()).run().expect("the ranks agree");
        comm.barrier().expect("all ranks are here");
        times.push(begin.elapsed());
        if times.len() == REPEATS {
            let figures = found.counts.or(found.inverse).map(|of| of.gather().expect("all ranks ask"));
            let values = found.values.gather().expect("all ranks ask").to_vec();
            let answer = (values, figures.map_or(Vec::new(), |of| of.to_vec()));
            return (median(times), found.regime.to_string(), answer);
        }
    }
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// What one process does.
mod peers {
    use super::*;

    pub(crate) fn sorted(whole: &[i64]) -> Answer {
        let mut values = whole.to_vec();
        values.par_sort_unstable();
        values.dedup();
        (values, Vec::new())
    }

    pub(crate) fn sorted_counts(whole: &[i64]) -> Answer {
        let mut sorted = whole.to_vec();
        sorted.par_sort_unstable();
        sorted.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as u64)).unzip()
    }

    pub(crate) fn sorted_inverse(whole: &[i64]) -> Answer {
        let mut pairs: Vec<(i64, u32)> = whole.iter().copied().zip(0..).collect();
        pairs.par_sort_unstable();
        let (mut values, mut inverse) = (Vec::new(), vec![0; whole.len()]);
        for run in pairs.chunk_by(|a, b| a.0 == b.0) {
            run.iter().for_each(|&(_, at)| inverse[at as usize] = values.len() as u64);
            values.push(run[0].0);
        }
        (values, inverse)
    }

    pub(crate) fn hashed(whole: &[i64]) -> Answer {
        (hashed_counts(whole).0, Vec::new())
    }

    pub(crate) fn hashed_counts(whole: &[i64]) -> Answer {
        let mut counts: HashMap<i64, u64, FixedState> = HashMap::default();
        whole.iter().for_each(|&value| *counts.entry(value).or_default() += 1);
        let mut sorted: Vec<(i64, u64)> = counts.into_iter().collect();
        sorted.par_sort_unstable();
        sorted.into_iter().unzip()
    }

    pub(crate) fn hashed_inverse(whole: &[i64]) -> Answer {
        let mut ids: HashMap<i64, u32, FixedState> = HashMap::default();
        let codes: Vec<u32> = whole
            .iter()
            .map(|&value| {
                let next = ids.len() as u32;
                *ids.entry(value).or_insert(next)
            })
            .collect();
        let mut sorted: Vec<(i64, u32)> = ids.into_iter().collect();
        sorted.par_sort_unstable();
        let mut position = vec![0; sorted.len()];
        sorted.iter().zip(0..).for_each(|(&(_, id), at)| position[id as usize] = at);
        (sorted.iter().map(|s| s.0).collect(), codes.iter().map(|&id| position[id as usize]).collect())
    }
}
