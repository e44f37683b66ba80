//! Thousands of clusters that do anything, and fail anywhere.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use maniple_core::conformance::walk;
use maniple_core::{Comm, CommError};
use maniple_threads::Cluster;

mod support;

const LIMIT: Duration = Duration::from_secs(120);

/// Numbers without end from a seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (self.0 >> 33) as usize % n
    }
}

#[test]
fn walks_of_many_ranks() {
    support::within(LIMIT, || {
        for seed in 0..40 {
            let ranks = 2 + Dice(seed).below(63);
            let run = Cluster::new(ranks).try_run(|comm| walk(comm, seed, 60, &mut |_| Ok(())));
            run.unwrap_or_else(|error| panic!("seed {seed}, {ranks} ranks: {error}"));
        }
    });
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    Panic,
    Fail,
    Error,
}

/// One rank has a fault at one point of its walk, between, inside or during collectives. Every other rank hears of it or had ended
/// before, and nothing else is ever reported.
#[test]
fn faults_at_any_point() {
    without_words_about_faults();
    support::within(LIMIT, || {
        let injected = (0..3000).filter(|&seed| fault_is_told(seed)).count();
        assert!(injected > 2000, "only {injected} faults were injected");
    });
}

/// Runs one walk, and says whether it was long enough to have the fault.
fn fault_is_told(seed: u64) -> bool {
    let mut dice = Dice(seed);
    let (ranks, when) = (2 + dice.below(7), dice.below(20));
    let (who, what) = (dice.below(ranks), [Fault::Panic, Fault::Fail, Fault::Error][dice.below(3)]);
    let words = format!("{EXPECTED} of seed {seed}");
    let injected = AtomicBool::new(false);
    let fault = |comm: &Comm| {
        injected.store(true, Ordering::Relaxed);
        match what {
            Fault::Panic => panic!("{words}"),
            Fault::Fail => comm.fail(&words),
            Fault::Error => return Err(CommError::Start { why: words.clone() }),
        }
        Ok(())
    };
    let results: Vec<_> = (0..ranks).map(|_| Mutex::new(None)).collect();
    let run = catch_unwind(AssertUnwindSafe(|| {
        Cluster::new(ranks).run(|comm| {
            let mut here = |call| if (call, comm.rank()) == (when, who) { fault(comm) } else { Ok(()) };
            let result = walk(comm, seed, 15, &mut here);
            *results[comm.rank()].lock().unwrap() = Some(result);
        })
    }));
    let injected = injected.into_inner();
    assert_eq!(run.is_err(), injected && what == Fault::Panic, "seed {seed}: a panic goes on");
    for (rank, result) in results.into_iter().enumerate() {
        let result = result.into_inner().unwrap();
        let right = match &result {
            None => what == Fault::Panic && rank == who,
            Some(Ok(())) => true, // it had ended before, or the fault came after its last collective
            Some(Err(CommError::PeerFailed { rank, message })) => {
                what != Fault::Error && (*rank, message) == (who, &words)
            }
            Some(Err(CommError::Returned { .. })) => what == Fault::Error && rank != who,
            Some(Err(CommError::Start { why })) => what == Fault::Error && rank == who && *why == words,
            Some(Err(_)) => false,
        };
        assert!(
            right,
            "seed {seed}: {what:?} of rank {who} of {ranks} at {when}, but rank {rank} says {result:?}"
        );
    }
    injected
}

const EXPECTED: &str = "fault";

/// Thousands of panics are expected here; the others are reported as usual.
fn without_words_about_faults() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let words = panic.payload().downcast_ref::<String>();
        if !words.is_some_and(|words| words.starts_with(EXPECTED)) {
            usual(panic);
        }
    }));
}

#[test]
fn communicators_come_and_go() {
    support::within(LIMIT, || {
        let run = Cluster::new(8).try_run(|comm| {
            for round in 0..1500_u32 {
                let same = comm.duplicate()?;
                let part = comm.split(Some((comm.rank() as u32 + round) % 3), 0)?.expect("a part");
                assert_eq!(same.all_reduce_value(1, |a: usize, b| a + b)?, 8);
                part.barrier()?;
            }
            Ok::<(), CommError>(())
        });
        run.unwrap();
    });
}
