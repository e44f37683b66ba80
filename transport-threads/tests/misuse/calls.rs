//! Ranks that are not in the same collective.

use maniple_core::{Blocks, Comm, CommError};

use super::{Outcome, at, refused};

/// What rank 0 does and what the others do, in words of the error.
#[track_caller]
fn differ(calls: impl Fn(&Comm) -> Outcome + Sync, first: &str, others: &str) {
    refused(3, calls, |at| {
        format!(
            "ranks are in different collectives: rank 0: {first} at {}; ranks 1, 2: {others} at {}",
            at[0], at[1]
        )
    });
}

#[test]
fn operations() {
    let calls = |comm: &Comm| match comm.rank() {
        0 => at!(comm.barrier()),
        _ => at!(comm.all_gather(&[1_u64])),
    };
    differ(calls, "barrier", "all_gather::<u64> len 1");
    let calls = |comm: &Comm| match comm.rank() {
        0 => at!(comm.split(Some(1), 0)),
        _ => at!(comm.exchange_with::<u8, _>(&[], vec![], || ())),
    };
    differ(calls, "split", "exchange_with::<u8>");
    let whole = |comm: &Comm| Blocks::whole(1, comm.size());
    let calls = |comm: &Comm| match comm.rank() {
        0 => at!(comm.exchange(&[1_i32], &whole(comm), |_| panic!("not to be visited"))),
        _ => at!(comm.all_to_all_v_into(&[1_i32], &whole(comm), &mut [0; 3], &Blocks::even(3, 3))),
    };
    differ(calls, "exchange::<i32>", "all_to_all_v::<i32>");
}

#[test]
fn every_rank_another_operation() {
    let calls = |comm: &Comm| match comm.rank() {
        0 => at!(comm.barrier()),
        1 => at!(comm.bcast_value(0, 1_u8)),
        2 => at!(comm.barrier()),
        _ => at!(comm.all_to_all(&[0_u16; 4])),
    };
    refused(4, calls, |at| {
        format!(
            "ranks are in different collectives: rank 0: barrier at {}; rank 1: bcast::<u8> len 1 root 0 at {}; \
             rank 2: barrier at {}; rank 3: all_to_all::<u16> len 4 at {}",
            at[0], at[1], at[2], at[3]
        )
    });
}

#[test]
fn element_types() {
    let calls = |comm: &Comm| match comm.rank() {
        0 => at!(comm.all_gather(&[1_u64])),
        _ => at!(comm.all_gather(&[1_f64])), // as wide, but another type
    };
    differ(calls, "all_gather::<u64> len 1", "all_gather::<f64> len 1");
    let calls = |comm: &Comm| match comm.rank() {
        0 => at!(comm.all_reduce_value(1_u32, |a, b| a + b)),
        _ => at!(comm.all_reduce_value(1_u64, |a, b| a + b)),
    };
    differ(calls, "all_gather::<u32> len 1 in all_reduce", "all_gather::<u64> len 1 in all_reduce");
    let calls = |comm: &Comm| match comm.rank() {
        0 => at!(comm.bcast::<[u8; 2]>(0, &mut [])), // nothing moves, but it would
        _ => at!(comm.bcast::<u16>(0, &mut [])),
    };
    differ(calls, "bcast::<[u8; 2]> len 0 root 0", "bcast::<u16> len 0 root 0");
}

#[test]
fn lengths() {
    let calls = |comm: &Comm| match comm.rank() {
        0 => at!(comm.all_gather(&[1_u8, 2])),
        _ => at!(comm.all_gather(&[1_u8])),
    };
    differ(calls, "all_gather::<u8> len 2", "all_gather::<u8> len 1");
    let calls = |comm: &Comm| match comm.rank() {
        0 => at!(comm.bcast(1, &mut [1_u8, 2])),
        _ => at!(comm.bcast(1, &mut [1_u8])),
    };
    differ(calls, "bcast::<u8> len 2 root 1", "bcast::<u8> len 1 root 1");
    let calls = |comm: &Comm| match comm.rank() {
        0 => at!(comm.all_to_all(&[1_u8; 6])),
        _ => at!(comm.all_to_all(&[1_u8; 3])),
    };
    differ(calls, "all_to_all::<u8> len 6", "all_to_all::<u8> len 3");
    let calls = |comm: &Comm| match comm.rank() {
        0 => at!(comm.gather(1, &[1_u8; 6])),
        _ => at!(comm.gather(1, &[1_u8; 3])),
    };
    differ(calls, "exchange_with::<u8> len 6 root 1", "exchange_with::<u8> len 3 root 1");
    let long = 100_000; // the paths of short and of long vectors are different collectives
    let calls = |comm: &Comm| match comm.rank() {
        0 => at!(comm.all_reduce(&[1_u8; 3], |a, b| a | b)),
        _ => at!(comm.all_reduce(&vec![1_u8; long], |a, b| a | b)),
    };
    differ(calls, "all_gather::<u8> len 3 in all_reduce", "exchange::<u8> len 100000 in all_reduce");
}

#[test]
fn roots() {
    let calls = |comm: &Comm| match comm.rank() {
        0 => at!(comm.bcast_value(0, 1_u64)),
        _ => at!(comm.bcast_value(1, 1_u64)),
    };
    differ(calls, "bcast::<u64> len 1 root 0", "bcast::<u64> len 1 root 1");
    let calls = |comm: &Comm| match comm.rank() {
        0 => at!(comm.gather(2, &[1_u64])),
        _ => at!(comm.gather(0, &[1_u64])),
    };
    differ(calls, "exchange_with::<u64> len 1 root 2", "exchange_with::<u64> len 1 root 0");
    let calls = |comm: &Comm| match comm.rank() {
        0 => at!(comm.scatter(0, &[1_u64, 2, 3])),
        _ => at!(comm.scatter::<u64>(1, &[])),
    };
    differ(calls, "bcast::<usize> len 3 root 0", "bcast::<usize> len 3 root 1");
}

#[test]
fn no_such_root() {
    let named = |call: fn(&Comm, usize) -> Result<(), CommError>, words: &str| {
        let body = |comm: &Comm| (call(comm, if comm.rank() == 2 { 3 } else { 0 }), "");
        refused(3, body, |_| {
            format!("rank 2 names rank 3 of a communicator of 3: {words} at {}:{}", file!(), line_of(call))
        });
    };
    named(|comm, root| comm.bcast_value(root, 1_u8).map(drop), "bcast::<u8> len 1 root 3");
    named(|comm, root| comm.gather(root, &[1_u8]).map(drop), "exchange_with::<u8> len 1 root 3");
    named(|comm, root| comm.scatter(root, &[1_u8; 3]).map(drop), "bcast::<u8> root 3");
    named(
        |comm, root| comm.scatter_v(root, &[1_u8; 3], &Blocks::even(3, 3)).map(drop),
        "exchange_with::<u8> root 3",
    );
}

/// The line of a call on one line, as an error on a single rank tells it.
fn line_of(call: fn(&Comm, usize) -> Result<(), CommError>) -> u32 {
    let words = call(&Comm::solo(), 1).expect_err("one rank has no rank 1").to_string();
    words.rsplit(':').next().and_then(|line| line.parse().ok()).expect("an error ends with its line")
}

#[test]
fn operators() {
    // Which closure folds can't be compared; that ranks want other blocks of the result can.
    let calls = |comm: &Comm| {
        let blocks = if comm.rank() == 0 { Blocks::packed(vec![2, 0, 0]) } else { Blocks::even(2, 3) };
        let (result, _) = at!(comm.reduce_scatter(&[1_u64, 2], &blocks, |a, b| a + b));
        let result: Result<(), CommError> = result;
        let message = result.unwrap_err().to_string();
        assert!(
            message.starts_with("ranks are in different collectives: rank 0: exchange::<u64> len 2 args ")
        );
        assert_eq!(message.matches(" in reduce_scatter at ").count(), 2, "{message}");
        comm.scan(&[1], |a, b| a + b).unwrap(); // goes on
        match comm.rank() {
            0 => at!(comm.scan(&[1_u8], |a, b| a + b)),
            _ => at!(comm.ex_scan(&[1_u8], |a, b| a + b)),
        }
    };
    differ(calls, "all_gather::<u8> len 1 in scan", "all_gather::<u8> len 1 in ex_scan");
}

#[test]
fn scopes() {
    let calls = |comm: &Comm| {
        let (_scope, at) =
            (comm.scope(if comm.rank() == 0 { "sort" } else { "unique" }), concat!(file!(), ":", line!()));
        (comm.barrier(), at)
    };
    differ(calls, "barrier in sort", "barrier in unique");
}

#[test]
fn a_loop_that_ends_earlier() {
    let calls = |comm: &Comm| {
        for _ in 0..if comm.rank() == 0 { 2 } else { 3 } {
            let (result, at) = at!(comm.all_gather(&[0_u8]));
            if result.is_err() {
                return (result, at);
            }
        }
        at!(comm.barrier())
    };
    differ(calls, "barrier", "all_gather::<u8> len 1");
}
