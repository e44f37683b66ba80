//! An MPI communicator: its ranks, its parts, its end.

use std::ffi::c_int;

use maniple_core::CommError;
use mpi::ffi::*;

use super::{check, is_finalized};

/// An MPI communicator.
#[derive(Debug)]
pub(crate) struct Handle {
    pub(super) raw: MPI_Comm,
    rank: usize,
    size: usize,
    owned: bool,
}

impl Handle {
    /// All processes, with errors returned instead of fatal.
    pub(crate) fn world() -> Result<Self, CommError> {
        // SAFETY: a constant of the initialised library.
        Handle::new(unsafe { RSMPI_COMM_WORLD }, false)
    }

    fn new(raw: MPI_Comm, owned: bool) -> Result<Self, CommError> {
        let (mut rank, mut size) = (0, 0);
        // SAFETY: a valid communicator and a predefined handler.
        check("MPI_Comm_set_errhandler", unsafe { MPI_Comm_set_errhandler(raw, RSMPI_ERRORS_RETURN) })?;
        // SAFETY: a valid communicator; writes the rank.
        check("MPI_Comm_rank", unsafe { MPI_Comm_rank(raw, &mut rank) })?;
        // SAFETY: a valid communicator; writes the size.
        check("MPI_Comm_size", unsafe { MPI_Comm_size(raw, &mut size) })?;
        Ok(Handle { raw, rank: rank as usize, size: size as usize, owned })
    }

    pub(crate) fn rank(&self) -> usize {
        self.rank
    }

    pub(crate) fn size(&self) -> usize {
        self.size
    }

    /// Ends the processes of all ranks.
    pub(crate) fn abort(&self, code: c_int) -> ! {
        // SAFETY: allowed at any time between initialisation and the end.
        unsafe { MPI_Abort(self.raw, code) };
        std::process::exit(code)
    }

    /// A communicator of the ranks with the same color; none for `None`.
    pub(crate) fn split(&self, color: Option<c_int>, key: c_int) -> Result<Option<Self>, CommError> {
        // SAFETY: constants of the library.
        let (mut raw, undefined) = unsafe { (RSMPI_COMM_NULL, RSMPI_UNDEFINED) };
        // SAFETY: a valid communicator; writes the new one.
        let code = unsafe { MPI_Comm_split(self.raw, color.unwrap_or(undefined), key, &mut raw) };
        check("MPI_Comm_split", code)?;
        if color.is_none() {
            return Ok(None);
        }
        Handle::new(raw, true).map(Some)
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        if self.owned && !is_finalized() {
            // SAFETY: this handle made the communicator, and nothing uses it any more. Freeing is local enough in both
            // libraries: it does not wait for ranks that still use theirs.
            unsafe { MPI_Comm_free(&mut self.raw) };
        }
    }
}
