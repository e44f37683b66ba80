//! Messages cut to what fits an `int`: arithmetic that both ends of a message do alike.

use std::ops::Range;

use maniple_core::Blocks;

use crate::ffi::Parts;

/// What one collective of MPI may carry.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limit {
    /// Elements in one message, and in all messages of one rank in a native collective.
    pub(crate) elements: usize,
}

impl Limit {
    /// As much as MPI can count.
    pub(crate) const MPI: Limit = Limit { elements: i32::MAX as usize };

    /// Of a message between two of `size` ranks, how much travels in a native collective, so that the shares of all ranks
    /// together can be counted.
    pub(crate) fn share(self, size: usize) -> usize {
        (self.elements / size).max(1)
    }

    /// Bytes of one message in a chain of messages.
    pub(crate) fn bytes(self) -> usize {
        const LONGEST: usize = 1 << 30;
        self.elements.min(LONGEST)
    }

    /// A message of `bytes`, in pieces; none if it is empty.
    pub(crate) fn pieces(self, bytes: usize) -> impl Iterator<Item = Range<usize>> {
        let step = self.bytes();
        (0..bytes.div_ceil(step)).map(move |i| i * step..((i + 1) * step).min(bytes))
    }

    /// As [`pieces`](Limit::pieces), but an empty message is sent too.
    pub(crate) fn messages(self, bytes: usize) -> impl Iterator<Item = Range<usize>> {
        self.pieces(bytes).chain((bytes == 0).then_some(0..0))
    }
}

/// Makes `parts` the first `share` elements of each block. Says whether MPI can count them; if not, a displacement is too large.
#[must_use]
pub(crate) fn heads(blocks: &Blocks, share: usize, parts: &mut Parts) -> bool {
    parts.counts.clear();
    parts.displs.clear();
    blocks.counts().iter().zip(blocks.displs()).all(|(&count, &displ)| {
        // The displacement of an empty block means nothing and may be anything.
        let displ = if count == 0 { 0 } else { displ };
        let (Ok(count), Ok(displ)) = (count.min(share).try_into(), displ.try_into()) else { return false };
        parts.counts.push(count);
        parts.displs.push(displ);
        true
    })
}

/// Packed blocks of few enough elements, for MPI.
pub(crate) fn countable(packed: &Blocks) -> Parts {
    let mut parts = Parts::default();
    let counted = heads(packed, usize::MAX, &mut parts);
    assert!(counted, "packed blocks within the limit can be counted");
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_make_up_the_message() {
        let limit = Limit { elements: 3 };
        assert_eq!(limit.pieces(7).collect::<Vec<_>>(), [0..3, 3..6, 6..7]);
        assert_eq!(limit.pieces(0).count(), 0);
    }

    #[test]
    fn shares_of_all_ranks_can_be_counted() {
        for size in [1, 3, 1000] {
            assert!(Limit::MPI.share(size) * size <= i32::MAX as usize);
        }
    }

    #[test]
    fn displacements_beyond_an_int_are_not_passed_on() {
        let mut parts = Parts::default();
        let far = Blocks::new(vec![1, 0], vec![1 << 32, 1 << 40]).unwrap();
        assert!(!heads(&far, 10, &mut parts));
        let near = Blocks::new(vec![20, 0], vec![5, 1 << 40]).unwrap();
        assert!(heads(&near, 10, &mut parts));
        assert_eq!(parts, Parts { counts: vec![10, 0], displs: vec![5, 0] });
    }
}
