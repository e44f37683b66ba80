//! The rendezvous on real threads: many ranks, many generations, real panics.

mod failures;
mod generations;
mod latency;
mod watching;

use super::turn::Entered;
use super::{Patience, Peers, Rendezvous, Seat};
use crate::sync::{Arc, AtomicBool, Ordering};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::process::abort;
use std::thread;
use std::time::{Duration, Instant};

#[derive(Clone, Debug, PartialEq, Eq)]
enum Failure {
    Panicked { rank: usize, payload: u64 },
    Poisoned(u64),
    Refused,
    Copy(usize),
}

type Place = Arc<Rendezvous<u64, Failure>>;
type Rank = Seat<u64, Failure>;

const ONE_LOOK: Patience = Patience::looks_of(1);

fn place(size: usize, patience: Patience) -> Place {
    Rendezvous::new(size, patience, |rank, payload| Failure::Panicked { rank, payload: *payload })
}

/// Runs `body` on every rank of `place`, one thread each, and returns what it returned, by rank.
fn on_ranks<R: Send>(place: &Place, body: impl Fn(Rank) -> R + Sync) -> Vec<R> {
    let body = &body;
    thread::scope(|scope| {
        let start = |rank| {
            let seat = place.seat(rank, ()).expect("one thread a rank");
            let small = thread::Builder::new().stack_size(128 << 10);
            small.spawn_scoped(scope, move || body(seat)).expect("the system starts a thread")
        };
        let ranks: Vec<_> = (0..place.slots.len()).map(start).collect();
        ranks.into_iter().map(|rank| rank.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
    })
}

/// Aborts the process if `test` isn't over in a minute: a hang shall be a failure that names itself.
fn within_a_minute<R>(name: &str, test: impl FnOnce() -> R) -> R {
    const LIMIT: Duration = Duration::from_secs(60);
    let (over, end) = (AtomicBool::new(false), Instant::now() + LIMIT);
    thread::scope(|scope| {
        let dog = scope.spawn(|| {
            while !over.load(Ordering::Acquire) {
                let Some(left) = end.checked_duration_since(Instant::now()) else {
                    eprintln!("{name}: not over after {LIMIT:?}");
                    abort();
                };
                thread::park_timeout(left);
            }
        });
        let outcome = catch_unwind(AssertUnwindSafe(test));
        over.store(true, Ordering::Release);
        dog.thread().unpark();
        outcome.unwrap_or_else(|panic| resume_unwind(panic))
    })
}

fn accept(_: Peers<'_, u64>) -> Option<Failure> {
    None
}

fn agreed(entered: Entered<'_, u64, Failure>) -> Result<(), Failure> {
    entered.finish(None).map_or(Ok(()), Err)
}

/// One generation in which every rank publishes `rank + round` and reads all.
fn visit(seat: &mut Rank, round: u64) -> Result<(), Failure> {
    let expected = move |rank: usize| rank as u64 + round;
    let right =
        move |peers: Peers<'_, u64>| peers.iter().enumerate().all(|(rank, seen)| *seen == expected(rank));
    let mine = expected(seat.rank);
    let entered = seat.arrive(mine, |peers| (!right(peers)).then_some(Failure::Refused))?.enter()?;
    assert!(right(entered.peers()));
    agreed(entered)
}

/// Unwinds without a message on standard error.
fn planned() -> ! {
    resume_unwind(Box::new("planned"))
}

/// The panic of `f`, if it does panic.
fn caught<R>(f: impl FnOnce() -> R) -> Result<R, Box<dyn Any + Send>> {
    catch_unwind(AssertUnwindSafe(f))
}

/// Pseudo-random numbers (splitmix64).
fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
