//! Messages without a counterpart, and orders that would race or hang where messages are buffered.

use maniple_core::{Comm, RecvFrom, SendTo};

use super::{at, refused};

#[test]
fn that_nobody_expects() {
    let body = |comm: &Comm| {
        let sends = [SendTo::new(2, &[1_u8])];
        at!(comm.exchange_with(if comm.rank() == 1 { &sends[..] } else { &[] }, vec![], || ()))
    };
    refused(3, body, |at| {
        format!("rank 1 sends a message to rank 2, which expects none: exchange_with::<u8> at {}", at[1])
    });
}

#[test]
fn that_nobody_sends() {
    let body = |comm: &Comm| {
        let mut into = [0_u8; 4];
        let recvs = vec![RecvFrom::new(0, &mut into)];
        at!(comm.exchange_with(&[], if comm.rank() == 2 { recvs } else { vec![] }, || ()))
    };
    refused(3, body, |at| {
        format!("rank 2 expects a message from rank 0, which sends none: exchange_with::<u8> at {}", at[2])
    });
}

#[test]
fn one_more_than_expected() {
    let body = |comm: &Comm| {
        let data = [1_u8];
        let sends = [SendTo::new(1, &data), SendTo::new(1, &data), SendTo::new(1, &data)];
        let sources = [(0, 1), (0, 1)];
        let (sends, sources) = if comm.rank() == 0 { (&sends[..], &[][..]) } else { (&[][..], &sources[..]) };
        at!(comm.collect_from(sends, sources))
    };
    refused(2, body, |at| {
        format!("rank 0 sends a message to rank 1, which expects none: exchange_with::<u8> at {}", at[0])
    });
}

#[test]
fn to_and_from_no_rank() {
    let body = |comm: &Comm| at!(comm.exchange_with(&[SendTo::new(2 + comm.rank(), &[1_u8])], vec![], || ()));
    refused(2, body, |at| {
        format!("rank 0 names rank 2 of a communicator of 2: exchange_with::<u8> at {}", at[0])
    });
    let body = |comm: &Comm| at!(comm.collect_from::<u8>(&[], &[(0, 0), (usize::MAX, 0)][..1 + comm.rank()]));
    refused(2, body, |at| {
        format!("rank 1 names rank {} of a communicator of 2: exchange_with::<u8> at {}", usize::MAX, at[1])
    });
}

/// MessageRace: two messages of one pair received in the wrong order don't get into each other's buffer.
#[test]
fn in_the_wrong_order() {
    let body = |comm: &Comm| {
        let sends = [SendTo::new(1, &[1_u8, 2, 3]), SendTo::new(1, &[4])];
        let (sends, sources) =
            if comm.rank() == 0 { (&sends[..], vec![]) } else { (&[][..], vec![(0, 1), (0, 3)]) };
        at!(comm.collect_from(sends, &sources))
    };
    refused(2, body, |at| {
        format!("rank 0 sends 3 to rank 1, which expects 1: exchange_with::<u8> at {}", at[1])
    });
}

/// BufferingHazard: send and receive in two calls, which works as long as something buffers the message.
#[test]
fn sent_in_one_call_and_received_in_the_next() {
    let body = |comm: &Comm| {
        let other = 1 - comm.rank();
        let (sent, at) = at!(comm.exchange_with(&[SendTo::new(other, &[1_u8])], vec![], || ()));
        comm.exchange_with(&[], vec![RecvFrom::new(other, &mut [0_u8])], || ()).expect_err("too late");
        (sent, at)
    };
    refused(2, body, |at| {
        format!("rank 0 sends a message to rank 1, which expects none: exchange_with::<u8> at {}", at[0])
    });
}
