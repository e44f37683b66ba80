//! Some to some: messages between partners, with work while they move.

use std::mem::MaybeUninit;

use crate::call::{Call, Op};
use crate::communicator::{ByteRecv, ByteSend};
use crate::element::{Element, bytes_of, bytes_to_fill, overwrite};
use crate::error::CommError;

use super::Comm;

/// A message to one rank.
#[derive(Debug)]
pub struct SendTo<'a, T> {
    to: usize,
    data: &'a [T],
}

impl<'a, T: Element> SendTo<'a, T> {
    /// `data` goes to rank `to`, which must expect this many elements.
    pub fn new(to: usize, data: &'a [T]) -> Self {
        SendTo { to, data }
    }
}

/// A message expected from one rank.
#[derive(Debug)]
pub struct RecvFrom<'a, T> {
    from: usize,
    into: &'a mut [MaybeUninit<T>],
}

impl<'a, T: Element> RecvFrom<'a, T> {
    /// `into.len()` elements come from rank `from`.
    pub fn new(from: usize, into: &'a mut [T]) -> Self {
        RecvFrom { from, into: overwrite(into) }
    }

    /// As [`new`](RecvFrom::new), into storage that holds nothing yet; all of it does when the exchange has succeeded.
    pub fn uninit(from: usize, into: &'a mut [MaybeUninit<T>]) -> Self {
        RecvFrom { from, into }
    }
}

impl Comm {
    /// Messages between some pairs of ranks: halos, redistribution among few partners.
    ///
    /// Every rank calls it, also one without partners. The k-th message from rank a to rank b meets the k-th that b
    /// expects from a. `overlap` runs while data may move, and must not call a collective of this communicator.
    ///
    /// # Communication
    /// The messages; their number depends on the partners, not on the number of ranks.
    ///
    /// # Errors
    /// See [`Comm`]; among them [`CommError::Unmatched`] for a message without a counterpart and [`CommError::Counts`]
    /// for one of another length.
    #[track_caller]
    pub fn exchange_with<T: Element, R>(
        &self,
        sends: &[SendTo<'_, T>],
        recvs: Vec<RecvFrom<'_, T>>,
        overlap: impl FnOnce() -> R,
    ) -> Result<R, CommError> {
        self.neighbours(self.call_of::<T>(Op::ExchangeWith), sends, recvs, overlap)
    }

    pub(super) fn neighbours<T: Element, R>(
        &self,
        call: Call,
        sends: &[SendTo<'_, T>],
        recvs: Vec<RecvFrom<'_, T>>,
        overlap: impl FnOnce() -> R,
    ) -> Result<R, CommError> {
        let mut partners = sends.iter().map(|s| s.to).chain(recvs.iter().map(|r| r.from));
        self.unless(call, partners.try_for_each(|partner| self.check_rank(call, partner)))?;
        let sends: Vec<_> = sends.iter().map(|s| ByteSend { to: s.to, data: bytes_of(s.data) }).collect();
        let mut recvs: Vec<_> =
            recvs.into_iter().map(|r| ByteRecv { from: r.from, into: bytes_to_fill(r.into) }).collect();
        let (mut overlap, mut result) = (Some(overlap), None);
        self.transport().exchange_with(call, &sends, &mut recvs, &mut || {
            let overlap = overlap.take().expect("a transport runs the overlap once");
            result = Some(overlap());
        })?;
        Ok(result.expect("a transport runs the overlap before it reports success"))
    }
}
