//! How a rank ends the job: of all ranks that fail, the first one says why, once.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use crate::world::World;

/// A rank that fails after another waits so long for the other to end the job.
const GRACE: Duration = Duration::from_secs(5);
/// The launcher of MPICH drops what it has not yet read from a process when the job is aborted.
const TO_BE_READ: Duration = Duration::from_millis(200);

/// Says why, unless another rank has done so, and ends all ranks with exit code 1.
pub(crate) fn die(world: &World, why: &str) -> ! {
    let rank = world.handle.rank();
    if !world.pulse.is_first_to_fail() {
        // An error that all ranks get is told once, and what follows from another rank's end is not told at all.
        thread::sleep(GRACE);
    }
    let words = format!("maniple: rank {rank}: {why}\n");
    let _ = io::stderr().write_all(words.as_bytes()); // in one piece; if it can't be said, the exit code remains
    thread::sleep(TO_BE_READ);
    world.handle.abort(1)
}

static LAST_PANIC: Mutex<Option<String>> = Mutex::new(None);

/// What the panic of this rank said, and where it was.
pub(crate) fn of_panic() -> String {
    let text = LAST_PANIC.lock().unwrap_or_else(PoisonError::into_inner).take();
    text.unwrap_or_else(|| "a panic without a message".to_string())
}

/// While it lives, a panic of this thread prints nothing; its text is kept for the one message of this rank.
pub(crate) struct Listener;

impl Listener {
    pub(crate) fn new() -> Self {
        let rank = thread::current().id();
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if thread::current().id() != rank {
                return usual(panic);
            }
            let trace = Backtrace::capture();
            let trace = match trace.status() {
                BacktraceStatus::Captured => format!("\n{trace}"),
                _ => String::new(),
            };
            let text = format!("{panic}{trace}");
            *LAST_PANIC.lock().unwrap_or_else(PoisonError::into_inner) = Some(text);
        }));
        Listener
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        drop(std::panic::take_hook());
    }
}
