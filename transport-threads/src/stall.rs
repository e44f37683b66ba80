//! Watches a running cluster for ranks that are stuck outside of any collective, where a deadlock can't be told exactly.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use maniple_core::CommError;

use crate::board::Board;

/// How often to look.
const EVERY: Duration = Duration::from_millis(250);

/// Looks at the board now and then; `limit` without any event, and without any rank computing, is a stall.
#[derive(Debug)]
pub(crate) struct Stall {
    limit: Duration,
    since: Instant,
    seen: (u64, Option<Vec<u64>>),
    told: bool,
}

impl Stall {
    pub(crate) fn new(limit: Duration) -> Self {
        Stall { limit, since: Instant::now(), seen: (0, None), told: false }
    }

    /// When to look again.
    pub(crate) fn every(&self) -> Duration {
        EVERY.min(self.limit / 4).max(Duration::from_millis(1))
    }

    /// Ends the cluster's communicators at the first stall, and the process at the second: a rank that sits in foreign code can't
    /// be made to return.
    pub(crate) fn look(&mut self, board: &Board) {
        let now = (board.events(), computed(board));
        let progress = now != self.seen || now.1.is_none() || !board.any_asleep() && !self.told;
        self.seen = now;
        if progress || is_traced() {
            self.since = Instant::now();
            return;
        }
        if self.since.elapsed() < self.limit {
            return;
        }
        let error = CommError::Stalled { seconds: self.limit.as_secs(), waiting: board.positions() };
        if self.told {
            eprintln!("maniple: {error}; a rank does not come back, so the process ends");
            std::process::abort();
        }
        board.poison(error);
        self.told = true;
        self.since = Instant::now();
    }
}

/// How much each rank that does not wait has computed; `None` if the system doesn't tell.
fn computed(board: &Board) -> Option<Vec<u64>> {
    board.awake_threads()?.iter().map(|thread| cpu_time(thread)).collect()
}

/// The thread of the caller, as a file that tells its time.
pub(crate) fn this_thread() -> Option<PathBuf> {
    let link = std::fs::read_link("/proc/thread-self").ok()?;
    Some(Path::new("/proc").join(link).join("schedstat"))
}

fn cpu_time(thread: &Path) -> Option<u64> {
    std::fs::read_to_string(thread).ok()?.split_whitespace().next()?.parse().ok()
}

/// Is someone looking at the process in a debugger? Then time passes without progress.
fn is_traced() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let tracer = status.lines().find_map(|line| line.strip_prefix("TracerPid:"));
    tracer.is_some_and(|pid| pid.trim() != "0")
}
