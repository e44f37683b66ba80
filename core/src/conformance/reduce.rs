//! Reductions and scans: folds in rank order, by whichever path a length takes.

use crate::blocks::Blocks;
use crate::comm::Comm;

use super::sample::{assert_same, message, mix, scattered};

/// Neither commutative nor associative: the result tells in which order it was folded.
fn op(a: u64, b: u64) -> u64 {
    a.wrapping_mul(31).wrapping_add(b)
}

/// Lengths on both sides of every threshold a transport may have: a gather of all, or segments; fewer values than ranks.
fn lengths(comm: &Comm) -> [usize; 7] {
    let gathered = (64 << 10) / (8 * comm.size());
    [0, 1, 5, gathered - 1, gathered, gathered + 1, 20_000]
}

fn values(rank: usize, n: usize) -> Vec<u64> {
    message(rank, 0, n)
}

/// The left fold over these ranks; `None` over none.
fn folded(ranks: std::ops::Range<usize>, n: usize) -> Option<Vec<u64>> {
    ranks.map(|r| values(r, n)).reduce(|acc, row| acc.into_iter().zip(row).map(|(a, b)| op(a, b)).collect())
}

/// Everyone has the fold of all.
pub(super) fn all_reduce(comm: &Comm) {
    for n in lengths(comm) {
        let found = comm.all_reduce(&values(comm.rank(), n), op).unwrap();
        assert_same(&found, &folded(0..comm.size(), n).unwrap());
    }
    let found = comm.all_reduce_value(mix(comm.rank() as u64), op).unwrap();
    assert_eq!(Some(found), (0..comm.size() as u64).map(mix).reduce(op));
}

/// A sum of floats has the bits of the sum in rank order.
pub(super) fn all_reduce_float(comm: &Comm) {
    let of = |r: usize, k: usize| {
        1.0 / (1.0 + (mix((r * 1000 + k) as u64) % 1009) as f64) * 10_f64.powi(r as i32 % 9)
    };
    for n in [1, 10_000] {
        let mine: Vec<f64> = (0..n).map(|k| of(comm.rank(), k)).collect();
        let found = comm.all_reduce(&mine, |a, b| a + b).unwrap();
        let expected: Vec<f64> =
            (0..n).map(|k| (1..comm.size()).fold(of(0, k), |sum, r| sum + of(r, k))).collect();
        assert_same(&found, &expected);
    }
}

/// Each rank has its block of the fold: even blocks, and blocks with gaps.
pub(super) fn reduce_scatter(comm: &Comm) {
    let p = comm.size();
    let gaps = scattered((0..p).map(|r| (r * 5) % 4).collect());
    for (blocks, n) in
        [(Blocks::even(1003, p), 1003), (Blocks::even(1, p), 1), gaps, (Blocks::whole(9, p), 9)]
    {
        let found = comm.reduce_scatter(&values(comm.rank(), n), &blocks, op).unwrap();
        let all = folded(0..p, n).unwrap();
        let mine = if found.is_empty() { 0..0 } else { blocks.range(comm.rank()) };
        assert_eq!(found.len(), blocks.count(comm.rank()));
        assert_same(&found, &all[mine]);
    }
}

/// Everyone has the fold up to itself.
pub(super) fn scan(comm: &Comm) {
    for n in lengths(comm) {
        let found = comm.scan(&values(comm.rank(), n), op).unwrap();
        assert_same(&found, &folded(0..comm.rank() + 1, n).unwrap());
    }
}

/// Everyone has the fold of the ranks below; rank 0 has nothing.
pub(super) fn ex_scan(comm: &Comm) {
    for n in lengths(comm) {
        let found = comm.ex_scan(&values(comm.rank(), n), op).unwrap();
        let expected = folded(0..comm.rank(), n);
        assert_eq!(found.is_some(), expected.is_some());
        found.iter().zip(&expected).for_each(|(found, expected)| assert_same(found, expected));
    }
}

/// Which rank holds a NaN makes no difference to a minimum that propagates it, or that skips it.
pub(super) fn reduce_nan(comm: &Comm) {
    let least = |a: f64, b: f64| if a.is_nan() || a < b { a } else { b }; // a NaN on the right is not less, and stays
    for at in 0..comm.size() {
        let mine = if comm.rank() == at { f64::NAN } else { 1.0 + comm.rank() as f64 };
        assert!(comm.all_reduce_value(mine, least).unwrap().is_nan());
        let skipped = comm.all_reduce_value(mine, f64::max).unwrap();
        let expected = (0..comm.size()).filter(|&r| r != at).map(|r| 1.0 + r as f64).fold(f64::NAN, f64::max);
        assert_eq!(skipped.to_bits(), expected.to_bits());
    }
}

/// 3: no values, no operation.
pub(super) fn reduce_nothing(comm: &Comm) {
    let never = |_: u8, _: u8| panic!("there is nothing to fold");
    assert!(comm.all_reduce(&[], never).unwrap().is_empty());
    assert!(comm.scan(&[], never).unwrap().is_empty());
    assert_eq!(comm.ex_scan(&[], never).unwrap(), (comm.rank() > 0).then(Vec::new));
    assert!(comm.reduce_scatter(&[], &Blocks::whole(0, comm.size()), never).unwrap().is_empty());
}
