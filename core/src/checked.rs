//! A wrapper that compares what the ranks call, for transports that do not.
#![allow(unsafe_code)] // implements `Communicator`

use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;

use crate::blocks::Blocks;
use crate::call::Call;
use crate::comm::Comm;
use crate::communicator::{BcastBuf, ByteRecv, ByteSend, Bytes, Communicator};
use crate::error::{CallOf, CommError};

/// A communicator that makes sure, before each collective, that all ranks call the same one with fitting arguments.
///
/// What would hang or garble memory under MPI is then an error on every rank that names each rank's call and line, as on threads.
/// A collective costs one more, of 16 bytes per rank; those with counts or partners another two, of all counts.
///
/// All ranks wrap, or none.
///
/// ```
/// # let comm = maniple_core::Comm::solo();
/// let comm = maniple_core::Checked::wrap(&comm);
/// assert_eq!(comm.all_gather(&[1, 2])?.len(), 2 * comm.size());
/// # Ok::<(), maniple_core::CommError>(())
/// ```
#[derive(Debug)]
pub struct Checked {
    inner: Comm,
}

impl Checked {
    /// The same ranks, with checks.
    pub fn wrap(comm: &Comm) -> Comm {
        Comm::new(Rc::new(Checked { inner: Comm::new(Rc::clone(comm.transport())) }))
    }

    /// Collective: are all ranks in the same call, and does none refuse it?
    fn same_call(&self, call: Call, refusal: Option<&CommError>) -> Result<(), CommError> {
        let all = self.inner.all_gather(&[digest(call), u64::from(refusal.is_some())])?;
        let records: Vec<_> = all.chunks_exact(2).map(|r| (r[0], r[1] != 0)).collect();
        if let Some(rank) = records.iter().position(|r| r.1) {
            let words = self.texts(&refusal.map(CommError::to_string).unwrap_or_default())?;
            let own = refusal.filter(|_| rank == self.rank()).cloned();
            return Err(own.unwrap_or_else(|| CommError::PeerFailed { rank, message: words[rank].clone() }));
        }
        if records.iter().any(|r| r.0 != records[0].0) {
            let calls = self.texts(&call.to_string())?;
            return Err(CommError::Mismatch { calls: CallOf::group(calls.into_iter().enumerate()) });
        }
        Ok(())
    }

    /// Collective: is what each rank sends to each other what that one expects? Both in elements, by rank.
    fn same_counts(&self, call: Call, sends: &[usize], expected: &[usize]) -> Result<(), CommError> {
        let size = self.size();
        let sent = self.inner.all_gather(sends)?;
        let expected = self.inner.all_gather(expected)?;
        let pair = |i: usize| (i / size, i % size);
        let differs = |&(from, to): &(usize, usize)| sent[from * size + to] != expected[to * size + from];
        match (0..size * size).map(pair).find(differs) {
            None => Ok(()),
            Some((from, to)) => {
                let (sent, expected) = (sent[from * size + to], expected[to * size + from]);
                Err(CommError::Counts { from, to, sent, expected, call: call.to_string() })
            }
        }
    }

    /// Collective: has each message its counterpart of the same length? Given as partner and elements.
    fn same_mail(&self, call: Call, sends: &[[usize; 2]], recvs: &[[usize; 2]]) -> Result<(), CommError> {
        let (sent, of_sender) = self.inner.all_gather_v(sends)?;
        let (expected, of_receiver) = self.inner.all_gather_v(recvs)?;
        let to_partner = |all: &[[usize; 2]], partner: usize| {
            all.iter().filter(|m| m[0] == partner).map(|m| m[1]).collect::<Vec<_>>()
        };
        for (from, to) in (0..self.size()).flat_map(|from| (0..self.size()).map(move |to| (from, to))) {
            let sent = to_partner(&sent[of_sender.range(from)], to);
            let expected = to_partner(&expected[of_receiver.range(to)], from);
            if let Some((&sent, &expected)) = sent.iter().zip(&expected).find(|(a, b)| a != b) {
                return Err(CommError::Counts { from, to, sent, expected, call: call.to_string() });
            }
            if sent.len() != expected.len() {
                let sent = sent.len() > expected.len();
                return Err(CommError::Unmatched { from, to, sent, call: call.to_string() });
            }
        }
        Ok(())
    }

    /// A text of every rank.
    fn texts(&self, mine: &str) -> Result<Vec<String>, CommError> {
        let (all, blocks) = self.inner.all_gather_v(mine.as_bytes())?;
        Ok(blocks.ranges().map(|range| String::from_utf8_lossy(&all[range]).into_owned()).collect())
    }
}

// SAFETY: every buffer goes to the wrapped transport, which gives the guarantees.
unsafe impl Communicator for Checked {
    fn rank(&self) -> usize {
        self.inner.rank()
    }

    fn size(&self) -> usize {
        self.inner.size()
    }

    fn barrier(&self, call: Call) -> Result<(), CommError> {
        self.same_call(call, None)?;
        self.inner.transport().barrier(call)
    }

    fn bcast(&self, call: Call, buf: BcastBuf<'_>) -> Result<(), CommError> {
        self.same_call(call, None)?;
        self.inner.transport().bcast(call, buf)
    }

    fn all_gather_v(
        &self,
        call: Call,
        send: &[u8],
        recv: &mut Bytes,
        blocks: &Blocks,
    ) -> Result<(), CommError> {
        self.same_call(call, None)?;
        self.same_counts(call, &vec![elements(call, send.len()); self.size()], blocks.counts())?;
        self.inner.transport().all_gather_v(call, send, recv, blocks)
    }

    fn all_to_all_v(
        &self,
        call: Call,
        send: &[u8],
        sends: &Blocks,
        recv: &mut Bytes,
        recvs: &Blocks,
    ) -> Result<(), CommError> {
        self.same_call(call, None)?;
        self.same_counts(call, sends.counts(), recvs.counts())?;
        self.inner.transport().all_to_all_v(call, send, sends, recv, recvs)
    }

    fn exchange(
        &self,
        call: Call,
        send: &[u8],
        sends: &Blocks,
        visit: &mut dyn FnMut(&[&[u8]]),
    ) -> Result<(), CommError> {
        self.same_call(call, None)?;
        self.inner.transport().exchange(call, send, sends, visit)
    }

    fn exchange_with(
        &self,
        call: Call,
        sends: &[ByteSend<'_>],
        recvs: &mut [ByteRecv<'_>],
        overlap: &mut dyn FnMut(),
    ) -> Result<(), CommError> {
        self.same_call(call, None)?;
        let sent: Vec<_> = sends.iter().map(|s| [s.to, elements(call, s.data.len())]).collect();
        let expected: Vec<_> = recvs.iter().map(|r| [r.from, elements(call, r.into.len())]).collect();
        self.same_mail(call, &sent, &expected)?;
        self.inner.transport().exchange_with(call, sends, recvs, overlap)
    }

    fn split(
        &self,
        call: Call,
        color: Option<u32>,
        key: i64,
    ) -> Result<Option<Rc<dyn Communicator>>, CommError> {
        self.same_call(call, None)?;
        let part = self.inner.transport().split(call, color, key)?;
        Ok(part.map(|part| Rc::new(Checked { inner: Comm::new(part) }) as Rc<dyn Communicator>))
    }

    fn refuse(&self, call: Call, why: CommError) -> CommError {
        self.same_call(call, Some(&why)).err().unwrap_or(why)
    }

    fn fail(&self, why: &str) {
        self.inner.fail(why);
    }
}

fn elements(call: Call, bytes: usize) -> usize {
    bytes / call.elem.map_or(1, |e| e.size())
}

/// The same number on every rank for calls that agree.
fn digest(call: Call) -> u64 {
    let mut hasher = DefaultHasher::new();
    call.op.hash(&mut hasher);
    call.elem.map(|e| e.name()).hash(&mut hasher);
    (call.len, call.root, call.args).hash(&mut hasher);
    call.scope.map(|s| s.name).hash(&mut hasher);
    hasher.finish()
}
