//! A wrong call is an error on every rank, harms nobody's data, and the communicator goes on.

use crate::blocks::{Blocks, BlocksError};
use crate::comm::{Comm, RecvFrom, SendTo};
use crate::error::CommError;

/// The next collective after an error.
fn goes_on(comm: &Comm) {
    assert_eq!(comm.all_gather_value(comm.rank()).unwrap(), Vec::from_iter(0..comm.size()));
}

/// 8: arguments that are wrong everywhere. Rank 0 is named.
pub(super) fn wrong_on_every_rank(comm: &Comm) {
    let p = comm.size();
    let error = comm.bcast(p, &mut [1_u8]).unwrap_err();
    assert!(
        matches!(error, CommError::NoSuchRank { rank: 0, named, size, .. } if (named, size) == (p, p)),
        "{error}"
    );
    let error = comm.all_to_all_v(&[1_u8, 2], &Blocks::whole(3, p)).unwrap_err();
    let expected = BlocksError::PastEnd { rank: 0, end: 3, len: 2 };
    assert!(matches!(&error, CommError::Blocks { rank: 0, why, .. } if *why == expected), "{error}");
    goes_on(comm);
}

/// 8: arguments that are wrong on one rank, whichever it is.
pub(super) fn wrong_on_one_rank(comm: &Comm) {
    let p = comm.size();
    for wrong in 0..p {
        let blocks = if comm.rank() == wrong { Blocks::whole(1, p + 1) } else { Blocks::whole(1, p) };
        let visited = comm.exchange(&[1_u64], &blocks, |_| ());
        let (expected, found) = (p, p + 1);
        let error = visited.unwrap_err();
        assert!(
            matches!(&error, CommError::Blocks { rank, why: BlocksError::Ranks { expected: e, found: f }, .. }
                if (*rank, *e, *f) == (wrong, expected, found)),
            "{error}"
        );
        goes_on(comm);
    }
}

/// 2, 8: what one rank sends is not what the other expects.
pub(super) fn counts_that_differ(comm: &Comm) {
    let (p, me) = (comm.size(), comm.rank());
    let (to, from) = ((me + 1) % p, (me + p - 1) % p);
    let data = [me as u64; 2];
    let mut recv = [u64::MAX; 3];
    let recvs = vec![RecvFrom::new(from, &mut recv[..if me == 0 { 3 } else { 2 }])];
    let error = comm.exchange_with(&[SendTo::new(to, &data)], recvs, || ()).unwrap_err();
    assert!(
        matches!(error, CommError::Counts { from, to: 0, sent: 2, expected: 3, .. } if from == p - 1),
        "{error}"
    );
    goes_on(comm);
}

/// 9: a failed collective leaves the send buffers, and outside the declared blocks the receive buffers.
pub(super) fn nothing_was_sent(comm: &Comm) {
    let (p, me) = (comm.size(), comm.rank());
    let values: Vec<u64> = (0..p as u64).map(|r| 100 * me as u64 + r).collect();
    let before = values.clone();
    let mut recv = vec![7_u64; 2 * p + 1];
    let sends = Blocks::packed(vec![1; p]);
    // Rank 0 expects two elements from everyone, and everyone sends it one.
    let count = if me == 0 { 2 } else { 1 };
    let recvs = Blocks::new(vec![count; p], (0..p).map(|r| 2 * r).collect()).unwrap();
    let error = comm.all_to_all_v_into(&values, &sends, &mut recv, &recvs).unwrap_err();
    assert!(matches!(error, CommError::Counts { from: 0, to: 0, sent: 1, expected: 2, .. }), "{error}");
    assert_eq!(values, before);
    assert_eq!(recv[2 * p], 7);
    goes_on(comm);
}

/// 8: errors of several kinds directly after each other, without mixing.
pub(super) fn many_errors(comm: &Comm) {
    let p = comm.size();
    for round in 0..20 {
        let wrong = round % p;
        let root = if comm.rank() == wrong { p + round } else { 0 };
        let error = comm.bcast_value(root, 1_u64).unwrap_err();
        assert!(
            matches!(error, CommError::NoSuchRank { rank, named, .. } if (rank, named) == (wrong, p + round)),
            "{error}"
        );
        let data = vec![0_u8; if comm.rank() == wrong { 2 * p + 1 } else { 2 * p }];
        if p > 1 {
            let error = comm.all_to_all(&data).unwrap_err();
            assert!(matches!(error, CommError::Length { rank, .. } if rank == wrong), "{error}");
        }
    }
    goes_on(comm);
}

/// 8, 10: an error in a part is none of the parent or of another part.
pub(super) fn parts_survive_errors(comm: &Comm) {
    let color = comm.rank() % 2;
    let part = comm.split(Some(color as u32), 0).unwrap().expect("a part");
    if color == 0 {
        part.bcast_value(part.size(), 1_u8).unwrap_err();
    } else {
        goes_on(&part);
    }
    goes_on(comm);
    goes_on(&part);
}
