//! Whether a generation failed, and with which of several errors.

use crate::sync::{AtomicBool, Mutex, Ordering, lock};

/// Who reports an error. In order of precedence, so that the verdict doesn't depend on timing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reporter {
    /// The rank that sealed the generation, on behalf of all.
    Seal,
    /// A rank, for itself.
    Rank(usize),
}

/// The error of the current generation.
///
/// The counter orders all accesses: it is cleared and may be set at the seal, when the others wait for the release; set
/// before a departure; read after the release (has the seal refused?) and after the exit wait (has anybody failed?).
/// The flag can therefore be Relaxed. It spares generations without an error the lock.
#[derive(Debug)]
pub(super) struct Verdict<E> {
    failed: AtomicBool,
    first: Mutex<Option<(Reporter, E)>>,
}

impl<E: Clone> Verdict<E> {
    pub(super) fn new() -> Self {
        Self { failed: AtomicBool::new(false), first: Mutex::new(None) }
    }

    /// Forgets the previous generation's error: each rank arrived, so each has read it.
    pub(super) fn clear(&self) {
        if self.failed.load(Ordering::Relaxed) {
            *lock(&self.first) = None;
            self.failed.store(false, Ordering::Relaxed);
        }
    }

    pub(super) fn report(&self, by: Reporter, error: E) {
        let mut first = lock(&self.first);
        if first.as_ref().is_none_or(|(other, _)| by < *other) {
            *first = Some((by, error));
        }
        self.failed.store(true, Ordering::Relaxed);
    }

    /// The error that the sealing rank reported. Between release and exit others may be reported at the same time.
    pub(super) fn refusal(&self) -> Option<E> {
        self.read(|by| by == Reporter::Seal)
    }

    /// The error of the generation.
    pub(super) fn error(&self) -> Option<E> {
        self.read(|_| true)
    }

    fn read(&self, counts: impl FnOnce(Reporter) -> bool) -> Option<E> {
        if !self.failed.load(Ordering::Relaxed) {
            return None;
        }
        lock(&self.first).as_ref().filter(|(by, _)| counts(*by)).map(|(_, error)| error.clone())
    }
}
