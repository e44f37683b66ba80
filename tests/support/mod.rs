//! What all whole-library tests share: ranks with a time limit, properties over ranks and layouts, and a runner.
//!
//! A test's body is a function of a `Comm` and knows no transport. It works on any number of ranks, so the same programs run
//! on threads and, started by a launcher, on whatever ranks there are.
#![allow(dead_code, unreachable_pub)] // each test program uses its part

use std::fmt::Debug;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use maniple::prelude::*;
use maniple_threads::Cluster;
use proptest::prelude::*;
use proptest::test_runner::{Config, FileFailurePersistence, RngAlgorithm, TestRng, TestRunner};

/// Numbers of ranks for tests that are not properties.
pub const RANKS: [usize; 5] = [1, 2, 3, 5, 8];

/// A test that takes longer hangs.
const LIMIT: Duration = Duration::from_secs(120);

/// Runs `body` on `ranks` ranks. What it asserts is asserted on each.
pub fn on<R: Send>(ranks: usize, body: impl Fn(&Comm) -> R + Sync) -> Vec<R> {
    limited(|| Cluster::new(ranks).run(body).expect("a cluster of threads"))
}

/// Runs `body` on several numbers of ranks, one after the other.
pub fn each_size(body: impl Fn(&Comm) + Sync) {
    RANKS.into_iter().for_each(|ranks| drop(on(ranks, &body)));
}

/// Checks `body` for `cases` inputs that `inputs(ranks)` makes, on 1 to 8 ranks. The same inputs in every run; a failure shrinks.
pub fn property<S>(cases: u32, inputs: impl Fn(usize) -> S, body: impl Fn(&Comm, &S::Value) + Sync)
where
    S: Strategy,
    S::Value: Clone + Debug + Send + Sync,
{
    let strategy = (1..=8_usize).prop_flat_map(|ranks| (Just(ranks), inputs(ranks)));
    let config = Config {
        cases,
        failure_persistence: Some(Box::new(FileFailurePersistence::Off)),
        ..Config::default()
    };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let outcome = limited(|| {
        TestRunner::new_with_rng(config, rng).run(&strategy, |(ranks, input)| {
            Cluster::new(ranks).run(|comm| body(comm, &input)).expect("a cluster of threads");
            Ok(())
        })
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
}

/// How `n` elements may lie on `ranks` ranks: evenly, anyhow, with empty ranks, all on one.
pub fn counts(n: usize, ranks: usize) -> impl Strategy<Value = Vec<usize>> + Clone {
    let even = Just(maniple::Blocks::even(n, ranks).counts().to_vec());
    let weights = |some: std::ops::Range<u32>| prop::collection::vec(some, ranks);
    let one = (0..ranks).prop_map(move |r| (0..ranks).map(|i| if i == r { n } else { 0 }).collect());
    prop_oneof![
        even,
        weights(1..20).prop_map(move |w| by_weight(n, &w)),
        weights(0..3).prop_map(move |w| by_weight(n, &w)),
        one,
    ]
}

/// `n` elements in proportion to weights; to the last rank if all weigh nothing.
fn by_weight(n: usize, weights: &[u32]) -> Vec<usize> {
    let total: u64 = weights.iter().map(|&w| u64::from(w)).sum();
    let mut sum = 0_u64;
    let mut ends: Vec<usize> = weights
        .iter()
        .map(|&w| {
            sum += u64::from(w);
            (n as u64 * sum).checked_div(total).unwrap_or(0) as usize
        })
        .collect();
    *ends.last_mut().expect("at least one rank") = n;
    let begins = std::iter::once(0).chain(ends.iter().copied());
    begins.zip(&ends).map(|(begin, end)| end - begin).collect()
}

/// The part of `whole` that a layout with these counts gives each rank, as a distributed array.
pub fn share<T: Element>(comm: &Comm, whole: &[T], counts: &[usize]) -> DistArray<T, Ix1> {
    let mine = maniple::Blocks::packed(counts.to_vec()).range(comm.rank());
    let local = Array1::from_vec(whole[mine].to_vec());
    DistArray::from_local(comm, local, Axis(0)).expect("blocks of one array")
}

/// The counts of a reported case, spread over the ranks that there are: the case's own layout if it has as many ranks, else with
/// the elements of the missing ranks on the last one, and empty ranks behind.
pub fn counts_like(reported: &[usize], ranks: usize) -> Vec<usize> {
    let mut counts: Vec<usize> = reported.iter().copied().take(ranks).collect();
    counts.resize(ranks, 0);
    counts[ranks - 1] += reported.iter().skip(ranks).sum::<usize>();
    counts
}

/// Several layouts of `n` elements: even, all on the first, middle or last rank, and with an empty rank first, in the middle and
/// last.
pub fn layouts(n: usize, ranks: usize) -> Vec<Vec<usize>> {
    let without = |gap: usize| {
        let mut counts = maniple::Blocks::even(n, ranks - 1).counts().to_vec();
        counts.insert(gap, 0);
        counts
    };
    let only = |r: usize| (0..ranks).map(|i| if i == r { n } else { 0 }).collect::<Vec<_>>();
    let mut all =
        vec![maniple::Blocks::even(n, ranks).counts().to_vec(), only(0), only(ranks / 2), only(ranks - 1)];
    if ranks > 1 {
        all.extend([without(0), without(ranks / 2), without(ranks - 1)]);
    }
    all
}

/// Runs `work`; if it hangs, the process ends with a message instead of waiting for ever.
pub fn limited<R>(work: impl FnOnce() -> R) -> R {
    let (done, ends) = channel::<()>();
    let watchdog = std::thread::spawn(move || {
        if ends.recv_timeout(LIMIT) == Err(RecvTimeoutError::Timeout) {
            eprintln!("a test took more than {LIMIT:?}: it hangs");
            std::process::abort();
        }
    });
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
    drop(done);
    watchdog.join().expect("the watchdog does not panic");
    result.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// The named functions as a test program.
macro_rules! tests {
    ($($test:ident),* $(,)?) => {
        fn main() {
            let trial = |name: &str, test: fn()| {
                libtest_mimic::Trial::test(name, move || {
                    test();
                    Ok(())
                })
            };
            let tests = vec![$(trial(stringify!($test), $test)),*];
            libtest_mimic::run(&libtest_mimic::Arguments::from_args(), tests).exit();
        }
    };
}
pub(crate) use tests;
