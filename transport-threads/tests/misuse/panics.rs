//! Ranks that panic: everyone is told the words, the panic goes on, and no memory is freed that a peer still reads.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::mpsc::channel;

use maniple_core::{Blocks, Comm, CommError, RecvFrom, SendTo};
use maniple_threads::Cluster;

use super::{LIMIT, support::within};

/// Rank 1 of 4 panics somewhere in `body`. The other ranks are told "rank 1 failed: {words}", and `run` panics with that very panic.
fn rank_1_panics(words: &str, body: impl Fn(&Comm) -> Result<(), CommError> + Sync) {
    let told = Mutex::new(Vec::new());
    let run = within(LIMIT, || {
        catch_unwind(AssertUnwindSafe(|| {
            Cluster::new(4).run(|comm| {
                let result = body(comm).and_then(|()| comm.barrier());
                told.lock().unwrap().push((comm.rank(), result.map_err(|e| e.to_string())));
            })
        }))
    });
    let panic = run.expect_err("the panic goes on");
    assert_eq!(panic.downcast_ref::<String>().map(String::as_str), Some(words));
    let mut told = told.into_inner().unwrap();
    told.sort();
    let expected = Err(format!("rank 1 failed: {words}"));
    assert_eq!(told, [0, 2, 3].map(|rank| (rank, expected.clone())));
}

/// So that the panic's payload is a `String`, and the compiler does not see that it always happens.
fn oh_no(comm: &Comm, place: &str) {
    if comm.rank() == 1 {
        panic!("oh no, {place}");
    }
}

#[test]
fn outside_of_any_collective() {
    rank_1_panics("oh no, before", |comm| {
        oh_no(comm, "before");
        comm.barrier()
    });
}

#[test]
fn in_a_visit() {
    rank_1_panics("oh no, in a visit", |comm| {
        let values = vec![comm.rank() as u64; 1000];
        comm.exchange(&values, &Blocks::whole(1000, 4), |parts| {
            oh_no(comm, "in a visit");
            std::thread::sleep(std::time::Duration::from_millis(5)); // rank 1 unwinds meanwhile
            assert!(parts.iter().enumerate().all(|(r, part)| part.iter().all(|&v| v == r as u64)));
        })
    });
}

#[test]
fn in_a_reduction() {
    for n in [1, 50_000] {
        rank_1_panics("oh no, in a reduction", |comm| {
            let op = |a: u64, b: u64| {
                oh_no(comm, "in a reduction");
                a + b
            };
            comm.all_reduce(&vec![1; n], op).map(drop)
        });
    }
}

fn ring(comm: &Comm, overlap: impl FnOnce()) -> Result<(), CommError> {
    let (p, me) = (comm.size(), comm.rank());
    let data = [me as u64; 100];
    let mut recv = [0; 100];
    let recvs = vec![RecvFrom::new((me + p - 1) % p, &mut recv)];
    comm.exchange_with(&[SendTo::new((me + 1) % p, &data)], recvs, overlap)
}

#[test]
fn in_an_overlap_before_all_have_arrived() {
    rank_1_panics("oh no, in an overlap", |comm| {
        if comm.rank() != 1 {
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        ring(comm, || oh_no(comm, "in an overlap"))
    });
}

#[test]
fn in_an_overlap_after_all_have_arrived() {
    let (arrived, all) = channel();
    let (arrived, all) = (Mutex::new(arrived), Mutex::new(all));
    rank_1_panics("oh no, in an overlap", |comm| {
        if comm.rank() == 1 {
            (0..3).for_each(|_| all.lock().unwrap().recv().unwrap());
        }
        ring(comm, || match comm.rank() {
            1 => oh_no(comm, "in an overlap"),
            _ => arrived.lock().unwrap().send(()).unwrap(),
        })
    });
}

#[test]
fn in_a_part() {
    rank_1_panics("oh no, in a part", |comm| {
        let part = comm.split(Some((comm.rank() % 2) as u32), 0)?.expect("a part");
        oh_no(comm, "in a part");
        part.barrier()
    });
}

#[test]
fn of_several_the_first_goes_on() {
    let run = within(LIMIT, || {
        catch_unwind(AssertUnwindSafe(|| {
            Cluster::new(4).run(|comm| {
                oh_no(comm, "first");
                comm.barrier().unwrap(); // panics in turn
            })
        }))
    });
    let panic = run.expect_err("the panic goes on");
    assert_eq!(panic.downcast_ref::<String>().map(String::as_str), Some("oh no, first"));
}

#[test]
fn with_something_that_is_no_text() {
    let told = Mutex::new(None);
    let run = within(LIMIT, || {
        catch_unwind(AssertUnwindSafe(|| {
            Cluster::new(2).run(|comm| match comm.rank() {
                0 => std::panic::panic_any(17_u8),
                _ => *told.lock().unwrap() = comm.barrier().err(),
            })
        }))
    });
    assert_eq!(run.expect_err("the panic goes on").downcast_ref::<u8>(), Some(&17));
    let told = told.into_inner().unwrap().expect("an error");
    assert_eq!(told.to_string(), "rank 0 failed: a panic without a message");
}

/// A visit's panic is an error of that one collective. A rank that catches its panic goes on with the others.
#[test]
fn that_the_rank_itself_catches() {
    let results = within(LIMIT, || {
        Cluster::new(3).run(|comm| {
            let visit = || comm.exchange(&[1_u8], &Blocks::whole(1, 3), |_| oh_no(comm, "caught"));
            let first = match catch_unwind(AssertUnwindSafe(visit)) {
                Ok(result) => result.expect_err("rank 1 panics").to_string(),
                Err(panic) => format!("rank 1 failed: {}", panic.downcast_ref::<String>().expect("words")),
            };
            (first, comm.all_gather_value(comm.rank()))
        })
    });
    for (first, after) in results.unwrap() {
        assert_eq!(first, "rank 1 failed: oh no, caught");
        assert_eq!(after, Ok(vec![0, 1, 2]));
    }
}
