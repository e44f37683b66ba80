//! Messages between pairs of ranks.

use std::ffi::c_int;
use std::panic::{AssertUnwindSafe, catch_unwind};

use maniple_core::{ByteRecv, ByteSend, Call, CommError};

use super::{Mpi, elem_size};
use crate::ffi::Requests;
use crate::last_words::{die, of_panic};

/// Tag of `exchange_with`.
pub(super) const NEIGHBOURS: c_int = 1;
/// Tag of what a native collective could not carry.
pub(super) const REST: c_int = 2;

impl Mpi {
    /// Starts all messages, runs `overlap`, waits.
    ///
    /// While messages are under way their buffers can't be given back, and no message can be taken back for certain. So what goes
    /// wrong in between ends the job.
    pub(super) fn messages(
        &self,
        call: Call,
        tag: c_int,
        sends: &[ByteSend<'_>],
        recvs: &mut [ByteRecv<'_>],
        overlap: &mut dyn FnMut(),
    ) -> Result<(), CommError> {
        let slots = &mut *self.slots.borrow_mut();
        let mut requests = Requests::new(slots);
        match self.start(&mut requests, tag, sends, recvs) {
            Ok(()) => (),
            Err(error) if requests.is_empty() => return Err(error),
            Err(error) => die(&self.world, &error.to_string()),
        }
        if catch_unwind(AssertUnwindSafe(overlap)).is_err() {
            die(&self.world, &of_panic());
        }
        let short = requests.wait().unwrap_or_else(|error| die(&self.world, &error.to_string()));
        drop(requests);
        let Some((short, bytes)) = short else { return Ok(()) };
        // Which message was that? Each is as many requests as it has pieces.
        let pieces = recvs.iter().flat_map(|ByteRecv { from, into }| {
            let total = into.len();
            self.world.limit.messages(total).map(move |piece| (*from, piece.start, total))
        });
        let (from, before, total) =
            { pieces }.nth(short).unwrap_or_else(|| unreachable!("a request per piece"));
        let (sent, expected) = ((before + bytes) / elem_size(call), total / elem_size(call));
        Err(CommError::Counts { from, to: self.rank, sent, expected, call: call.to_string() })
    }

    fn start<'a>(
        &self,
        requests: &mut Requests<'a>,
        tag: c_int,
        sends: &'a [ByteSend<'_>],
        recvs: &'a mut [ByteRecv<'_>],
    ) -> Result<(), CommError> {
        let limit = self.world.limit;
        for ByteRecv { from, into } in recvs {
            let total = into.len();
            let mut rest = &mut **into;
            for piece in limit.messages(total) {
                let (now, behind) = rest.split_at_mut(piece.len());
                requests.recv(&self.handle, *from as c_int, tag, now)?;
                rest = behind;
            }
        }
        for ByteSend { to, data } in sends {
            for piece in limit.messages(data.len()) {
                requests.send(&self.handle, *to as c_int, tag, &data[piece])?;
            }
        }
        Ok(())
    }
}
