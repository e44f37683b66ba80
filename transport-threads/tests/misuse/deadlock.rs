//! Ranks that wait for each other in different communicators. Found at once, without a time limit.

use maniple_core::{Blocks, Comm};

use super::{at, fatal};

#[test]
fn two_communicators_in_opposite_order() {
    let body = |comm: &Comm| {
        let other = comm.duplicate().unwrap();
        match comm.rank() {
            0 => at!(comm.barrier()),
            _ => at!(other.barrier()),
        }
    };
    fatal(2, body, |at| {
        format!("deadlock: no rank can go on: rank 0: barrier at {}; rank 1: barrier at {}", at[0], at[1])
    });
}

#[test]
fn a_ring_of_three() {
    // Rank r waits for rank r + 1 in the communicator of both, which waits for its own next.
    let body = |comm: &Comm| {
        let me = comm.rank();
        let pairs = [[0, 1], [1, 2], [2, 0]].map(|pair: [usize; 2]| {
            let key = if me == pair[0] { 0 } else { 1 };
            comm.split(pair.contains(&me).then_some(0), key).unwrap()
        });
        let with_next = pairs[me].as_ref().expect("the pair that begins with me");
        at!(with_next.all_gather(&[1_u16]))
    };
    fatal(3, body, |at| {
        assert_eq!(at[0], at[2]);
        format!("deadlock: no rank can go on: ranks 0-2: all_gather::<u16> len 1 at {}", at[0])
    });
}

#[test]
fn a_rank_in_a_visit_waits_for_one_that_waits_for_its_visit() {
    // The exit of a collective can't be interrupted; the wait inside the visit can.
    let body = |comm: &Comm| {
        let other = comm.duplicate().unwrap();
        let inner = |_: &[&[u8]]| if comm.rank() == 0 { other.barrier() } else { Ok(()) };
        let (result, at) =
            (comm.exchange(&[1_u8], &Blocks::whole(1, 2), inner), concat!(file!(), ":", line!()));
        (result.and_then(|inner| inner).and_then(|()| comm.barrier()), at)
    };
    let line = line!() - 5;
    fatal(2, body, |at| {
        let places = format!("rank 0: barrier at {}:{line}; rank 1: exchange::<u8> at {}", file!(), at[1]);
        format!("deadlock: no rank can go on: {places}")
    });
}

#[test]
fn is_found_however_the_ranks_arrive() {
    for round in 0..200_u64 {
        let body = |comm: &Comm| {
            let other = comm.duplicate().unwrap();
            if round & 1 << comm.rank() != 0 {
                std::thread::sleep(std::time::Duration::from_micros(round));
            }
            at!(if comm.rank() < 3 { comm.barrier() } else { other.barrier() })
        };
        fatal(6, body, |at| format!("deadlock: no rank can go on: ranks 0-5: barrier at {}", at[0]));
    }
}
