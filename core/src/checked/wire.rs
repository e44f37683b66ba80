//! An error as text that travels to other ranks.

use std::sync::{Mutex, PoisonError};

use crate::blocks::BlocksError;
use crate::error::CommError;

/// The unit separator: in no type name, number or path.
const BETWEEN: char = '\u{1f}';

/// An error that one rank finds and all get; those that can't arise so travel as their words, from `rank`.
pub(super) fn encode(error: &CommError, rank: usize) -> String {
    let (kind, numbers, words): (_, Vec<usize>, [&str; 2]) = match error {
        CommError::Counts { from, to, sent, expected, call } => {
            ("counts", vec![*from, *to, *sent, *expected], [call, ""])
        }
        CommError::Unmatched { from, to, sent, call } => {
            ("unmatched", vec![*from, *to, usize::from(*sent)], [call, ""])
        }
        CommError::NoSuchRank { rank, named, size, call } => {
            ("no such rank", vec![*rank, *named, *size], [call, ""])
        }
        CommError::Length { rank, what, expected, found, call } => {
            ("length", vec![*rank, *expected, *found], [call, what])
        }
        CommError::Reentrant { rank, call, inside } => ("reentrant", vec![*rank], [call, inside]),
        CommError::Blocks { rank, why, call } => {
            let (kind, numbers) = match *why {
                BlocksError::Lengths { counts, displs } => ("lengths", vec![*rank, counts, displs]),
                BlocksError::Ranks { expected, found } => ("ranks", vec![*rank, expected, found]),
                BlocksError::PastEnd { rank: block, end, len } => ("past end", vec![*rank, block, end, len]),
                BlocksError::Overflow { rank: block } => ("overflow", vec![*rank, block]),
                BlocksError::Overlap { first, second } => ("overlap", vec![*rank, first, second]),
            };
            (kind, numbers, [call, ""])
        }
        other => return ["failed", &rank.to_string(), &other.to_string(), ""].join(&BETWEEN.to_string()),
    };
    let numbers = numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(" ");
    [kind, &numbers, words[0], words[1]].join(&BETWEEN.to_string())
}

/// The error that [`encode`] has written; `None` if it was none.
pub(super) fn decode(text: &str) -> Option<CommError> {
    let parts: Vec<&str> = text.split(BETWEEN).collect();
    let &[kind, numbers, words, more] = &parts[..] else { return None };
    let call = words.to_string();
    let numbers: Vec<usize> = numbers.split(' ').map(str::parse).collect::<Result<_, _>>().ok()?;
    let blocks = |why| CommError::Blocks { rank: numbers[0], why, call: call.clone() };
    Some(match (kind, &numbers[..]) {
        ("counts", &[from, to, sent, expected]) => CommError::Counts { from, to, sent, expected, call },
        ("unmatched", &[from, to, sent]) => CommError::Unmatched { from, to, sent: sent == 1, call },
        ("no such rank", &[rank, named, size]) => CommError::NoSuchRank { rank, named, size, call },
        ("length", &[rank, expected, found]) => {
            CommError::Length { rank, what: interned(more), expected, found, call }
        }
        ("reentrant", &[rank]) => CommError::Reentrant { rank, call, inside: more.to_string() },
        ("lengths", &[_, counts, displs]) => blocks(BlocksError::Lengths { counts, displs }),
        ("ranks", &[_, expected, found]) => blocks(BlocksError::Ranks { expected, found }),
        ("past end", &[_, rank, end, len]) => blocks(BlocksError::PastEnd { rank, end, len }),
        ("overflow", &[_, rank]) => blocks(BlocksError::Overflow { rank }),
        ("overlap", &[_, first, second]) => blocks(BlocksError::Overlap { first, second }),
        ("failed", &[rank]) => CommError::PeerFailed { rank, message: call },
        _ => return None,
    })
}

/// The name of a buffer for ever: there are few of them, and each is kept once.
fn interned(name: &str) -> &'static str {
    static KNOWN: Mutex<Vec<&str>> = Mutex::new(Vec::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(same) = known.iter().find(|k| **k == name) {
        return same;
    }
    let name = String::leak(name.to_string());
    known.push(name);
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_error_comes_back_as_it_went() {
        let call = || "all_to_all_v::<u64> in sort at a b.rs:3".to_string();
        let blocks = |why| CommError::Blocks { rank: 7, why, call: call() };
        let errors = [
            CommError::Counts { from: 1, to: 2, sent: 3, expected: usize::MAX, call: call() },
            CommError::Unmatched { from: 1, to: 2, sent: true, call: call() },
            CommError::Unmatched { from: 1, to: 2, sent: false, call: call() },
            CommError::NoSuchRank { rank: 0, named: 9, size: 3, call: call() },
            CommError::Length { rank: 1, what: "values", expected: 4, found: 5, call: call() },
            CommError::Reentrant { rank: 1, call: call(), inside: call() },
            blocks(BlocksError::Lengths { counts: 1, displs: 2 }),
            blocks(BlocksError::Ranks { expected: 1, found: 2 }),
            blocks(BlocksError::PastEnd { rank: 1, end: 2, len: 1 }),
            blocks(BlocksError::Overflow { rank: 1 }),
            blocks(BlocksError::Overlap { first: 0, second: 2 }),
        ];
        for error in errors {
            assert_eq!(decode(&encode(&error, 5)), Some(error));
        }
    }

    #[test]
    fn other_errors_keep_their_words() {
        let error = CommError::Start { why: "no room".to_string() };
        let told = CommError::PeerFailed { rank: 5, message: error.to_string() };
        assert_eq!(decode(&encode(&error, 5)), Some(told));
        assert_eq!(decode(""), None);
    }
}
