//! Merges against a stable sort of the concatenation.

use maniple_kernels::{merge_into, merge_with_payload_into, multiselect};
use proptest::collection::vec;
use proptest::prelude::*;

/// The merge by definition: records in run order, sorted stably by key. A record knows its run and its position.
fn oracle<K: Copy + Ord>(runs: &[Vec<K>]) -> Vec<(K, (usize, usize))> {
    let mut records: Vec<_> = runs
        .iter()
        .enumerate()
        .flat_map(|(run, keys)| keys.iter().enumerate().map(move |(at, &key)| (key, (run, at))))
        .collect();
    records.sort_by_key(|&(key, _)| key);
    records
}

fn check<K: Copy + Ord + std::fmt::Debug>(runs: &[Vec<K>]) {
    let expected = oracle(runs);
    let views: Vec<&[K]> = runs.iter().map(Vec::as_slice).collect();
    let expected_keys: Vec<K> = expected.iter().map(|&(key, _)| key).collect();
    let expected_payload: Vec<_> = expected.iter().map(|&(_, from)| from).collect();

    let mut merged = Vec::new();
    merge_into(&views, &mut merged);
    assert!(merged == expected_keys, "expected {expected_keys:?}, found {merged:?} for {runs:?}");

    let payloads: Vec<Vec<(usize, usize)>> =
        runs.iter().enumerate().map(|(run, keys)| (0..keys.len()).map(|at| (run, at)).collect()).collect();
    let pairs: Vec<_> =
        views.iter().zip(&payloads).map(|(&keys, payload)| (keys, payload.as_slice())).collect();
    let (mut keys, mut payload) = (Vec::new(), Vec::new());
    merge_with_payload_into(&pairs, &mut keys, &mut payload);
    assert!(keys == expected_keys, "keys of {runs:?}");
    assert!(payload == expected_payload, "expected {expected_payload:?}, found {payload:?} for {runs:?}");
}

fn check_selection<K: Copy + Ord + std::fmt::Debug>(runs: &[Vec<K>], t: usize) {
    let mut expected = vec![0; runs.len()];
    for &(_, (run, _)) in &oracle(runs)[..t] {
        expected[run] += 1;
    }
    let views: Vec<&[K]> = runs.iter().map(Vec::as_slice).collect();
    assert_eq!(multiselect(&views, t), expected, "first {t} of {runs:?}");
}

fn sorted<K: Ord>(mut keys: Vec<K>) -> Vec<K> {
    keys.sort_unstable();
    keys
}

/// Runs of keys below `bound`: few keys make ties within and across runs.
fn runs_below(
    bound: u64,
    lens: std::ops::Range<usize>,
    k: std::ops::Range<usize>,
) -> impl Strategy<Value = Vec<Vec<u64>>> {
    vec(vec(0..bound, lens).prop_map(sorted), k)
}

/// A deterministic stream of well-mixed words (splitmix64).
fn mixed(seed: u64) -> impl Iterator<Item = u64> {
    (0..).map(move |i: u64| {
        let mut x = (seed.wrapping_mul(0x100_0000_01b3).wrapping_add(i)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    })
}

proptest! {
    #[test]
    fn two_runs_merge_stably(runs in prop_oneof![runs_below(4, 0..80, 2..3), runs_below(1000, 0..1500, 2..3)]) {
        check(&runs);
    }

    #[test]
    fn many_runs_merge_stably(runs in prop_oneof![
        runs_below(5, 0..60, 0..12),
        runs_below(u64::MAX, 0..200, 0..20),
        runs_below(50, 0..4, 0..50),
    ]) {
        check(&runs);
    }

    #[test]
    fn every_width_merges(runs in vec(vec(any::<u128>(), 0..50), 0..6)) {
        fn narrow<K: Copy + Ord + std::fmt::Debug>(runs: &[Vec<u128>], to: impl Fn(u128) -> K + Copy) {
            check(&runs.iter().map(|run| sorted(run.iter().copied().map(to).collect())).collect::<Vec<_>>());
        }
        narrow(&runs, |key| key as u8);
        narrow(&runs, |key| key as u16);
        narrow(&runs, |key| key as u32);
        narrow(&runs, |key| key as u64);
        narrow(&runs, |key| key);
    }

    #[test]
    fn selection_cuts_where_the_merge_does(
        (runs, t) in prop_oneof![runs_below(4, 0..30, 1..9), runs_below(u64::MAX, 0..100, 1..9)].prop_flat_map(|runs| {
            let total = runs.iter().map(Vec::len).sum::<usize>();
            (Just(runs), 0..=total)
        })
    ) {
        check_selection(&runs, t);
    }
}

/// Larger than one block of the cascade, in patterns that take each special path.
#[test]
fn long_runs_of_every_pattern() {
    const N: usize = 1 << 17;
    let spread = |seed: u64, n: usize, bound: u64| sorted(mixed(seed).take(n).map(|x| x % bound).collect());
    let stretch = |run: u64| (0..N as u64).filter(|x| x / 3000 % 3 == run).collect::<Vec<_>>();
    check(&[spread(1, N, u64::MAX), spread(2, N, u64::MAX)]);
    check(&[spread(1, N, 10), spread(2, N, 10), spread(3, N, 10)]);
    check(&[vec![7; N], vec![7; N], vec![7; N]]);
    check(&[stretch(2), stretch(0), stretch(1)]);
    check(&[stretch(1), stretch(0)]);
    check(&[(N as u64..2 * N as u64).collect(), (0..N as u64).collect()]);
    check(&[(0..N as u64).collect(), vec![], (N as u64 - 1..2 * N as u64).collect()]);
    check(&[vec![u64::MAX; N], vec![0; N], vec![0, u64::MAX]]);
    check(&[spread(5, 3, 1000), spread(6, N, 1000)]);
    check(&[spread(5, N, 1000), spread(6, 3, 1000), spread(7, 1, 1000), spread(8, N / 3, 1000)]);
    check(&(0..300).map(|run| spread(run, 700, 5000)).collect::<Vec<_>>());
    check(&(0..5000).map(|run| spread(run, 20, 5000)).collect::<Vec<_>>());
}

#[test]
fn long_runs_are_cut_exactly() {
    let runs: Vec<_> =
        (0..17).map(|run| sorted(mixed(run).take(5000).map(|x| x % 20_000).collect())).collect();
    for t in [0, 1, 16, 17, 4095, 42_500, 84_999, 85_000] {
        check_selection(&runs, t);
    }
}

#[test]
fn output_is_appended_within_the_capacity() {
    let mut merged = Vec::with_capacity(10);
    merged.push(99);
    let place = merged.as_ptr();
    merge_into(&[&[1u64, 3][..], &[2, 4]], &mut merged);
    assert_eq!(merged, [99, 1, 2, 3, 4]);
    assert_eq!((merged.as_ptr(), merged.capacity()), (place, 10));
}

#[test]
fn nothing_gives_nothing() {
    check::<u8>(&[]);
    check::<u8>(&[vec![]]);
    check::<u8>(&[vec![], vec![], vec![]]);
    assert_eq!(multiselect::<u8>(&[], 0), []);
}

/// Ranks hold [4 4 8], [8 8 8], [8 8], [8 9]: a key that fills more than two runs loses no record.
#[test]
fn a_key_over_many_runs_keeps_every_record() {
    check(&[vec![4, 4, 8], vec![8, 8, 8], vec![8, 8], vec![8, 9]]);
}

/// Not sorted, so any order will do, but every slot is written and nothing outside is touched.
#[test]
fn unsorted_runs_are_sound() {
    for seed in 0..200 {
        let runs: Vec<Vec<u64>> =
            (0..4).map(|r| mixed(seed * 4 + r).take(300 + 40 * r as usize).collect()).collect();
        let views: Vec<&[u64]> = runs.iter().map(Vec::as_slice).collect();
        for views in [&views[..2], &views] {
            let result = std::panic::catch_unwind(|| {
                let mut merged = Vec::new();
                merge_into(views, &mut merged);
                merged
            });
            if let Ok(merged) = result {
                assert_eq!(merged.len(), views.iter().map(|run| run.len()).sum::<usize>());
                assert!(merged.iter().all(|key| views.iter().any(|run| run.contains(key))));
            }
        }
    }
}

#[test]
#[should_panic(expected = "expected a payload for each of 2 keys, found 1")]
fn a_payload_of_another_length_is_refused() {
    merge_with_payload_into(&[(&[1u8, 2][..], &[0u8][..])], &mut Vec::new(), &mut Vec::new());
}

#[test]
#[should_panic(expected = "expected to select at most 3 keys, found 4")]
fn selecting_more_than_there_is_is_refused() {
    multiselect(&[&[1u8, 2][..], &[3]], 4);
}
