//! What the meters of all ranks say fits together.

use std::time::Duration;

use maniple_core::conformance::walk;
use maniple_core::{Blocks, Comm, CommError, Metered, SendTo, Traffic};
use maniple_threads::Cluster;

mod support;

/// The traffic of each of four ranks.
fn traffic(body: impl Fn(&Comm) -> Result<(), CommError> + Sync) -> Vec<Traffic> {
    support::within(Duration::from_secs(20), || {
        Cluster::new(4).try_run(|comm| {
            let (comm, meter) = Metered::wrap(comm);
            body(&comm)?;
            Ok::<_, CommError>(meter.total())
        })
    })
    .expect("every rank succeeds")
}

#[test]
fn what_is_sent_is_received() {
    for seed in 0..20 {
        let of_rank = traffic(|comm| walk(comm, seed, 50, &mut |_| Ok(())));
        let sum = |part: fn(&Traffic) -> u64| of_rank.iter().map(part).sum::<u64>();
        assert_eq!(sum(|t| t.sent), sum(|t| t.received), "seed {seed}");
        assert!(sum(|t| t.messages) > 0);
    }
}

/// Calls, messages, bytes sent and received by each rank.
#[track_caller]
fn check(body: impl Fn(&Comm) -> Result<(), CommError> + Sync, expected: [[u64; 4]; 4]) {
    let found: Vec<_> = traffic(body).iter().map(|t| [t.calls, t.messages, t.sent, t.received]).collect();
    assert_eq!(found, expected);
}

#[test]
fn messages_to_oneself_and_empty_ones_cost_nothing() {
    check(|comm| comm.all_gather(&[1_u64]).map(drop), [[1, 3, 24, 24]; 4]);
    check(|comm| comm.all_gather::<u64>(&[]).map(drop), [[1, 0, 0, 0]; 4]);
    let root = |comm: &Comm| comm.bcast(1, &mut [1_u16; 5]);
    check(root, [[1, 0, 0, 10], [1, 3, 30, 0], [1, 0, 0, 10], [1, 0, 0, 10]]);
    let to_0 = |comm: &Comm| {
        let blocks = Blocks::packed(vec![2, 0, 0, 0]);
        comm.exchange(&[1_u32, 2], &blocks, |_| ())
    };
    check(to_0, [[1, 0, 0, 24], [1, 1, 8, 0], [1, 1, 8, 0], [1, 1, 8, 0]]);
    let to_3 = |comm: &Comm| {
        let sends = [SendTo::new(3, &[1_u8, 2, 3]), SendTo::new(3, &[])];
        let sources = [(0, 3), (0, 0)];
        let (sends, sources) = match comm.rank() {
            0 => (&sends[..], &[][..]),
            3 => (&[][..], &sources[..]),
            _ => (&[][..], &[][..]),
        };
        comm.collect_from(sends, sources).map(drop)
    };
    check(to_3, [[1, 1, 3, 0], [1, 0, 0, 0], [1, 0, 0, 0], [1, 0, 0, 3]]);
}
