use maniple_core::{Comm, CommError};
use maniple_threads::Cluster;

/// Runs `program` on every rank and gives back what rank 0 returned.
///
/// Ranks are threads of this process: as many as the environment variable `MANIPLE_RANKS` says; without it, as there are
/// cores, at least 2. Nothing else that a program writes names a transport.
///
/// # Errors
/// The error of the rank that failed first; [`CommError::Start`] if the ranks can't be started.
///
/// # Panics
/// If a rank panics, with its panic.
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
    E: Send + From<CommError>,
{
    let results = Cluster::from_env()?.try_run(program)?;
    Ok(results.into_iter().next().unwrap_or_else(|| unreachable!("a cluster has a rank 0")))
}
