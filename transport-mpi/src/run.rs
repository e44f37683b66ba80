//! Start and end of an MPI program, and nothing in between that could hang.

use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::Mutex;
use std::time::Duration;

use maniple_core::{Checked, Comm, CommError, ranks_of_launcher};

use crate::communicator::{Mpi, World};
use crate::cut::Limit;
use crate::ffi::{self, Handle};

/// Runs `program` on this process as one rank of an MPI job, and gives back what it returned.
///
/// Initialises MPI for one calling thread (`MPI_THREAD_FUNNELED`; threads that the program starts, rayon's among them, must not
/// communicate) and ends it. If `program` fails or panics on any rank, that rank prints one message with its number and
/// place, and the job is aborted with exit code 1. If a rank returns while others wait for it, the job is aborted too.
///
/// `MANIPLE_CHECKED=1` compares every call between the ranks ([`Checked`]). `MANIPLE_MAX_COUNT` limits the elements of one
/// message, to test programs against the cutting of large ones.
///
/// # Errors
/// [`CommError::Start`] if MPI can't be used: no thread support, initialised before, or a launcher of another MPI, which would
/// start many programs of one rank each. Errors of `program` end the job and are not returned.
pub fn run<R, E>(program: impl FnOnce(&Comm) -> Result<R, E>) -> Result<R, E>
where
    E: From<CommError> + Display,
{
    let world = start()?;
    let result = {
        let comm = Comm::new(Rc::new(Mpi::world(Rc::clone(&world))?));
        let comm = if is_set("MANIPLE_CHECKED") { Checked::wrap(&comm) } else { comm };
        let _hook = PanicPlace::listen();
        catch_unwind(AssertUnwindSafe(|| program(&comm)))
    };
    match result {
        Ok(Ok(result)) => {
            end(world)?;
            Ok(result)
        }
        Ok(Err(error)) => die(&world.handle, &error.to_string()),
        Err(_) => die(&world.handle, &PanicPlace::take()),
    }
}

/// The name and version of the MPI library, once MPI runs.
pub fn library_version() -> String {
    ffi::library_version()
}

fn start() -> Result<Rc<World>, CommError> {
    let cannot = |why: String| Err(CommError::Start { why });
    if !ffi::init()? {
        return cannot("MPI gives no thread support (MPI_THREAD_FUNNELED)".to_string());
    }
    let handle = Handle::world()?;
    let (size, launched) = (handle.size()?, ranks_of_launcher());
    if let Some(launched) = launched.filter(|&n| n > size) {
        let library = ffi::library_version();
        return cannot(format!(
            "the launcher started {launched} ranks, but MPI knows {size}: this program is built with {library}, \
             and must be started by the launcher of that library"
        ));
    }
    let limit = match std::env::var("MANIPLE_MAX_COUNT") {
        Err(_) => Limit::MPI,
        Ok(text) => match text.parse() {
            Ok(elements) if elements > 0 => Limit { elements },
            _ => return cannot(format!("MANIPLE_MAX_COUNT is {text:?}, expected a positive number")),
        },
    };
    Ok(Rc::new(World::new(handle, limit, die)?))
}

/// Waits until all ranks have ended, unless one waits for this one.
fn end(world: Rc<World>) -> Result<(), CommError> {
    let ranks = world.handle.size()?;
    if let Some(waiting) = world.pulse.end(ranks)? {
        die(&world.handle, &format!("has returned, but rank {waiting} waits for it in a collective"));
    }
    match Rc::try_unwrap(world) {
        Ok(world) => world.pulse.free()?,
        Err(world) => die(&world.handle, "a communicator outlives the program that it was given to"),
    }
    ffi::finalize()
}

/// Prints one message and ends the job.
fn die(world: &Handle, message: &str) -> ! {
    let rank = world.rank().unwrap_or_default();
    if rank > 0 {
        // An error that all ranks get is told once: rank 0 ends the job first.
        std::thread::sleep(Duration::from_millis(200));
    }
    eprintln!("maniple: rank {rank}: {message}");
    world.abort(1)
}

fn is_set(variable: &str) -> bool {
    std::env::var(variable).is_ok_and(|value| !matches!(value.trim(), "" | "0"))
}

/// Instead of the usual message of a panic, its text and place are kept for the one message of this rank.
struct PanicPlace;

static LAST_PANIC: Mutex<Option<String>> = Mutex::new(None);

impl PanicPlace {
    fn listen() -> Self {
        let main = std::thread::current().id();
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| match std::thread::current().id() == main {
            true => *LAST_PANIC.lock().unwrap_or_else(|e| e.into_inner()) = Some(info.to_string()),
            false => usual(info),
        }));
        PanicPlace
    }

    fn take() -> String {
        let text = LAST_PANIC.lock().unwrap_or_else(|e| e.into_inner()).take();
        text.unwrap_or_else(|| "a panic without a message".to_string())
    }
}

impl Drop for PanicPlace {
    fn drop(&mut self) {
        drop(std::panic::take_hook());
    }
}
