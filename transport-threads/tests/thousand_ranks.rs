//! 1024 ranks in one process, within a second and a gigabyte. The only test of its program, since it measures the process.

use std::time::{Duration, Instant};

use maniple_core::{Comm, CommError};
use maniple_threads::Cluster;

mod support;

const RANKS: usize = 1024;

#[test]
fn thousand_ranks() {
    support::within(Duration::from_secs(60), || {
        let fastest = (0..3).map(|_| time_of_an_all_gather()).min().expect("three runs");
        assert!(fastest < Duration::from_secs(1), "start, all_gather and end took {fastest:?}");
        Cluster::new(RANKS).try_run(everything).expect("every rank succeeds");
        one_wrong_rank_is_told_to_all();
        let peak = peak_memory();
        assert!(peak < 1 << 30, "{} MiB", peak >> 20);
    });
}

fn time_of_an_all_gather() -> Duration {
    let begin = Instant::now();
    let all = Cluster::new(RANKS).try_run(|comm| comm.all_gather_value(comm.rank() as u64));
    let took = begin.elapsed();
    let expected: Vec<u64> = (0..RANKS as u64).collect();
    assert!(all.expect("every rank succeeds").iter().all(|ranks| *ranks == expected));
    took
}

fn everything(comm: &Comm) -> Result<(), CommError> {
    let me = comm.rank();
    let sent: Vec<u32> = (0..RANKS).map(|to| (me * RANKS + to) as u32).collect();
    let received: Vec<u32> = (0..RANKS).map(|from| (from * RANKS + me) as u32).collect();
    assert_eq!(comm.all_to_all(&sent)?, received);

    let row = comm.split(Some((me / 32) as u32), -(me as i64))?.expect("a part");
    assert_eq!((row.size(), row.rank()), (32, 31 - me % 32));
    let sum = row.all_reduce_value(me, |a, b| a + b)?;
    assert_eq!(sum, (0..32).map(|k| me / 32 * 32 + k).sum());

    assert_eq!(comm.ex_scan(&[1_u64], |a, b| a + b)?, (me > 0).then(|| vec![me as u64]));
    (0..10).try_for_each(|_| comm.barrier())
}

fn one_wrong_rank_is_told_to_all() {
    let results = Cluster::new(RANKS).run(|comm| match comm.rank() {
        700 => comm.all_gather(&[0_u8]).map(drop),
        _ => comm.barrier(),
    });
    for error in results.expect("a cluster").into_iter().map(|r| r.expect_err("an error").to_string()) {
        assert!(error.contains(": ranks 0-699, 701-1023: barrier at "), "{error}");
        assert!(error.contains("; rank 700: all_gather::<u8> len 1 at "), "{error}");
    }
}

/// Most bytes that the process has had in memory.
#[cfg(target_os = "linux")]
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux tells");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("the peak");
    line.trim().trim_end_matches("kB").trim().parse::<u64>().expect("a number") << 10
}

#[cfg(not(target_os = "linux"))]
fn peak_memory() -> u64 {
    0
}
