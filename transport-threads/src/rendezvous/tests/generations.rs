//! Generations that go well.

use super::*;
use crate::sync::AtomicU64;

/// With and without looking, spinning, giving way.
fn patiences() -> [Patience; 4] {
    [ONE_LOOK, Patience::looks_of(0), Patience::looks_of(300), Patience::for_ranks(1)]
}

#[test]
fn every_rank_reads_every_payload_of_its_round() {
    within_a_minute("every_rank_reads_every_payload_of_its_round", || {
        for (size, rounds) in [(1, 5000), (2, 4000), (3, 2000), (7, 600), (16, 200), (64, 40)] {
            for patience in patiences() {
                on_ranks(&place(size, patience), |mut seat| {
                    for round in 0..rounds {
                        assert_eq!(visit(&mut seat, round), Ok(()));
                    }
                });
            }
        }
    });
}

/// What the communicator on top of this publishes: a buffer of the rank's own, good until the generation is
/// over.
struct Lent {
    at: *const u64,
    len: usize,
}

// SAFETY: sent and shared within one generation only, in which the owner keeps the buffer as it is.
unsafe impl Send for Lent {}
// SAFETY: as above.
unsafe impl Sync for Lent {}

#[test]
fn lent_buffers_may_be_reused_after_finish() {
    within_a_minute("lent_buffers_may_be_reused_after_finish", || {
        const LEN: usize = 1000;
        let size = 4;
        let place = Rendezvous::<Lent, ()>::new(size, ONE_LOOK, |_, _| ());
        thread::scope(|scope| {
            for rank in 0..size {
                let mut seat = place.seat(rank, ()).unwrap();
                scope.spawn(move || {
                    let mut mine = vec![0; LEN];
                    for round in 0..300 {
                        mine.fill(round * 10 + rank as u64);
                        let lent = Lent { at: mine.as_ptr(), len: LEN };
                        let entered = seat.arrive(lent, |_| None).unwrap().enter().unwrap();
                        for (peer, lent) in entered.peers().iter().enumerate() {
                            // SAFETY: the peer keeps its buffer as it is until this rank finishes.
                            let theirs = unsafe { std::slice::from_raw_parts(lent.at, lent.len) };
                            assert!(theirs.iter().all(|seen| *seen == round * 10 + peer as u64));
                        }
                        assert_eq!(entered.finish(None), None);
                    }
                });
            }
        });
    });
}

#[test]
fn a_payload_is_dropped_by_the_end_of_its_generation() {
    within_a_minute("a_payload_is_dropped_by_the_end_of_its_generation", || {
        let size = 3;
        let place = Rendezvous::<Arc<usize>, ()>::new(size, ONE_LOOK, |_, _| ());
        thread::scope(|scope| {
            for rank in 0..size {
                let mut seat = place.seat(rank, ()).unwrap();
                scope.spawn(move || {
                    let mine = Arc::new(rank);
                    for _ in 0..100 {
                        let entered = seat.arrive(Arc::clone(&mine), |_| None).unwrap().enter().unwrap();
                        assert_eq!(Arc::strong_count(entered.peers().get(rank)), 2);
                        assert_eq!(entered.finish(None), None);
                        assert_eq!(Arc::strong_count(&mine), 1);
                    }
                });
            }
        });
    });
}

#[test]
fn one_rank_verifies_each_generation() {
    within_a_minute("one_rank_verifies_each_generation", || {
        let verified = AtomicU64::new(0);
        let (size, rounds) = (5, 200);
        on_ranks(&place(size, ONE_LOOK), |mut seat| {
            for round in 0..rounds {
                let verify = |peers: Peers<'_, u64>| {
                    assert_eq!(peers.size(), size);
                    verified.fetch_add(1, Ordering::Relaxed);
                    None
                };
                let entered = seat.arrive(round, verify).unwrap().enter().unwrap();
                assert_eq!(entered.finish(None), None);
            }
        });
        assert_eq!(verified.into_inner(), rounds);
    });
}

#[test]
fn overlap_needs_no_peer() {
    within_a_minute("overlap_needs_no_peer", || {
        let place = place(2, ONE_LOOK);
        let (mut first, mut second) = (place.seat(0, ()).unwrap(), place.seat(1, ()).unwrap());
        let arrived = first.arrive(7, accept).unwrap();
        // Rank 1 hasn't arrived, yet rank 0 goes on: `arrive` doesn't wait, on whichever rank.
        let sealed = second.arrive(8, accept).unwrap();
        let (entered, sealed) = (arrived.enter().unwrap(), sealed.enter().unwrap());
        assert_eq!((*entered.peers().get(1), *sealed.peers().get(0)), (8, 7));
        thread::scope(|scope| {
            scope.spawn(|| assert_eq!(sealed.finish(None), None));
            assert_eq!(entered.finish(None), None);
        });
    });
}

#[test]
fn a_seat_is_given_once() {
    let place = place(2, ONE_LOOK);
    let seat = place.seat(1, ()).unwrap();
    assert_eq!((seat.rank, seat.rendezvous.slots.len()), (1, 2));
    assert!(place.seat(1, ()).is_none());
    assert!(place.seat(0, ()).is_some());
}

#[test]
#[should_panic(expected = "at least one rank")]
fn nobody_cannot_meet() {
    place(0, ONE_LOOK);
}
