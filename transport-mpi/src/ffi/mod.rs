//! The only files that call MPI. Safe functions over checked arguments; every return code becomes a `CommError`.
//!
//! Counts are `c_int` here and nowhere above: who calls has cut its messages to fit.
#![allow(unsafe_code)]

mod collectives;
mod datatype;
mod handle;
mod requests;
mod window;

use std::ffi::c_int;
use std::ptr;

use maniple_core::CommError;
use mpi::ffi::*;

pub(crate) use datatype::{Datatype, Parts};
pub(crate) use handle::Handle;
pub(crate) use requests::{Requests, Slots};
pub(crate) use window::Window;

/// Initialises MPI for use by this thread. Says whether it gives the support that maniple needs, `MPI_THREAD_FUNNELED`.
pub(crate) fn init() -> Result<bool, CommError> {
    let mut provided = 0;
    let mut initialized = 0;
    // SAFETY: may be called at any time; writes the flag.
    check("MPI_Initialized", unsafe { MPI_Initialized(&mut initialized) })?;
    if initialized != 0 {
        let why = "MPI is initialised already, and can be only once in a process".to_string();
        return Err(CommError::Start { why });
    }
    // SAFETY: first initialisation of the process; null arguments are allowed since MPI-2.
    let code =
        unsafe { MPI_Init_thread(ptr::null_mut(), ptr::null_mut(), RSMPI_THREAD_FUNNELED, &mut provided) };
    check("MPI_Init_thread", code)?;
    // SAFETY: a constant of the library.
    Ok(provided >= unsafe { RSMPI_THREAD_FUNNELED })
}

/// Ends MPI. Nothing else of this file may be called after it.
pub(crate) fn finalize() -> Result<(), CommError> {
    // SAFETY: the caller has finished with MPI, and is the thread that initialised it.
    check("MPI_Finalize", unsafe { MPI_Finalize() })
}

/// The name and version of the library.
pub(crate) fn library_version() -> String {
    // SAFETY: a constant of the library; may be called at any time.
    let longest = unsafe { RSMPI_MAX_LIBRARY_VERSION_STRING } as usize;
    let (mut text, mut len) = (vec![0_u8; longest + 1], 0);
    // SAFETY: the buffer is as long as the library may need.
    let code = unsafe { MPI_Get_library_version(text.as_mut_ptr().cast(), &mut len) };
    text.truncate(if code == 0 { len as usize } else { 0 });
    String::from_utf8_lossy(&text).trim_end_matches(['\0', '\n']).to_string()
}

fn is_finalized() -> bool {
    let mut finalized = 0;
    // SAFETY: may be called at any time; writes the flag.
    unsafe { MPI_Finalized(&mut finalized) };
    finalized != 0
}

/// What MPI says of an error, as ours.
fn check(function: &'static str, code: c_int) -> Result<(), CommError> {
    if code == 0 {
        return Ok(());
    }
    let (mut text, mut len) = ([0_u8; 1024], 0); // MPI_MAX_ERROR_STRING is at most 512 in practice
    // SAFETY: the buffer is longer than any message.
    let told = unsafe { MPI_Error_string(code, text.as_mut_ptr().cast(), &mut len) } == 0;
    let message = if told {
        String::from_utf8_lossy(&text[..len as usize]).into_owned()
    } else {
        format!("code {code}")
    };
    Err(error(function, message))
}

fn error(function: &'static str, message: String) -> CommError {
    CommError::Transport { function, message }
}

/// A count as MPI takes it. The callers cut longer messages.
fn int(n: usize) -> Result<c_int, CommError> {
    c_int::try_from(n).map_err(|_| error("MPI", format!("{n} elements in one message")))
}
