//! Ranks as MPI processes: the production transport of maniple.
//!
//! The whole contract of [`maniple_core::Communicator`], over `mpi::ffi` with every return code checked. A program that runs on
//! threads runs under `mpirun` unchanged, with the same bits as result. `maniple::launch` chooses; [`run`] is the explicit form.
//!
//! | collective | MPI |
//! |---|---|
//! | `barrier`, `bcast`, `all_gather_v` | the native ones |
//! | `all_to_all_v` | native up to a share of 2³¹ elements per pair of ranks, the rest pairwise |
//! | `exchange` | `MPI_Alltoall` of the counts, then `all_to_all_v` into a buffer that is kept |
//! | `exchange_with` | `MPI_Isend`, `MPI_Irecv`; the overlap closure runs before `MPI_Waitall` |
//! | `split` | `MPI_Comm_split` |
//!
//! Counts are `usize` everywhere. What MPI counts in an `int` is counted in elements, and longer messages are cut, without any
//! agreement between ranks beyond what the two ends of a message know anyway.
//!
//! MPI does not compare what ranks call. `MANIPLE_CHECKED=1` (or [`Checked`](maniple_core::Checked)) does, for one to four small
//! collectives per call: then mistakes are the same errors as on threads, and the program can go on after them.
//!
//! A rank that fails prints its number and why, and ends the job; of several only the first does, so that a job says one thing.
//! While messages of `exchange_with` are under way their memory can't be given back, so a panic in its closure ends the job even
//! if the program would catch it.
#![deny(unsafe_code)]

mod communicator;
mod cut;
mod ffi;
mod last_words;
mod pulse;
mod run;
mod world;

pub use maniple_core::ranks_of_launcher;
pub use run::{library_version, run};
