//! Generations that fail: everybody hears of it, in the same words, and nobody hangs.

use super::*;
use std::mem::forget;

fn all_equal<T: PartialEq>(items: &[T]) -> bool {
    items.iter().all(|item| *item == items[0])
}

#[test]
fn poison_at_any_moment_aborts_a_generation_on_all_ranks_or_on_none() {
    within_a_minute("poison_at_any_moment", || {
        let mut seed = 749;
        let mut aborted_after = Vec::new();
        for (size, times) in [(1, 50), (2, 300), (3, 200), (8, 60), (64, 10)] {
            for _ in 0..times {
                let place = place(size, Patience::looks_of(random(&mut seed) as u32 % 100));
                let delay = Duration::from_nanos(random(&mut seed) % 300_000);
                let outcomes = thread::scope(|scope| {
                    scope.spawn(|| {
                        thread::sleep(delay);
                        place.poison(Failure::Poisoned(1));
                        place.poison(Failure::Poisoned(2));
                    });
                    on_ranks(&place, |mut seat| {
                        (0..)
                            .find_map(|round| visit(&mut seat, round).err().map(|error| (round, error)))
                            .unwrap()
                    })
                });
                assert!(all_equal(&outcomes), "{outcomes:?}");
                assert_eq!(outcomes[0].1, Failure::Poisoned(1));
                aborted_after.push(outcomes[0].0);
            }
        }
        assert!(!all_equal(&aborted_after), "the poison never came at another moment");
    });
}

#[test]
fn poison_does_not_end_the_exit_wait() {
    within_a_minute("poison_does_not_end_the_exit_wait", || {
        let place = place(2, ONE_LOOK);
        let read = AtomicBool::new(false);
        let outcomes = on_ranks(&place, |mut seat| {
            let mine = seat.rank as u64;
            let entered = seat.arrive(mine, accept).unwrap().enter().unwrap();
            if mine == 1 {
                seat_is_poisoned_while_the_peer_waits(&place);
                assert_eq!(*entered.peers().get(0), 0);
                read.store(true, Ordering::Release);
                return entered.finish(None);
            }
            let verdict = entered.finish(None);
            assert!(read.load(Ordering::Acquire), "left while a peer was reading");
            verdict
        });
        assert_eq!(outcomes, [None, None]);
        assert_eq!(place.reason(), Some(Failure::Poisoned(3)));
    });
}

fn seat_is_poisoned_while_the_peer_waits(place: &Place) {
    thread::sleep(Duration::from_millis(20));
    place.poison(Failure::Poisoned(3));
    thread::sleep(Duration::from_millis(20));
}

#[test]
fn a_refusal_reaches_all_ranks_and_ends_with_its_generation() {
    within_a_minute("a_refusal_reaches_all_ranks", || {
        on_ranks(&place(6, ONE_LOOK), |mut seat| {
            for round in 0..200 {
                let refuse = |_: Peers<'_, u64>| Some(Failure::Refused);
                assert_eq!(seat.arrive(0, refuse).unwrap().enter().map(drop), Err(Failure::Refused));
                assert_eq!(visit(&mut seat, round), Ok(()));
            }
        });
    });
}

#[test]
fn of_several_errors_the_lowest_rank_s_is_everybody_s() {
    within_a_minute("of_several_errors", || {
        let size = 7;
        on_ranks(&place(size, ONE_LOOK), |mut seat| {
            let rank = seat.rank;
            for round in 0..300 {
                let fails = |rank: usize| (rank + round).is_multiple_of(3) && round % 5 > 0;
                let lowest = (0..size).find(|rank| fails(*rank)).map(Failure::Copy);
                let entered = seat.arrive(0, accept).unwrap().enter().unwrap();
                assert_eq!(entered.finish(fails(rank).then_some(Failure::Copy(rank))), lowest);
            }
        });
    });
}

#[test]
fn a_panic_in_the_copy_phase_is_everybody_s_error() {
    within_a_minute("a_panic_in_the_copy_phase", || {
        on_ranks(&place(5, ONE_LOOK), |mut seat| {
            for round in 0..200 {
                let (me, rank, payload) = (seat.rank, round as usize % 5, round + 100);
                let outcome = caught(|| {
                    let entered = seat.arrive(payload, accept).unwrap().enter().unwrap();
                    if me == rank {
                        planned();
                    }
                    entered.finish(None)
                });
                if me == rank {
                    assert_eq!(outcome.unwrap_err().downcast_ref(), Some(&"planned"));
                } else {
                    assert_eq!(outcome.unwrap(), Some(Failure::Panicked { rank, payload }));
                }
                // Nobody is left behind: the next generation is whole again.
                assert_eq!(visit(&mut seat, round), Ok(()));
            }
        });
    });
}

#[test]
fn what_a_rank_lent_outlives_its_panic_until_no_peer_reads_it() {
    /// On the stack of the rank that lends it; says when it is gone.
    struct Memory(Arc<AtomicBool>);
    impl Drop for Memory {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Release);
        }
    }
    within_a_minute("what_a_rank_lent_outlives_its_panic", || {
        let size = 4;
        for (round, in_copy) in (0..200).map(|round| (round, round % 2 == 0)) {
            let place = Rendezvous::<Arc<AtomicBool>, ()>::new(size, ONE_LOOK, |_, _| ());
            thread::scope(|scope| {
                for rank in 0..size {
                    let mut seat = place.seat(rank, ()).unwrap();
                    scope.spawn(move || {
                        caught(|| {
                            let gone = Arc::new(AtomicBool::new(false));
                            let _memory = Memory(Arc::clone(&gone));
                            let Ok(arrived) = seat.arrive(gone, |_| None) else { return };
                            if rank == round % size && !in_copy {
                                planned();
                            }
                            let Ok(entered) = arrived.enter() else { return };
                            for peer in entered.peers().iter() {
                                thread::yield_now();
                                assert!(!peer.load(Ordering::Acquire), "lent memory is gone");
                            }
                            if rank == round % size {
                                planned();
                            }
                            assert_eq!(entered.finish(None), Some(()));
                        })
                        .map_err(|panic| assert_eq!(panic.downcast_ref(), Some(&"planned")))
                    });
                }
            });
        }
    });
}

#[test]
fn a_panic_between_arrival_and_entry_poisons() {
    within_a_minute("a_panic_between_arrival_and_entry", || {
        for panicking in 0..4 {
            for delay in [0, 0, 2] {
                let place = place(4, ONE_LOOK);
                let error = Failure::Panicked { rank: panicking, payload: 9 };
                on_ranks(&place, |mut seat| {
                    if seat.rank != panicking {
                        let outcome = seat.arrive(9, accept).and_then(super::super::Arrived::enter);
                        let outcome = outcome.and_then(agreed);
                        assert_eq!(outcome, Err(error.clone()));
                    } else {
                        let outcome = caught(|| {
                            let _arrived = seat.arrive(9, accept).unwrap();
                            thread::sleep(Duration::from_millis(delay));
                            planned();
                        });
                        assert_eq!(outcome.unwrap_err().downcast_ref(), Some(&"planned"));
                    }
                    assert_eq!(seat.arrive(1, accept).map(drop), Err(error.clone()));
                });
            }
        }
    });
}

#[test]
fn a_panic_in_verify_lets_the_peers_go() {
    within_a_minute("a_panic_in_verify", || {
        for _ in 0..100 {
            let outcomes = on_ranks(&place(4, ONE_LOOK), |mut seat| {
                caught(|| seat.arrive(6, |_| planned()).unwrap().enter().map(drop)).ok()
            });
            let sealer = outcomes.iter().position(Option::is_none).unwrap();
            for (rank, outcome) in outcomes.into_iter().enumerate().filter(|(rank, _)| *rank != sealer) {
                assert_eq!(outcome, Some(Err(Failure::Panicked { rank: sealer, payload: 6 })), "rank {rank}");
            }
        }
    });
}

#[test]
#[should_panic(expected = "rank 0 leaked the guard")]
fn a_leaked_guard_is_noticed() {
    let mut seat = place(1, ONE_LOOK).seat(0, ()).unwrap();
    forget(seat.arrive(1, accept).unwrap().enter().unwrap());
    let _ = seat.arrive(2, accept);
}
