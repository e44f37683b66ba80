//! The checks that make a simulated cluster worth having: do the ranks' calls fit together?

use std::fmt::Debug;

use maniple_core::CommError;
use maniple_core::verdict::{Entry, Mail, entries};

use crate::group::Reason;
use crate::lent::{self, Lent, Published};
use crate::rendezvous::Peers;

pub(crate) use maniple_core::verdict::{counts as check_counts, mail as check_mail};

/// Run once per collective, by the last rank to arrive, on what all have published.
pub(crate) fn judge(peers: &Peers<'_, Published>) -> Option<Reason> {
    entries(peers.size(), |rank| peers.get(rank)).map(Reason::Error)
}

impl Entry for Published {
    fn refusal(&self) -> Option<CommError> {
        match &self.lent {
            Lent::Refusal(why) => Some(why.clone()),
            _ => None,
        }
    }

    fn agrees(&self, other: &Self) -> bool {
        self.call.agrees(&other.call)
    }

    fn call(&self) -> String {
        self.call.to_string()
    }
}

impl Mail for lent::Mail {
    fn targets(&self) -> impl Iterator<Item = usize> {
        lent::Mail::targets(self)
    }

    fn sources(&self) -> impl Iterator<Item = usize> {
        lent::Mail::sources(self)
    }

    fn sent_to(&self, rank: usize) -> impl Iterator<Item = usize> {
        self.to(rank).iter().map(|message| message.1.len())
    }

    fn expected_from(&self, rank: usize) -> impl Iterator<Item = usize> {
        self.from(rank).iter().map(|message| message.1)
    }
}

/// What a peer must have lent in a collective whose records agree.
pub(crate) fn unexpected(lent: &impl Debug) -> ! {
    unreachable!("ranks in the same collective publish the same kind of thing, found {lent:?}")
}
