//! What a rank publishes for the time of one collective: its call, and the memory that peers may read.

use std::sync::Arc;

use maniple_core::{Blocks, ByteRecv, ByteSend, Call, CommError};

use crate::group::Group;

/// One rank's part in a collective.
#[derive(Debug)]
pub(crate) struct Published {
    pub(crate) call: Call,
    pub(crate) lent: Lent,
}

/// The memory of a rank that its peers may read between entry and exit.
#[derive(Debug)]
pub(crate) enum Lent {
    /// Nothing: a barrier, or a rank that only receives.
    Nothing,
    /// This rank's arguments are wrong; nobody gets past the entry.
    Refusal(CommError),
    /// The same bytes for everyone.
    Block(Span),
    /// One block for each rank.
    Blocks(Span, *const Blocks),
    /// Messages to some ranks and from some ranks.
    Messages(Mail),
    /// Color and key for a split.
    Part(Option<u32>, i64),
    /// From the first rank of each part of a split: where the part meets.
    Meeting(Arc<Group>),
}

/// Bytes of a rank, read through a pointer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Span {
    begin: *const u8,
    len: usize,
}

/// Messages by partner: sorted, so that a peer finds its own without looking at all. Messages between the same two ranks keep
/// their order.
#[derive(Debug)]
pub(crate) struct Mail {
    sends: Vec<(usize, Span)>,
    recvs: Vec<(usize, usize)>,
}

// SAFETY: needed for the pointers, which `Rendezvous` shows to other threads. They point into arguments of a collective
// that the publishing rank has not returned from: the rank borrows them (`&[u8]`, `&Blocks`: shared, and of types without
// interior mutability) until its guard ends, and peers read them only before that.
unsafe impl Send for Published {}
// SAFETY: as above; peers only read.
unsafe impl Sync for Published {}

impl Span {
    pub(crate) fn of(bytes: &[u8]) -> Self {
        Span { begin: bytes.as_ptr(), len: bytes.len() }
    }

    pub(crate) fn len(self) -> usize {
        self.len
    }

    /// The bytes.
    ///
    /// # Safety
    /// The rank that lent them is inside the collective for all of `'a`.
    pub(crate) unsafe fn read<'a>(self) -> &'a [u8] {
        // SAFETY: made from a slice that, by the caller's promise, is still borrowed.
        unsafe { std::slice::from_raw_parts(self.begin, self.len) }
    }

    /// `count` elements from element `displ` on, of `size` bytes each. Inside the span: `Comm` has checked the blocks.
    pub(crate) fn part(self, displ: usize, count: usize, size: usize) -> Self {
        if count == 0 {
            return Span { len: 0, ..self }; // an empty block may have any displacement
        }
        debug_assert!((displ + count) * size <= self.len);
        // `wrapping_add` only because it needs no unsafe; the result is inside the span.
        Span { begin: self.begin.wrapping_add(displ * size), len: count * size }
    }
}

impl Mail {
    pub(crate) fn new(sends: &[ByteSend<'_>], recvs: &[ByteRecv<'_>]) -> Self {
        let mut sends: Vec<_> = sends.iter().map(|s| (s.to, Span::of(s.data))).collect();
        let mut recvs: Vec<_> = recvs.iter().map(|r| (r.from, r.into.len())).collect();
        sends.sort_by_key(|s| s.0);
        recvs.sort_by_key(|r| r.0);
        Mail { sends, recvs }
    }

    /// The messages to `rank`, in order.
    pub(crate) fn to(&self, rank: usize) -> &[(usize, Span)] {
        of_partner(&self.sends, rank)
    }

    /// The lengths expected from `rank`, in order.
    pub(crate) fn from(&self, rank: usize) -> &[(usize, usize)] {
        of_partner(&self.recvs, rank)
    }

    /// The partners that this rank sends to, each once, rising.
    pub(crate) fn targets(&self) -> impl Iterator<Item = usize> + '_ {
        self.sends.chunk_by(|a, b| a.0 == b.0).map(|run| run[0].0)
    }

    /// The partners that this rank receives from, each once, rising.
    pub(crate) fn sources(&self) -> impl Iterator<Item = usize> + '_ {
        self.recvs.chunk_by(|a, b| a.0 == b.0).map(|run| run[0].0)
    }
}

fn of_partner<T>(sorted: &[(usize, T)], partner: usize) -> &[(usize, T)] {
    let begin = sorted.partition_point(|m| m.0 < partner);
    let len = sorted[begin..].partition_point(|m| m.0 == partner);
    &sorted[begin..begin + len]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mail_is_found_by_partner_in_order() {
        let bytes = [1, 2, 3];
        let send = |to, n| ByteSend { to, data: &bytes[..n] };
        let mail = Mail::new(&[send(2, 1), send(0, 3), send(2, 2)], &[]);
        assert_eq!(mail.to(2).iter().map(|m| m.1.len()).collect::<Vec<_>>(), [1, 2]);
        assert!(mail.to(1).is_empty());
        assert_eq!(mail.targets().collect::<Vec<_>>(), [0, 2]);
    }
}
