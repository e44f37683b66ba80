//! The communicator of one rank: every collective is a copy to oneself.
#![allow(unsafe_code)] // implements `Communicator`

use std::ops::Range;
use std::rc::Rc;

use crate::blocks::Blocks;
use crate::call::Call;
use crate::communicator::{BcastBuf, ByteRecv, ByteSend, Bytes, Communicator};
use crate::error::CommError;

/// One rank, no peers.
///
/// ```
/// let comm = maniple_core::Comm::solo();
/// assert_eq!((comm.rank(), comm.size()), (0, 1));
/// assert_eq!(comm.all_reduce_value(5, |a, b| a + b)?, 5);
/// # Ok::<(), maniple_core::CommError>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Solo;

impl Solo {
    fn deliver(call: Call, data: &[u8], into: &mut Bytes) -> Result<(), CommError> {
        if data.len() != into.len() {
            let size = call.elem.map_or(1, |e| e.size());
            let (sent, expected) = (data.len() / size, into.len() / size);
            return Err(CommError::Counts { from: 0, to: 0, sent, expected, call: call.to_string() });
        }
        into.iter_mut().zip(data).for_each(|(to, &byte)| {
            to.write(byte);
        });
        Ok(())
    }
}

/// This rank's block.
fn bytes(call: Call, blocks: &Blocks) -> Range<usize> {
    blocks.byte_range(0, call.elem.map_or(1, |e| e.size()))
}

// SAFETY: `deliver` writes all of a declared block from the block that this rank itself sends in the same call, so the type is
// the same; a visitor gets the sender's slice itself.
unsafe impl Communicator for Solo {
    fn rank(&self) -> usize {
        0
    }

    fn size(&self) -> usize {
        1
    }

    fn barrier(&self, _: Call) -> Result<(), CommError> {
        Ok(())
    }

    fn bcast(&self, _: Call, _: BcastBuf<'_>) -> Result<(), CommError> {
        Ok(())
    }

    fn all_gather_v(
        &self,
        call: Call,
        send: &[u8],
        recv: &mut Bytes,
        blocks: &Blocks,
    ) -> Result<(), CommError> {
        Solo::deliver(call, send, &mut recv[bytes(call, blocks)])
    }

    fn all_to_all_v(
        &self,
        call: Call,
        send: &[u8],
        sends: &Blocks,
        recv: &mut Bytes,
        recvs: &Blocks,
    ) -> Result<(), CommError> {
        Solo::deliver(call, &send[bytes(call, sends)], &mut recv[bytes(call, recvs)])
    }

    fn exchange(
        &self,
        call: Call,
        send: &[u8],
        sends: &Blocks,
        visit: &mut dyn FnMut(&[&[u8]]),
    ) -> Result<(), CommError> {
        visit(&[&send[bytes(call, sends)]]);
        Ok(())
    }

    fn exchange_with(
        &self,
        call: Call,
        sends: &[ByteSend<'_>],
        recvs: &mut [ByteRecv<'_>],
        overlap: &mut dyn FnMut(),
    ) -> Result<(), CommError> {
        if sends.len() != recvs.len() {
            let sent = sends.len() > recvs.len();
            return Err(CommError::Unmatched { from: 0, to: 0, sent, call: call.to_string() });
        }
        overlap();
        sends.iter().zip(recvs).try_for_each(|(send, recv)| Solo::deliver(call, send.data, recv.into))
    }

    fn split(&self, _: Call, color: Option<u32>, _: i64) -> Result<Option<Rc<dyn Communicator>>, CommError> {
        Ok(color.map(|_| Rc::new(Solo) as Rc<dyn Communicator>))
    }

    fn refuse(&self, _: Call, why: CommError) -> CommError {
        why
    }

    fn fail(&self, _: &str) {}
}
