//! Counts and displacements that describe no blocks.

use maniple_core::{Blocks, BlocksError, Comm, CommError};

use super::{Outcome, at, refused};

/// Each rank but rank 1 gives right blocks; what is wrong with those of rank 1, and in which call.
#[track_caller]
fn wrong(body: impl Fn(&Comm, bool) -> Outcome + Sync, why: &str, call: &str) {
    refused(3, |comm| body(comm, comm.rank() == 1), |at| format!("rank 1: {why}: {call} at {}", at[1]));
}

fn or(wrong: bool, blocks: Blocks) -> Blocks {
    if wrong { blocks } else { Blocks::even(3, 3) }
}

#[test]
fn not_one_per_rank() {
    let two = || Blocks::packed(vec![1, 2]);
    let why = "2 blocks for 3 ranks";
    wrong(|comm, bad| at!(comm.exchange(&[0_u8; 3], &or(bad, two()), |_| ())), why, "exchange::<u8>");
    wrong(|comm, bad| at!(comm.all_to_all_v(&[0_u8; 3], &or(bad, two()))), why, "all_to_all_v::<u8>");
    wrong(|comm, bad| at!(comm.scatter_v(1, &[0_u8; 3], &or(bad, two()))), why, "exchange_with::<u8> root 1");
    let into = |comm: &Comm, bad| at!(comm.all_gather_v_into(&[0_u8], &mut [0; 3], &or(bad, two())));
    wrong(into, why, "all_gather_v::<u8>");
    let ok = Blocks::even(3, 3);
    let into = |comm: &Comm, bad| at!(comm.all_to_all_v_into(&[0_u8; 3], &or(bad, two()), &mut [0; 3], &ok));
    wrong(into, why, "all_to_all_v::<u8>");
    let into = |comm: &Comm, bad| at!(comm.all_to_all_v_into(&[0_u8; 3], &ok, &mut [0; 3], &or(bad, two())));
    wrong(into, why, "all_to_all_v::<u8>");
}

#[test]
fn past_the_end() {
    let far = || Blocks::packed(vec![1, 1, 3]);
    let why = "block 2 ends at 5, past the 3 elements of the buffer";
    wrong(|comm, bad| at!(comm.exchange(&[0_u8; 3], &or(bad, far()), |_| ())), why, "exchange::<u8>");
    wrong(|comm, bad| at!(comm.all_to_all_v(&[0_u8; 3], &or(bad, far()))), why, "all_to_all_v::<u8>");
    let into = |comm: &Comm, bad| at!(comm.all_gather_v_into(&[0_u8], &mut [0; 3], &or(bad, far())));
    wrong(into, why, "all_gather_v::<u8>");
    let huge = || Blocks::packed(vec![1_000_000_000; 3]); // displacements that pass 2^31
    let why = "block 0 ends at 1000000000, past the 3 elements of the buffer";
    wrong(|comm, bad| at!(comm.exchange(&[0_u64; 3], &or(bad, huge()), |_| ())), why, "exchange::<u64>");
    let edge = || Blocks::new(vec![0, 0, usize::MAX], vec![0; 3]).unwrap(); // as bytes past the largest index
    let why = format!("block 2 ends at {}, past the 3 elements of the buffer", usize::MAX);
    wrong(|comm, bad| at!(comm.exchange(&[0_u64; 3], &or(bad, edge()), |_| ())), &why, "exchange::<u64>");
}

#[test]
fn to_be_received_over_each_other() {
    let twice = || Blocks::new(vec![1, 1, 1], vec![2, 0, 2]).unwrap();
    let why = "blocks 0 and 2 to be received overlap";
    let into = |comm: &Comm, bad| at!(comm.all_gather_v_into(&[0_u8], &mut [0; 3], &or(bad, twice())));
    wrong(into, why, "all_gather_v::<u8>");
    let ok = Blocks::even(3, 3);
    let into =
        |comm: &Comm, bad| at!(comm.all_to_all_v_into(&[0_u8; 3], &ok, &mut [0; 3], &or(bad, twice())));
    wrong(into, why, "all_to_all_v::<u8>");
}

#[test]
fn in_a_reduction() {
    let body =
        |comm: &Comm, bad| at!(comm.reduce_scatter(&[0_u8; 3], &or(bad, Blocks::whole(4, 3)), |a, b| a + b));
    let why = "block 0 ends at 4, past the 3 elements of the buffer";
    let call = |comm: &Comm, bad| {
        let (result, at): (Result<(), CommError>, _) = body(comm, bad);
        let words = result.as_ref().map_err(ToString::to_string);
        assert!(words.is_err_and(|w| w.starts_with(&format!("rank 1: {why}: exchange::<u8> len 3 args "))));
        let CommError::Blocks { rank: 1, why, .. } = result.unwrap_err() else { panic!("another error") };
        (Err(why), at)
    };
    refused(3, |comm| call(comm, comm.rank() == 1), |_| why.to_string());
}

#[test]
fn that_are_no_lists_of_blocks() {
    let error = Blocks::new(vec![2, 2], vec![0]).unwrap_err();
    assert_eq!(error, BlocksError::Lengths { counts: 2, displs: 1 });
    let error = Blocks::new(vec![0, 2], vec![0, usize::MAX - 1]).unwrap_err();
    assert_eq!(error, BlocksError::Overflow { rank: 1 });
}
