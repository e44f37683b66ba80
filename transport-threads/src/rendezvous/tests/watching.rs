//! What a watch hears, and what it can do with it.

use super::super::{Target, Watch};
use super::*;
use crate::sync::{Mutex, lock};

/// Finds a deadlock exactly: all ranks are blocked (or gone) and none of them can go on.
struct Detector {
    place: Place,
    blocked: Mutex<Vec<Option<Target>>>,
    pairs: Mutex<Vec<i64>>,
}

struct Watcher {
    detector: Arc<Detector>,
    rank: usize,
}

impl Watch for Watcher {
    fn blocked(&self, target: Target) {
        let detector = &self.detector;
        lock(&detector.pairs)[self.rank] += 1;
        let mut blocked = lock(&detector.blocked);
        blocked[self.rank] = Some(target);
        let stuck =
            |target: &Option<Target>| target.is_some_and(|target| !detector.place.is_satisfied(target));
        if blocked.iter().all(stuck) {
            detector.place.poison(Failure::Poisoned(self.rank as u64));
        }
    }

    fn unblocked(&self) {
        lock(&self.detector.pairs)[self.rank] -= 1;
        lock(&self.detector.blocked)[self.rank] = None;
    }
}

#[test]
fn a_watch_can_find_a_deadlock_exactly() {
    within_a_minute("a_watch_can_find_a_deadlock_exactly", || {
        for missing in 0..4 {
            let (size, rounds) = (4, 200);
            let place = place(size, ONE_LOOK);
            let detector = Arc::new(Detector {
                place: Arc::clone(&place),
                blocked: Mutex::new(vec![None; size]),
                pairs: Mutex::new(vec![0; size]),
            });
            let outcomes: Vec<_> = thread::scope(|scope| {
                let run = |rank| {
                    let watch = Watcher { detector: Arc::clone(&detector), rank };
                    let mut seat = place.seat(rank, watch).unwrap();
                    let detector = &detector;
                    scope.spawn(move || {
                        let mine = if rank == missing { rounds } else { rounds + 1 };
                        let outcome = (0..mine).try_for_each(|round| visit(&mut seat, round));
                        if rank == missing {
                            // It is gone: from now on stuck forever, on a target that is never reached.
                            let never = Target { ticks: u64::MAX >> 2, abort_below: 0 };
                            Watcher { detector: Arc::clone(detector), rank }.blocked(never);
                        }
                        outcome
                    })
                };
                let ranks: Vec<_> = (0..size).map(run).collect();
                ranks.into_iter().map(|rank| rank.join().unwrap()).collect()
            });
            let reason = place.reason().expect("the deadlock is found");
            for (rank, outcome) in outcomes.into_iter().enumerate() {
                let expected = if rank == missing { Ok(()) } else { Err(reason.clone()) };
                assert_eq!(outcome, expected, "rank {rank}");
            }
            // Each `blocked` had its `unblocked`, but for the call that stands for being gone.
            let pairs = lock(&detector.pairs);
            assert!(pairs.iter().enumerate().all(|(rank, left)| *left == i64::from(rank == missing)));
        }
    });
}

#[test]
fn a_target_is_satisfied_by_the_last_arrival_or_by_poison_before_it() {
    struct Tell(Arc<Mutex<Option<Target>>>);
    impl Watch for Tell {
        fn blocked(&self, target: Target) {
            *lock(&self.0) = Some(target);
        }
        fn unblocked(&self) {}
    }
    within_a_minute("a_target_is_satisfied", || {
        for poison in [false, true] {
            let place = place(2, ONE_LOOK);
            let told = Arc::new(Mutex::new(None));
            let mut first = place.seat(0, Tell(Arc::clone(&told))).unwrap();
            let mut second = place.seat(1, ()).unwrap();
            thread::scope(|scope| {
                let waiting = scope.spawn(move || visit(&mut first, 0));
                let target = loop {
                    if let Some(target) = *lock(&told) {
                        break target;
                    }
                    thread::yield_now();
                };
                assert!(!place.is_satisfied(target));
                if poison {
                    place.poison(Failure::Poisoned(5));
                    assert!(place.is_satisfied(target));
                    assert_eq!(waiting.join().unwrap(), Err(Failure::Poisoned(5)));
                } else {
                    let arrived = second.arrive(1, accept).unwrap();
                    assert!(place.is_satisfied(target));
                    assert_eq!(arrived.enter().unwrap().finish(None), None);
                    assert_eq!(waiting.join().unwrap(), Ok(()));
                }
            });
        }
    });
}
