//! Each to each.
#![allow(unsafe_code)] // shows that a visitor's raw slices may be read as what they are said to be

use std::panic::Location;

use crate::blocks::Blocks;
use crate::call::{Call, Op};
use crate::comm::Comm;
use crate::element::{ElemSig, bytes_of, values_of};

use super::sample::{Sample, assert_same, count, each_type, filled, message, scattered};

/// 5, 7: equal parts.
pub(super) fn all_to_all(comm: &Comm) {
    each_type!(all_to_all_of(comm));
}

fn all_to_all_of<T: Sample>(comm: &Comm) {
    let (p, me) = (comm.size(), comm.rank());
    for n in [0, 1, 3, 100] {
        let parts: Vec<T> = (0..p).flat_map(|r| message(me, r, n)).collect();
        let expected: Vec<T> = (0..p).flat_map(|r| message(r, me, n)).collect();
        assert_same(&comm.all_to_all(&parts).unwrap(), &expected);
    }
}

/// 3, 5, 7: parts of any length, from gaps and in any order.
pub(super) fn all_to_all_v(comm: &Comm) {
    each_type!(all_to_all_v_of(comm));
}

fn all_to_all_v_of<T: Sample>(comm: &Comm) {
    let (p, me) = (comm.size(), comm.rank());
    let (blocks, len) = scattered((0..p).map(|r| count(me, r)).collect());
    let values = filled(&blocks, len, |r| message::<T>(me, r, count(me, r)));
    let (all, recvs) = comm.all_to_all_v(&values, &blocks).unwrap();
    assert_same(&all, &Vec::from_iter((0..p).flat_map(|r| message::<T>(r, me, count(r, me)))));
    assert_eq!(recvs, Blocks::packed((0..p).map(|r| count(r, me)).collect()));
}

/// 5: 8 MiB from each rank, and a single byte next to it.
pub(super) fn all_to_all_v_large(comm: &Comm) {
    const LARGE: usize = (8 << 20) / 8;
    let (p, me) = (comm.size(), comm.rank());
    let count = |from: usize, to: usize| if to == (from + 1) % p { LARGE } else { 1 };
    let (sends, recvs) = (
        Blocks::packed((0..p).map(|r| count(me, r)).collect()),
        Blocks::packed((0..p).map(|r| count(r, me)).collect()),
    );
    let values: Vec<u64> = (0..p).flat_map(|r| message(me, r, count(me, r))).collect();
    let expected: Vec<u64> = (0..p).flat_map(|r| message(r, me, count(r, me))).collect();
    let (all, blocks) = comm.all_to_all_v(&values, &sends).unwrap();
    assert_same(&all, &expected);
    assert_eq!(blocks, recvs);
    let mut again = vec![0; recvs.total()];
    comm.all_to_all_v_into(&values, &sends, &mut again, &recvs).unwrap();
    assert_same(&again, &expected);
}

/// 5: what is only read may be read by several ranks.
pub(super) fn overlapping_sends(comm: &Comm) {
    each_type!(overlapping_sends_of(comm));
}

fn overlapping_sends_of<T: Sample>(comm: &Comm) {
    let (p, me) = (comm.size(), comm.rank());
    let of = |r: usize| message::<T>(r, 0, p + 2);
    let sliding = Blocks::new(vec![3; p], (0..p).collect()).unwrap(); // 0..3, 1..4, ..
    let (all, _) = comm.all_to_all_v(&of(me), &sliding).unwrap();
    assert_same(&all, &Vec::from_iter((0..p).flat_map(|r| of(r)[me..me + 3].to_vec())));
    let whole = Blocks::whole(p + 2, p);
    let all = comm.exchange(&of(me), &whole, |parts| parts.concat()).unwrap();
    assert_same(&all, &Vec::from_iter((0..p).flat_map(of)));
}

/// 3, 5, 7: one visit, one slice per rank, in rank order, and what it returns.
pub(super) fn exchange(comm: &Comm) {
    each_type!(exchange_of(comm));
}

fn exchange_of<T: Sample>(comm: &Comm) {
    let (p, me) = (comm.size(), comm.rank());
    let (blocks, len) = scattered((0..p).map(|r| count(me, r)).collect());
    let values = filled(&blocks, len, |r| message::<T>(me, r, count(me, r)));
    let mut visits = 0;
    let lengths = comm
        .exchange(&values, &blocks, |parts: &[&[T]]| {
            visits += 1;
            assert_eq!(parts.len(), p);
            parts.iter().enumerate().for_each(|(r, part)| assert_same(part, &message(r, me, count(r, me))));
            parts.iter().map(|part| part.len()).collect::<Vec<_>>()
        })
        .unwrap();
    assert_eq!(lengths, Vec::from_iter((0..p).map(|r| count(r, me))));
    assert_eq!(visits, 1);
}

/// Safety: a visitor's bytes are whole elements, aligned for their type.
pub(super) fn exchange_keeps_alignment(comm: &Comm) {
    each_type!(alignment_of(comm));
}

fn alignment_of<T: Sample>(comm: &Comm) {
    let (p, me) = (comm.size(), comm.rank());
    // Odd lengths: a transport that packs messages one behind the other has to round up.
    let counts = |from: usize, to: usize| 1 + 2 * ((from + to) % 3);
    let blocks = Blocks::packed((0..p).map(|r| counts(me, r)).collect());
    let values: Vec<T> = (0..p).flat_map(|r| message(me, r, counts(me, r))).collect();
    let elem = Some(ElemSig::of::<T>());
    let call = Call {
        op: Op::Exchange,
        elem,
        len: None,
        root: None,
        args: None,
        at: Location::caller(),
        scope: None,
    };
    let visit = &mut |parts: &[&[u8]]| {
        for (r, part) in parts.iter().enumerate() {
            assert_eq!(part.len(), counts(r, me) * size_of::<T>());
            assert_eq!(part.as_ptr().addr() % align_of::<T>(), 0, "what rank {r} sends is not aligned");
            // SAFETY: the peers sent `T`s in this very call, and the slice is whole and aligned.
            assert_same(unsafe { values_of::<T>(part) }, &message(r, me, counts(r, me)));
        }
    };
    comm.transport().exchange(call, bytes_of(&values), &blocks, visit).unwrap();
}

/// 3: every collective without any element, which is not an error.
pub(super) fn no_elements_at_all(comm: &Comm) {
    let none: [u64; 0] = [];
    let blocks = Blocks::whole(0, comm.size());
    assert!(comm.all_gather(&none).unwrap().is_empty());
    assert!(comm.all_gather_v(&none).unwrap().0.is_empty());
    assert!(comm.all_to_all(&none).unwrap().is_empty());
    assert!(comm.all_to_all_v(&none, &blocks).unwrap().0.is_empty());
    comm.all_to_all_v_into(&none, &blocks, &mut [], &blocks).unwrap();
    comm.all_gather_v_into(&none, &mut [], &blocks).unwrap();
    comm.bcast::<u64>(0, &mut []).unwrap();
    assert_eq!(comm.gather(0, &none).unwrap().map(|all| all.len()), (comm.rank() == 0).then_some(0));
    assert!(comm.scatter(0, &none).unwrap().is_empty());
    comm.exchange_with::<u64, _>(&[], Vec::new(), || ()).unwrap();
    assert!(comm.collect_from::<u64>(&[], &[]).unwrap().is_empty());
}
