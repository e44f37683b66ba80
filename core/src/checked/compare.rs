//! The collectives that carry what is compared, and the verdicts on it.

use std::hash::{DefaultHasher, Hash, Hasher};

use crate::blocks::Blocks;
use crate::call::{Call, Op, Scope};
use crate::communicator::{ByteRecv, ByteSend};
use crate::element::{ElemSig, Element, bytes_of, bytes_to_fill, overwrite};
use crate::error::CommError;
use crate::verdict::{self, Entry, Mail};

use super::{Checked, wire};

/// Where in a collective a rank is. A rank that unwinds out of one and goes on is not taken for one that completes it.
#[derive(Clone, Copy, Hash)]
enum At {
    Entry,
    Counts,
    Exit,
}

/// How a rank entered, as it has told.
struct Told {
    digest: u64,
    refusal: Option<CommError>,
    call: String,
}

impl Entry for Told {
    fn refusal(&self) -> Option<CommError> {
        self.refusal.clone()
    }

    fn agrees(&self, other: &Self) -> bool {
        self.digest == other.digest
    }

    fn call(&self) -> String {
        self.call.clone()
    }
}

impl Checked {
    /// Are all ranks in the same call?
    pub(super) fn same_call(&self, call: Call) -> Result<(), CommError> {
        self.agree(call, At::Entry, None, 0).map(drop)
    }

    /// This rank's arguments are wrong.
    pub(super) fn refused(&self, call: Call, why: &CommError) -> Result<(), CommError> {
        self.agree(call, At::Entry, Some(why), 0).map(drop)
    }

    /// As `same_call`, for an all-gather: does each rank send as many bytes as the others expect elements of it?
    pub(super) fn same_parts(&self, call: Call, bytes: usize, blocks: &Blocks) -> Result<(), CommError> {
        let sent = self.agree(call, At::Entry, None, elements(call, bytes))?;
        let mine = verdict::counts(call, self.inner.rank(), blocks, |from| sent[from]);
        self.agree(call, At::Counts, mine.err().as_ref(), 0).map(drop)
    }

    /// Is what each rank sends to each other what that one expects?
    pub(super) fn same_counts(&self, call: Call, sends: &Blocks, recvs: &Blocks) -> Result<(), CommError> {
        let one_each = Blocks::packed(vec![1; self.inner.size()]);
        let (asks, mut sent) = (own::<usize>(call, Op::AllToAll), vec![0_usize; self.inner.size()]);
        let into = bytes_to_fill(overwrite(&mut sent));
        self.inner.all_to_all_v(asks, bytes_of(sends.counts()), &one_each, into, &one_each)?;
        let mine = verdict::counts(call, self.inner.rank(), recvs, |from| sent[from]);
        self.agree(call, At::Counts, mine.err().as_ref(), 0).map(drop)
    }

    /// Has each message its counterpart of the same length?
    pub(super) fn same_mail(
        &self,
        call: Call,
        sends: &[ByteSend<'_>],
        recvs: &[ByteRecv<'_>],
    ) -> Result<(), CommError> {
        let mut letters: Vec<Letter> = sends.iter().map(|s| [SENT, s.to, s.data.len()]).collect();
        letters.extend(recvs.iter().map(|r| [EXPECTED, r.from, r.into.len()]));
        letters.sort_by_key(|l| (l[0], l[1])); // stable: messages between the same two ranks keep their order
        let all = self.lists(call, &letters)?;
        let mine = verdict::mail(call, self.inner.rank(), |rank| &all[rank]);
        self.agree(call, At::Counts, mine.err().as_ref(), 0).map(drop)
    }

    /// Has no rank called a collective from its closure?
    pub(super) fn none_reentered(&self, call: Call) -> Result<(), CommError> {
        let mine = self.reentered.borrow().clone();
        self.agree(call, At::Exit, mine.as_ref(), 0).map(drop)
    }

    /// Collective: every rank's `number`, or the same error on every rank.
    fn agree(
        &self,
        call: Call,
        at: At,
        error: Option<&CommError>,
        number: usize,
    ) -> Result<Vec<usize>, CommError> {
        let mine = [digest(call, at), u64::from(error.is_some()), number as u64];
        let all = self.gather(call, &mine, &Blocks::packed(vec![3; self.inner.size()]))?;
        let rows: Vec<_> = all.chunks_exact(3).collect();
        if rows.iter().all(|row| row[0] == mine[0] && row[1] == 0) {
            return Ok(rows.iter().map(|row| row[2] as usize).collect());
        }
        let calls = self.texts(call, &call.to_string())?;
        let errors = error.map(|e| wire::encode(e, self.inner.rank())).unwrap_or_default();
        let errors = self.texts(call, &errors)?;
        let told = rows.iter().zip(calls).zip(errors);
        let told: Vec<Told> = told
            .map(|((row, call), error)| Told { digest: row[0], refusal: wire::decode(&error), call })
            .collect();
        let error = verdict::entries(told.len(), |rank| &told[rank]);
        Err(error.unwrap_or_else(|| unreachable!("a rank had an error or was elsewhere")))
    }

    /// A text of every rank.
    fn texts(&self, call: Call, mine: &str) -> Result<Vec<String>, CommError> {
        let all = self.lists(call, mine.as_bytes())?;
        Ok(all.iter().map(|text| String::from_utf8_lossy(text).into_owned()).collect())
    }

    /// A list of every rank.
    fn lists<T: Element + Default>(&self, call: Call, mine: &[T]) -> Result<Vec<Vec<T>>, CommError> {
        let size = self.inner.size();
        let lengths = self.gather(call, &[mine.len()], &Blocks::packed(vec![1; size]))?;
        let blocks = Blocks::packed(lengths);
        let all = self.gather(call, mine, &blocks)?;
        Ok((0..size).map(|rank| blocks.part(rank, &all).to_vec()).collect())
    }

    fn gather<T: Element + Default>(
        &self,
        call: Call,
        mine: &[T],
        blocks: &Blocks,
    ) -> Result<Vec<T>, CommError> {
        let mut all = vec![T::default(); blocks.total()];
        let asks = own::<T>(call, Op::AllGatherV);
        self.inner.all_gather_v(asks, bytes_of(mine), bytes_to_fill(overwrite(&mut all)), blocks)?;
        Ok(all)
    }
}

/// What a message is, its partner, its bytes.
type Letter = [usize; 3];
const SENT: usize = 0;
const EXPECTED: usize = 1;

impl Mail for Vec<Letter> {
    fn targets(&self) -> impl Iterator<Item = usize> {
        partners(self, SENT)
    }

    fn sources(&self) -> impl Iterator<Item = usize> {
        partners(self, EXPECTED)
    }

    fn sent_to(&self, rank: usize) -> impl Iterator<Item = usize> {
        lengths(self, SENT, rank)
    }

    fn expected_from(&self, rank: usize) -> impl Iterator<Item = usize> {
        lengths(self, EXPECTED, rank)
    }
}

fn partners(sorted: &[Letter], kind: usize) -> impl Iterator<Item = usize> {
    sorted.chunk_by(|a, b| a[..2] == b[..2]).map(|run| run[0]).filter(move |l| l[0] == kind).map(|l| l[1])
}

fn lengths(sorted: &[Letter], kind: usize, partner: usize) -> impl Iterator<Item = usize> {
    let begin = sorted.partition_point(|l| (l[0], l[1]) < (kind, partner));
    sorted[begin..].iter().take_while(move |l| (l[0], l[1]) == (kind, partner)).map(|l| l[2])
}

/// The call of a collective that this wrapper makes itself: should it fail, it names the line of the program.
fn own<T: Element>(call: Call, op: Op) -> Call {
    let at = call.scope.map_or(call.at, |scope| scope.at);
    let scope = Some(Scope { name: "checks", at });
    Call { op, elem: Some(ElemSig::of::<T>()), len: None, root: None, args: None, at, scope }
}

fn elements(call: Call, bytes: usize) -> usize {
    bytes / call.elem.map_or(1, |e| e.size())
}

/// The same number on every rank for calls that agree.
fn digest(call: Call, at: At) -> u64 {
    let mut hasher = DefaultHasher::new();
    (call.op, at, call.elem.map(|e| e.name())).hash(&mut hasher);
    (call.len, call.root, call.args).hash(&mut hasher);
    call.scope.map(|s| s.name).hash(&mut hasher);
    hasher.finish()
}
