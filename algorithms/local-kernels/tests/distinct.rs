//! Distinct keys against a `BTreeMap`, by every strategy.

use std::collections::BTreeMap;

use maniple_kernels::Key;
use maniple_kernels::distinct;
use maniple_kernels::distinct::{Reason, Strategy};
use proptest::collection::vec;
use proptest::prelude::{Just, Strategy as _, any, prop_oneof, proptest};

const STRATEGIES: [Option<Strategy>; 5] =
    [None, Some(Strategy::Runs), Some(Strategy::Table), Some(Strategy::Hash), Some(Strategy::Sort)];

/// Count and first index of every key, by definition.
fn oracle<K: Key>(keys: &[K]) -> BTreeMap<K, (u64, usize)> {
    let mut groups = BTreeMap::new();
    for (at, &key) in keys.iter().enumerate() {
        groups.entry(key).or_insert((0, at)).0 += 1;
    }
    groups
}

/// Every strategy and every combination of options gives the one answer.
fn check<K: Key>(keys: &[K]) {
    let groups = oracle(keys);
    let expected_keys: Vec<K> = groups.keys().copied().collect();
    let expected_counts: Vec<u64> = groups.values().map(|&(count, _)| count).collect();
    let expected_first: Vec<usize> = groups.values().map(|&(_, first)| first).collect();
    let code: BTreeMap<K, u32> = groups.keys().zip(0..).map(|(&key, code)| (key, code)).collect();
    let expected_codes: Vec<u32> = keys.iter().map(|key| code[key]).collect();
    for strategy in STRATEGIES {
        for (codes, first) in [(false, false), (true, false), (false, true), (true, true)] {
            let mut request = distinct(keys);
            if codes {
                request = request.codes();
            }
            if first {
                request = request.first();
            }
            if let Some(strategy) = strategy {
                request = request.strategy(strategy);
            }
            let found = request.run().unwrap();
            let how = format!("{} ({strategy:?}, codes {codes}, first {first})", found.choice);
            assert!(found.keys == expected_keys, "keys by {how}");
            assert!(found.counts == expected_counts, "counts by {how}");
            assert!(found.codes == codes.then(|| expected_codes.clone()), "codes by {how}");
            assert!(found.first == first.then(|| expected_first.clone()), "first by {how}");
        }
    }
}

/// A deterministic stream of well-mixed words (splitmix64).
fn mixed(n: usize) -> impl Iterator<Item = u64> {
    (1..=n as u64).map(|i| {
        let mut x = i.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    })
}

fn check_every_width(keys: &[u128]) {
    check(&keys.iter().map(|&key| key as u8).collect::<Vec<_>>());
    check(&keys.iter().map(|&key| key as u16).collect::<Vec<_>>());
    check(&keys.iter().map(|&key| key as u32).collect::<Vec<_>>());
    check(&keys.iter().map(|&key| key as u64).collect::<Vec<_>>());
    check(keys);
}

proptest! {
    #[test]
    fn every_strategy_agrees(keys in prop_oneof![
        vec(any::<u128>(), 0..300),
        vec(0..10u128, 0..300),
        vec(prop_oneof![Just(0), Just(u128::MAX), Just(1 << 63), Just(u128::from(u64::MAX)), any::<u128>()], 0..300),
        vec((0..5u128, 1..40usize), 0..30).prop_map(|runs| runs.into_iter().flat_map(|(key, len)| vec![key; len]).collect()),
        vec((0..4u128, 0..3u128).prop_map(|(high, low)| high << 126 | low), 0..300),
    ]) {
        check_every_width(&keys);
    }
}

#[test]
fn small_inputs() {
    check_every_width(&[]);
    check_every_width(&[0]);
    check_every_width(&[u128::MAX]);
    check_every_width(&[u128::MAX, 0]);
    check_every_width(&[5; 100]);
}

#[test]
fn ordinary_keys_at_both_ends_of_the_range() {
    let ends: Vec<u64> = mixed(2000).map(|x| [0, 1, u64::MAX - 1, u64::MAX][x as usize % 4]).collect();
    check(&ends);
}

#[test]
fn ascending_and_descending_keys() {
    let ascending: Vec<u64> = (0..5000u64).map(|i| i / 3 * 7).collect();
    check(&ascending);
    check(&ascending.iter().rev().copied().collect::<Vec<_>>());
    check(&ascending.iter().map(|&key| key << 45).collect::<Vec<_>>());
}

/// Past the hash table's budget, which gives up and says so.
#[test]
fn a_hash_table_gives_up_beyond_its_budget() {
    let keys: Vec<u64> = mixed(300_000).collect();
    let found = distinct(&keys).codes().strategy(Strategy::Hash).run().unwrap();
    assert_eq!(found.choice.strategy, Strategy::Sort);
    assert!(matches!(found.choice.reason, Reason::Outgrown { .. }));
    assert_eq!(found.keys.len(), 300_000);
}

/// More than 2^17 distinct keys: none is repeated.
#[test]
fn distinct_keys_past_a_power_of_two() {
    check(&(0..131_073u32).rev().collect::<Vec<_>>());
}

/// The sample sees few distinct keys, the rest holds many.
#[test]
fn a_sample_that_deceives_costs_no_answer() {
    let keys: Vec<u64> = mixed(3 << 20).map(|x| if x % 10 == 0 { x } else { x % 3 }).collect();
    let found = distinct(&keys).first().run().unwrap();
    assert!(matches!(found.choice.reason, Reason::Outgrown { .. }), "{}", found.choice);
    let groups = oracle(&keys);
    assert!(found.keys.iter().eq(groups.keys()));
    assert!(found.counts.iter().copied().eq(groups.values().map(|&(count, _)| count)));
    assert!(found.first.unwrap().into_iter().eq(groups.values().map(|&(_, first)| first)));
}

/// A table preferred for keys that no table can hold: sorted instead, and reported.
#[test]
fn a_span_too_great_for_a_table_is_reported() {
    let found = distinct(&[0u64, u64::MAX]).strategy(Strategy::Table).run().unwrap();
    assert_eq!(found.keys, [0, u64::MAX]);
    assert_eq!((found.choice.strategy, found.choice.reason), (Strategy::Sort, Reason::SpanTooGreat));
}

/// Preferred strategies are the ones that run, so the comparison above compares what it says.
#[test]
fn a_preferred_strategy_is_used() {
    for strategy in [Strategy::Runs, Strategy::Table, Strategy::Hash, Strategy::Sort] {
        let found = distinct(&[3u32, 1, 3, 2]).strategy(strategy).run().unwrap();
        assert_eq!((found.choice.strategy, found.choice.reason), (strategy, Reason::Preferred));
    }
}

/// Keys that differ in their low bits alone, in clusters far apart: a prefix tells nothing inside a cluster.
#[test]
fn clusters_are_told_apart() {
    check(&mixed(20_000).map(|x| ((x >> 62) << 62) | (x % 5000)).collect::<Vec<_>>());
    let far =
        |x: u64| (u128::from(x >> 62) << 126) | (u128::from((x >> 60) & 3) << 64) | u128::from(x % 1000);
    check(&mixed(20_000).map(far).collect::<Vec<_>>());
}
