//! A wrapper that counts: calls, messages, bytes and waiting time, by the line that called.
#![allow(unsafe_code)] // implements `Communicator`

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::{Duration, Instant};

use crate::blocks::Blocks;
use crate::call::Call;
use crate::comm::Comm;
use crate::communicator::{BcastBuf, ByteRecv, ByteSend, Bytes, Communicator};
use crate::error::CommError;

/// What one rank did at one place of the program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Collectives entered.
    pub calls: u64,
    /// Non-empty messages to other ranks.
    pub messages: u64,
    /// Bytes sent to other ranks.
    pub sent: u64,
    /// Bytes received from other ranks.
    pub received: u64,
    /// Time inside the collectives: waiting, moving data, visiting.
    pub time: Duration,
}

/// The counts of a metered communicator and of all that are split off from it, on this rank.
#[derive(Clone, Debug, Default)]
pub struct Meter(Rc<RefCell<BTreeMap<String, Traffic>>>);

impl Meter {
    /// By call: operation, element type, and the line of the caller.
    pub fn by_call(&self) -> Vec<(String, Traffic)> {
        self.0.borrow().iter().map(|(call, traffic)| (call.clone(), *traffic)).collect()
    }

    /// Everything together.
    pub fn total(&self) -> Traffic {
        self.0.borrow().values().fold(Traffic::default(), |sum, t| Traffic {
            calls: sum.calls + t.calls,
            messages: sum.messages + t.messages,
            sent: sum.sent + t.sent,
            received: sum.received + t.received,
            time: sum.time + t.time,
        })
    }

    /// Starts again from nothing.
    pub fn reset(&self) {
        self.0.borrow_mut().clear();
    }

    fn add(&self, mut call: Call, traffic: Traffic) {
        call.len = None; // the same line with another length is the same place
        call.args = None;
        let mut places = self.0.borrow_mut();
        let place = places.entry(call.to_string()).or_default();
        place.calls += 1;
        place.messages += traffic.messages;
        place.sent += traffic.sent;
        place.received += traffic.received;
        place.time += traffic.time;
    }
}

/// A communicator that counts what passes through it.
///
/// ```
/// # let comm = maniple_core::Comm::solo();
/// let (comm, meter) = maniple_core::Metered::wrap(&comm);
/// comm.all_gather(&[1_u64, 2])?;
/// assert_eq!(meter.total().calls, 1);
/// assert_eq!(meter.total().sent, 16 * (comm.size() as u64 - 1));
/// # Ok::<(), maniple_core::CommError>(())
/// ```
#[derive(Debug)]
pub struct Metered {
    inner: Rc<dyn Communicator>,
    meter: Meter,
}

impl Metered {
    /// The same ranks through a counter. All ranks may wrap, or only some: it changes nothing that peers see.
    pub fn wrap(comm: &Comm) -> (Comm, Meter) {
        let meter = Meter::default();
        let inner = Rc::clone(comm.transport());
        (comm.over(Rc::new(Metered { inner, meter: meter.clone() })), meter)
    }

    fn timed(
        &self,
        call: Call,
        mut traffic: Traffic,
        run: impl FnOnce(&mut Traffic) -> Result<(), CommError>,
    ) -> Result<(), CommError> {
        let begin = Instant::now();
        let result = run(&mut traffic);
        traffic.time = begin.elapsed();
        self.meter.add(call, traffic);
        result
    }

    /// Of blocks: how many are not empty and not this rank's own, and their bytes.
    fn others(&self, call: Call, blocks: &Blocks) -> (u64, u64) {
        let size = call.elem.map_or(1, |e| e.size());
        let others = (0..blocks.size()).filter(|&r| r != self.rank()).map(|r| blocks.count(r));
        let (messages, elements) = others.filter(|&n| n > 0).fold((0, 0), |(m, e), n| (m + 1, e + n as u64));
        (messages, elements * size as u64)
    }
}

// SAFETY: every buffer goes to the wrapped transport, which gives the guarantees.
unsafe impl Communicator for Metered {
    fn rank(&self) -> usize {
        self.inner.rank()
    }

    fn size(&self) -> usize {
        self.inner.size()
    }

    fn barrier(&self, call: Call) -> Result<(), CommError> {
        self.timed(call, Traffic::default(), |_| self.inner.barrier(call))
    }

    fn bcast(&self, call: Call, buf: BcastBuf<'_>) -> Result<(), CommError> {
        let others = self.size() as u64 - 1;
        let (messages, sent, received) = match &buf {
            BcastBuf::Send(data) => (others.min(data.len() as u64 * others), data.len() as u64 * others, 0),
            BcastBuf::Recv(into) => (0, 0, into.len() as u64),
        };
        let traffic = Traffic { messages, sent, received, ..Traffic::default() };
        self.timed(call, traffic, |_| self.inner.bcast(call, buf))
    }

    fn all_gather_v(
        &self,
        call: Call,
        send: &[u8],
        recv: &mut Bytes,
        blocks: &Blocks,
    ) -> Result<(), CommError> {
        let others = self.size() as u64 - 1;
        let messages = if send.is_empty() { 0 } else { others };
        let (_, received) = self.others(call, blocks);
        let traffic = Traffic { messages, sent: send.len() as u64 * others, received, ..Traffic::default() };
        self.timed(call, traffic, |_| self.inner.all_gather_v(call, send, recv, blocks))
    }

    fn all_to_all_v(
        &self,
        call: Call,
        send: &[u8],
        sends: &Blocks,
        recv: &mut Bytes,
        recvs: &Blocks,
    ) -> Result<(), CommError> {
        let ((messages, sent), (_, received)) = (self.others(call, sends), self.others(call, recvs));
        let traffic = Traffic { messages, sent, received, ..Traffic::default() };
        self.timed(call, traffic, |_| self.inner.all_to_all_v(call, send, sends, recv, recvs))
    }

    fn exchange(
        &self,
        call: Call,
        send: &[u8],
        sends: &Blocks,
        visit: &mut dyn FnMut(&[&[u8]]),
    ) -> Result<(), CommError> {
        let (messages, sent) = self.others(call, sends);
        self.timed(call, Traffic { messages, sent, ..Traffic::default() }, |traffic| {
            self.inner.exchange(call, send, sends, &mut |parts| {
                let others = parts.iter().enumerate().filter(|(r, _)| *r != self.inner.rank());
                traffic.received = others.map(|(_, part)| part.len() as u64).sum();
                visit(parts);
            })
        })
    }

    fn exchange_with(
        &self,
        call: Call,
        sends: &[ByteSend<'_>],
        recvs: &mut [ByteRecv<'_>],
        overlap: &mut dyn FnMut(),
    ) -> Result<(), CommError> {
        let others = || sends.iter().filter(|s| s.to != self.rank() && !s.data.is_empty());
        let received = recvs.iter().filter(|r| r.from != self.rank()).map(|r| r.into.len() as u64).sum();
        let sent = others().map(|s| s.data.len() as u64).sum();
        let traffic = Traffic { messages: others().count() as u64, sent, received, ..Traffic::default() };
        self.timed(call, traffic, |_| self.inner.exchange_with(call, sends, recvs, overlap))
    }

    fn split(
        &self,
        call: Call,
        color: Option<u32>,
        key: i64,
    ) -> Result<Option<Rc<dyn Communicator>>, CommError> {
        let mut part = None;
        self.timed(call, Traffic::default(), |_| {
            part = self.inner.split(call, color, key)?;
            Ok(())
        })?;
        let metered = |inner| Rc::new(Metered { inner, meter: self.meter.clone() }) as Rc<dyn Communicator>;
        Ok(part.map(metered))
    }

    fn refuse(&self, call: Call, why: CommError) -> CommError {
        self.inner.refuse(call, why)
    }

    fn fail(&self, why: &str) {
        self.inner.fail(why);
    }
}
