//! What one rank sends is not what the other expects.

use maniple_core::{Blocks, Comm, RecvFrom, SendTo};

use super::{at, refused};

#[test]
fn of_all_to_all_v() {
    // Rank 2 expects 3 elements from rank 1, which sends it 1.
    let body = |comm: &Comm| {
        let mut counts = vec![1; 3];
        if comm.rank() == 2 {
            counts[1] = 3;
        }
        let recvs = Blocks::packed(counts);
        at!(comm.all_to_all_v_into(&[7_u32; 3], &Blocks::even(3, 3), &mut [0; 5], &recvs))
    };
    let call = "all_to_all_v::<u32>";
    refused(3, body, |at| format!("rank 1 sends 1 to rank 2, which expects 3: {call} at {}", at[2]));
}

#[test]
fn of_several_ranks_the_lowest_receiver_speaks() {
    let body = |comm: &Comm| {
        let recvs = Blocks::packed(if comm.rank() == 0 { vec![1; 4] } else { vec![1, 1, 0, 2] });
        at!(comm.all_to_all_v_into(&[7_u32; 4], &Blocks::even(4, 4), &mut [0; 4], &recvs))
    };
    refused(4, body, |at| {
        format!("rank 2 sends 1 to rank 1, which expects 0: all_to_all_v::<u32> at {}", at[1])
    });
}

#[test]
fn of_all_gather_v() {
    let body = |comm: &Comm| {
        let values = vec![1_u8; if comm.rank() == 1 { 5 } else { 2 }];
        at!(comm.all_gather_v_into(&values, &mut [0; 6], &Blocks::even(6, 3)))
    };
    refused(3, body, |at| {
        format!("rank 1 sends 5 to rank 0, which expects 2: all_gather_v::<u8> at {}", at[0])
    });
}

#[test]
fn of_a_message() {
    let body = |comm: &Comm| {
        let (p, me) = (comm.size(), comm.rank());
        let data = [me as u64; 2];
        let mut recv = [0; 3];
        let recvs = vec![RecvFrom::new((me + p - 1) % p, &mut recv[..if me == 2 { 3 } else { 2 }])];
        at!(comm.exchange_with(&[SendTo::new((me + 1) % p, &data)], recvs, || ()))
    };
    refused(3, body, |at| {
        format!("rank 1 sends 2 to rank 2, which expects 3: exchange_with::<u64> at {}", at[2])
    });
}

#[test]
fn a_count_that_is_only_too_large() {
    let body = |comm: &Comm| {
        let sources = if comm.rank() == 0 { vec![(1, 1_usize << 16)] } else { vec![] };
        let sends = [SendTo::new(0, &[1_u8])];
        at!(comm.collect_from(if comm.rank() == 1 { &sends } else { &[] }, &sources))
    };
    refused(2, body, |at| {
        format!("rank 1 sends 1 to rank 0, which expects 65536: exchange_with::<u8> at {}", at[0])
    });
}

#[test]
fn a_length_that_does_not_divide() {
    let body = |comm: &Comm| at!(comm.all_to_all(&vec![0_u8; if comm.rank() == 1 { 4 } else { 6 }]));
    refused(3, body, |at| {
        format!("rank 1: values has 4 elements, expected 6: all_to_all::<u8> len 4 at {}", at[1])
    });
    let body = |comm: &Comm| at!(comm.scatter(1, &vec![0_u8; 4 * comm.rank()]));
    refused(3, body, |at| {
        format!("rank 1: values has 4 elements, expected 6: bcast::<u8> root 1 at {}", at[1])
    });
}
