//! The conformance suite finds broken transports: for each fault that one might have, a clause that sees it.

use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::time::Duration;

use maniple_core::conformance::{clauses, recovery};
use maniple_core::{BcastBuf, Blocks, ByteRecv, ByteSend, Bytes, Call, Comm, CommError, Communicator};
use maniple_threads::Cluster;

mod support;

/// What a broken transport does.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    ForgetsLastRank,
    WritesBesideBlocks,
    IgnoresDisplacements,
    ReversesParts,
    VisitsTwice,
    Misaligns,
    OverlapsTwice,
    Overtakes,
    IgnoresKeys,
    IgnoresColors,
    SharesParts,
    KeepsErrors,
}

#[derive(Debug)]
struct Broken(Rc<dyn Communicator>, Fault);

impl Broken {
    fn is(&self, fault: Fault) -> bool {
        self.1 == fault
    }
}

// SAFETY: the wrapped transport gives the guarantees. The faults show and store initialised bytes, and the clauses they are tried
// with move integers; misaligned bytes are found by the clause before it reads them as elements.
unsafe impl Communicator for Broken {
    fn rank(&self) -> usize {
        self.0.rank()
    }

    fn size(&self) -> usize {
        self.0.size()
    }

    fn barrier(&self, call: Call) -> Result<(), CommError> {
        self.0.barrier(call)
    }

    fn bcast(&self, call: Call, buf: BcastBuf<'_>) -> Result<(), CommError> {
        match buf {
            BcastBuf::Recv(into) if self.is(Fault::ForgetsLastRank) && self.rank() + 1 == self.size() => {
                self.0.bcast(call, BcastBuf::Recv(&mut vec![MaybeUninit::uninit(); into.len()]))
            }
            buf => self.0.bcast(call, buf),
        }
    }

    fn all_gather_v(
        &self,
        call: Call,
        send: &[u8],
        recv: &mut Bytes,
        blocks: &Blocks,
    ) -> Result<(), CommError> {
        self.0.all_gather_v(call, send, recv, blocks)?;
        if let Some(byte) = recv.last_mut().filter(|_| self.is(Fault::WritesBesideBlocks)) {
            byte.write(0);
        }
        Ok(())
    }

    fn all_to_all_v(
        &self,
        call: Call,
        send: &[u8],
        sends: &Blocks,
        recv: &mut Bytes,
        recvs: &Blocks,
    ) -> Result<(), CommError> {
        let packed = Blocks::packed(sends.counts().to_vec());
        let sends = if self.is(Fault::IgnoresDisplacements) { &packed } else { sends };
        self.0.all_to_all_v(call, send, sends, recv, recvs)
    }

    fn exchange(
        &self,
        call: Call,
        send: &[u8],
        sends: &Blocks,
        visit: &mut dyn FnMut(&[&[u8]]),
    ) -> Result<(), CommError> {
        self.0.exchange(call, send, sends, &mut |parts| match self.1 {
            Fault::ReversesParts => visit(&Vec::from_iter(parts.iter().rev().copied())),
            Fault::VisitsTwice => [parts, parts].iter().for_each(|parts| visit(parts)),
            Fault::Misaligns => {
                let moved = Vec::from_iter(parts.iter().map(|part| [&[0, 0][..], part].concat()));
                let odd = moved.iter().map(|bytes| &bytes[1 + bytes.as_ptr().addr() % 2..]);
                visit(&Vec::from_iter(odd.zip(parts).map(|(bytes, part)| &bytes[..part.len()])));
            }
            _ => visit(parts),
        })
    }

    fn exchange_with(
        &self,
        call: Call,
        sends: &[ByteSend<'_>],
        recvs: &mut [ByteRecv<'_>],
        overlap: &mut dyn FnMut(),
    ) -> Result<(), CommError> {
        if self.is(Fault::Overtakes) {
            recvs.reverse();
        }
        let times = if self.is(Fault::OverlapsTwice) { 2 } else { 1 };
        self.0.exchange_with(call, sends, recvs, &mut || (0..times).for_each(|_| overlap()))
    }

    fn split(
        &self,
        call: Call,
        color: Option<u32>,
        key: i64,
    ) -> Result<Option<Rc<dyn Communicator>>, CommError> {
        let key = if self.is(Fault::IgnoresKeys) { 0 } else { key };
        let color = if self.is(Fault::IgnoresColors) { color.map(|_| 0) } else { color };
        let part = self.0.split(call, color, key)?;
        let part = if self.is(Fault::SharesParts) { part.map(|_| Rc::clone(&self.0)) } else { part };
        Ok(part.map(|part| Rc::new(Broken(part, self.1)) as Rc<dyn Communicator>))
    }

    fn refuse(&self, call: Call, why: CommError) -> CommError {
        if self.is(Fault::KeepsErrors) { why } else { self.0.refuse(call, why) }
    }

    fn fail(&self, why: &str) {
        self.0.fail(why);
    }
}

/// Does this clause hold on three ranks?
fn holds(clause: &str, fault: Fault) -> bool {
    let all = [clauses(), recovery()].concat();
    let clause = all.iter().find(|c| c.name == clause).unwrap_or_else(|| panic!("no clause `{clause}`"));
    let broken = |comm: &Comm| (clause.run)(&Comm::new(Rc::new(Broken(Rc::clone(comm.transport()), fault))));
    let run = || Cluster::new(3).run(broken).expect("a cluster");
    support::within(Duration::from_secs(20), || catch_unwind(AssertUnwindSafe(run))).is_ok()
}

#[test]
fn every_fault_breaks_a_clause() {
    let seen_by = [
        (Fault::ForgetsLastRank, "bcast"),
        (Fault::WritesBesideBlocks, "all_gather_into_gaps"),
        (Fault::IgnoresDisplacements, "all_to_all_into_gaps"),
        (Fault::IgnoresDisplacements, "overlapping_sends"),
        (Fault::ReversesParts, "exchange"),
        (Fault::ReversesParts, "reduce_scatter"),
        (Fault::ReversesParts, "ex_scan"),
        (Fault::VisitsTwice, "exchange"),
        (Fault::Misaligns, "exchange_keeps_alignment"),
        (Fault::OverlapsTwice, "overlap_runs_once"),
        (Fault::Overtakes, "messages_do_not_overtake"),
        (Fault::Overtakes, "messages_to_oneself"),
        (Fault::IgnoresKeys, "keys_reorder"),
        (Fault::IgnoresColors, "colors"),
        (Fault::SharesParts, "nested"),
        (Fault::SharesParts, "duplicates"),
        (Fault::KeepsErrors, "wrong_on_one_rank"),
    ];
    for (fault, clause) in seen_by {
        assert!(!holds(clause, fault), "`{clause}` does not see a transport that {fault:?}");
    }
    assert!(holds("exchange", Fault::Overtakes), "a clause blames a transport for another's fault");
}
