//! Ranks that say that they can't go on, and errors that they tell the others.

use maniple_core::{Comm, CommError, Error};
use maniple_threads::Cluster;

use super::{LIMIT, fatal, refused, support::within};

#[test]
fn fail_reaches_everyone_in_every_communicator() {
    let body = |comm: &Comm| {
        let part = comm.split(Some((comm.rank() / 2) as u32), 0).unwrap().expect("a part");
        if comm.rank() == 3 {
            comm.fail("disk full");
        }
        // Ranks 0 and 1 are in a part without rank 3. They may get through a barrier before it fails, but not for ever.
        (std::iter::repeat_with(|| part.barrier()).find(Result::is_err).unwrap_or(Ok(())), "")
    };
    fatal(4, body, |_| "rank 3 failed: disk full".to_string());
}

#[test]
fn fail_through_a_part_names_the_rank_of_the_cluster() {
    let body = |comm: &Comm| {
        let part = comm.split(Some(0), -(comm.rank() as i64)).unwrap().expect("a part");
        if part.rank() == 0 {
            part.fail("disk full");
        }
        (comm.barrier(), "")
    };
    fatal(3, body, |_| "rank 2 failed: disk full".to_string());
}

#[test]
fn an_error_on_one_rank_alone_through_agree() {
    let body = |comm: &Comm| {
        let mine: Result<u64, &str> = if comm.rank() == 2 { Err("no file x.npy") } else { Ok(1) };
        (comm.agree(mine).map(drop), "")
    };
    refused(4, body, |_| "rank 2: no file x.npy".to_string());
}

#[test]
fn a_failed_collective_inside_agree_is_not_taken_for_the_ranks_error() {
    let errors = within(LIMIT, || {
        Cluster::new(3).run(|comm| match comm.rank() {
            0 => Ok(()),
            _ => comm.agree::<(), CommError>(Ok(())),
        })
    })
    .unwrap();
    for error in &errors[1..] {
        assert!(matches!(error, Err(Error::Comm(CommError::Returned { rank: 0, .. }))), "{error:?}");
    }
}
