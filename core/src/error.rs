//! What can go wrong, with what was expected, what was found, and on which rank.

use std::fmt;

use crate::blocks::BlocksError;
use crate::call::Ranks;

/// The result of an operation on distributed arrays.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A collective failed. Unless a variant says otherwise, every rank of the communicator gets the same error.
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CommError {
    /// The ranks are in different collectives, or differ in element type, length or root.
    #[error("ranks are in different collectives: {}", Joined(calls))]
    Mismatch {
        /// Who called what; ranks with the same call together, in order of their first.
        calls: Vec<CallOf>,
    },
    /// One rank sends another number of elements than the other expects.
    #[error("rank {from} sends {sent} to rank {to}, which expects {expected}: {call}")]
    Counts {
        /// The sender.
        from: usize,
        /// The receiver.
        to: usize,
        /// Elements sent.
        sent: usize,
        /// Elements expected.
        expected: usize,
        /// The receiver's call.
        call: String,
    },
    /// A message without a counterpart.
    #[error("{}: {call}", unmatched(*.from, *.to, *.sent))]
    Unmatched {
        /// The sender.
        from: usize,
        /// The receiver.
        to: usize,
        /// Is it the send that stands alone, or the receive?
        sent: bool,
        /// The call of the rank that named the other.
        call: String,
    },
    /// Blocks that do not fit the communicator or their buffer.
    #[error("rank {rank}: {why}: {call}")]
    Blocks {
        /// The rank that gave them.
        rank: usize,
        /// What is wrong with them.
        why: BlocksError,
        /// Its call.
        call: String,
    },
    /// A root or partner that is no rank of the communicator.
    #[error("rank {rank} names rank {named} of a communicator of {size}: {call}")]
    NoSuchRank {
        /// The rank that named it.
        rank: usize,
        /// What it named.
        named: usize,
        /// Ranks there are.
        size: usize,
        /// Its call.
        call: String,
    },
    /// A buffer whose length is not the one that the call needs.
    #[error("rank {rank}: {what} has {found} elements, expected {expected}: {call}")]
    Length {
        /// The rank that gave it.
        rank: usize,
        /// Which buffer.
        what: &'static str,
        /// The length that it must have.
        expected: usize,
        /// The length it has.
        found: usize,
        /// Its call.
        call: String,
    },
    /// A collective was called from inside a visit or an overlap closure of the same communicator.
    #[error("rank {rank} calls {call} from inside {inside}")]
    Reentrant {
        /// The rank.
        rank: usize,
        /// The inner call.
        call: String,
        /// The outer call.
        inside: String,
    },
    /// A rank panicked, or said that it cannot go on.
    #[error("rank {rank} failed: {message}")]
    PeerFailed {
        /// The rank, as numbered in the whole cluster.
        rank: usize,
        /// Its message.
        message: String,
    },
    /// A rank ended, and this one waits for it.
    #[error("rank {rank} has returned, so this can't complete: {call}")]
    Returned {
        /// The rank, as numbered in the whole cluster.
        rank: usize,
        /// The call of the rank that gets the error.
        call: String,
    },
    /// Every rank waits, and none can be released.
    #[error("deadlock: no rank can go on: {}", Joined(waiting))]
    Deadlock {
        /// Where each rank waits.
        waiting: Vec<CallOf>,
    },
    /// Nothing has happened for a long time although some rank is not in a collective.
    #[error("no progress for {seconds} s: {}", Joined(waiting))]
    Stalled {
        /// How long.
        seconds: u64,
        /// Where each rank is.
        waiting: Vec<CallOf>,
    },
    /// The ranks could not be started.
    #[error("can't start the ranks: {why}")]
    Start {
        /// What is in the way.
        why: String,
    },
    /// The library below the transport reported an error. Perhaps on this rank alone.
    #[error("{function} failed: {message}")]
    Transport {
        /// Its function.
        function: &'static str,
        /// Its words.
        message: String,
    },
}

/// Ranks and what they were doing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallOf {
    /// Who.
    pub ranks: Ranks,
    /// The call as text: operation, type, length, place.
    pub call: String,
}

impl CallOf {
    /// Groups ranks that do the same, in order of their first rank.
    pub fn group(calls: impl IntoIterator<Item = (usize, String)>) -> Vec<CallOf> {
        let mut groups: Vec<(String, Vec<usize>)> = Vec::new();
        for (rank, call) in calls {
            match groups.iter_mut().find(|(c, _)| *c == call) {
                Some((_, ranks)) => ranks.push(rank),
                None => groups.push((call, vec![rank])),
            }
        }
        groups.into_iter().map(|(call, ranks)| CallOf { ranks: Ranks::new(ranks), call }).collect()
    }
}

struct Joined<'a>(&'a [CallOf]);

impl fmt::Display for Joined<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, CallOf { ranks, call }) in self.0.iter().enumerate() {
            write!(f, "{}{ranks}: {call}", if i == 0 { "" } else { "; " })?;
        }
        Ok(())
    }
}

fn unmatched(from: usize, to: usize, sent: bool) -> String {
    match sent {
        true => format!("rank {from} sends a message to rank {to}, which expects none"),
        false => format!("rank {to} expects a message from rank {from}, which sends none"),
    }
}

/// A layout that cannot be.
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LayoutError {
    /// There is no such axis.
    #[error("axis {axis} of an array with {ndim} axes")]
    Axis {
        /// The axis asked for.
        axis: usize,
        /// How many there are.
        ndim: usize,
    },
    /// Not one count per rank.
    #[error("{found} counts for {expected} ranks")]
    Ranks {
        /// Number of ranks.
        expected: usize,
        /// Number of counts.
        found: usize,
    },
    /// The counts don't add up to the axis.
    #[error("the counts {counts:?} add up to {found}, but axis {axis} has {expected}")]
    Sum {
        /// The split axis.
        axis: usize,
        /// Its global length.
        expected: usize,
        /// The sum of the counts.
        found: usize,
        /// The counts.
        counts: Vec<usize>,
    },
}

/// An operation on distributed arrays failed. Every rank of the array's communicator gets an error.
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A collective failed.
    #[error(transparent)]
    Comm(#[from] CommError),
    /// A layout is not possible.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// The ranks do not agree on something that they must agree on.
    #[error("{operation}: the ranks disagree on the {what}: rank 0 has {expected}, {ranks} {found}")]
    Disagree {
        /// What they were doing.
        operation: &'static str,
        /// On what.
        what: &'static str,
        /// What rank 0 has.
        expected: String,
        /// The first other value.
        found: String,
        /// The ranks that have it.
        ranks: Ranks,
    },
    /// Two things that must be alike are not; it follows from what all ranks know.
    #[error("{operation}: {what} is {found}, expected {expected}")]
    Unlike {
        /// What was being done.
        operation: &'static str,
        /// What is wrong.
        what: &'static str,
        /// What it should be.
        expected: String,
        /// What it is.
        found: String,
    },
    /// Something happened on one rank alone; the others have been told.
    #[error("rank {rank}: {message}")]
    OnRank {
        /// The lowest rank concerned.
        rank: usize,
        /// Its message.
        message: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mismatch_names_each_ranks_call() {
        let calls = ["barrier at a.rs:38", "all_gather::<u64> len 1 at b.rs:12", "barrier at a.rs:38"];
        let calls = CallOf::group(calls.iter().enumerate().map(|(r, c)| (r, (*c).to_string())));
        assert_eq!(
            CommError::Mismatch { calls }.to_string(),
            "ranks are in different collectives: ranks 0, 2: barrier at a.rs:38; \
             rank 1: all_gather::<u64> len 1 at b.rs:12"
        );
    }
}
