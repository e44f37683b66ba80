//! Who is where: what makes it possible to tell a deadlock from a long computation, and to say what each rank was doing.

use std::any::Any;
use std::fmt;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use crossbeam_utils::CachePadded;
use maniple_core::{Call, CallOf, CommError};

use crate::group::{Group, Meeting, Reason};
use crate::rendezvous::{Patience, Target, Watch};

/// Shared by all ranks of a cluster.
pub(crate) struct Board {
    places: Box<[CachePadded<Mutex<Place>>]>,
    /// Every communicator whose ranks may still meet.
    groups: Mutex<Vec<Weak<Group>>>,
    /// Ranks that sleep in a collective or have ended.
    idle: AtomicUsize,
    /// Grows whenever a rank enters a collective, falls asleep, wakes or ends.
    events: AtomicU64,
    ended: AtomicUsize,
    /// What ended the whole cluster, if anything did: then it is also why a rank returns, and what its peers are told.
    fatal: Mutex<Option<CommError>>,
    panics: Mutex<Panics>,
    pub(crate) patience: Patience,
}

/// The panics of ranks. One panic leads to others (`unwrap` of `PeerFailed`); the first one matters.
#[derive(Default)]
struct Panics {
    /// Ranks that have begun to panic, and what they say, in time. A rank that caught its panic is not among them.
    begun: Vec<(usize, String)>,
    /// Those that a panic has ended.
    ended: Vec<(usize, Box<dyn Any + Send>)>,
}

/// Where one rank is.
#[derive(Default)]
struct Place {
    call: Option<Call>,
    panics: bool,
    asleep: Option<(Arc<Meeting>, Target)>,
    ended: bool,
}

impl Board {
    pub(crate) fn new(size: usize) -> Arc<Self> {
        Arc::new(Board {
            places: (0..size).map(|_| CachePadded::default()).collect(),
            groups: Mutex::default(),
            idle: AtomicUsize::new(0),
            events: AtomicU64::new(0),
            ended: AtomicUsize::new(0),
            fatal: Mutex::default(),
            panics: Mutex::default(),
            patience: Patience::for_ranks(size),
        })
    }

    pub(crate) fn size(&self) -> usize {
        self.places.len()
    }

    /// A meeting place of some ranks of the cluster.
    pub(crate) fn group(&self, members: Vec<usize>) -> Arc<Group> {
        let group = Group::new(members, self.patience);
        let mut groups = lock(&self.groups);
        groups.retain(|g| g.strong_count() > 0);
        groups.push(Arc::downgrade(&group));
        drop(groups);
        // Whoever ends the cluster either finds this one among its groups, or has said why before it looked.
        if let Some(why) = lock(&self.fatal).clone() {
            group.meeting.poison(Reason::Error(why));
        }
        group
    }

    /// `rank` enters a collective, or is back from it. Says where it was before.
    pub(crate) fn moves(&self, rank: usize, call: Option<Call>) -> Option<Call> {
        self.events.fetch_add(1, SeqCst);
        let mut place = lock(&self.places[rank]);
        if call.is_some() && std::mem::take(&mut place.panics) {
            lock(&self.panics).begun.retain(|p| p.0 != rank); // it was caught, or it would not get here
        }
        std::mem::replace(&mut place.call, call)
    }

    /// `rank` takes part in nothing any more, so whoever waits for it gets an error. Says how many ranks ended before.
    pub(crate) fn end(&self, rank: usize) -> usize {
        let order = self.ended.fetch_add(1, SeqCst); // first: a peer that hears of it may end at once
        let why = self.ending().map_or(Reason::Returned(rank), Reason::Error);
        for group in self.groups().iter().filter(|g| g.members.contains(&rank)) {
            group.meeting.poison(why.clone());
        }
        lock(&self.places[rank]).ended = true;
        self.falls_idle();
        order
    }

    /// `rank` failed: every communicator of the cluster ends, so that all ranks come back soon.
    pub(crate) fn fail(&self, rank: usize, message: &str) {
        self.poison(CommError::PeerFailed { rank, message: message.to_string() });
    }

    /// `rank` has begun to panic. Its peers in a collective may hear of it, and return, before it ends the rank.
    pub(crate) fn panics(&self, rank: usize, message: &str) {
        lock(&self.places[rank]).panics = true;
        let begun = &mut lock(&self.panics).begun;
        if begun.iter().all(|p| p.0 != rank) {
            begun.push((rank, message.to_string()));
        }
    }

    /// `rank` ends by a panic.
    pub(crate) fn panicked(&self, rank: usize, panic: Box<dyn Any + Send>) {
        let message = message_of(&*panic);
        self.panics(rank, &message);
        self.fail(rank, &message);
        lock(&self.panics).ended.push((rank, panic));
    }

    /// The first panic that ended a rank.
    pub(crate) fn take_panic(&self) -> Option<Box<dyn Any + Send>> {
        let Panics { begun, ended } = &mut *lock(&self.panics);
        let first = begun.iter().find_map(|(rank, _)| ended.iter().position(|p| p.0 == *rank))?;
        Some(ended.swap_remove(first).1)
    }

    /// What has ended the cluster, or is about to.
    fn ending(&self) -> Option<CommError> {
        let fatal = lock(&self.fatal).clone();
        fatal.or_else(|| {
            let first = lock(&self.panics).begun.first().cloned();
            first.map(|(rank, message)| CommError::PeerFailed { rank, message })
        })
    }

    pub(crate) fn all_ended(&self) -> bool {
        self.ended.load(SeqCst) == self.size()
    }

    /// A number that changes whenever something happens.
    pub(crate) fn events(&self) -> u64 {
        self.events.load(SeqCst)
    }

    /// Is any rank waiting in a collective?
    pub(crate) fn any_asleep(&self) -> bool {
        self.places.iter().any(|p| lock(p).asleep.is_some())
    }

    /// What every rank is doing, in words.
    pub(crate) fn positions(&self) -> Vec<CallOf> {
        CallOf::group(self.places.iter().enumerate().map(|(rank, place)| (rank, lock(place).to_string())))
    }

    /// Ends every communicator of the cluster. A collective that all ranks have entered still completes.
    pub(crate) fn poison(&self, why: CommError) {
        let why = lock(&self.fatal).get_or_insert(why).clone();
        self.groups().iter().for_each(|g| g.meeting.poison(Reason::Error(why.clone())));
    }

    fn groups(&self) -> Vec<Arc<Group>> {
        lock(&self.groups).iter().filter_map(Weak::upgrade).collect()
    }

    fn falls_idle(&self) {
        self.events.fetch_add(1, SeqCst);
        if self.idle.fetch_add(1, SeqCst) + 1 == self.size() && !self.all_ended() && self.is_stuck() {
            self.poison(CommError::Deadlock { waiting: self.positions() });
        }
    }

    /// Does every rank sleep, or has ended, and none can be woken by another?
    ///
    /// One rank is looked at after the other, so one that was still awake might meanwhile have let go one already looked at,
    /// and fallen asleep: then there was an event, and the rank that caused it looks again by itself.
    fn is_stuck(&self) -> bool {
        let before = self.events();
        let stuck = |place: &CachePadded<Mutex<Place>>| {
            let place = lock(place);
            place.ended
                || place.asleep.as_ref().is_some_and(|(meeting, target)| !meeting.is_satisfied(*target))
        };
        self.places.iter().all(stuck) && self.events() == before
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.call, self.ended) {
            (_, true) => f.write_str("has returned"),
            (Some(call), _) => call.fmt(f),
            (None, _) => f.write_str("outside of any collective"),
        }
    }
}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cluster of {} ranks", self.size())
    }
}

/// Tells the board when a rank falls asleep in a communicator.
pub(crate) struct Sleep {
    pub(crate) board: Arc<Board>,
    pub(crate) meeting: Arc<Meeting>,
    /// As numbered in the cluster.
    pub(crate) rank: usize,
}

impl Watch for Sleep {
    fn blocked(&self, target: Target) {
        lock(&self.board.places[self.rank]).asleep = Some((Arc::clone(&self.meeting), target));
        self.board.falls_idle();
    }

    fn unblocked(&self) {
        self.board.idle.fetch_sub(1, SeqCst);
        self.board.events.fetch_add(1, SeqCst);
        lock(&self.board.places[self.rank]).asleep = None;
    }
}

/// What a panic says.
pub(crate) fn message_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|s| (*s).to_string());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a panic without a message".into())
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
