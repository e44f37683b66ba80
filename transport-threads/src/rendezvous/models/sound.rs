//! What must hold in every interleaving.

use super::Walk::{All, Preemptions};
use super::*;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// Two generations: everybody reads everybody's payload of the same round, and gets no error.
pub(super) fn visit_twice(place: Place) {
    for outcome in on_ranks(&place, |mut seat| (visit(&mut seat, 0), visit(&mut seat, 1))) {
        assert_eq!(outcome, (Ok(()), Ok(())));
    }
}

pub(super) fn visit_once(place: Place) {
    for outcome in on_ranks(&place, |mut seat| visit(&mut seat, 0)) {
        assert_eq!(outcome, Ok(()));
    }
}

/// Somebody poisons at any moment: a generation is whole on all ranks or aborted on all ranks.
pub(super) fn poison_any_time(place: Place) {
    let poisoner = {
        let place = Arc::clone(&place);
        thread::spawn(move || place.poison(Failure::Poisoned(9)))
    };
    let outcomes = on_ranks(&place, |mut seat| visit(&mut seat, 0));
    poisoner.join().unwrap();
    assert!(outcomes.iter().all(|outcome| *outcome == outcomes[0]), "{outcomes:?}");
    assert!([Ok(()), Err(Failure::Poisoned(9))].contains(&outcomes[0]));
}

/// The same, with a next generation after it: it is refused to whoever comes after the poison, without a hang.
pub(super) fn poison_between(place: Place) {
    let poisoner = {
        let place = Arc::clone(&place);
        thread::spawn(move || place.poison(Failure::Poisoned(9)))
    };
    let outcomes = on_ranks(&place, |mut seat| (visit(&mut seat, 0), visit(&mut seat, 1)));
    poisoner.join().unwrap();
    assert!(outcomes.iter().all(|outcome| *outcome == outcomes[0]), "{outcomes:?}");
}

/// Rank 1 poisons and then tries to arrive: nobody may complete the generation, and rank 0 must get away.
pub(super) fn poisoner_arrives(place: Place) {
    let outcomes = on_ranks(&place, |mut seat| {
        if seat.rank == 1 {
            seat.rendezvous.poison(Failure::Poisoned(1));
        }
        visit(&mut seat, 0)
    });
    assert!(outcomes.iter().all(|outcome| *outcome == Err(Failure::Poisoned(1))), "{outcomes:?}");
}

/// Two reasons at once: every rank gets the same one.
pub(super) fn first_reason_wins(place: Place) {
    let outcomes = on_ranks(&place, |mut seat| {
        seat.rendezvous.poison(Failure::Poisoned(seat.rank));
        seat.arrive(0, accept).map(drop).unwrap_err()
    });
    assert!(outcomes.iter().all(|outcome| *outcome == outcomes[0]), "{outcomes:?}");
}

/// The payloads don't fit together: no rank enters, and every rank hears why.
pub(super) fn refused(place: Place) {
    let sum = place.slots.len();
    let outcomes = on_ranks(&place, |mut seat| refuse(&mut seat));
    assert!(outcomes.iter().all(|outcome| *outcome == Failure::Refused { sum }), "{outcomes:?}");
}

/// The same, and the next generation is unharmed.
pub(super) fn refused_then_fine(place: Place) {
    let sum = place.slots.len();
    let outcomes = on_ranks(&place, |mut seat| (refuse(&mut seat), visit(&mut seat, 1)));
    assert!(outcomes.iter().all(|o| *o == (Failure::Refused { sum }, Ok(()))), "{outcomes:?}");
}

fn refuse(seat: &mut Rank) -> Failure {
    let sum = |peers: Peers<'_, usize>| Some(Failure::Refused { sum: peers.iter().sum() });
    seat.arrive(1, sum).unwrap().enter().map(drop).unwrap_err()
}

/// All ranks fail while they copy: every rank gets the error of rank 0.
pub(super) fn copy_fails(place: Place) {
    let outcomes = on_ranks(&place, |mut seat| fail(&mut seat));
    assert!(outcomes.iter().all(|outcome| *outcome == Some(Failure::Copy { rank: 0 })), "{outcomes:?}");
}

/// The same, and the next generation has no error.
pub(super) fn copy_fails_then_fine(place: Place) {
    let outcomes = on_ranks(&place, |mut seat| (fail(&mut seat), visit(&mut seat, 1)));
    assert!(outcomes.iter().all(|o| *o == (Some(Failure::Copy { rank: 0 }), Ok(()))), "{outcomes:?}");
}

fn fail(seat: &mut Rank) -> Option<Failure> {
    let rank = seat.rank;
    let entered = seat.arrive(payload(rank, 0), accept).unwrap().enter().unwrap();
    read_all(&entered, 0);
    entered.finish(Some(Failure::Copy { rank }))
}

/// Rank 1 unwinds while it copies: its payload outlives the peers' reading, and they get an error.
pub(super) fn copy_panics(place: Place) {
    let outcomes = on_ranks(&place, |mut seat| {
        if seat.rank == 0 {
            return visit(&mut seat, 0);
        }
        let entered = seat.arrive(payload(1, 0), accept).unwrap().enter().unwrap();
        read_all(&entered, 0);
        drop(entered);
        Err(Failure::Panicked { rank: 1, payload: payload(1, 0) })
    });
    assert_eq!(outcomes[0], outcomes[1]);
}

/// Rank 1 unwinds between arrival and entry; whether it sealed the generation or left it open, nobody hangs.
pub(super) fn overlap_panics(place: Place) {
    let outcomes = on_ranks(&place, |mut seat| {
        if seat.rank == 0 {
            return visit(&mut seat, 0);
        }
        drop(seat.arrive(payload(1, 0), accept).unwrap());
        assert_eq!(seat.rendezvous.reason(), Some(Failure::Panicked { rank: 1, payload: payload(1, 0) }));
        Err(Failure::Panicked { rank: 1, payload: payload(1, 0) })
    });
    assert_eq!(outcomes[0], outcomes[1]);
}

/// Whichever rank seals unwinds from `verify`: its peers get an error, and it doesn't go before them.
pub(super) fn verify_panics(place: Place) {
    let outcomes = on_ranks(&place, |mut seat| {
        let mut sealed = false;
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            let verify = |_: Peers<'_, usize>| {
                sealed = true;
                resume_unwind(Box::new("planned"));
            };
            seat.arrive(3, verify).unwrap().enter().map(drop)
        }));
        assert_eq!(sealed, outcome.is_err());
        (sealed, outcome.ok())
    });
    let sealer = outcomes.iter().position(|(sealed, _)| *sealed).unwrap();
    for (rank, (_, outcome)) in outcomes.into_iter().enumerate() {
        let failure = Failure::Panicked { rank: sealer, payload: 3 };
        assert_eq!(outcome, (rank != sealer).then_some(Err(failure)));
    }
}

/// A watch poisons from `blocked` because the peer won't come: the sleeper-to-be finds out.
pub(super) fn watch_poisons(place: Place) {
    struct Impatient(Place);
    impl Watch for Impatient {
        fn blocked(&self, target: Target) {
            if !self.0.is_satisfied(target) {
                self.0.poison(Failure::Poisoned(0));
            }
            assert!(self.0.is_satisfied(target));
        }
        fn unblocked(&self) {}
    }
    let mut seat = place.seat(0, Impatient(Arc::clone(&place))).unwrap();
    assert_eq!(visit(&mut seat, 0), Err(Failure::Poisoned(0)));
}

/// One model a line: name, scenario, ranks, how much of the state space.
macro_rules! models {
    ($($name:ident: $scenario:ident, $size:literal, $walk:expr;)*) => {
        $(#[test] fn $name() { explore($size, $walk, None, $scenario); })*
    };
}

models! {
    visit_1: visit_twice, 1, All;
    visit_2: visit_once, 2, All;
    visit_twice_2: visit_twice, 2, Preemptions(5);
    visit_3: visit_once, 3, Preemptions(3);
    visit_twice_3: visit_twice, 3, Preemptions(2);
    visit_4: visit_twice, 4, Preemptions(1);
    poison_any_time_2: poison_any_time, 2, Preemptions(3);
    poison_any_time_3: poison_any_time, 3, Preemptions(2);
    poison_between_2: poison_between, 2, Preemptions(3);
    poisoner_arrives_2: poisoner_arrives, 2, All;
    poisoner_arrives_3: poisoner_arrives, 3, Preemptions(3);
    poisoner_arrives_4: poisoner_arrives, 4, Preemptions(1);
    first_reason_wins_2: first_reason_wins, 2, All;
    refused_2: refused, 2, All;
    refused_then_fine_2: refused_then_fine, 2, Preemptions(3);
    refused_3: refused, 3, Preemptions(3);
    copy_fails_2: copy_fails, 2, Preemptions(5);
    copy_fails_then_fine_2: copy_fails_then_fine, 2, Preemptions(3);
    copy_fails_3: copy_fails, 3, Preemptions(2);
    copy_panics_2: copy_panics, 2, All;
    overlap_panics_2: overlap_panics, 2, All;
    verify_panics_2: verify_panics, 2, Preemptions(4);
    verify_panics_3: verify_panics, 3, Preemptions(2);
    watch_poisons_2: watch_poisons, 2, All;
}
