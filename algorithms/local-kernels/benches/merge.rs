//! Merging against its peers: ratios of medians measured in one run.
//!
//! `merge/<pattern>/<runs>/<n>`, nanoseconds per element; `heap` is a binary heap of run heads, `sort` concatenates and
//! calls `sort_unstable`, `stable` concatenates and calls `sort`.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hint::black_box;
use std::time::Instant;

use maniple_kernels::{merge_into, merge_with_payload_into};

const REPEATS: usize = 7;

fn main() {
    println!("{:<38}{:>8}{:>8}{:>8}{:>8}", "ns/element (ratio to merge)", "merge", "heap", "sort", "stable");
    for (k, n) in [(2, 10_000_000), (8, 8_000_000), (32, 2_000_000), (256, 2_000_000), (1024, 2_000_000)] {
        values("uniform", k, n, |x, _| x);
    }
    for k in [2, 8] {
        let n = 2_000_000;
        values("100 distinct", k, n, |x, _| x % 100);
        values("uniform u32", k, n, |x, _| x as u32);
        values("uniform u128", k, n, |x, _| (u128::from(x) << 64) | u128::from(x));
        values("stretches of 5000", k, n, |_, i| (i % (n / k) / 5000 * k + i / (n / k)) * 5000 + i % 5000);
        values("disjoint, falling", k, n, |_, i| (k - i / (n / k)) * n + i % (n / k));
        values("disjoint, rising", k, n, |_, i| i);
    }
    for k in [100_000, 500_000] {
        values("tiny runs", k, 1_000_000, |x, _| x);
    }
    for k in [2, 8, 256] {
        payload(k, 2_000_000);
    }
}

/// Only what the command line asks for: a part of the name, or everything.
fn skipped(name: &str) -> bool {
    std::env::args().nth(1).is_some_and(|only| !only.starts_with('-') && !name.contains(&only))
}

fn values<K: Copy + Ord>(pattern: &str, k: usize, n: usize, key: impl Fn(u64, usize) -> K) {
    let name = format!("merge/{pattern}/{k}/{n}");
    if skipped(&name) {
        return;
    }
    let runs = runs(k, n, key);
    let views: Vec<&[K]> = runs.iter().map(Vec::as_slice).collect();
    let mut out = Vec::with_capacity(n);
    let merge = median(n, &mut out, |out| merge_into(&views, out));
    let heap = median(n, &mut out, |out| heap_merge(&views, out));
    let sort = median(n, &mut out, |out| {
        views.iter().for_each(|run| out.extend_from_slice(run));
        out.sort_unstable();
    });
    let stable = median(n, &mut out, |out| {
        views.iter().for_each(|run| out.extend_from_slice(run));
        out.sort();
    });
    println!("{name:<38}{merge:>8.2}{:>7.1}x{:>7.1}x{:>7.1}x", heap / merge, sort / merge, stable / merge);
}

fn payload(k: usize, n: usize) {
    let name = format!("merge/uniform, u32 payload/{k}/{n}");
    if skipped(&name) {
        return;
    }
    let keys = runs(k, n, |x, _| x);
    let payloads: Vec<Vec<u32>> = keys.iter().map(|run| (0..run.len() as u32).collect()).collect();
    let runs: Vec<_> = keys.iter().zip(&payloads).map(|(k, p)| (k.as_slice(), p.as_slice())).collect();
    let (mut out, mut payload) = (Vec::with_capacity(n), Vec::with_capacity(n));
    let merge = median(n, &mut out, |out| {
        payload.clear();
        merge_with_payload_into(&runs, out, &mut payload);
    });
    let mut pairs = Vec::with_capacity(n);
    let stable = median(n, &mut pairs, |pairs| {
        for (keys, payload) in &runs {
            pairs.extend(keys.iter().copied().zip(payload.iter().copied()));
        }
        pairs.sort_by_key(|&(key, _)| key);
    });
    let name = format!("merge/uniform, u32 payload/{k}/{n}");
    println!("{name:<34}{merge:>8.2}{:>8}{:>8}{:>7.1}x", "", "", stable / merge);
}

/// The naive merge: the least head on a binary heap.
fn heap_merge<K: Copy + Ord>(runs: &[&[K]], out: &mut Vec<K>) {
    let mut next = vec![0; runs.len()];
    let mut heads: BinaryHeap<_> =
        runs.iter().enumerate().filter_map(|(r, run)| Some(Reverse((*run.first()?, r)))).collect();
    while let Some(Reverse((key, run))) = heads.pop() {
        out.push(key);
        next[run] += 1;
        if let Some(&key) = runs[run].get(next[run]) {
            heads.push(Reverse((key, run)));
        }
    }
}

/// `k` sorted runs of `n / k` keys, each made from a random word and its index.
fn runs<K: Ord>(k: usize, n: usize, key: impl Fn(u64, usize) -> K) -> Vec<Vec<K>> {
    let mut state = 1u64;
    let mut random = || {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (state ^ (state >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd) ^ (state >> 29)
    };
    (0..k)
        .map(|r| {
            let len = n / k;
            let mut run: Vec<K> = (0..len).map(|i| key(random(), r * len + i)).collect();
            run.sort_unstable();
            run
        })
        .collect()
}

/// Median nanoseconds per element.
fn median<K>(n: usize, out: &mut Vec<K>, mut work: impl FnMut(&mut Vec<K>)) -> f64 {
    let mut times: Vec<f64> = (0..=REPEATS)
        .map(|_| {
            out.clear();
            let start = Instant::now();
            work(black_box(&mut *out));
            start.elapsed().as_secs_f64()
        })
        .skip(1)
        .collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2] * 1e9 / n as f64
}
