//! Counts, displacements and the block rule: the one type that says which part of a buffer belongs to which rank.

use std::ops::Range;

/// One block per rank inside a buffer: `counts[r]` elements from `displs[r]` on.
///
/// Everything is counted in elements, as `usize`: a displacement may well pass 2³¹ where no count does.
///
/// ```
/// use maniple_core::Blocks;
/// let b = Blocks::packed(vec![3, 0, 2]);
/// assert_eq!(b.displs(), [0, 3, 3]);
/// assert_eq!(b.range(2), 3..5);
/// assert_eq!(Blocks::even(10, 4).counts(), [3, 3, 2, 2]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Blocks {
    counts: Vec<usize>,
    displs: Vec<usize>,
}

/// Why counts and displacements do not describe blocks of a buffer.
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BlocksError {
    /// The lists have different lengths.
    #[error("{counts} counts but {displs} displacements")]
    Lengths {
        /// Number of counts.
        counts: usize,
        /// Number of displacements.
        displs: usize,
    },
    /// There is not one block per rank.
    #[error("{found} blocks for {expected} ranks")]
    Ranks {
        /// The size of the communicator.
        expected: usize,
        /// The number of blocks.
        found: usize,
    },
    /// A block ends behind the buffer.
    #[error("block {rank} ends at {end}, past the {len} elements of the buffer")]
    PastEnd {
        /// The block.
        rank: usize,
        /// Where it ends.
        end: usize,
        /// Length of the buffer.
        len: usize,
    },
    /// Displacement plus count passes the largest `usize`.
    #[error("block {rank} ends past the largest index")]
    Overflow {
        /// The block.
        rank: usize,
    },
    /// Two blocks to be received share an element.
    #[error("blocks {first} and {second} to be received overlap")]
    Overlap {
        /// The block that begins first.
        first: usize,
        /// The block that begins inside it.
        second: usize,
    },
}

impl Blocks {
    /// Blocks that follow each other without gaps.
    ///
    /// # Panics
    /// If the counts add up to more than `usize::MAX`.
    pub fn packed(counts: Vec<usize>) -> Self {
        let mut end = 0_usize;
        let displs = counts
            .iter()
            .map(|&c| {
                let begin = end;
                end = end.checked_add(c).expect("the counts add up to more than the largest index");
                begin
            })
            .collect();
        Blocks { counts, displs }
    }

    /// Blocks with gaps, or in any order; sent blocks may overlap as well.
    ///
    /// # Errors
    /// The lists differ in length, or a block ends past `usize::MAX`.
    pub fn new(counts: Vec<usize>, displs: Vec<usize>) -> Result<Self, BlocksError> {
        if counts.len() != displs.len() {
            return Err(BlocksError::Lengths { counts: counts.len(), displs: displs.len() });
        }
        match (0..counts.len()).find(|&r| displs[r].checked_add(counts[r]).is_none()) {
            Some(rank) => Err(BlocksError::Overflow { rank }),
            None => Ok(Blocks { counts, displs }),
        }
    }

    /// The block rule: `n / size` elements each, and one more on each of the first `n % size` ranks.
    pub fn even(n: usize, size: usize) -> Self {
        Blocks::packed((0..size).map(|r| even_range(n, size, r).len()).collect())
    }

    /// Blocks that lie between consecutive `offsets` (one more than there are ranks).
    ///
    /// # Panics
    /// If `offsets` is empty or decreases.
    pub fn between(offsets: &[usize]) -> Self {
        assert!(
            !offsets.is_empty() && offsets.is_sorted(),
            "offsets rise from one rank to the next: {offsets:?}"
        );
        let counts = offsets.windows(2).map(|w| w[1] - w[0]).collect();
        Blocks { counts, displs: offsets[..offsets.len() - 1].to_vec() }
    }

    /// The same `n` elements for each of `size` ranks.
    pub fn whole(n: usize, size: usize) -> Self {
        Blocks { counts: vec![n; size], displs: vec![0; size] }
    }

    /// Number of blocks.
    pub fn size(&self) -> usize {
        self.counts.len()
    }

    /// Elements of each block.
    pub fn counts(&self) -> &[usize] {
        &self.counts
    }

    /// First element of each block.
    pub fn displs(&self) -> &[usize] {
        &self.displs
    }

    /// Elements of block `rank`.
    pub fn count(&self, rank: usize) -> usize {
        self.counts[rank]
    }

    /// Where block `rank` lies.
    pub fn range(&self, rank: usize) -> Range<usize> {
        self.displs[rank]..self.displs[rank] + self.counts[rank]
    }

    /// Where block `rank` lies if each element has `size` bytes. An empty block may have any displacement, so it is `0..0`.
    pub fn byte_range(&self, rank: usize, size: usize) -> Range<usize> {
        let range = if self.counts[rank] == 0 { 0..0 } else { self.range(rank) };
        range.start * size..range.end * size
    }

    /// Block `rank` of `values`, for which the blocks were [checked](Blocks::check).
    ///
    /// # Panics
    /// If it is not inside them.
    pub fn part<'a, T>(&self, rank: usize, values: &'a [T]) -> &'a [T] {
        &values[self.byte_range(rank, 1)]
    }

    /// Elements of all blocks together, saturating.
    pub fn total(&self) -> usize {
        self.counts.iter().fold(0, |n, &c| n.saturating_add(c))
    }

    /// All blocks, in rank order.
    pub fn ranges(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        (0..self.size()).map(|r| self.range(r))
    }

    /// Is this one block per rank of a buffer of `len` elements?
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn check(&self, size: usize, len: usize) -> Result<(), BlocksError> {
        if self.size() != size {
            return Err(BlocksError::Ranks { expected: size, found: self.size() });
        }
        match (0..size).find(|&r| self.counts[r] > 0 && self.range(r).end > len) {
            Some(rank) => Err(BlocksError::PastEnd { rank, end: self.range(rank).end, len }),
            None => Ok(()),
        }
    }

    /// As [`check`](Blocks::check), for blocks that are written to: they must not overlap either.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn check_disjoint(&self, size: usize, len: usize) -> Result<(), BlocksError> {
        self.check(size, len)?;
        let in_order = |order: &[usize]| {
            let filled = |w: &&[usize]| self.range(w[0]).end > self.displs[w[1]];
            order.windows(2).find(filled).map(|w| BlocksError::Overlap { first: w[0], second: w[1] })
        };
        let mut order: Vec<usize> = (0..size).filter(|&r| self.counts[r] > 0).collect();
        if in_order(&order).is_none() {
            return Ok(()); // packed blocks, the usual case, need no sort
        }
        order.sort_unstable_by_key(|&r| self.displs[r]);
        in_order(&order).map_or(Ok(()), Err)
    }
}

/// Block `rank` of the block rule for `n` elements over `size` ranks.
pub(crate) fn even_range(n: usize, size: usize, rank: usize) -> Range<usize> {
    let (each, rest) = (n / size, n % size);
    let begin = rank * each + rank.min(rest);
    begin..begin + each + usize::from(rank < rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn block_rule_spreads_the_remainder() {
        for (n, counts) in [(10, [3, 3, 2, 2]), (11, [3, 3, 3, 2]), (3, [1, 1, 1, 0]), (0, [0; 4])] {
            assert_eq!(Blocks::even(n, 4).counts(), counts);
        }
        let more_ranks_than_elements = Blocks::even(5, 8);
        assert_eq!(more_ranks_than_elements.counts(), [1, 1, 1, 1, 1, 0, 0, 0]);
        assert_eq!(more_ranks_than_elements.displs(), [0, 1, 2, 3, 4, 5, 5, 5]);
    }

    #[test]
    fn displacements_pass_32_bits() {
        let b = Blocks::packed(vec![1_000_000_000; 4]);
        assert_eq!(b.displs(), [0, 1_000_000_000, 2_000_000_000, 3_000_000_000]);
        assert_eq!(b.displs().iter().position(|&d| d > i32::MAX as usize), Some(3));
    }

    #[test]
    fn lists_that_describe_no_blocks() {
        let e = Blocks::new(vec![2, 2], vec![0]).unwrap_err();
        assert_eq!(e.to_string(), "2 counts but 1 displacements");
        let e = Blocks::new(vec![2, 3], vec![0, 2]).unwrap().check(2, 4).unwrap_err();
        assert_eq!(e.to_string(), "block 1 ends at 5, past the 4 elements of the buffer");
        let e = Blocks::new(vec![2, 2], vec![0, 1]).unwrap().check_disjoint(2, 4).unwrap_err();
        assert_eq!(e.to_string(), "blocks 0 and 1 to be received overlap");
        let e = Blocks::new(vec![1, usize::MAX], vec![0, 1]).unwrap_err();
        assert_eq!(e.to_string(), "block 1 ends past the largest index");
        Blocks::new(vec![2, 2], vec![0, 2]).unwrap().check_disjoint(2, 4).unwrap();
        Blocks::new(vec![2, 2], vec![2, 0]).unwrap().check_disjoint(2, 4).unwrap();
    }

    #[test]
    fn empty_blocks_lie_anywhere() {
        let b = Blocks::new(vec![0, 3], vec![usize::MAX, 0]).unwrap();
        b.check_disjoint(2, 3).unwrap();
        assert_eq!((b.byte_range(0, 8), b.byte_range(1, 8)), (0..0, 0..24));
        assert_eq!((b.part(0, &[1, 2, 3]), b.part(1, &[1, 2, 3])), (&[][..], &[1, 2, 3][..]));
    }

    #[test]
    fn blocks_between_offsets() {
        let b = Blocks::between(&[0, 3, 3, 7]);
        assert_eq!((b.counts(), b.displs()), (&[3, 0, 4][..], &[0, 3, 3][..]));
    }
}
