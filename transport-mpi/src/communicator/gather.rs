//! The same data for everyone: broadcast and all-gather.

use std::ffi::c_int;

use maniple_core::{BcastBuf, Blocks, Bytes, Call, CommError, memory};

use super::{Mpi, elem_size};
use crate::cut::{countable, heads};

impl Mpi {
    pub(super) fn one_to_all(&self, call: Call, buf: BcastBuf<'_>) -> Result<(), CommError> {
        let root = call.root.unwrap_or_else(|| unreachable!("a broadcast has a root")) as c_int;
        let limit = self.world.limit;
        match buf {
            BcastBuf::Send(data) => {
                limit.pieces(data.len()).try_for_each(|piece| self.handle.bcast_from(root, &data[piece]))
            }
            BcastBuf::Recv(into) => {
                limit.pieces(into.len()).try_for_each(|piece| self.handle.bcast_into(root, &mut into[piece]))
            }
        }
    }

    /// All ranks know all counts, so all take the same way: the native collective, or a broadcast from every rank.
    pub(super) fn all_to_everyone(
        &self,
        call: Call,
        send: &[u8],
        recv: &mut Bytes,
        blocks: &Blocks,
    ) -> Result<(), CommError> {
        let (sent, expected) = (send.len() / elem_size(call), blocks.count(self.rank));
        if sent != expected {
            let (from, to) = (self.rank, self.rank);
            return Err(CommError::Counts { from, to, sent, expected, call: call.to_string() });
        }
        match blocks.total() <= self.world.limit.elements {
            true => self.native_all_gather(call, send, recv, blocks),
            false => self.broadcasts(call, send, recv, blocks),
        }
    }

    fn native_all_gather(
        &self,
        call: Call,
        send: &[u8],
        recv: &mut Bytes,
        blocks: &Blocks,
    ) -> Result<(), CommError> {
        let size = elem_size(call);
        let datatype = &*self.world.datatype(size)?;
        let parts = &mut self.parts.borrow_mut().0;
        if heads(blocks, usize::MAX, parts) {
            return self.handle.all_gather_v(datatype, send, recv, parts);
        }
        // Displacements that MPI can't count: through packed storage.
        let packed = Blocks::packed(blocks.counts().to_vec());
        let mut storage = memory::with_capacity(packed.total() * size);
        let received = &mut storage.spare_capacity_mut()[..packed.total() * size];
        self.handle.all_gather_v(datatype, send, received, &countable(&packed))?;
        for rank in 0..self.size {
            recv[blocks.byte_range(rank, size)].copy_from_slice(&received[packed.byte_range(rank, size)]);
        }
        Ok(())
    }

    fn broadcasts(
        &self,
        call: Call,
        send: &[u8],
        recv: &mut Bytes,
        blocks: &Blocks,
    ) -> Result<(), CommError> {
        for root in 0..self.size {
            let into = &mut recv[blocks.byte_range(root, elem_size(call))];
            if root == self.rank {
                into.iter_mut().zip(send).for_each(|(to, &byte)| {
                    to.write(byte);
                });
            }
            for piece in self.world.limit.pieces(into.len()) {
                match root == self.rank {
                    true => self.handle.bcast_from(root as c_int, &send[piece])?,
                    false => self.handle.bcast_into(root as c_int, &mut into[piece])?,
                }
            }
        }
        Ok(())
    }
}
