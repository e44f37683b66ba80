//! The simulated cluster: one thread per rank.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::rc::Rc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use maniple_core::{Comm, CommError};

use crate::board::Board;
use crate::communicator::Threads;
use crate::stall::Stall;

/// Up to this many ranks a thread gets the usual stack, above it a small one.
const FEW: usize = 64;
const USUAL_STACK: usize = 2 << 20;
const SMALL_STACK: usize = 512 << 10;

/// A number of ranks in this process.
///
/// ```
/// use maniple_threads::Cluster;
///
/// let sums = Cluster::new(4).run(|comm| comm.all_reduce_value(comm.rank(), |a, b| a + b))?;
/// assert!(sums.into_iter().all(|sum| sum == Ok(6)));
/// # Ok::<(), maniple_core::CommError>(())
/// ```
///
/// What goes wrong between ranks is an error on all of them, at once and in words:
///
/// ```
/// # use maniple_threads::Cluster;
/// let results = Cluster::new(2).run(|comm| match comm.rank() {
///     0 => comm.barrier(),
///     _ => comm.all_gather(&[1_u64]).map(|_| ()),
/// })?;
/// let message = results[0].as_ref().unwrap_err().to_string();
/// assert!(message.starts_with("ranks are in different collectives: rank 0: barrier at "));
/// assert!(message.contains("; rank 1: all_gather::<u64> len 1 at "));
/// # Ok::<(), maniple_core::CommError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Cluster {
    size: usize,
    stack: usize,
    stall: Option<Duration>,
}

impl Cluster {
    /// A cluster of `size` ranks. Hundreds are fine on two cores.
    pub fn new(size: usize) -> Self {
        let stack = if size <= FEW { USUAL_STACK } else { SMALL_STACK };
        Cluster { size, stack, stall: Some(Duration::from_secs(10)) }
    }

    /// As many ranks as the environment variable `MANIPLE_RANKS` says; without it, as there are cores, at least 2.
    ///
    /// # Errors
    /// [`CommError::Start`] if the variable is not a positive number.
    pub fn from_env() -> Result<Self, CommError> {
        let cores = || thread::available_parallelism().map_or(2, |n| n.get().max(2));
        match std::env::var("MANIPLE_RANKS") {
            Err(std::env::VarError::NotPresent) => Ok(Cluster::new(cores())),
            Ok(text) if text.trim().parse().is_ok_and(|n: usize| n > 0) => {
                Ok(Cluster::new(text.trim().parse().unwrap_or(1)))
            }
            other => {
                let found = other.unwrap_or_else(|e| e.to_string());
                Err(CommError::Start {
                    why: format!("MANIPLE_RANKS is {found:?}, expected a positive number"),
                })
            }
        }
    }

    /// The number of ranks.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Stack of each rank's thread in bytes: 2 MiB up to 64 ranks, 512 KiB above, if not said.
    #[must_use]
    pub fn stack_size(mut self, bytes: usize) -> Self {
        self.stack = bytes;
        self
    }

    /// After how long without any rank entering a collective, and without the process computing, the waiting ranks get
    /// [`CommError::Stalled`]: 10 s if not said; `None` for never. Ranks that only wait for each other are found at once,
    /// whatever is said here. It stands still under a debugger.
    ///
    /// If a rank then still does not come back, having stopped in foreign code, the process is aborted with a message.
    #[must_use]
    pub fn stall_after(mut self, limit: Option<Duration>) -> Self {
        self.stall = limit;
        self
    }

    /// Runs `rank` on every rank, each on a thread of its own, and gives back what each returned, by rank. All threads have ended
    /// when it returns.
    ///
    /// # Errors
    /// [`CommError::Start`] if there are no ranks to run, or the system gives no thread for one.
    ///
    /// # Panics
    /// If a rank panics: with its panic, the first one in time. The other ranks get [`CommError::PeerFailed`] before.
    pub fn run<R: Send>(&self, rank: impl Fn(&Comm) -> R + Sync) -> Result<Vec<R>, CommError> {
        Ok(self.run_in_order(rank)?.into_iter().map(|(result, _)| result).collect())
    }

    /// Runs `rank` on every rank and gives back what each returned, or the error of the rank that failed first: that of the others
    /// is most often only that a peer is gone.
    ///
    /// # Errors
    /// The first error of a rank, in time; [`CommError::Start`] as [`run`](Cluster::run).
    ///
    /// # Panics
    /// As [`run`](Cluster::run).
    pub fn try_run<R, E>(&self, rank: impl Fn(&Comm) -> Result<R, E> + Sync) -> Result<Vec<R>, E>
    where
        R: Send,
        E: Send + From<CommError>,
    {
        let (mut good, mut first) = (Vec::new(), None);
        for (result, order) in self.run_in_order(rank)? {
            match result {
                Ok(r) => good.push(r),
                Err(e) if first.as_ref().is_none_or(|(before, _)| order < *before) => {
                    first = Some((order, e))
                }
                Err(_) => (),
            }
        }
        first.map_or(Ok(good), |(_, error)| Err(error))
    }

    /// Each rank's result, and as the how-manieth it ended.
    fn run_in_order<R: Send>(&self, rank: impl Fn(&Comm) -> R + Sync) -> Result<Vec<(R, usize)>, CommError> {
        if self.size == 0 {
            return Err(CommError::Start { why: "a cluster of 0 ranks".to_string() });
        }
        let board = Board::new(self.size);
        let world = board.group((0..self.size).collect());
        let mut results: Vec<Option<(R, usize)>> = (0..self.size).map(|_| None).collect();
        let started = thread::scope(|scope| {
            let (done, ends) = channel();
            for (r, slot) in results.iter_mut().enumerate() {
                let (board, world, rank, done) = (&board, &world, &rank, done.clone());
                let thread = thread::Builder::new().name(format!("rank {r}")).stack_size(self.stack);
                let spawned = thread.spawn_scoped(scope, move || {
                    let _done: Sender<()> = done; // dropped when this rank has ended, however it ends
                    let comm = Comm::new(Rc::new(Threads::new(board, world.clone(), r)));
                    match catch_unwind(AssertUnwindSafe(|| rank(&comm))) {
                        Ok(result) => *slot = Some((result, board.end(r))),
                        Err(panic) => {
                            board.panicked(r, panic);
                            board.end(r);
                        }
                    }
                });
                if let Err(e) = spawned {
                    let why = format!("no thread for rank {r} of {}: {e}", self.size);
                    let error = CommError::Start { why };
                    board.poison(error.clone());
                    return Err(error);
                }
            }
            drop(done);
            let mut stall = self.stall.map(Stall::new);
            let every = stall.as_ref().map_or(Duration::MAX, Stall::every);
            while let Err(RecvTimeoutError::Timeout) = ends.recv_timeout(every) {
                stall.iter_mut().for_each(|s| s.look(&board));
            }
            Ok(())
        });
        if let Some(panic) = board.take_panic() {
            resume_unwind(panic);
        }
        started?;
        let ended =
            |r: Option<_>| r.unwrap_or_else(|| unreachable!("a rank that did not panic has returned"));
        Ok(results.into_iter().map(ended).collect())
    }
}
