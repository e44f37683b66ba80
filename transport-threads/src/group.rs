//! The ranks of one communicator: where they meet, and who they are in the cluster.

use std::fmt;
use std::sync::Arc;

use maniple_core::CommError;

use crate::lent::Published;
use crate::rendezvous::{Patience, Rendezvous};

/// Where the ranks of one communicator meet.
pub(crate) type Meeting = Rendezvous<Published, Reason>;

/// What all ranks of one communicator share.
pub(crate) struct Group {
    pub(crate) meeting: Arc<Meeting>,
    /// Number in the cluster of each rank of the communicator.
    pub(crate) members: Vec<usize>,
}

/// Why a collective can't complete. A rank that only stopped taking part is told to each waiting rank in words of its own.
#[derive(Clone, Debug)]
pub(crate) enum Reason {
    Returned(usize),
    Error(CommError),
}

impl Reason {
    /// The error for a rank in `call`.
    pub(crate) fn in_call(self, call: &maniple_core::Call) -> CommError {
        match self {
            Reason::Returned(rank) => CommError::Returned { rank, call: call.to_string() },
            Reason::Error(error) => error,
        }
    }
}

impl Group {
    pub(crate) fn new(members: Vec<usize>, patience: Patience) -> Arc<Self> {
        let of_cluster = members.clone();
        let panicked = move |rank: usize, published: &Published| {
            let message = format!("panicked in {}", published.call);
            Reason::Error(CommError::PeerFailed { rank: of_cluster[rank], message })
        };
        Arc::new(Group { meeting: Rendezvous::new(members.len(), patience, panicked), members })
    }
}

impl fmt::Debug for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ranks {:?} of the cluster", self.members)
    }
}
