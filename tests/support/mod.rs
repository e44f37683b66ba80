//! What all whole-library tests share: ranks with a time limit, properties over ranks and layouts, and a runner.
//!
//! A test's body is a function of a `Comm` and knows no transport. It works on any number of ranks, so the same programs run
//! on threads and, started by a launcher, on the ranks of its job (`mpi`).
#![allow(dead_code, unreachable_pub)] // each test program uses its part

mod lay;
#[cfg(feature = "mpi")]
mod mpi;
mod threads;

use std::fmt::Debug;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use libtest_mimic::{Arguments, Trial};
use maniple::prelude::*;
use proptest::prelude::*;

pub use lay::{counts, counts_like, layouts, share};

/// Of threads, for tests that are not properties.
const RANKS: [usize; 5] = [1, 2, 3, 5, 8];

/// A test that takes longer hangs.
const LIMIT: Duration = Duration::from_secs(120);

/// Runs `body` on `ranks` ranks. Under a launcher on its first ones; it must have started a job of at least so many, or nothing runs.
pub fn on(ranks: usize, body: impl Fn(&Comm) + Sync) {
    #[cfg(feature = "mpi")]
    if let Some(job) = mpi::job() {
        return job.on(ranks, body);
    }
    threads::on(ranks, body);
}

/// Runs `body` on several numbers of ranks, one after the other; under a launcher on all of its ranks.
pub fn each_size(body: impl Fn(&Comm) + Sync) {
    #[cfg(feature = "mpi")]
    if let Some(job) = mpi::job() {
        return job.on(job.ranks(), body);
    }
    RANKS.into_iter().for_each(|ranks| threads::on(ranks, &body));
}

/// Checks `body` for `cases` inputs that `inputs(ranks)` makes, on 1 to 8 ranks. The same inputs in every run; a failure shrinks.
/// Under a launcher for some inputs, on all of its ranks.
pub fn property<S>(cases: u32, inputs: impl Fn(usize) -> S, body: impl Fn(&Comm, &S::Value) + Sync)
where
    S: Strategy,
    S::Value: Clone + Debug + Send + Sync,
{
    #[cfg(feature = "mpi")]
    if let Some(job) = mpi::job() {
        return job.property(cases, inputs, body);
    }
    threads::property(cases, inputs, body);
}

/// A named test.
pub type Test = (&'static str, fn());

/// Runs what the command line asks for.
pub fn main(tests: &[Test]) {
    let arguments = Arguments::from_args();
    #[cfg(feature = "mpi")]
    if maniple::mpi::ranks_of_launcher().is_some() && !arguments.list {
        return mpi::main(&arguments, tests);
    }
    let expected = std::env::var_os("EXPECT_RANKS");
    assert!(
        expected.is_none(),
        "EXPECT_RANKS is {expected:?}, but no launcher started this program, or it is built without MPI"
    );
    libtest_mimic::run(&arguments, tests.iter().map(trial).collect()).exit();
}

fn trial(&(name, test): &Test) -> Trial {
    Trial::test(name, move || {
        test();
        Ok(())
    })
}

/// Runs `work`; if it hangs, the process ends with a message instead of waiting for ever.
fn limited<R>(work: impl FnOnce() -> R) -> R {
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
            support::main(&[$((stringify!($test), $test)),*]);
        }
    };
}
pub(crate) use tests;
