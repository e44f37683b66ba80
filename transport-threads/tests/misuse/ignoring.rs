//! Ranks that get an error and go on as if nothing had happened.

use maniple_core::{Comm, CommError};
use maniple_threads::Cluster;

use super::{LIMIT, support::within};

#[test]
fn after_a_wrong_call_all_are_at_the_same_place_again() {
    let results = within(LIMIT, || {
        Cluster::new(3).run(|comm| {
            let wrong = if comm.rank() == 1 { comm.barrier() } else { comm.all_gather(&[1_u8]).map(drop) };
            (wrong.is_err(), comm.all_gather_value(comm.rank()))
        })
    });
    assert_eq!(results.unwrap(), vec![(true, Ok(vec![0, 1, 2])); 3]);
}

#[test]
fn one_of_them_ends_the_others() {
    // Rank 0 does not look at its error and calls once more; the others give up.
    let body = |comm: &Comm| {
        let first = comm.bcast_value(if comm.rank() == 2 { 9 } else { 0 }, 1_u8);
        if comm.rank() == 0 {
            return comm.barrier();
        }
        first.map(drop)
    };
    let results = within(LIMIT, || Cluster::new(3).run(body)).unwrap();
    assert!(matches!(&results[0], Err(CommError::Returned { rank: 1 | 2, .. })), "{:?}", results[0]);
    assert!(matches!(&results[1], Err(CommError::NoSuchRank { rank: 2, named: 9, .. })), "{:?}", results[1]);
    assert_eq!(results[1], results[2]);
}

#[test]
fn a_dead_cluster_stays_dead_in_communicators_made_before_and_after() {
    let results = within(LIMIT, || {
        Cluster::new(4).run(|comm| {
            let before = comm.duplicate().unwrap();
            if comm.rank() == 0 {
                comm.fail("enough");
            }
            let mut errors = vec![comm.barrier().err(), before.barrier().err(), comm.split(Some(0), 0).err()];
            errors.push(before.all_gather(&[1_u64]).err());
            errors
        })
    });
    let expected = Some(CommError::PeerFailed { rank: 0, message: "enough".to_string() });
    assert_eq!(results.unwrap(), vec![vec![expected; 4]; 4]);
}
