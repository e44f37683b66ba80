//! `Communicator` on threads: every collective is one meeting, in which each rank reads what it needs from its peers' memory.
//!
//! ```text
//! publish call and slices -> [overlap] -> all are here, calls fit -> copy or visit -> all are done
//! ```
//!
//! One copy per element, none in `exchange`. A rank leaves the meeting only when no peer reads its memory any more, whatever
//! happens: an error, or a panic in a visit.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::rc::Rc;
use std::sync::Arc;

use maniple_core::{BcastBuf, Blocks, ByteRecv, ByteSend, Bytes, Call, CommError, Communicator};

use crate::board::{Board, Sleep, message_of};
use crate::group::{Group, Reason};
use crate::judge::{check_counts, check_mail, judge, unexpected};
use crate::lent::{Lent, Mail, Published, Span};
use crate::rendezvous::{Peers, Seat};

/// One rank's side of a communicator whose ranks are threads.
pub(crate) struct Threads {
    board: Arc<Board>,
    group: Arc<Group>,
    rank: usize,
    seat: RefCell<Seat<Published, Reason>>,
    /// The collective that this rank is in.
    inside: Cell<Option<Call>>,
    /// A collective that was called from inside another.
    reentered: RefCell<Option<CommError>>,
}

type Met<'a> = Peers<'a, Published>;

impl Threads {
    /// `rank` of a group, given out once.
    pub(crate) fn new(board: &Arc<Board>, group: Arc<Group>, rank: usize) -> Self {
        let sleep = Sleep {
            board: Arc::clone(board),
            meeting: Arc::clone(&group.meeting),
            rank: group.members[rank],
        };
        let seat = group.meeting.seat(rank, sleep);
        let seat = RefCell::new(seat.unwrap_or_else(|| unreachable!("each rank is made once")));
        let (inside, reentered) = (Cell::new(None), RefCell::new(None));
        Threads { board: Arc::clone(board), group, rank, seat, inside, reentered }
    }

    /// As numbered in the cluster.
    fn number(&self) -> usize {
        self.group.members[self.rank]
    }

    /// One collective: publish, meet, let `read` take what it needs from the peers, part.
    ///
    /// `lent` points into the caller's arguments, which outlive this call; it returns, or unwinds, only when no peer can read
    /// them any more.
    fn meet<R>(
        &self,
        call: Call,
        lent: Lent,
        overlap: &mut dyn FnMut(),
        read: impl FnOnce(&Met<'_>) -> Result<R, CommError>,
    ) -> Result<R, CommError> {
        let Ok(mut seat) = self.seat.try_borrow_mut() else { return Err(self.reenter(call)) };
        let _inside = Inside::begin(self, call);
        self.meet_in(&mut seat, call, lent, overlap, read).map_err(|reason| reason.in_call(&call))
    }

    fn meet_in<R>(
        &self,
        seat: &mut Seat<Published, Reason>,
        call: Call,
        lent: Lent,
        overlap: &mut dyn FnMut(),
        read: impl FnOnce(&Met<'_>) -> Result<R, CommError>,
    ) -> Result<R, Reason> {
        let arrived = seat.arrive(Published { call, lent }, |peers| judge(&peers))?;
        if let Err(panic) = catch_unwind(AssertUnwindSafe(overlap)) {
            let message = message_of(&*panic);
            self.board.panics(self.number(), &message);
            self.board.fail(self.number(), &message); // peers that are not here yet need not come
            if let Ok(entered) = arrived.enter() {
                // All were here before: they are told, and this rank waits until they read its memory no more.
                entered.finish(Some(self.failed(message)));
            }
            resume_unwind(panic);
        }
        let entered = arrived.enter()?;
        let read = catch_unwind(AssertUnwindSafe(|| read(&entered.peers())));
        let mine = match &read {
            Ok(Ok(_)) => self.reentered.borrow().clone().map(Reason::Error),
            Ok(Err(error)) => Some(Reason::Error(error.clone())),
            Err(panic) => {
                let message = message_of(&**panic);
                self.board.panics(self.number(), &message);
                Some(self.failed(message))
            }
        };
        let verdict = entered.finish(mine);
        match (read, verdict) {
            (Err(panic), _) => resume_unwind(panic),
            (_, Some(reason)) => Err(reason),
            (Ok(Ok(result)), None) => Ok(result),
            (Ok(Err(error)), None) => Err(Reason::Error(error)), // its own error is part of the verdict
        }
    }

    /// What the peers of a panic are told.
    fn failed(&self, message: String) -> Reason {
        Reason::Error(CommError::PeerFailed { rank: self.number(), message })
    }

    /// The collective that this one was called from fails on every rank too: they would wait for each other.
    fn reenter(&self, call: Call) -> CommError {
        let inside = self.inside.get().map(|outer| outer.to_string()).unwrap_or_default();
        let error = CommError::Reentrant { rank: self.number(), call: call.to_string(), inside };
        self.reentered.borrow_mut().get_or_insert(error).clone()
    }
}

/// The time that a rank spends in a collective, which may end by unwinding.
struct Inside<'a> {
    threads: &'a Threads,
    /// What the rank was in before: it may be in a visit of another communicator.
    outer: Option<Call>,
}

impl<'a> Inside<'a> {
    fn begin(threads: &'a Threads, call: Call) -> Self {
        threads.inside.set(Some(call));
        Inside { threads, outer: threads.board.moves(threads.number(), Some(call)) }
    }
}

impl Drop for Inside<'_> {
    fn drop(&mut self) {
        self.threads.board.moves(self.threads.number(), self.outer);
        self.threads.inside.set(None);
        self.threads.reentered.take();
    }
}

// SAFETY: a `Published` shows peers exactly the slices that its rank passed to this call, and `meet` keeps that rank inside until
// every peer has left. Calls agree in element type before anything is read (`judge`), and each method below writes all of
// each declared block from the block that its source lent for it, of the same length (`check_counts`, `check_mail`), or fails.
// Spans are parts of `&[T]`, so they are aligned.
unsafe impl Communicator for Threads {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.group.members.len()
    }

    fn barrier(&self, call: Call) -> Result<(), CommError> {
        self.meet(call, Lent::Nothing, &mut || (), |_| Ok(()))
    }

    fn bcast(&self, call: Call, buf: BcastBuf<'_>) -> Result<(), CommError> {
        let root = call.root.unwrap_or_else(|| unreachable!("a broadcast has a root"));
        match buf {
            BcastBuf::Send(data) => self.meet(call, Lent::Block(Span::of(data)), &mut || (), |_| Ok(())),
            BcastBuf::Recv(into) => self.meet(call, Lent::Nothing, &mut || (), |peers| {
                copy(into, block_of(peers.get(root)));
                Ok(())
            }),
        }
    }

    fn all_gather_v(
        &self,
        call: Call,
        send: &[u8],
        recv: &mut Bytes,
        blocks: &Blocks,
    ) -> Result<(), CommError> {
        self.meet(call, Lent::Block(Span::of(send)), &mut || (), |peers| {
            let sent = |from| block_of(peers.get(from)).len() / elem_size(call);
            check_counts(call, self.rank, blocks, sent)?;
            for from in 0..peers.size() {
                copy(&mut recv[blocks.byte_range(from, elem_size(call))], block_of(peers.get(from)));
            }
            Ok(())
        })
    }

    fn all_to_all_v(
        &self,
        call: Call,
        send: &[u8],
        sends: &Blocks,
        recv: &mut Bytes,
        recvs: &Blocks,
    ) -> Result<(), CommError> {
        self.meet(call, Lent::Blocks(Span::of(send), sends), &mut || (), |peers| {
            let part = |from| part_for(call, self.rank, peers.get(from));
            check_counts(call, self.rank, recvs, |from| part(from).len() / elem_size(call))?;
            for from in 0..peers.size() {
                copy(&mut recv[recvs.byte_range(from, elem_size(call))], part(from));
            }
            Ok(())
        })
    }

    fn exchange(
        &self,
        call: Call,
        send: &[u8],
        sends: &Blocks,
        visit: &mut dyn FnMut(&[&[u8]]),
    ) -> Result<(), CommError> {
        self.meet(call, Lent::Blocks(Span::of(send), sends), &mut || (), |peers| {
            // SAFETY: the peers stay in this collective until this rank has left it, which is after the visit; the slices
            // can't leave the visitor, which must work for any lifetime.
            let read = |peer| unsafe { part_for(call, self.rank, peer).read() };
            let parts: Vec<&[u8]> = peers.iter().map(read).collect();
            visit(&parts);
            Ok(())
        })
    }

    fn exchange_with(
        &self,
        call: Call,
        sends: &[ByteSend<'_>],
        recvs: &mut [ByteRecv<'_>],
        overlap: &mut dyn FnMut(),
    ) -> Result<(), CommError> {
        let mail = Lent::Messages(Mail::new(sends, recvs));
        self.meet(call, mail, overlap, |peers| {
            let mail_of = |rank| match &peers.get(rank).lent {
                Lent::Messages(mail) => mail,
                other => unexpected(other),
            };
            check_mail(call, self.rank, mail_of)?;
            let mut taken = vec![0; peers.size()]; // messages already received from each rank
            for ByteRecv { from, into } in recvs {
                let (_, message) = mail_of(*from).to(self.rank)[taken[*from]];
                taken[*from] += 1;
                copy(into, message);
            }
            Ok(())
        })
    }

    fn split(
        &self,
        call: Call,
        color: Option<u32>,
        key: i64,
    ) -> Result<Option<Rc<dyn Communicator>>, CommError> {
        // Who is in my part, in its order; then the first of them says where it meets.
        let part = self.meet(call, Lent::Part(color, key), &mut || (), |peers| {
            let mut part: Vec<(i64, usize)> = Vec::new();
            for (rank, peer) in peers.iter().enumerate() {
                match &peer.lent {
                    Lent::Part(c, key) if *c == color => part.push((*key, rank)),
                    Lent::Part(..) => (),
                    other => unexpected(other),
                }
            }
            part.sort_unstable();
            Ok(part)
        })?;
        let leads = color.is_some() && part[0].1 == self.rank;
        let lent = match leads {
            false => Lent::Nothing,
            true => Lent::Meeting(self.board.group(part.iter().map(|p| self.group.members[p.1]).collect())),
        };
        self.meet(call, lent, &mut || (), |peers| {
            if color.is_none() {
                return Ok(None);
            }
            let Lent::Meeting(group) = &peers.get(part[0].1).lent else {
                unexpected(&peers.get(part[0].1).lent)
            };
            let rank = part.iter().position(|p| p.1 == self.rank);
            let rank = rank.unwrap_or_else(|| unreachable!("a rank is in the part of its color"));
            Ok(Some(Rc::new(Threads::new(&self.board, Arc::clone(group), rank)) as Rc<dyn Communicator>))
        })
    }

    fn refuse(&self, call: Call, why: CommError) -> CommError {
        let told = self.meet(call, Lent::Refusal(why.clone()), &mut || (), |_| Ok(()));
        told.err().unwrap_or(why)
    }

    fn fail(&self, why: &str) {
        self.board.fail(self.number(), why);
    }
}

impl fmt::Debug for Threads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "threads, {:?}", self.group)
    }
}

fn elem_size(call: Call) -> usize {
    call.elem.map_or(1, |e| e.size())
}

/// What a peer has lent to everyone.
fn block_of(peer: &Published) -> Span {
    match peer.lent {
        Lent::Block(span) => span,
        ref other => unexpected(other),
    }
}

/// What a peer has lent to rank `me`.
fn part_for(call: Call, me: usize, peer: &Published) -> Span {
    let Lent::Blocks(span, blocks) = peer.lent else { unexpected(&peer.lent) };
    // SAFETY: the peer is in this collective, and `blocks` is an argument of its call.
    let blocks = unsafe { &*blocks };
    span.part(blocks.displs()[me], blocks.count(me), elem_size(call))
}

fn copy(into: &mut Bytes, from: Span) {
    assert_eq!(into.len(), from.len(), "lengths were compared before");
    // SAFETY: only called between entry and exit, while the rank that lent `from` is in the collective.
    let from = unsafe { from.read() };
    // SAFETY: initialised bytes may be read as maybe uninitialised ones.
    into.copy_from_slice(unsafe { &*(std::ptr::from_ref(from) as *const [MaybeUninit<u8>]) });
}
