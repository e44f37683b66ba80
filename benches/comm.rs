//! What a collective of two ranks costs, next to the same reads and copies by two plain threads; what waiting costs.
//!
//! `cargo bench --bench comm`, or with a part of an operation's name behind `--`. Every figure is the median over rounds, in each of which both sides run one after the other, so that
//! a busy machine slows both. *of plain* is the plain threads' time divided by ours: 1.00 is as fast as the memory is.

use std::hint::black_box;
use std::sync::Barrier;
use std::thread;
use std::time::Instant;

use maniple::{Blocks, Cluster, Comm};

const ROUNDS: usize = 9;

fn main() {
    println!("{:<26}{:>10}{:>12}{:>12}{:>10}", "operation", "per pair", "plain GB/s", "GB/s", "of plain");
    for n in [8, 128, 2048, 32 << 10, 512 << 10, 8 << 20] {
        compare("exchange, sum", n, read_both, |comm, buffers| {
            let sums = |parts: &[&[u64]]| parts.iter().map(|part| sum(part)).fold(0, u64::wrapping_add);
            black_box(comm.exchange(&buffers.values, &buffers.blocks, sums).unwrap());
        });
        compare("exchange, copy", n, copy_both, |comm, buffers| {
            let into = &mut buffers.into;
            let copy = |parts: &[&[u64]]| {
                into.chunks_exact_mut(n).zip(parts).for_each(|(into, part)| into.copy_from_slice(part));
            };
            comm.exchange(&buffers.values, &buffers.blocks, copy).unwrap();
        });
        compare("all_to_all_v_into", n, copy_both, |comm, b| {
            comm.all_to_all_v_into(&b.values, &b.blocks, &mut b.into, &b.blocks).unwrap();
        });
        compare("all_gather_v_into", n, copy_first, |comm, b| {
            comm.all_gather_v_into(&b.values[..n], &mut b.into, &b.blocks).unwrap();
        });
        compare("all_gather, fresh memory", n, copy_fresh, |comm, b| {
            drop(black_box(comm.all_gather(&b.values[..n]).unwrap()));
        });
        println!();
    }
    [2, 8, 64].into_iter().for_each(barrier);
    start_up();
}

/// What each rank, or plain thread, has: a part for each of both, and room for a part of each.
struct Buffers {
    values: Vec<u64>,
    into: Vec<u64>,
    blocks: Blocks,
}

impl Buffers {
    fn new(n: usize) -> Self {
        Buffers { values: (0..2 * n as u64).collect(), into: vec![1; 2 * n], blocks: Blocks::even(2 * n, 2) }
    }
}

/// What a plain thread does with the values of both threads.
type Plain = fn(me: usize, both: [&[u64]; 2], into: &mut [u64]);

fn sum(values: &[u64]) -> u64 {
    values.iter().fold(0, |sum, &value| sum.wrapping_add(value))
}

fn read_both(me: usize, both: [&[u64]; 2], _: &mut [u64]) {
    let n = both[0].len() / 2;
    black_box(both.iter().map(|values| sum(&values[me * n..][..n])).fold(0, u64::wrapping_add));
}

fn copy_both(me: usize, both: [&[u64]; 2], into: &mut [u64]) {
    let n = into.len() / 2;
    into.chunks_exact_mut(n)
        .zip(both)
        .for_each(|(into, values)| into.copy_from_slice(&values[me * n..][..n]));
}

fn copy_first(_: usize, both: [&[u64]; 2], into: &mut [u64]) {
    copy_both(0, both, into);
}

fn copy_fresh(_: usize, both: [&[u64]; 2], into: &mut [u64]) {
    let mut fresh = maniple::memory::with_capacity(into.len());
    both.iter().for_each(|values| fresh.extend_from_slice(&values[..into.len() / 2]));
    black_box(fresh);
}

/// Prints the rates of `plain` and `ours` for `n` elements from each to each.
fn compare(name: &str, n: usize, plain: Plain, ours: impl Fn(&Comm, &mut Buffers) + Copy + Sync) {
    let only = std::env::args().skip(1).find(|arg| !arg.starts_with('-'));
    if only.is_some_and(|part| !name.contains(&part)) {
        return;
    }
    let times = (4_usize << 20).div_ceil(n).clamp(4, 500);
    let rounds: Vec<_> =
        (0..ROUNDS).map(|_| (time_plain(n, times, plain), time_ours(n, times, ours))).collect();
    let rate = |time: f64| 2.0 * 2.0 * 8.0 * n as f64 / time / 1e9;
    let (plain, ours) = (rounds.iter().map(|r| r.0).collect(), rounds.iter().map(|r| r.1).collect());
    let ratio = median(rounds.iter().map(|r| r.0 / r.1).collect());
    let (plain, ours) = (rate(median(plain)), rate(median(ours)));
    println!("{name:<26}{:>10}{plain:>12.2}{ours:>12.2}{ratio:>10.2}", size(8 * n));
}

/// Seconds for one time: two threads that meet before and after it, as ranks do.
fn time_plain(n: usize, times: usize, plain: Plain) -> f64 {
    let both = [Buffers::new(n), Buffers::new(n)];
    let [a, b] = both.map(|b| (b.values, b.into));
    let (values, meet) = ([&a.0[..], &b.0[..]], Barrier::new(2));
    let run = |me: usize, mut into: Vec<u64>| {
        let mut once = || {
            meet.wait();
            plain(me, values, &mut into);
            meet.wait();
        };
        once();
        let begin = Instant::now();
        (0..times).for_each(|_| once());
        begin.elapsed().as_secs_f64() / times as f64
    };
    thread::scope(|scope| {
        let other = scope.spawn(|| run(1, b.1));
        let time = run(0, a.1);
        other.join().expect("a plain thread").max(time)
    })
}

/// Seconds for one collective of two ranks.
fn time_ours(n: usize, times: usize, ours: impl Fn(&Comm, &mut Buffers) + Copy + Sync) -> f64 {
    let of_rank = Cluster::new(2).run(|comm| {
        let mut buffers = Buffers::new(n);
        ours(comm, &mut buffers);
        let begin = Instant::now();
        (0..times).for_each(|_| ours(comm, &mut buffers));
        begin.elapsed().as_secs_f64() / times as f64
    });
    of_rank.expect("a cluster").into_iter().fold(0.0, f64::max)
}

/// Prints what it costs that ranks wait for each other.
fn barrier(ranks: usize) {
    let times = 20_000 / ranks;
    let one = || {
        let of_rank = Cluster::new(ranks).run(|comm| {
            comm.barrier().unwrap();
            let begin = Instant::now();
            (0..times).for_each(|_| comm.barrier().unwrap());
            begin.elapsed().as_secs_f64() / times as f64
        });
        of_rank.expect("a cluster")[0]
    };
    println!("barrier of {ranks:>2} ranks: {:8.2} us", 1e6 * median((0..ROUNDS).map(|_| one()).collect()));
}

/// Prints what it takes to start 1024 ranks, let all hear of all, and end them.
fn start_up() {
    let one = || {
        let begin = Instant::now();
        Cluster::new(1024).try_run(|comm| comm.all_gather_value(comm.rank() as u64)).unwrap();
        begin.elapsed().as_secs_f64()
    };
    println!(
        "start, all_gather and end of 1024 ranks: {:.0} ms",
        1e3 * median((0..5).map(|_| one()).collect())
    );
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn size(bytes: usize) -> String {
    match bytes {
        0..1024 => format!("{bytes} B"),
        1024..1_048_576 => format!("{} KiB", bytes >> 10),
        _ => format!("{} MiB", bytes >> 20),
    }
}
