//! Start and end of an MPI program, and nothing in between that could hang.

use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use maniple_core::{Checked, Comm, CommError, ranks_of_launcher};

use crate::communicator::Mpi;
use crate::cut::Limit;
use crate::ffi::{self, Handle};
use crate::last_words::{Listener, die, of_panic};
use crate::world::World;

/// Runs `program` on this process as one rank of an MPI job, and gives back what it returned.
///
/// Initialises MPI for one calling thread (`MPI_THREAD_FUNNELED`; threads that the program starts, rayon's among them, must not
/// communicate) and ends it. If `program` fails or panics on any rank, that rank prints its number and why, a panic with its place,
/// and the job is aborted with exit code 1; if several do, only the first one prints. If a rank returns while others wait
/// for it, the job is aborted too.
///
/// `MANIPLE_CHECKED=1` compares every call between the ranks ([`Checked`]); without it, ranks in different collectives, and messages
/// without a counterpart, are what they are in MPI: a wait without end, or a wrong result. `MANIPLE_MAX_COUNT` limits the
/// elements of one message, to test programs against the cutting of large ones; each piece is a message, so that values
/// below 1000 take their time.
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
        let _hook = Listener::new();
        catch_unwind(AssertUnwindSafe(|| program(&comm)))
    };
    match result {
        Ok(Ok(result)) => {
            end(world)?;
            Ok(result)
        }
        Ok(Err(error)) => die(&world, &error.to_string()),
        Err(_) => die(&world, &of_panic()),
    }
}

/// The name and version of the MPI library, once MPI runs.
pub fn library_version() -> String {
    ffi::library_version()
}

/// Initialises MPI, and ends it again if it can't be used.
fn start() -> Result<Rc<World>, CommError> {
    let supported = ffi::init()?;
    let started = usable(supported).and_then(|(handle, limit)| Ok(Rc::new(World::new(handle, limit)?)));
    started.inspect_err(|_| drop(ffi::finalize()))
}

fn usable(supported: bool) -> Result<(Handle, Limit), CommError> {
    let cannot = |why: String| Err(CommError::Start { why });
    if !supported {
        return cannot("MPI gives no thread support (MPI_THREAD_FUNNELED)".to_string());
    }
    let handle = Handle::world()?;
    let (size, launched) = (handle.size(), ranks_of_launcher());
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
            Ok(elements) if elements > 0 => Limit { elements: Limit::MPI.elements.min(elements) },
            _ => return cannot(format!("MANIPLE_MAX_COUNT is {text:?}, expected a positive number")),
        },
    };
    Ok((handle, limit))
}

/// Waits until all ranks have ended, unless one waits for this one.
fn end(world: Rc<World>) -> Result<(), CommError> {
    let ranks = world.handle.size();
    if let Some(waiting) = world.pulse.end(ranks)? {
        die(&world, &format!("has returned, but rank {waiting} waits for it in a collective"));
    }
    match Rc::try_unwrap(world) {
        Ok(world) => world.pulse.free()?,
        Err(world) => die(&world, "a communicator outlives the program that it was given to"),
    }
    ffi::finalize()
}

fn is_set(variable: &str) -> bool {
    std::env::var(variable).is_ok_and(|value| !matches!(value.trim(), "" | "0"))
}
