//! Sort kernels against the standard library and rayon, in one run.
//!
//! `cargo bench -p maniple-kernels --features patterns --bench sort [-- <width> [<elements> [<pattern>]]]`
//!
//! Each line: nanoseconds per element of the kernel (median), then how many times longer the peers take. A ratio above 1
//! says that the kernel is the faster one. Widths: u8, u16, u32, u64, values (f64 through keys), argsort.

use std::hint::black_box;
use std::time::Instant;

use maniple_kernels::patterns::Pattern;
use maniple_kernels::{Key, Order, SortKey, sort_keys, sort_values, sort_with_index};
use rayon::slice::ParallelSliceMut;

/// Elements sorted in a measurement: short arrays are sorted in batches, so that the clock's resolution does not matter.
const BATCH: usize = 200_000;
const SIZES: [usize; 3] = [1_000, 100_000, 10_000_000];

/// Median nanoseconds per element over batches of fresh copies.
fn measure<T: Clone, R>(input: &[T], mut run: impl FnMut(Vec<T>) -> R) -> f64 {
    let copies = (BATCH / input.len()).max(1);
    let repeats = if input.len() > 1_000_000 { 3 } else { 15 };
    let mut times: Vec<f64> = (0..repeats)
        .map(|_| {
            let batch: Vec<Vec<T>> = (0..copies).map(|_| input.to_vec()).collect();
            let start = Instant::now();
            let results: Vec<R> = batch.into_iter().map(&mut run).collect();
            let elapsed = start.elapsed();
            black_box(results);
            elapsed.as_nanos() as f64 / (copies * input.len()) as f64
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn in_place<T>(sort: impl Fn(&mut [T])) -> impl Fn(Vec<T>) -> Vec<T> {
    move |mut keys| {
        sort(&mut keys);
        keys
    }
}

fn line(capability: &str, pattern: Pattern, len: usize, ours: f64, peers: &[(&str, f64)]) {
    let ratios: Vec<String> =
        peers.iter().map(|(name, time)| format!("{name} {:6.2}x", time / ours)).collect();
    println!("{:<40} {ours:8.2} ns   {}", format!("{capability}/{pattern:?}/1/{len}"), ratios.join("   "));
}

fn bench_keys<K: Key>(name: &str, pattern: Pattern, len: usize) {
    let keys: Vec<K> = pattern.keys(len, 8, 1);
    let ours = measure(&keys, in_place(sort_keys));
    let unstable = measure(&keys, in_place(|keys: &mut [K]| keys.sort_unstable()));
    let rayon = measure(&keys, in_place(|keys: &mut [K]| keys.par_sort_unstable()));
    line(&format!("sort-{name}"), pattern, len, ours, &[("sort_unstable", unstable), ("rayon", rayon)]);
}

fn bench_values(pattern: Pattern, len: usize) {
    let values: Vec<f64> = pattern.keys::<u64>(len, 8, 1).into_iter().map(f64::from_key).collect();
    let ours = measure(&values, |values| sort_values(values, Order::ASCENDING));
    let total = measure(&values, in_place(|values: &mut [f64]| values.sort_unstable_by(f64::total_cmp)));
    line("sort-f64", pattern, len, ours, &[("sort_unstable_by(total_cmp)", total)]);
}

fn bench_argsort(pattern: Pattern, len: usize) {
    let keys: Vec<u64> = pattern.keys(len, 8, 1);
    let ours = measure(&keys, |mut keys| {
        let index: Vec<u32> = sort_with_index(&mut keys);
        (keys, index)
    });
    let pairs: Vec<(u64, u32)> = keys.iter().copied().zip(0..).collect();
    let unstable = measure(&pairs, in_place(|pairs: &mut [(u64, u32)]| pairs.sort_unstable()));
    let positions: Vec<u32> = (0..len as u32).collect();
    let lookup = measure(&positions, |mut index| {
        index.sort_by_key(|&i| keys[i as usize]);
        index
    });
    line("argsort-u64", pattern, len, ours, &[("pairs", unstable), ("sort_by_key", lookup)]);
}

fn main() {
    // cargo passes `--bench`, which selects nothing.
    let wanted: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).collect();
    let chosen =
        |i: usize, name: &str| wanted.get(i).is_none_or(|w| w == "all" || w.eq_ignore_ascii_case(name));
    for len in SIZES.into_iter().filter(|len| chosen(1, &len.to_string())) {
        for &pattern in Pattern::ALL.iter().filter(|pattern| chosen(2, &format!("{pattern:?}"))) {
            let benches: [(&str, &dyn Fn()); 6] = [
                ("u64", &|| bench_keys::<u64>("u64", pattern, len)),
                ("u32", &|| bench_keys::<u32>("u32", pattern, len)),
                ("u16", &|| bench_keys::<u16>("u16", pattern, len)),
                ("u8", &|| bench_keys::<u8>("u8", pattern, len)),
                ("values", &|| bench_values(pattern, len)),
                ("argsort", &|| bench_argsort(pattern, len)),
            ];
            benches.iter().filter(|(name, _)| chosen(0, name)).for_each(|(_, bench)| bench());
        }
    }
}
