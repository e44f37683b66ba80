//! Each to each: a native collective for as much of each message as MPI can count, messages for the rest.

use std::ops::Range;
use std::ptr;

use maniple_core::{Blocks, ByteRecv, ByteSend, Bytes, Call, CommError, memory};

use super::messages::REST;
use super::{Mpi, elem_size};
use crate::cut::{countable, heads};

impl Mpi {
    /// The first part of each block natively, then what is beyond its share.
    pub(super) fn each_to_each(
        &self,
        call: Call,
        send: &[u8],
        sends: &Blocks,
        recv: &mut Bytes,
        recvs: &Blocks,
    ) -> Result<(), CommError> {
        let share = self.world.limit.share(self.size);
        let datatype = self.world.datatype(elem_size(call))?;
        let (s, r) = &mut *self.parts.borrow_mut();
        match heads(sends, share, s) && heads(recvs, share, r) {
            true => self.handle.all_to_all_v(&datatype, send, s, recv, r)?,
            false => self.packed_heads(call, send, sends, recv, recvs)?,
        }
        self.tails(call, send, sends, recv, recvs)
    }

    /// Displacements that MPI can't count: through packed copies.
    fn packed_heads(
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
        let packed =
            |blocks: &Blocks| Blocks::packed(blocks.counts().iter().map(|&n| n.min(share)).collect());
        let (s, r) = (packed(sends), packed(recvs));
        let mut copies: Vec<u8> = memory::with_capacity(s.total() * size);
        for rank in 0..self.size {
            let head = s.count(rank) * size;
            copies.extend_from_slice(&send[sends.byte_range(rank, size)][..head]);
        }
        let mut storage = memory::with_capacity(r.total() * size);
        let received = &mut storage.spare_capacity_mut()[..r.total() * size];
        self.handle.all_to_all_v(&datatype, &copies, &countable(&s), received, &countable(&r))?;
        for rank in 0..self.size {
            let head = r.count(rank) * size;
            let into = &mut recv[recvs.byte_range(rank, size)][..head];
            into.copy_from_slice(&received[r.byte_range(rank, size)]);
        }
        Ok(())
    }

    /// What is longer than its share. Both ends of a message know whether it is.
    fn tails(
        &self,
        call: Call,
        send: &[u8],
        sends: &Blocks,
        recv: &mut Bytes,
        recvs: &Blocks,
    ) -> Result<(), CommError> {
        let size = elem_size(call);
        let share = self.world.limit.share(self.size);
        let tails = |blocks: &Blocks| -> Vec<(Range<usize>, usize)> {
            let long = (0..self.size).filter(|&r| blocks.count(r) > share);
            long.map(|r| ((blocks.displs()[r] + share) * size..blocks.range(r).end * size, r)).collect()
        };
        let (sends, mut wanted) = (tails(sends), tails(recvs));
        if sends.is_empty() && wanted.is_empty() {
            return Ok(());
        }
        let sends: Vec<_> = sends.into_iter().map(|(tail, to)| ByteSend { to, data: &send[tail] }).collect();
        // The receive buffer in disjoint pieces, in order of their place in it.
        wanted.sort_unstable_by_key(|(tail, _)| tail.start);
        let (mut rest, mut passed, mut recvs) = (recv, 0, Vec::with_capacity(wanted.len()));
        for (tail, from) in wanted {
            let (into, behind) = rest.split_at_mut(tail.start - passed).1.split_at_mut(tail.len());
            recvs.push(ByteRecv { from, into });
            (rest, passed) = (behind, tail.end);
        }
        self.messages(call, REST, &sends, &mut recvs, &mut || ())
    }

    /// `exchange`: the counts first, then everything into storage that is kept.
    pub(super) fn shown(
        &self,
        call: Call,
        send: &[u8],
        sends: &Blocks,
        visit: &mut dyn FnMut(&[&[u8]]),
    ) -> Result<(), CommError> {
        let (size, align) = (elem_size(call), call.elem.map_or(1, |e| e.align()));
        let counts: Vec<u64> = sends.counts().iter().map(|&n| n as u64).collect();
        let counts = self.handle.all_to_all_u64(&counts)?;
        let recvs = Blocks::packed(counts.into_iter().map(|n| n as usize).collect());
        let needed = recvs.total() * size + align;
        let mut scratch = self.scratch.borrow_mut();
        if scratch.capacity() < needed {
            *scratch = Vec::new(); // gives back the old one first
            *scratch = memory::with_capacity(needed);
        }
        let storage = scratch.spare_capacity_mut();
        let begin = storage.as_ptr().align_offset(align);
        let received = &mut storage[begin..begin + recvs.total() * size];
        self.each_to_each(call, send, sends, received, &recvs)?;
        // SAFETY: `each_to_each` has received all of it: packed blocks of exactly the counts that were sent.
        let received = unsafe { &*(ptr::from_ref(received) as *const [u8]) };
        let parts: Vec<&[u8]> = (0..self.size).map(|r| &received[recvs.byte_range(r, size)]).collect();
        visit(&parts);
        Ok(())
    }
}
