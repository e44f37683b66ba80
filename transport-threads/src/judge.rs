//! The checks that make a simulated cluster worth having: do the ranks' calls fit together?

use std::fmt::Debug;

use maniple_core::{Blocks, Call, CallOf, CommError};

use crate::group::Reason;
use crate::lent::{Lent, Mail, Published};
use crate::rendezvous::Peers;

/// Run once per collective, by the last rank to arrive, on what all have published.
pub(crate) fn judge(peers: &Peers<'_, Published>) -> Option<Reason> {
    let refusal = peers.iter().find_map(|p| match &p.lent {
        Lent::Refusal(why) => Some(why.clone()),
        _ => None,
    });
    let first = peers.get(0).call;
    let mismatch = || {
        let agree = peers.iter().all(|p| p.call.agrees(&first));
        (!agree).then(|| CallOf::mismatch(peers.iter().map(|p| &p.call)))
    };
    refusal.or_else(mismatch).map(Reason::Error)
}

/// Does every rank send this one what it expects?
pub(crate) fn check_counts(
    call: Call,
    me: usize,
    expected: &Blocks,
    sent: impl Fn(usize) -> usize,
) -> Result<(), CommError> {
    let differs = |from: &usize| sent(*from) != expected.count(*from);
    match (0..expected.size()).find(differs) {
        None => Ok(()),
        Some(from) => Err(counts(call, from, me, sent(from), expected.count(from))),
    }
}

/// Has each message to or from this rank its counterpart, of the same length?
pub(crate) fn check_mail<'a>(
    call: Call,
    me: usize,
    mine: &Mail,
    mail_of: impl Fn(usize) -> &'a Mail,
) -> Result<(), CommError> {
    let size = call.elem.map_or(1, |e| e.size());
    for from in mine.sources() {
        let (sent, expected) = (mail_of(from).to(me), mine.from(from));
        for (message, wanted) in sent.iter().zip(expected) {
            let (sent, expected) = (message.1.len() / size, wanted.1 / size);
            if sent != expected {
                return Err(counts(call, from, me, sent, expected));
            }
        }
        if sent.len() < expected.len() {
            return Err(CommError::Unmatched { from, to: me, sent: false, call: call.to_string() });
        }
    }
    let lonely = |to: &usize| mine.to(*to).len() > mail_of(*to).from(me).len();
    match mine.targets().find(lonely) {
        None => Ok(()),
        Some(to) => Err(CommError::Unmatched { from: me, to, sent: true, call: call.to_string() }),
    }
}

fn counts(call: Call, from: usize, to: usize, sent: usize, expected: usize) -> CommError {
    CommError::Counts { from, to, sent, expected, call: call.to_string() }
}

/// What a peer must have lent in a collective whose records agree.
pub(crate) fn unexpected(lent: &impl Debug) -> ! {
    unreachable!("ranks in the same collective publish the same kind of thing, found {lent:?}")
}
