//! Communicators made from communicators.

use crate::comm::Comm;
use crate::metered::Metered;

/// The numbers in `comm` of the ranks of a part, in the part's order.
fn members(comm: &Comm, part: &Comm) -> Vec<usize> {
    part.all_gather_value(comm.rank()).unwrap()
}

/// 10: one part per color, whatever numbers the colors are.
pub(super) fn colors(comm: &Comm) {
    let color = |r: usize| [0, u32::MAX, 77][r % 3];
    let part = comm.split(Some(color(comm.rank())), 0).unwrap().expect("a part for a color");
    let expected: Vec<usize> = (0..comm.size()).filter(|r| r % 3 == comm.rank() % 3).collect();
    assert_eq!(members(comm, &part), expected);
    assert_eq!(part.size(), expected.len());
    assert_eq!(expected[part.rank()], comm.rank());
}

/// 10: the order is that of the keys; equal keys keep the order of ranks.
pub(super) fn keys_reorder(comm: &Comm) {
    let p = comm.size();
    let reversed = comm.split(Some(0), -(comm.rank() as i64)).unwrap().expect("a part");
    assert_eq!(members(comm, &reversed), Vec::from_iter((0..p).rev()));
    let extreme = if comm.rank().is_multiple_of(2) { i64::MAX } else { i64::MIN };
    let odd_first = comm.split(Some(0), extreme).unwrap().expect("a part");
    let odd = (0..p).filter(|r| r % 2 == 1);
    assert_eq!(members(comm, &odd_first), Vec::from_iter(odd.chain((0..p).step_by(2))));
}

/// 10: a rank without a color is in no part, and all may be.
pub(super) fn no_color(comm: &Comm) {
    let color = (comm.rank() % 2 == 1).then_some(5);
    let part = comm.split(color, 0).unwrap();
    assert_eq!(part.is_some(), color.is_some());
    if let Some(part) = part {
        assert_eq!(members(comm, &part), Vec::from_iter((0..comm.size()).filter(|r| r % 2 == 1)));
    }
    assert!(comm.split(None, 3).unwrap().is_none());
    comm.barrier().unwrap();
}

/// 10: parts of parts, until each rank is alone.
pub(super) fn nested(comm: &Comm) {
    let mut part = comm.clone();
    let mut expected: Vec<usize> = (0..comm.size()).collect();
    while part.size() > 1 {
        let upper = part.rank() >= part.size() / 2;
        let half = part.size() / 2;
        expected = if upper { expected.split_off(half) } else { expected[..half].to_vec() };
        part = part.split(Some(u32::from(upper)), 0).unwrap().expect("a part");
        assert_eq!(members(comm, &part), expected);
    }
    assert_eq!(comm.all_reduce_value(1, |a: usize, b| a + b).unwrap(), comm.size());
}

/// 10: parts do different things at the same time, and the parent goes on before, between and after.
pub(super) fn parts_are_independent(comm: &Comm) {
    let color = comm.rank() % 3;
    let part = comm.split(Some(color as u32), 0).unwrap().expect("a part");
    for round in 0..10 {
        for _ in 0..round * color {
            let ranks = part.all_reduce_value(1, |a: u32, b| a + b).unwrap();
            assert_eq!(ranks as usize, part.size());
        }
        if color == 1 {
            part.barrier().unwrap();
        }
        assert_eq!(comm.all_gather_value(round).unwrap(), vec![round; comm.size()]);
    }
    drop(part);
    comm.barrier().unwrap();
}

/// 10: a duplicate has the same ranks and its own messages.
pub(super) fn duplicates(comm: &Comm) {
    let (a, b) = (comm.duplicate().unwrap(), comm.duplicate().unwrap());
    assert!(!a.is_same(comm) && !a.is_same(&b) && a.is_same(&a.clone()));
    assert_eq!((a.rank(), a.size()), (comm.rank(), comm.size()));
    // A collective of one inside a visit of another: each rank is in both at once.
    let whole = crate::Blocks::whole(1, comm.size());
    let sum = a.exchange(&[comm.rank()], &whole, |parts: &[&[usize]]| {
        let mine = parts.iter().map(|part| part[0]).sum::<usize>();
        b.all_reduce_value(mine, |a, b| a + b).unwrap()
    });
    assert_eq!(sum.unwrap(), comm.size() * (0..comm.size()).sum::<usize>());
    drop(a);
    assert_eq!(b.all_gather_value(b.rank()).unwrap(), Vec::from_iter(0..comm.size()));
}

/// A scope changes no result, and holds for communicators that are made inside it.
pub(super) fn scope_reaches_parts(comm: &Comm) {
    let scope = comm.scope("outer");
    let part = comm.split(Some((comm.rank() % 2) as u32), 0).unwrap().expect("a part");
    let inner = part.scope("inner");
    assert_eq!(members(comm, &part).len(), part.size());
    drop(inner);
    comm.barrier().unwrap();
    drop(scope);
    part.barrier().unwrap();
}

/// A wrapper on some ranks only changes nothing that their peers see, inside a scope too.
pub(super) fn metered_in_between(comm: &Comm) {
    let _scope = comm.scope("outer");
    let (wrapped, meter) = Metered::wrap(comm);
    let mixed = if comm.rank().is_multiple_of(2) { &wrapped } else { comm };
    assert_eq!(members(comm, mixed), Vec::from_iter(0..comm.size()));
    let part = mixed.split(Some(0), 0).unwrap().expect("a part");
    part.barrier().unwrap();
    let calls = if comm.rank().is_multiple_of(2) { 3 } else { 0 };
    assert_eq!(meter.total().calls, calls);
}
