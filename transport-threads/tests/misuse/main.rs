//! Wrong programs: every rank gets the right words, at once, and what can go on does.
//!
//! One file per class of mistake. The classes of the MPI Bugs Initiative are CallMatching, RootMatching, DatatypeMatching and
//! OperatorMatching in `calls`, MessageRace and BufferingHazard in `messages`; the rest of it can't be written with this
//! interface: there are no requests to forget or to wait for twice, no tags, no wildcard receives, and no buffer can be freed
//! or written while a message is under way.

#[path = "../support/mod.rs"]
mod support;

mod blocks;
mod calls;
mod counts;
mod deadlock;
mod failing;
mod ignoring;
mod layouts;
mod leaving;
mod messages;
mod panics;
mod reentry;
mod stall;
mod start;

use std::fmt::{Debug, Display};
use std::time::Duration;

use maniple_core::{Checked, Comm, CommError};
use maniple_threads::Cluster;

/// An error reaches every rank within this time.
const LIMIT: Duration = Duration::from_secs(1);

/// What one rank did wrong or saw of it, and the line where it did.
type Outcome<E = CommError> = (Result<(), E>, &'static str);

/// An expression's result without its value, and where the expression stands.
macro_rules! at {
    ($call:expr) => {
        ($call.map(drop), concat!(file!(), ":", line!()))
    };
}
pub(crate) use at;

/// Every rank of `size` gets the error whose words are `expected(places)`, and the communicator goes on afterwards. `places[r]` is
/// the line of rank r.
#[track_caller]
fn refused<E>(size: usize, body: impl Fn(&Comm) -> Outcome<E> + Sync, expected: impl Fn(&[&str]) -> String)
where
    E: Display + Debug + Send,
{
    // `Checked` must say the same, for transports that do not compare calls themselves.
    let checked = |comm: &Comm| body(&Checked::wrap(comm));
    for body in [&body as &(dyn Fn(&Comm) -> Outcome<E> + Sync), &checked] {
        for (rank, after) in told(size, body, &expected).1.into_iter().enumerate() {
            assert_eq!(after, Ok(Vec::from_iter(0..size)), "rank {rank} after the error");
        }
    }
}

/// As `refused`, but the cluster is at an end: every rank gets the same words from the next collective too.
#[track_caller]
fn fatal<E>(size: usize, body: impl Fn(&Comm) -> Outcome<E> + Sync, expected: impl Fn(&[&str]) -> String)
where
    E: Display + Debug + Send,
{
    let (words, after) = told(size, &body, &expected);
    for (rank, after) in after.into_iter().enumerate() {
        assert_eq!(after.map_err(|e| e.to_string()), Err(words.clone()), "rank {rank} after the error");
    }
}

/// Checks the words, and gives them and what a collective afterwards gives. (Compiled once, not for every test.)
#[track_caller]
fn told<E>(
    size: usize,
    body: &(dyn Fn(&Comm) -> Outcome<E> + Sync),
    expected: &dyn Fn(&[&str]) -> String,
) -> (String, Vec<Result<Vec<usize>, CommError>>)
where
    E: Display + Debug + Send,
{
    let rank = |comm: &Comm| (body(comm), comm.all_gather_value(comm.rank()));
    let outcomes = support::within(LIMIT, || Cluster::new(size).run(rank)).unwrap();
    let (outcomes, after): (Vec<_>, Vec<_>) = outcomes.into_iter().unzip();
    let (results, places): (Vec<_>, Vec<_>) = outcomes.into_iter().unzip();
    let words = expected(&places);
    for (rank, result) in results.into_iter().enumerate() {
        assert_eq!(result.expect_err("an error on every rank").to_string(), words, "rank {rank}");
    }
    (words, after)
}
