use std::fmt::Display;

use maniple_core::{Comm, CommError, ranks_of_launcher};
use maniple_threads::Cluster;

/// Runs `program` on every rank. One binary for threads and MPI: nothing else that a program writes names a transport.
///
/// | started by | built with the feature `mpi` | without it |
/// |---|---|---|
/// | hand | threads | threads |
/// | a launcher, one rank | MPI | threads |
/// | a launcher, several ranks | MPI | [`CommError::Start`] |
///
/// *Threads* are ranks in this process: as many as the environment variable `MANIPLE_RANKS` says; without it, as there are cores,
/// at least 2. The result is what rank 0 returned.
///
/// *MPI* makes this process one rank of the launcher's job (`mpirun`, `srun`). The result is what this rank returned: each process
/// gets its own, and goes on after `launch` by itself; so write files and print on one rank, inside.
///
/// [`Cluster`] and `maniple::mpi::run` choose explicitly.
///
/// # Errors
/// [`CommError::Start`] if the ranks can't be started. On threads the error of the rank that failed first; under MPI an error of
/// `program` ends the job with one message that names the rank.
///
/// # Panics
/// If a rank panics, with its panic. Under MPI that ends the job as an error does.
///
/// ```
/// use maniple::prelude::*;
///
/// fn main() -> maniple::Result<()> {
///     maniple::launch(|comm| {
///         let mine = Array1::from_iter((0..5).map(|i| i * comm.rank()));
///         let x = DistArray::from_local(comm, mine, Axis(0))?;
///         assert_eq!(x.layout().shape(), [5 * comm.size()]);
///         Ok(())
///     })
/// }
/// ```
pub fn launch<R, E>(program: impl Fn(&Comm) -> Result<R, E> + Sync) -> Result<R, E>
where
    R: Send,
    E: Send + Display + From<CommError>,
{
    match ranks_of_launcher() {
        #[cfg(feature = "mpi")]
        Some(_) => maniple_mpi::run(program),
        #[cfg(not(feature = "mpi"))]
        Some(ranks @ 2..) => Err(CommError::Start {
            why: format!(
                "a launcher started {ranks} ranks, but this program is built without the feature `mpi`: \
                 each would be a cluster of threads of its own"
            ),
        }
        .into()),
        _ => {
            let results = Cluster::from_env()?.try_run(program)?;
            Ok(results.into_iter().next().unwrap_or_else(|| unreachable!("a cluster has a rank 0")))
        }
    }
}
