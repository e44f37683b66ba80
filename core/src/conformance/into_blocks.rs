//! Into buffers of the caller: the declared blocks are filled, and not a byte around them.

use crate::blocks::Blocks;
use crate::comm::{Comm, RecvFrom, SendTo};

use super::sample::{Sample, assert_same, count, each_type, filled, filler, message, scattered};

/// 3, 5: `all_gather_v_into` with gaps and in any order.
pub(super) fn all_gather_into_gaps(comm: &Comm) {
    each_type!(all_gather_into_gaps_of(comm));
}

fn all_gather_into_gaps_of<T: Sample>(comm: &Comm) {
    let of = |r: usize| message::<T>(r, 0, count(r, 0));
    let (blocks, len) = scattered((0..comm.size()).map(|r| count(r, 0)).collect());
    let mut recv = vec![filler(); len];
    comm.all_gather_v_into(&of(comm.rank()), &mut recv, &blocks).unwrap();
    assert_same(&recv, &filled(&blocks, len, of));
}

/// 3, 5: `all_to_all_v_into` with gaps and in any order, on both sides.
pub(super) fn all_to_all_into_gaps(comm: &Comm) {
    each_type!(all_to_all_into_gaps_of(comm));
}

fn all_to_all_into_gaps_of<T: Sample>(comm: &Comm) {
    let (p, me) = (comm.size(), comm.rank());
    let (sends, sent) = scattered((0..p).map(|r| count(me, r)).collect());
    let (recvs, received) = scattered((0..p).map(|r| count(r, me)).collect());
    let values = filled(&sends, sent, |r| message::<T>(me, r, count(me, r)));
    let before = values.clone();
    let mut recv = vec![filler(); received];
    comm.all_to_all_v_into(&values, &sends, &mut recv, &recvs).unwrap();
    assert_same(&recv, &filled(&recvs, received, |r| message::<T>(r, me, count(r, me))));
    assert_same(&values, &before);
}

/// 3: nobody looks at the displacement of an empty block, even of an empty buffer.
pub(super) fn empty_blocks_lie_anywhere(comm: &Comm) {
    let p = comm.size();
    let nowhere = Blocks::new(vec![0; p], (0..p).map(|r| usize::MAX - r).collect()).unwrap();
    let mut recv = [7_u64; 2];
    comm.all_gather_v_into(&[], &mut recv, &nowhere).unwrap();
    comm.all_to_all_v_into(&[], &nowhere, &mut recv, &nowhere).unwrap();
    assert_eq!(recv, [7; 2]);
    let (all, blocks) = comm.all_to_all_v::<u64>(&[], &nowhere).unwrap();
    assert!(all.is_empty());
    assert_eq!(blocks, Blocks::packed(vec![0; p]));
    let seen =
        comm.exchange(&[1_u64], &nowhere, |parts| parts.iter().map(|part| part.len()).collect::<Vec<_>>());
    assert_eq!(seen.unwrap(), vec![0; p]);
    assert!(comm.reduce_scatter(&[1_u64], &nowhere, |a, b| a + b).unwrap().is_empty());
}

/// 5: a message into part of a buffer leaves the rest.
pub(super) fn messages_into_part_of_a_buffer(comm: &Comm) {
    each_type!(into_part_of(comm));
}

fn into_part_of<T: Sample>(comm: &Comm) {
    let (p, me) = (comm.size(), comm.rank());
    let (next, before) = ((me + 1) % p, (me + p - 1) % p);
    let mut recv = [filler::<T>(); 9];
    let sent = message(me, next, 4);
    comm.exchange_with(&[SendTo::new(next, &sent)], vec![RecvFrom::new(before, &mut recv[3..7])], || ())
        .unwrap();
    assert_same(&recv[..3], &[filler(); 3]);
    assert_same(&recv[3..7], &message(before, me, 4));
    assert_same(&recv[7..], &[filler(); 2]);
}
