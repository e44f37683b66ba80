//! Memory of one rank that other ranks read and change without its help.

use std::ffi::c_int;
use std::ptr;
use std::time::{Duration, Instant};

use maniple_core::CommError;
use mpi::ffi::*;

use super::{Handle, check};

/// What a rank has in the window: enough that no two ranks write the same cache line, which they would wait for in every
/// collective.
const BYTES: MPI_Aint = 256;
/// Where in it a rank's word is, and where rank 0 has the counter.
const WORD: MPI_Aint = 0;
const COUNTER: MPI_Aint = 1;

/// One word per rank that the others can read, and a counter of all.
#[derive(Debug)]
pub(crate) struct Window {
    raw: MPI_Win,
    mine: *mut u64,
}

impl Window {
    /// Collective over the communicator.
    pub(crate) fn new(comm: &Handle) -> Result<Self, CommError> {
        let mut mine: *mut u64 = ptr::null_mut();
        // SAFETY: constants of the library.
        let (mut raw, info) = unsafe { (RSMPI_WIN_NULL, RSMPI_INFO_NULL) };
        // SAFETY: MPI allocates word and counter, and writes pointer and window.
        let code =
            unsafe { MPI_Win_allocate(BYTES, 8, info, comm.raw, ptr::from_mut(&mut mine).cast(), &mut raw) };
        check("MPI_Win_allocate", code)?;
        let window = Window { raw, mine };
        // SAFETY: two words of the library's memory, which no rank uses before the barrier below.
        unsafe { mine.cast::<[u64; 2]>().write([0, 0]) };
        // SAFETY: a valid window; the epoch lasts as long as the window.
        check("MPI_Win_lock_all", unsafe { MPI_Win_lock_all(0, raw) })?;
        comm.barrier()?;
        Ok(window)
    }

    /// Changes this rank's word, and gives back what it was.
    pub(crate) fn set(&self, word: u64) -> u64 {
        // SAFETY: the library's memory, aligned for a word; written only here, by one thread, and read by peers through MPI.
        unsafe {
            let before = self.mine.read_volatile();
            self.mine.write_volatile(word);
            before
        }
    }

    /// Another rank's word.
    pub(crate) fn get(&self, rank: c_int) -> Result<u64, CommError> {
        let mut word = 0_u64;
        // SAFETY: the local word lives until the flush, after which MPI no longer writes it.
        let code = unsafe {
            let into = ptr::from_mut(&mut word).cast();
            MPI_Get(into, 1, RSMPI_UINT64_T, rank, WORD, 1, RSMPI_UINT64_T, self.raw)
        };
        check("MPI_Get", code)?;
        // SAFETY: inside the epoch begun in `new`.
        check("MPI_Win_flush", unsafe { MPI_Win_flush(rank, self.raw) })?;
        Ok(word)
    }

    /// Adds one to the counter, and says what it was; nothing if the process that holds it does not answer in time.
    pub(crate) fn count(&self, patience: Duration) -> Result<Option<u64>, CommError> {
        // Never given back: MPI may still use them when this rank has lost its patience.
        let (one, before) = (Box::leak(Box::new(1_u64)), Box::into_raw(Box::new(0_u64)));
        // SAFETY: a constant of the library.
        let mut request = unsafe { RSMPI_REQUEST_NULL };
        // SAFETY: inside the epoch begun in `new`; both words live for ever.
        let code = unsafe {
            MPI_Rget_accumulate(
                ptr::from_mut(one).cast(),
                1,
                RSMPI_UINT64_T,
                before.cast(),
                1,
                RSMPI_UINT64_T,
                0,
                COUNTER,
                1,
                RSMPI_UINT64_T,
                RSMPI_SUM,
                self.raw,
                &mut request,
            )
        };
        check("MPI_Rget_accumulate", code)?;
        let (begin, mut done) = (Instant::now(), 0);
        while done == 0 && begin.elapsed() < patience {
            // SAFETY: the request made above, which becomes null when it is done.
            check("MPI_Test", unsafe { MPI_Test(&mut request, &mut done, RSMPI_STATUS_IGNORE) })?;
        }
        // SAFETY: MPI has written it and does so no more.
        Ok((done != 0).then(|| unsafe { before.read() }))
    }

    /// Collective.
    pub(crate) fn free(mut self) -> Result<(), CommError> {
        // SAFETY: ends the epoch begun in `new`.
        check("MPI_Win_unlock_all", unsafe { MPI_Win_unlock_all(self.raw) })?;
        // SAFETY: made by `new`, not used any more.
        check("MPI_Win_free", unsafe { MPI_Win_free(&mut self.raw) })
    }
}
