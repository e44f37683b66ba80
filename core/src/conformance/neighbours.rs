//! Messages between some ranks.

use crate::comm::{Comm, RecvFrom, SendTo};

use super::sample::{Sample, assert_same, each_type, filler, message};

/// 5: a ring in both directions. On one or two ranks both neighbours are the same rank.
pub(super) fn both_neighbours(comm: &Comm) {
    each_type!(both_neighbours_of(comm));
}

fn both_neighbours_of<T: Sample>(comm: &Comm) {
    let (p, me) = (comm.size(), comm.rank());
    let (next, before) = ((me + 1) % p, (me + p - 1) % p);
    let (up, down) = (message::<T>(me, 100, 5), message::<T>(me, 101, 2));
    let (mut from_before, mut from_next) = ([filler::<T>(); 5], [filler::<T>(); 2]);
    let sends = [SendTo::new(next, &up), SendTo::new(before, &down)];
    let recvs = vec![RecvFrom::new(before, &mut from_before), RecvFrom::new(next, &mut from_next)];
    comm.exchange_with(&sends, recvs, || ()).unwrap();
    assert_same(&from_before, &message(before, 100, 5));
    assert_same(&from_next, &message(next, 101, 2));
}

/// 7: several messages from one rank to another arrive in the order in which they were sent.
pub(super) fn messages_do_not_overtake(comm: &Comm) {
    const MESSAGES: usize = 20;
    let (p, me) = (comm.size(), comm.rank());
    let (to, from) = ((me + 1) % p, (me + p - 1) % p);
    let len = |k: usize| (7 * k) % 5;
    let sent: Vec<Vec<u32>> = (0..MESSAGES).map(|k| message(me, k, len(k))).collect();
    let sends: Vec<_> = sent.iter().map(|data| SendTo::new(to, data)).collect();
    let all = comm.collect_from(&sends, &Vec::from_iter((0..MESSAGES).map(|k| (from, len(k))))).unwrap();
    assert_same(&all, &Vec::from_iter((0..MESSAGES).flat_map(|k| message::<u32>(from, k, len(k)))));
}

/// 5: a rank is its own partner.
pub(super) fn messages_to_oneself(comm: &Comm) {
    let me = comm.rank();
    let (a, b) = (message::<u64>(me, 0, 3), message::<u64>(me, 1, 3));
    let (mut first, mut second) = ([0; 3], [0; 3]);
    let sends = [SendTo::new(me, &a), SendTo::new(me, &b)];
    let recvs = vec![RecvFrom::new(me, &mut first), RecvFrom::new(me, &mut second)];
    comm.exchange_with(&sends, recvs, || ()).unwrap();
    assert_same(&first, &a);
    assert_same(&second, &b);
}

/// 3: only the ranks 0 and `size - 1` have something to say; the others call too.
pub(super) fn few_partners(comm: &Comm) {
    let (last, me) = (comm.size() - 1, comm.rank());
    let data = message::<u16>(0, last, 17);
    let sends = [SendTo::new(last, &data)];
    let sends = if me == 0 { &sends[..] } else { &[] };
    let sources = if me == last { vec![(0, 17)] } else { Vec::new() };
    let received = comm.collect_from(sends, &sources).unwrap();
    assert_same(&received, if me == last { &data } else { &[] });
}

/// 3: an empty message is a message.
pub(super) fn empty_messages(comm: &Comm) {
    let (p, me) = (comm.size(), comm.rank());
    let (to, from) = ((me + 1) % p, (me + p - 1) % p);
    let one = [me as u64];
    let sends = [SendTo::new(to, &[]), SendTo::new(to, &one), SendTo::new(to, &[])];
    assert_eq!(comm.collect_from(&sends, &[(from, 0), (from, 1), (from, 0)]).unwrap(), [from as u64]);
}

/// The overlap runs once, on this thread, and its result comes back.
pub(super) fn overlap_runs_once(comm: &Comm) {
    let (mut runs, thread) = (0, std::thread::current().id());
    let data = [comm.rank() as u64];
    let mut recv = [u64::MAX];
    let result = comm
        .exchange_with(
            &[SendTo::new(comm.rank(), &data)],
            vec![RecvFrom::new(comm.rank(), &mut recv)],
            || {
                runs += 1;
                assert_eq!(std::thread::current().id(), thread);
                "done"
            },
        )
        .unwrap();
    assert_eq!((result, runs, recv), ("done", 1, data));
}

/// 7: from every rank, received in an order of the receiver's choice.
pub(super) fn collect_in_any_order(comm: &Comm) {
    each_type!(collect_in_any_order_of(comm));
}

fn collect_in_any_order_of<T: Sample>(comm: &Comm) {
    let (p, me) = (comm.size(), comm.rank());
    let len = |from: usize, to: usize| (from + 2 * to) % 4;
    let sent: Vec<Vec<T>> = (0..p).map(|to| message(me, to, len(me, to))).collect();
    let falling: Vec<usize> = (0..p).rev().collect();
    let sends: Vec<_> = falling.iter().map(|&to| SendTo::new(to, &sent[to])).collect();
    let turned: Vec<usize> = (0..p).map(|k| (me + k) % p).collect();
    let sources: Vec<_> = turned.iter().map(|&from| (from, len(from, me))).collect();
    let all = comm.collect_from(&sends, &sources).unwrap();
    assert_same(&all, &Vec::from_iter(turned.iter().flat_map(|&from| message::<T>(from, me, len(from, me)))));
}
