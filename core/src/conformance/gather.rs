//! One to all, all to one, one to each, all to all of the same.

use crate::blocks::Blocks;
use crate::comm::Comm;

use super::sample::{Sample, assert_same, count, each_type, filler, message};

/// 1: all ranks come to a barrier, again and again.
pub(super) fn barrier(comm: &Comm) {
    (0..100).for_each(|_| comm.barrier().unwrap());
}

/// 5: everyone has the root's bytes, whoever it is.
pub(super) fn bcast(comm: &Comm) {
    each_type!(bcast_of(comm));
}

fn bcast_of<T: Sample>(comm: &Comm) {
    for (root, n) in (0..comm.size()).zip([3, 0, 1, 1000].into_iter().cycle()) {
        let expected: Vec<T> = message(root, 0, n);
        let mut values = if comm.rank() == root { expected.clone() } else { vec![filler(); n] };
        comm.bcast(root, &mut values).unwrap();
        assert_same(&values, &expected);
        let value = comm.bcast_value(root, T::sample(comm.rank() as u64)).unwrap();
        assert_same(&[value], &[T::sample(root as u64)]);
    }
}

/// 5, 7: everyone has everyone's bytes, in rank order.
pub(super) fn all_gather(comm: &Comm) {
    each_type!(all_gather_of(comm));
}

fn all_gather_of<T: Sample>(comm: &Comm) {
    for n in [0, 1, 5, 333] {
        let all = comm.all_gather::<T>(&message(comm.rank(), 0, n)).unwrap();
        let expected: Vec<T> = (0..comm.size()).flat_map(|r| message(r, 0, n)).collect();
        assert_same(&all, &expected);
    }
    let all = comm.all_gather_value(T::sample(comm.rank() as u64)).unwrap();
    assert_same(&all, &Vec::from_iter((0..comm.size() as u64).map(T::sample)));
}

/// 3, 5, 7: as many as each rank has, some none.
pub(super) fn all_gather_v(comm: &Comm) {
    each_type!(all_gather_v_of(comm));
}

fn all_gather_v_of<T: Sample>(comm: &Comm) {
    let of = |r: usize| message::<T>(r, 1, count(r, 0) * 11);
    let (all, blocks) = comm.all_gather_v(&of(comm.rank())).unwrap();
    assert_same(&all, &Vec::from_iter((0..comm.size()).flat_map(of)));
    assert_eq!(blocks, Blocks::packed((0..comm.size()).map(|r| count(r, 0) * 11).collect()));
}

/// 3, 5, 7: the root alone has everyone's bytes, in rank order.
pub(super) fn gather(comm: &Comm) {
    each_type!(gather_of(comm));
}

fn gather_of<T: Sample>(comm: &Comm) {
    let (p, me) = (comm.size(), comm.rank());
    for root in 0..p {
        let gathered = comm.gather::<T>(root, &message(me, root, 4)).unwrap();
        assert_eq!(gathered.is_some(), me == root);
        let expected: Vec<T> = (0..p).flat_map(|r| message(r, root, 4)).collect();
        gathered.into_iter().for_each(|all| assert_same(&all, &expected));

        let gathered = comm.gather_v::<T>(root, &message(me, root, count(me, root))).unwrap();
        assert_eq!(gathered.is_some(), me == root);
        if let Some((all, blocks)) = gathered {
            assert_same(&all, &Vec::from_iter((0..p).flat_map(|r| message(r, root, count(r, root)))));
            assert_eq!(blocks, Blocks::packed((0..p).map(|r| count(r, root)).collect()));
        }
    }
}

/// 3, 5: each rank has its part of the root's bytes; only the root's arguments count.
pub(super) fn scatter(comm: &Comm) {
    each_type!(scatter_of(comm));
}

fn scatter_of<T: Sample>(comm: &Comm) {
    let (p, me) = (comm.size(), comm.rank());
    for root in 0..p {
        let parts = |n: usize| Vec::from_iter((0..p).flat_map(move |r| message::<T>(root, r, n)));
        let values = if me == root { parts(3) } else { vec![filler(); 5 * me] };
        assert_same(&comm.scatter(root, &values).unwrap(), &message(root, me, 3));

        let counts: Vec<usize> = (0..p).map(|r| count(root, r)).collect();
        let (blocks, len) = super::sample::scattered(counts);
        let all = super::sample::filled(&blocks, len, |r| message::<T>(root, r, count(root, r)));
        let nothing = Blocks::packed(Vec::new());
        let (values, blocks) = if me == root { (&all[..], &blocks) } else { (&[][..], &nothing) };
        assert_same(&comm.scatter_v(root, values, blocks).unwrap(), &message(root, me, count(root, me)));
    }
}
