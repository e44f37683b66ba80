//! Sort and argsort on ranks against rayon on as many threads, in one run.
//!
//! `cargo bench --bench sort [-- <capability|all> [<pattern|all> [<ranks> [<elements> [<repetitions>]]]]]`
//!
//! Each line is `<capability>/<pattern>/<ranks>/<elements>`: the median time of ours, that of the fastest peer and its name, and how
//! many times longer the peer takes; above 1, ours is the faster one. Repetitions of ours and the peers take turns. Inputs are
//! copied and results dropped outside of the timing; both sort in place what they are given. A wrong answer ends the program.

use std::fmt::Debug;
use std::hint::black_box;
use std::time::{Duration, Instant};

use maniple::prelude::*;
use maniple::{Blocks, Cluster};
use maniple_kernels::SortKey;
use maniple_kernels::patterns::Pattern;
use rayon::prelude::*;

/// What one line measures.
struct Line {
    pattern: Pattern,
    ranks: usize,
    n: usize,
    repetitions: usize,
    pool: rayon::ThreadPool,
}

type Peer<'a> = (&'static str, &'a (dyn Fn() -> Duration + Sync));

impl Line {
    fn report(&self, capability: &str, ours: impl Fn() -> Duration, peers: &[Peer<'_>]) {
        let mut times = vec![Vec::new(); peers.len() + 1];
        for _ in 0..self.repetitions {
            times[0].push(ours());
            for (i, (_, peer)) in peers.iter().enumerate() {
                times[i + 1].push(self.pool.install(peer));
            }
        }
        let median = |times: &mut Vec<Duration>| {
            times.sort_unstable();
            times[times.len() / 2].as_secs_f64() * 1e3
        };
        let ours = median(&mut times[0]);
        let of_peer = |(i, (name, _)): (usize, &Peer<'_>)| (median(&mut times[i + 1]), *name);
        let peers: Vec<(f64, &str)> = peers.iter().enumerate().map(of_peer).collect();
        let (peer, name) = peers.into_iter().min_by(|a, b| a.0.total_cmp(&b.0)).expect("a peer");
        let what = format!("{capability}/{:?}/{}/{}", self.pattern, self.ranks, self.n);
        println!("{what:<52} {ours:9.2} ms   {name} {peer:9.2} ms   {:6.2}x", peer / ours);
    }

    /// Runs `work` on all ranks, each with a fresh copy of its part: the time of the slowest.
    fn on_ranks<T, R>(&self, whole: &[T], work: impl Fn(DistArray<T, Ix1>) -> R + Sync) -> Duration
    where
        T: Element,
    {
        let blocks = Blocks::even(whole.len(), self.ranks);
        let rank = |comm: &Comm| {
            let local = Array1::from_vec(whole[blocks.range(comm.rank())].to_vec());
            let x = DistArray::from_local(comm, local, Axis(0)).expect("parts of one array");
            comm.barrier().expect("all ranks are here");
            let begin = Instant::now();
            let result = black_box(work(x));
            let elapsed = begin.elapsed();
            comm.barrier().expect("all ranks are here"); // nothing is dropped before all have their time
            drop(result);
            elapsed
        };
        let times = Cluster::new(self.ranks).run(rank).expect("a cluster");
        times.into_iter().max().expect("a rank")
    }

    /// What all ranks together give, to be checked.
    fn result<T, U>(
        &self,
        whole: &[T],
        work: impl Fn(DistArray<T, Ix1>) -> DistArray<U, Ix1> + Sync,
    ) -> Vec<U>
    where
        T: Element,
        U: Element,
    {
        let blocks = Blocks::even(whole.len(), self.ranks);
        let rank = |comm: &Comm| {
            let local = Array1::from_vec(whole[blocks.range(comm.rank())].to_vec());
            work(DistArray::from_local(comm, local, Axis(0)).expect("parts of one array"))
                .into_local()
                .to_vec()
        };
        Cluster::new(self.ranks).run(rank).expect("a cluster").concat()
    }

    fn keys<K: maniple_kernels::Key>(&self) -> Vec<K> {
        self.pattern.keys(self.n, 8, 1)
    }

    fn sort_integers<T>(&self, capability: &str)
    where
        T: SortKey + Element + Ord + Debug,
    {
        let whole: Vec<T> = self.keys::<T::Key>().into_iter().map(T::from_key).collect();
        let sorted = |x: DistArray<T, Ix1>| x.into_sorted().run().expect("sorted");
        let mut expected = whole.clone();
        expected.par_sort_unstable();
        assert_eq!(self.result(&whole, sorted), expected, "{capability}: wrong");
        let rayon = || in_place(&whole, |values| values.par_sort_unstable());
        self.report(capability, || self.on_ranks(&whole, sorted), &[("par_sort_unstable", &rayon)]);
    }

    fn sort_floats(&self, capability: &str) {
        let whole: Vec<f64> = self.keys::<u64>().into_iter().map(f64::from_key).collect();
        let sorted = |x: DistArray<f64, Ix1>| x.into_sorted().run().expect("sorted");
        let mut expected: Vec<u64> = self.keys();
        expected.par_sort_unstable();
        let found = self.result(&whole, sorted);
        assert!(found.into_iter().map(f64::to_key).eq(expected), "{capability}: wrong");
        let total_cmp = || in_place(&whole, |values| values.par_sort_unstable_by(f64::total_cmp));
        let by_keys = || {
            in_place(&whole, |values| {
                let keys: &mut [u64] = bytemuck::cast_slice_mut(values);
                keys.par_iter_mut().for_each(|bits| *bits = f64::from_bits(*bits).to_key());
                keys.par_sort_unstable();
                keys.par_iter_mut().for_each(|key| *key = f64::from_key(*key).to_bits());
            })
        };
        let peers: [Peer<'_>; 2] = [("total_cmp", &total_cmp), ("par_sort by keys", &by_keys)];
        self.report(capability, || self.on_ranks(&whole, sorted), &peers);
    }

    fn argsort(&self, capability: &str) {
        let whole: Vec<u64> = self.keys();
        let sorted = |x: DistArray<u64, Ix1>| x.argsort().run().expect("sorted");
        let mut expected: Vec<u64> = (0..whole.len() as u64).collect();
        expected.par_sort_by_key(|&i| whole[i as usize]);
        assert_eq!(self.result(&whole, sorted), expected, "{capability}: wrong");
        let by_lookup = || {
            let begin = Instant::now();
            let mut index: Vec<u64> = (0..whole.len() as u64).collect();
            index.par_sort_by_key(|&i| whole[i as usize]);
            black_box(index);
            begin.elapsed()
        };
        let by_pairs = || {
            let begin = Instant::now();
            let mut pairs: Vec<(u64, u32)> = whole.iter().copied().zip(0..).collect();
            pairs.par_sort_unstable();
            black_box(pairs.into_iter().map(|pair| u64::from(pair.1)).collect::<Vec<_>>());
            begin.elapsed()
        };
        let peers: [Peer<'_>; 2] = [("par_sort_by_key", &by_lookup), ("par_sort of pairs", &by_pairs)];
        self.report(capability, || self.on_ranks(&whole, sorted), &peers);
    }
}

fn in_place<T: Copy>(whole: &[T], sort: impl Fn(&mut [T])) -> Duration {
    let mut copy = whole.to_vec();
    let begin = Instant::now();
    sort(black_box(&mut copy));
    let elapsed = begin.elapsed();
    drop(copy);
    elapsed
}

fn main() {
    // cargo passes `--bench`, which selects nothing.
    let wanted: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).collect();
    let chosen =
        |i: usize, name: &str| wanted.get(i).is_none_or(|w| w == "all" || w.eq_ignore_ascii_case(name));
    let number = |i: usize, default: usize| wanted.get(i).and_then(|w| w.parse().ok()).unwrap_or(default);
    for &pattern in Pattern::ALL.iter().filter(|pattern| chosen(1, &format!("{pattern:?}"))) {
        let ranks = number(2, 2);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(ranks).build().expect("a pool of threads");
        let line = Line { pattern, ranks, n: number(3, 10_000_000), repetitions: number(4, 5), pool };
        type Capability<'a> = (&'static str, &'a dyn Fn(&str));
        let capabilities: [Capability<'_>; 4] = [
            ("sort-u64", &|name| line.sort_integers::<u64>(name)),
            ("sort-f64", &|name| line.sort_floats(name)),
            ("sort-i32", &|name| line.sort_integers::<i32>(name)),
            ("argsort-u64", &|name| line.argsort(name)),
        ];
        capabilities.iter().filter(|(name, _)| chosen(0, name)).for_each(|(name, run)| run(name));
    }
}
