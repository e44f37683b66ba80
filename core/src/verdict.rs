//! Do the ranks' calls fit together? For transports that can tell: all of them say it in the same words.
//!
//! First [`entries`], on what every rank has called. Where that is well, each rank looks at what it is to receive, by [`counts`] or
//! [`mail`]. If several find something, the word of the lowest rank is that of all.

use crate::blocks::Blocks;
use crate::call::Call;
use crate::error::{CallOf, CommError};

/// How one rank enters a collective.
pub trait Entry {
    /// Why it does not take part, if its arguments are wrong.
    fn refusal(&self) -> Option<CommError>;

    /// Is it in the same collective as another?
    fn agrees(&self, other: &Self) -> bool;

    /// Its call in words.
    fn call(&self) -> String;
}

/// Why a collective of so many ranks can't begin: the first refusal, or that they are not in the same.
pub fn entries<'a, E: Entry + 'a>(ranks: usize, entry_of: impl Fn(usize) -> &'a E) -> Option<CommError> {
    let all = || (0..ranks).map(&entry_of);
    let agree = || all().all(|entry| entry.agrees(entry_of(0)));
    let calls = || CallOf::group(all().map(E::call).enumerate());
    let mismatch = || (!agree()).then(|| CommError::Mismatch { calls: calls() });
    all().find_map(E::refusal).or_else(mismatch)
}

/// Does every rank send rank `me` what it expects?
///
/// # Errors
/// [`CommError::Counts`] of the lowest rank that does not.
pub fn counts(
    call: Call,
    me: usize,
    expected: &Blocks,
    sent: impl Fn(usize) -> usize,
) -> Result<(), CommError> {
    let differs = |from: &usize| sent(*from) != expected.count(*from);
    match (0..expected.size()).find(differs) {
        None => Ok(()),
        Some(from) => Err(differ(call, from, me, sent(from), expected.count(from))),
    }
}

/// The messages of one rank in [`exchange_with`](crate::Comm::exchange_with), by partner. Lengths are in bytes.
pub trait Mail {
    /// The ranks that it sends to, each once, rising.
    fn targets(&self) -> impl Iterator<Item = usize>;

    /// The ranks that it expects messages from, each once, rising.
    fn sources(&self) -> impl Iterator<Item = usize>;

    /// Lengths of the messages to `rank`, in order.
    fn sent_to(&self, rank: usize) -> impl Iterator<Item = usize>;

    /// Lengths of the messages expected from `rank`, in order.
    fn expected_from(&self, rank: usize) -> impl Iterator<Item = usize>;
}

/// Has each message to or from rank `me` its counterpart, of the same length?
///
/// # Errors
/// [`CommError::Counts`] or [`CommError::Unmatched`].
pub fn mail<'a, M: Mail + 'a>(
    call: Call,
    me: usize,
    mail_of: impl Fn(usize) -> &'a M,
) -> Result<(), CommError> {
    let mine = mail_of(me);
    let size = call.elem.map_or(1, |e| e.size());
    let unmatched = |from, to, sent| Err(CommError::Unmatched { from, to, sent, call: call.to_string() });
    for from in mine.sources() {
        let mut sent = mail_of(from).sent_to(me);
        for expected in mine.expected_from(from) {
            match sent.next() {
                None => return unmatched(from, me, false),
                Some(sent) if sent != expected => {
                    return Err(differ(call, from, me, sent / size, expected / size));
                }
                Some(_) => (),
            }
        }
    }
    let lonely = |to: &usize| mine.sent_to(*to).count() > mail_of(*to).expected_from(me).count();
    mine.targets().find(lonely).map_or(Ok(()), |to| unmatched(me, to, true))
}

fn differ(call: Call, from: usize, to: usize, sent: usize, expected: usize) -> CommError {
    CommError::Counts { from, to, sent, expected, call: call.to_string() }
}
