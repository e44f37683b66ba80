//! Distinct keys against their peers: ratios of medians measured in one run.
//!
//! `distinct/<pattern>/<n>`, nanoseconds per key; `sort` is `sort_unstable` and `dedup` with counts, `map` counts in a
//! `hashbrown::HashMap` with foldhash and sorts the entries; with codes, `sort` sorts (key, index) pairs and `map` looks
//! every key up again.

use std::hash::BuildHasher;
use std::hint::black_box;
use std::time::Instant;

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use maniple_kernels::Key;
use maniple_kernels::distinct;
use maniple_kernels::distinct::Strategy;

const REPEATS: usize = 7;
const N: usize = 2_000_000;

fn main() {
    let only = std::env::args().nth(1).filter(|arg| !arg.starts_with('-'));
    println!(
        "{:<40}{:>9}{:>8}{:>8}{:>11}{:>8}{:>8}",
        "ns/key (ratio)", "distinct", "sort", "map", "with codes", "sort", "map"
    );
    let spread = |d: u64| move |x: u64, _: usize| scatter(x % d);
    patterns(only.as_deref(), "u64, 2 scattered", spread(2));
    patterns(only.as_deref(), "u64, 100 scattered", spread(100));
    patterns(only.as_deref(), "u64, 1e4 scattered", spread(10_000));
    patterns(only.as_deref(), "u64, 1e5 scattered", spread(100_000));
    patterns(only.as_deref(), "u64, 3e5 scattered", spread(300_000));
    patterns(only.as_deref(), "u64, all distinct", |x, _| x);
    patterns(only.as_deref(), "u64, one in ten distinct", |x, _| {
        if x % 10 == 0 { scatter(x) } else { (x % 3) << 40 }
    });
    patterns(only.as_deref(), "u64, below 100", |x, _| x % 100);
    patterns(only.as_deref(), "u64, below n", |x, _| x % N as u64);
    patterns(only.as_deref(), "u64, sorted", |_, i| (i as u64) << 30);
    patterns(only.as_deref(), "u64, 24 in a row, sorted", |_, i| (i as u64 / 24) << 30);
    patterns(only.as_deref(), "u64, 24 in a row, yearly", |_, i| (i as u64 / 24 % 365) << 30);
    patterns(only.as_deref(), "u32, 1e5 scattered", |x, _| scatter(x % 100_000) as u32);
    patterns(only.as_deref(), "u32, all over", |x, _| x as u32);
    patterns(only.as_deref(), "u16, all over", |x, _| x as u16);
    patterns(only.as_deref(), "u8, all over", |x, _| x as u8);
    patterns(only.as_deref(), "u128, all distinct", |x, _| (u128::from(x) << 64) | u128::from(scatter(x)));
}

/// One word for another, far away.
fn scatter(x: u64) -> u64 {
    (x + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29).wrapping_mul(0xd6e8_feb8_6659_fd93)
}

fn patterns<K: Key>(only: Option<&str>, pattern: &str, key: impl Fn(u64, usize) -> K) {
    if only.is_some_and(|only| !pattern.contains(only)) {
        return;
    }
    let mut state = 1u64;
    let keys: Vec<K> = (0..N)
        .map(|i| {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            key((state ^ (state >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd) >> 1, i)
        })
        .collect();
    let choice = distinct(&keys).run().unwrap().choice;
    let plain = median(|| distinct(&keys).run().unwrap());
    let sort = median(|| by_sort(&keys)) / plain;
    let map = median(|| by_map(&keys)) / plain;
    let codes = median(|| distinct(&keys).codes().run().unwrap());
    let sort_codes = median(|| codes_by_sort(&keys)) / codes;
    let map_codes = median(|| codes_by_map(&keys)) / codes;
    let name = format!("distinct/{pattern}/{N}");
    print!(
        "{name:<40}{plain:>9.2}{sort:>7.1}x{map:>7.1}x{codes:>11.2}{sort_codes:>7.1}x{map_codes:>7.1}x  {choice}"
    );
    if std::env::args().any(|arg| arg == "--strategies") {
        for strategy in [Strategy::Runs, Strategy::Table, Strategy::Hash, Strategy::Sort] {
            let run = || distinct(&keys).strategy(strategy).run().unwrap();
            let with_codes = || distinct(&keys).strategy(strategy).codes().run().unwrap();
            print!(
                "\n{:>40}{:>9.2}{:>16}{:>11.2}",
                format!("{strategy:?}"),
                median(run),
                "",
                median(with_codes)
            );
        }
    }
    println!();
}

fn by_sort<K: Key>(keys: &[K]) -> (Vec<K>, Vec<u64>) {
    let mut sorted = keys.to_vec();
    sorted.sort_unstable();
    sorted.chunk_by(|a, b| a == b).map(|group| (group[0], group.len() as u64)).unzip()
}

fn by_map<K: Key>(keys: &[K]) -> Vec<(K, u64)> {
    let mut entries: Vec<_> = count(keys).into_iter().collect();
    entries.sort_unstable();
    entries
}

fn count<K: Key>(keys: &[K]) -> HashMap<K, u64, impl BuildHasher> {
    let mut counts = HashMap::with_hasher(FixedState::default());
    for &key in keys {
        *counts.entry(key).or_insert(0) += 1;
    }
    counts
}

fn codes_by_sort<K: Key>(keys: &[K]) -> (Vec<K>, Vec<u64>, Vec<u32>) {
    let mut pairs: Vec<(K, u32)> = keys.iter().copied().zip(0..).collect();
    pairs.sort_unstable();
    let mut codes = vec![0; keys.len()];
    let (mut distinct, mut counts) = (Vec::new(), Vec::new());
    for group in pairs.chunk_by(|a, b| a.0 == b.0) {
        group.iter().for_each(|&(_, index)| codes[index as usize] = distinct.len() as u32);
        distinct.push(group[0].0);
        counts.push(group.len() as u64);
    }
    (distinct, counts, codes)
}

fn codes_by_map<K: Key>(keys: &[K]) -> (Vec<(K, u64)>, Vec<u32>) {
    let mut counts = count(keys);
    let mut entries: Vec<_> = counts.iter().map(|(&key, &count)| (key, count)).collect();
    entries.sort_unstable();
    entries.iter().zip(0..).for_each(|(entry, code)| *counts.get_mut(&entry.0).unwrap() = code);
    (entries, keys.iter().map(|key| counts[key] as u32).collect())
}

/// Median nanoseconds per key.
fn median<R>(work: impl Fn() -> R) -> f64 {
    let mut times: Vec<f64> = (0..REPEATS)
        .map(|_| {
            let start = Instant::now();
            black_box(work());
            start.elapsed().as_secs_f64()
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[REPEATS / 2] * 1e9 / N as f64
}
