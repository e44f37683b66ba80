//! A time limit for what might hang.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// Runs `work`; if it takes longer than `limit`, the process ends with a message: a thread that hangs can't be stopped.
pub(crate) fn within<R>(limit: Duration, work: impl FnOnce() -> R) -> R {
    let test = std::thread::current().name().unwrap_or("main").to_string();
    let (done, ends) = channel::<()>();
    let watchdog = std::thread::spawn(move || {
        if ends.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
            eprintln!("{test} took more than {limit:?}: it hangs");
            std::process::abort();
        }
    });
    let result = catch_unwind(AssertUnwindSafe(work));
    drop(done);
    watchdog.join().expect("the watchdog does not panic");
    result.unwrap_or_else(|panic| resume_unwind(panic))
}
