//! Models: the protocol under every interleaving and every reordering that loom can find. Run by `ci/loom.sh`.
//!
//! loom sees the counter, the locks and the slots; not plain memory. A slot therefore stands for the buffers a rank
//! lends to its peers: it is read where they would be read, and written (retired) when they would be freed.
//!
//! `sound` holds what must be true; `refuted` runs the same scenarios with one step left out, and must fail.

mod refuted;
mod sound;

use super::fault::{Defect, Fault};
use super::turn::Entered;
use super::{Patience, Peers, Rendezvous, Seat, Target, Watch};
use crate::sync::{Arc, model::Builder, thread};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Failure {
    Panicked { rank: usize, payload: usize },
    Poisoned(usize),
    Refused { sum: usize },
    Copy { rank: usize },
}

type Place = Arc<Rendezvous<usize, Failure>>;
type Rank = Seat<usize, Failure>;

/// How much of the state space to walk: everything, or all that at most so many preemptions lead to.
#[derive(Clone, Copy)]
enum Walk {
    All,
    Preemptions(usize),
}

/// Runs `scenario` on a rendezvous of `size` ranks with the given defect, along every interleaving.
fn explore(size: usize, walk: Walk, defect: Option<Fault>, scenario: fn(Place)) {
    let mut builder = Builder::new();
    builder.preemption_bound = match walk {
        Walk::All => None,
        Walk::Preemptions(bound) => Some(bound),
    };
    builder.check(move || {
        let panicked = |rank, payload: &usize| Failure::Panicked { rank, payload: *payload };
        let defect = defect.map_or(Defect::NONE, Defect::planted);
        scenario(Rendezvous::with_defect(size, Patience::looks_of(0), panicked, defect));
    });
}

/// Runs `body` on every rank, one thread each (rank 0 on this one), and returns what it returned, by rank.
fn on_ranks<R: 'static>(place: &Place, body: fn(Rank) -> R) -> Vec<R> {
    let seats: Vec<_> = (0..place.slots.len()).map(|rank| place.seat(rank, ()).unwrap()).collect();
    let mut seats = seats.into_iter();
    let first = seats.next().unwrap();
    let others: Vec<_> = seats.map(|seat| thread::spawn(move || body(seat))).collect();
    let first = body(first);
    std::iter::once(first).chain(others.into_iter().map(|other| other.join().unwrap())).collect()
}

/// What `rank` publishes in `round`.
const fn payload(rank: usize, round: usize) -> usize {
    10 * rank + round
}

fn accept(_: Peers<'_, usize>) -> Option<Failure> {
    None
}

/// The copy phase: every rank reads what all have published.
fn read_all(entered: &Entered<'_, usize, Failure>, round: usize) {
    for (rank, seen) in entered.peers().iter().enumerate() {
        assert_eq!(*seen, payload(rank, round));
    }
}

/// One generation without incident.
fn visit(seat: &mut Rank, round: usize) -> Result<(), Failure> {
    let mine = payload(seat.rank, round);
    let verify = |peers: Peers<'_, usize>| {
        assert!(peers.iter().enumerate().all(|(rank, seen)| *seen == payload(rank, round)));
        None
    };
    let entered = seat.arrive(mine, verify)?.enter()?;
    read_all(&entered, round);
    entered.finish(None).map_or(Ok(()), Err)
}
