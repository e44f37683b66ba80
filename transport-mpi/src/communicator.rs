//! `Communicator` over MPI.
#![allow(unsafe_code)] // implements an unsafe trait; every call of MPI is in `ffi`

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ffi::c_int;
use std::fmt;
use std::mem::MaybeUninit;
use std::ops::Range;
use std::rc::Rc;

use maniple_core::{BcastBuf, Blocks, ByteRecv, ByteSend, Bytes, Call, CommError, Communicator};

use crate::cut::{Limit, heads};
use crate::ffi::{Datatype, Handle, Parts, Requests};
use crate::pulse::Pulse;

/// Tag of `exchange_with`.
const NEIGHBOURS: c_int = 1;
/// Tag of what a native collective could not carry.
const REST: c_int = 2;

/// What all communicators of a process share.
pub(crate) struct World {
    pub(crate) handle: Handle,
    pub(crate) pulse: Pulse,
    pub(crate) limit: Limit,
    pub(crate) report: fn(&Handle, &str) -> !,
    datatypes: RefCell<HashMap<usize, Rc<Datatype>>>,
    /// Communicators made so far on this rank.
    made: Cell<u16>,
}

/// One rank's side of an MPI communicator.
pub(crate) struct Mpi {
    world: Rc<World>,
    handle: Handle,
    rank: usize,
    size: usize,
    /// As numbered among all ranks.
    members: Vec<usize>,
    /// Its number in the pulse, the same on all members.
    number: u16,
    inside: Cell<Option<Call>>,
    /// Receives what a visitor is shown; kept, because fresh memory is dear.
    scratch: RefCell<Vec<MaybeUninit<u8>>>,
}

impl World {
    pub(crate) fn new(
        handle: Handle,
        limit: Limit,
        report: fn(&Handle, &str) -> !,
    ) -> Result<Self, CommError> {
        let pulse = Pulse::new(&handle)?;
        Ok(World { handle, pulse, limit, report, datatypes: RefCell::default(), made: Cell::new(0) })
    }

    fn datatype(&self, size: usize) -> Result<Rc<Datatype>, CommError> {
        if let Some(known) = self.datatypes.borrow().get(&size) {
            return Ok(Rc::clone(known));
        }
        let new = Rc::new(Datatype::of(size)?);
        self.datatypes.borrow_mut().insert(size, Rc::clone(&new));
        Ok(new)
    }
}

impl Mpi {
    /// All ranks.
    pub(crate) fn world(world: Rc<World>) -> Result<Self, CommError> {
        let handle = Handle::world()?;
        let members = (0..handle.size()?).collect();
        Mpi::new(world, handle, 0, members)
    }

    fn new(world: Rc<World>, handle: Handle, number: u16, members: Vec<usize>) -> Result<Self, CommError> {
        let (rank, size) = (handle.rank()?, handle.size()?);
        world.pulse.join(number, members.clone());
        Ok(Mpi {
            world,
            handle,
            rank,
            size,
            members,
            number,
            inside: Cell::new(None),
            scratch: RefCell::default(),
        })
    }

    /// Every collective goes through here: no two at a time, and a sign for peers that may have ended.
    fn within<R>(&self, call: Call, run: impl FnOnce() -> Result<R, CommError>) -> Result<R, CommError> {
        if let Some(outer) = self.inside.get() {
            let (call, inside) = (call.to_string(), outer.to_string());
            return Err(CommError::Reentrant { rank: self.rank, call, inside });
        }
        self.inside.set(Some(call));
        self.world.pulse.enter(self.number);
        let result = run();
        self.world.pulse.leave();
        self.inside.set(None);
        result
    }

    /// The native collective for the first part of each block, messages for what is beyond its share.
    fn all_to_all(
        &self,
        call: Call,
        send: &[u8],
        sends: &Blocks,
        recv: &mut Bytes,
        recvs: &Blocks,
    ) -> Result<(), CommError> {
        let size = elem_size(call);
        let share = self.world.limit.share(self.size);
        let datatype = self.world.datatype(size)?;
        match (heads(sends, share), heads(recvs, share)) {
            (Some(s), Some(r)) => {
                let (s, r) = (parts(s), parts(r));
                self.handle.all_to_all_v(&datatype, send, &s, recv, &r)?;
            }
            // Displacements that MPI can't count: through packed copies of the heads.
            _ => {
                let (s, r) = (packed_heads(sends, share), packed_heads(recvs, share));
                let mut packed = Vec::with_capacity(s.total() * size);
                for (head, block) in s.ranges().zip(sends.ranges()) {
                    packed.extend_from_slice(&send[block.start * size..(block.start + head.len()) * size]);
                }
                let mut received = vec![MaybeUninit::uninit(); r.total() * size];
                let all = |b: &Blocks| {
                    heads(b, share).map(parts).unwrap_or_else(|| unreachable!("packed heads can be counted"))
                };
                self.handle.all_to_all_v(&datatype, &packed, &all(&s), &mut received, &all(&r))?;
                for (head, block) in r.ranges().zip(recvs.ranges()) {
                    recv[block.start * size..(block.start + head.len()) * size]
                        .copy_from_slice(&received[head.start * size..head.end * size]);
                }
            }
        }
        self.tails(call, send, sends, recv, recvs, share)
    }

    /// What is longer than its share of the native collective. Both ends know which messages are.
    fn tails(
        &self,
        call: Call,
        send: &[u8],
        sends: &Blocks,
        recv: &mut Bytes,
        recvs: &Blocks,
        share: usize,
    ) -> Result<(), CommError> {
        let size = elem_size(call);
        let tail = |block: Range<usize>| (block.start + share).min(block.end) * size..block.end * size;
        let long = |blocks: &Blocks| (0..self.size).filter(|&r| blocks.count(r) > share).collect::<Vec<_>>();
        let sends: Vec<_> =
            long(sends).into_iter().map(|to| ByteSend { to, data: &send[tail(sends.range(to))] }).collect();
        // The receive buffer in disjoint pieces, in order of their place in it.
        let mut wanted: Vec<_> =
            long(recvs).into_iter().map(|from| (tail(recvs.range(from)), from)).collect();
        wanted.sort_unstable_by_key(|(range, _)| range.start);
        let (mut rest, mut passed, mut recvs) = (recv, 0, Vec::with_capacity(wanted.len()));
        for (range, from) in wanted {
            let (into, behind) = rest.split_at_mut(range.start - passed).1.split_at_mut(range.len());
            recvs.push(ByteRecv { from, into });
            (rest, passed) = (behind, range.end);
        }
        if sends.is_empty() && recvs.is_empty() {
            return Ok(());
        }
        self.messages(call, REST, &sends, &mut recvs, &mut || ())
    }

    /// Starts all messages, runs `overlap`, waits.
    fn messages(
        &self,
        call: Call,
        tag: c_int,
        sends: &[ByteSend<'_>],
        recvs: &mut [ByteRecv<'_>],
        overlap: &mut dyn FnMut(),
    ) -> Result<(), CommError> {
        let mut requests = Requests::new(&self.world.handle);
        let mut pieces = Vec::new(); // of each receive request: its source, and the bytes of the message before it and in all
        for ByteRecv { from, into } in recvs {
            let total = into.len();
            let mut rest = &mut **into;
            for piece in self.world.limit.pieces(total).chain((total == 0).then_some(0..0)) {
                let (now, behind) = rest.split_at_mut(piece.len());
                requests.recv(&self.handle, *from as c_int, tag, now)?;
                pieces.push((*from, piece.start, total));
                rest = behind;
            }
        }
        for ByteSend { to, data } in sends {
            for piece in self.world.limit.pieces(data.len()).chain(data.is_empty().then_some(0..0)) {
                requests.send(&self.handle, *to as c_int, tag, &data[piece])?;
            }
        }
        overlap();
        match requests.wait()? {
            None => Ok(()),
            Some((short, bytes)) => {
                let (from, before, total) = pieces[short];
                let (sent, expected) = ((before + bytes) / elem_size(call), total / elem_size(call));
                Err(CommError::Counts { from, to: self.rank, sent, expected, call: call.to_string() })
            }
        }
    }
}

// SAFETY: every declared byte is received by MPI from the rank it is declared to come from, or the call fails: message lengths
// are compared (`messages`), and in native collectives a longer message is MPI_ERR_TRUNCATE. That ranks call the same collective
// with the same element type and length is the program's duty under MPI; `Checked` makes sure of it.
unsafe impl Communicator for Mpi {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn barrier(&self, call: Call) -> Result<(), CommError> {
        self.within(call, || self.handle.barrier())
    }

    fn bcast(&self, call: Call, buf: BcastBuf<'_>) -> Result<(), CommError> {
        let root = call.root.unwrap_or_else(|| unreachable!("a broadcast has a root")) as c_int;
        self.within(call, || match buf {
            BcastBuf::Send(data) => self
                .world
                .limit
                .pieces(data.len())
                .try_for_each(|piece| self.handle.bcast_from(root, &data[piece])),
            BcastBuf::Recv(into) => {
                let len = into.len();
                self.world
                    .limit
                    .pieces(len)
                    .try_for_each(|piece| self.handle.bcast_into(root, &mut into[piece]))
            }
        })
    }

    fn all_gather_v(
        &self,
        call: Call,
        send: &[u8],
        recv: &mut Bytes,
        blocks: &Blocks,
    ) -> Result<(), CommError> {
        let size = elem_size(call);
        let mine = send.len() / size;
        if blocks.count(self.rank) != mine {
            let (from, to, expected) = (self.rank, self.rank, blocks.count(self.rank));
            return Err(CommError::Counts { from, to, sent: mine, expected, call: call.to_string() });
        }
        self.within(call, || {
            // All ranks know all counts, so all take the same way.
            if blocks.total() <= self.world.limit.elements {
                if let Some(blocks) = heads(blocks, usize::MAX) {
                    return self.handle.all_gather_v(
                        &*self.world.datatype(size)?,
                        send,
                        recv,
                        &parts(blocks),
                    );
                }
                let packed = Blocks::packed(blocks.counts().to_vec());
                let mut received = vec![MaybeUninit::uninit(); packed.total() * size];
                let all = heads(&packed, usize::MAX).map(parts);
                let all = all.unwrap_or_else(|| unreachable!("packed blocks can be counted"));
                self.handle.all_gather_v(&*self.world.datatype(size)?, send, &mut received, &all)?;
                for (from, into) in packed.ranges().zip(blocks.ranges()) {
                    recv[into.start * size..into.end * size]
                        .copy_from_slice(&received[from.start * size..from.end * size]);
                }
                return Ok(());
            }
            for (root, block) in blocks.ranges().enumerate() {
                let into = &mut recv[block.start * size..block.end * size];
                for piece in self.world.limit.pieces(into.len()) {
                    match root == self.rank {
                        true => self.handle.bcast_from(root as c_int, &send[piece])?,
                        false => self.handle.bcast_into(root as c_int, &mut into[piece])?,
                    }
                }
                if root == self.rank {
                    into.iter_mut().zip(send).for_each(|(to, &byte)| {
                        to.write(byte);
                    });
                }
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
        self.within(call, || self.all_to_all(call, send, sends, recv, recvs))
    }

    fn exchange(
        &self,
        call: Call,
        send: &[u8],
        sends: &Blocks,
        visit: &mut dyn FnMut(&[&[u8]]),
    ) -> Result<(), CommError> {
        let (size, align) = (elem_size(call), call.elem.map_or(1, |e| e.align()));
        self.within(call, || {
            let counts: Vec<u64> = sends.counts().iter().map(|&n| n as u64).collect();
            let counts = self.handle.all_to_all_u64(&counts)?;
            let recvs = Blocks::packed(counts.into_iter().map(|n| n as usize).collect());
            let mut scratch = self.scratch.borrow_mut();
            let needed = recvs.total() * size + align;
            if scratch.len() < needed {
                *scratch = maniple_core::memory::with_capacity(needed);
                scratch.resize(needed, MaybeUninit::uninit());
            }
            let begin = scratch.as_ptr().align_offset(align);
            let received = &mut scratch[begin..begin + recvs.total() * size];
            self.all_to_all(call, send, sends, received, &recvs)?;
            // SAFETY: `all_to_all` has received all of it: packed blocks of exactly the counts that were sent.
            let received = unsafe { &*(std::ptr::from_ref(received) as *const [u8]) };
            let parts: Vec<&[u8]> = recvs.ranges().map(|r| &received[r.start * size..r.end * size]).collect();
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
        self.within(call, || self.messages(call, NEIGHBOURS, sends, recvs, overlap))
    }

    fn split(
        &self,
        call: Call,
        color: Option<u32>,
        key: i64,
    ) -> Result<Option<Rc<dyn Communicator>>, CommError> {
        self.within(call, || {
            // MPI's colors and keys are ints and ours are not: who is where is worked out first, and MPI gets small numbers.
            let mine = [
                color.map_or(0, |c| u64::from(c) + 1),
                (key as u64) ^ (1 << 63),
                u64::from(self.world.made.get()),
            ];
            let mut all = vec![MaybeUninit::uninit(); 24 * self.size];
            let three = Blocks::packed(vec![3; self.size]);
            let three = heads(&three, usize::MAX).map(parts).unwrap_or_else(|| unreachable!("few"));
            let bytes: Vec<u8> = mine.iter().flat_map(|w| w.to_ne_bytes()).collect();
            self.handle.all_gather_v(&*self.world.datatype(8)?, &bytes, &mut all, &three)?;
            // SAFETY: three words from every rank have been received.
            let all: Vec<u8> = all.into_iter().map(|byte| unsafe { byte.assume_init() }).collect();
            let word = |i: usize| u64::from_ne_bytes(std::array::from_fn(|b| all[8 * i + b]));
            let rows: Vec<[u64; 3]> =
                (0..self.size).map(|r| std::array::from_fn(|i| word(3 * r + i))).collect();

            let mut colors: Vec<u64> = rows.iter().map(|row| row[0]).filter(|&c| c > 0).collect();
            colors.sort_unstable();
            colors.dedup();
            let mut part: Vec<usize> = (0..self.size).filter(|&r| rows[r][0] == mine[0]).collect();
            part.sort_by_key(|&r| rows[r][1]);
            // A number in the pulse that no member has used: ranks of different parts may use the same one.
            let number = part.iter().map(|&r| rows[r][2]).max().unwrap_or(0) as u16;
            let number = number.checked_add(1).ok_or_else(|| CommError::Transport {
                function: "MPI_Comm_split",
                message: "more than 65 535 communicators have been made".to_string(),
            })?;
            let place = part.iter().position(|&r| r == self.rank).unwrap_or(0);
            let color = color.map(|_| colors.binary_search(&mine[0]).unwrap_or(0) as c_int);
            let Some(handle) = self.handle.split(color, place as c_int)? else { return Ok(None) };
            self.world.made.set(number);
            let members = part.iter().map(|&r| self.members[r]).collect();
            let part = Mpi::new(Rc::clone(&self.world), handle, number, members)?;
            Ok(Some(Rc::new(part) as Rc<dyn Communicator>))
        })
    }

    fn refuse(&self, _: Call, why: CommError) -> CommError {
        // The peers learn of it when this rank ends with the error: the job ends then.
        why
    }

    fn fail(&self, why: &str) {
        (self.world.report)(&self.world.handle, why)
    }
}

impl fmt::Debug for Mpi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MPI communicator {} of {} ranks", self.number, self.size)
    }
}

fn elem_size(call: Call) -> usize {
    call.elem.map_or(1, |e| e.size())
}

fn parts((counts, displs): (Vec<c_int>, Vec<c_int>)) -> Parts {
    Parts { counts, displs }
}

/// The first `share` elements of each block, packed.
fn packed_heads(blocks: &Blocks, share: usize) -> Blocks {
    Blocks::packed(blocks.counts().iter().map(|&n| n.min(share)).collect())
}
