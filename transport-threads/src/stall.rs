//! Watches a running cluster for ranks that are stuck outside of any collective, where a deadlock can't be told exactly.

use std::time::Duration;

use maniple_core::CommError;

use crate::board::Board;

/// How often to look.
const EVERY: Duration = Duration::from_millis(250);

/// A process that computes less than this part of the time does nothing that anyone waits for.
const IDLE: f64 = 0.01;

/// Looks at the board now and then; `limit` without any event, and with an idle process, is a stall.
///
/// A rank may have its work done by other threads, so the whole process counts, not only the threads of ranks.
#[derive(Debug)]
pub(crate) struct Stall {
    limit: Duration,
    /// How often it has looked since something last happened. Not the time since then, which goes on while the process is stopped.
    quiet: u32,
    /// The events and the computing time at that moment.
    then: (u64, Option<Duration>),
    told: bool,
}

impl Stall {
    pub(crate) fn new(limit: Duration) -> Self {
        Stall { limit, quiet: 0, then: (0, None), told: false }
    }

    /// When to look again.
    pub(crate) fn every(&self) -> Duration {
        EVERY.min(self.limit / 4).max(Duration::from_millis(1))
    }

    /// Ends the cluster's communicators at the first stall, and the process at the second: a rank that sits in foreign code can't
    /// be made to return.
    pub(crate) fn look(&mut self, board: &Board) {
        let now = (board.events(), computed());
        let waits = self.told || board.any_asleep();
        if !waits || self.progress(now) || is_traced() {
            (self.quiet, self.then) = (0, now);
            return;
        }
        self.quiet += 1;
        if self.every() * self.quiet < self.limit {
            return;
        }
        let error = CommError::Stalled { seconds: self.limit.as_secs(), waiting: board.positions() };
        if self.told {
            eprintln!("maniple: {error}; a rank does not come back, so the process ends");
            std::process::abort();
        }
        board.poison(error);
        self.told = true;
        (self.quiet, self.then) = (0, now);
    }

    /// Has anything happened since the last time that something had?
    fn progress(&self, (events, computed): (u64, Option<Duration>)) -> bool {
        let (Some(before), Some(computed)) = (self.then.1, computed) else { return true };
        let busy = computed.saturating_sub(before).as_secs_f64() > IDLE * self.limit.as_secs_f64();
        events != self.then.0 || busy
    }
}

/// How long the process has computed so far, on all its threads; `None` if the system doesn't tell.
fn computed() -> Option<Duration> {
    const TICK: Duration = Duration::from_millis(10); // USER_HZ is 100 wherever Linux runs
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    let behind_the_name = stat.rsplit(')').next()?;
    let times = behind_the_name.split_whitespace().skip(11).take(2); // utime and stime
    let ticks = times.map(|n| n.parse::<u32>().ok()).sum::<Option<u32>>()?;
    Some(TICK * ticks)
}

/// Is someone looking at the process in a debugger? Then time passes without progress.
fn is_traced() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let tracer = status.lines().find_map(|line| line.strip_prefix("TracerPid:"));
    tracer.is_some_and(|pid| pid.trim() != "0")
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn the_process_computes() {
        let before = computed().expect("Linux tells");
        let begin = std::time::Instant::now();
        while begin.elapsed() < Duration::from_millis(200) {
            std::hint::spin_loop();
        }
        assert!(computed().expect("Linux tells") > before);
    }
}
