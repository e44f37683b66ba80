//! Ranks that are stuck in something the cluster knows nothing of.

use std::hint::black_box;
use std::process::Command;
use std::sync::Mutex;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use maniple_core::{Comm, CommError};
use maniple_threads::Cluster;

use super::{at, support::within};

const STALL: Duration = Duration::from_secs(1);
const LIMIT: Duration = Duration::from_secs(20);

fn cluster(ranks: usize) -> Cluster {
    Cluster::new(ranks).stall_after(Some(STALL))
}

#[test]
fn on_a_foreign_channel() {
    let (sender, receiver) = channel::<()>();
    let (sender, receiver) = (Mutex::new(Some(sender)), Mutex::new(receiver));
    let outcomes = within(LIMIT, || {
        cluster(3).run(|comm| match comm.rank() {
            1 => (receiver.lock().unwrap().recv().map_err(|_| None), ""),
            _ => {
                let (told, at) = at!(comm.barrier());
                sender.lock().unwrap().take(); // lets rank 1 go
                (told.map_err(Some), at)
            }
        })
    })
    .unwrap();
    let at = outcomes[0].1;
    let expected =
        format!("no progress for 1 s: ranks 0, 2: barrier at {at}; rank 1: outside of any collective");
    for rank in [0, 2] {
        let told: &Result<(), Option<CommError>> = &outcomes[rank].0;
        assert_eq!(told.as_ref().unwrap_err().as_ref().expect("an error").to_string(), expected);
    }
}

/// Adds until so much time has passed.
fn compute(time: Duration) {
    let begin = Instant::now();
    while begin.elapsed() < time {
        black_box((0..10_000_u64).sum::<u64>());
    }
}

#[test]
fn a_long_computation_is_no_stall() {
    let results = within(LIMIT, || {
        cluster(2).run(|comm| {
            if comm.rank() == 0 {
                compute(2 * STALL);
            }
            comm.barrier()
        })
    });
    assert_eq!(results.unwrap(), [Ok(()), Ok(())]);
}

#[test]
fn a_computation_on_other_threads_is_no_stall() {
    let results = within(LIMIT, || {
        cluster(2).run(|comm| {
            if comm.rank() == 0 {
                std::thread::spawn(|| compute(2 * STALL)).join().unwrap();
            }
            comm.barrier()
        })
    });
    assert_eq!(results.unwrap(), [Ok(()), Ok(())]);
}

#[test]
fn a_rank_that_never_comes_back_ends_the_process() {
    const STUCK: &str = "MANIPLE_TEST_STUCK";
    if std::env::var_os(STUCK).is_some() {
        let stuck = |comm: &Comm| match comm.rank() {
            0 => std::thread::sleep(Duration::from_secs(3600)),
            _ => drop(comm.barrier()),
        };
        cluster(2).run(stuck).expect("it does not return");
    }
    let output = within(LIMIT, || {
        let name = "stall::a_rank_that_never_comes_back_ends_the_process";
        let program = std::env::current_exe().unwrap();
        Command::new(program).args(["--exact", name, "--nocapture"]).env(STUCK, "1").output().unwrap()
    });
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success());
    let expected = "maniple: no progress for 1 s: rank 0: outside of any collective; rank 1: has returned; \
                    a rank does not come back, so the process ends";
    assert!(words.contains(expected), "{words}");
}
