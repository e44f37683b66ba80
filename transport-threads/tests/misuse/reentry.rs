//! A collective inside a visit or an overlap of the same communicator.

use maniple_core::{Blocks, Comm, CommError};

use super::{at, refused};

#[test]
fn from_a_visit() {
    let body = |comm: &Comm| {
        let inner = |_: &[&[u8]]| match comm.rank() {
            1 => comm.barrier().expect_err("in a visit").to_string(),
            _ => String::new(),
        };
        at!(comm.exchange(&[1_u8], &Blocks::whole(1, 3), inner))
    };
    let line = line!() - 5;
    refused(3, body, |at| {
        format!("rank 1 calls barrier at {}:{line} from inside exchange::<u8> at {}", file!(), at[1])
    });
}

#[test]
fn from_an_overlap() {
    let body = |comm: &Comm| {
        let inner = || comm.all_gather(&[1_u8]).expect_err("in an overlap").to_string();
        let inner = || if comm.rank() == 2 { inner() } else { String::new() };
        at!(comm.exchange_with::<u64, _>(&[], vec![], inner))
    };
    let line = line!() - 4;
    refused(3, body, |at| {
        let inner = format!("all_gather::<u8> len 1 at {}:{line}", file!());
        format!("rank 2 calls {inner} from inside exchange_with::<u64> at {}", at[2])
    });
}

#[test]
fn from_a_reduction() {
    let body = |comm: &Comm| {
        let op = |a: u64, b: u64| {
            if comm.rank() == 0 {
                drop(comm.split(None, 0));
            }
            a + b
        };
        at!(comm.all_reduce(&[1; 50_000], op))
    };
    refused(3, body, |at| {
        let outer = format!("exchange::<u64> len 50000 in all_reduce at {}", at[0]);
        format!("rank 0 calls split in all_reduce at {} from inside {outer}", at[0])
    });
}

#[test]
fn with_wrong_arguments() {
    let body = |comm: &Comm| {
        let inner = |_: &[&[u8]]| comm.bcast_value(99, 1_u8).is_err();
        at!(comm.exchange(&[1_u8], &Blocks::whole(1, 2), inner))
    };
    let line = line!() - 3;
    refused(2, body, |at| {
        let inner = format!("bcast::<u8> len 1 root 99 at {}:{line}", file!());
        format!("rank 0 calls {inner} from inside exchange::<u8> at {}", at[0])
    });
}

/// A re-entry whose outer collective fails for another reason does not haunt the next collective.
#[test]
fn is_forgotten_with_its_collective() {
    let body = |comm: &Comm| {
        let inner = || comm.barrier().is_err();
        match comm.rank() {
            0 => at!(comm.exchange_with::<u8, _>(&[], vec![], inner)),
            _ => at!(comm.barrier()),
        }
    };
    refused(2, body, |at| {
        format!(
            "ranks are in different collectives: rank 0: exchange_with::<u8> at {}; rank 1: barrier at {}",
            at[0], at[1]
        )
    });
}

/// Inside a visit, another communicator is as good as ever, and its errors are its own.
#[test]
fn of_another_communicator_is_none() {
    let body = |comm: &Comm| {
        let other = comm.duplicate().unwrap();
        let (result, at) = comm
            .exchange(&[1_u8], &Blocks::whole(1, 3), |_| {
                other.barrier().unwrap();
                at!(other.bcast_value(if comm.rank() == 0 { 7 } else { 0 }, 1_u8))
            })
            .unwrap();
        let result: Result<(), CommError> = result;
        (result, at)
    };
    refused(3, body, |at| {
        format!("rank 0 names rank 7 of a communicator of 3: bcast::<u8> len 1 root 7 at {}", at[0])
    });
}
