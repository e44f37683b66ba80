//! A shortcut: values that fall where they should rise go to their mirrored places, and nothing is sorted.

use std::ops::Range;

use maniple_core::{Blocks, Comm, Element, Layout, Result, memory};
use ndarray::{CowArray, Ix1};

use crate::sort_local::into_vec;

/// Bytes that two ranks swap at a time: few enough to stay in cache until they are written, enough not to notice the calls.
const SWAPPED: usize = 256 << 10;

/// This rank's part, in the layout `to`, of the reversed whole that lies in the layout `from`.
#[track_caller]
pub(crate) fn reverse<T: Element>(
    comm: &Comm,
    local: CowArray<'_, T, Ix1>,
    from: &Layout,
    to: &Layout,
) -> Result<Vec<T>> {
    if from == to && (0..from.size()).all(|rank| from.count(rank) == from.count(mirror(from, rank))) {
        return swap(comm, into_vec(local), from);
    }
    let sends = mirrored(from, to, comm.rank());
    let copy; // only of values that do not lie in order
    let values = match local.as_slice() {
        Some(values) => values,
        None => {
            copy = local.to_vec();
            &copy
        }
    };
    Ok(comm.exchange(values, &sends, |parts| {
        let mut reversed = memory::with_capacity(parts.iter().map(|part| part.len()).sum());
        parts.iter().rev().for_each(|part| reversed.extend(part.iter().rev().copied()));
        reversed
    })?)
}

/// The rank whose block is the mirror image of that of `rank`, where block lengths are symmetrical.
fn mirror(layout: &Layout, rank: usize) -> usize {
    layout.size() - 1 - rank
}

/// Swaps mirrored blocks in place: fresh memory for all of them would cost more than the copies. In each round the first elements
/// not yet swapped, and the last, go to the mirrored rank.
#[track_caller]
fn swap<T: Element>(comm: &Comm, mut block: Vec<T>, layout: &Layout) -> Result<Vec<T>> {
    let (n, partner) = (block.len(), mirror(layout, comm.rank()));
    let chunk = SWAPPED / size_of::<T>();
    let (mut first, mut last) = (Vec::with_capacity(chunk), Vec::with_capacity(chunk));
    let longest = (0..layout.size()).map(|rank| layout.count(rank)).max().unwrap_or(0);
    for begin in (0..longest.div_ceil(2)).step_by(chunk) {
        let half = n.div_ceil(2); // in an odd block, both rounds write the one in the middle
        let front = begin.min(half)..(begin + chunk).min(half);
        let back = n - front.end..n - front.start;
        receive(comm, &block, back.clone(), partner, &mut first)?;
        receive(comm, &block, front.clone(), partner, &mut last)?;
        block[front].copy_from_slice(&first);
        block[back].copy_from_slice(&last);
    }
    Ok(block)
}

/// What the partner sends, reversed, while it gets `range`.
#[track_caller]
fn receive<T: Element>(
    comm: &Comm,
    block: &[T],
    range: Range<usize>,
    partner: usize,
    received: &mut Vec<T>,
) -> Result<()> {
    let (mut counts, mut displs) = (vec![0; comm.size()], vec![0; comm.size()]);
    (counts[partner], displs[partner]) = (range.len(), range.start);
    let sends = Blocks::new(counts, displs).unwrap_or_else(|_| unreachable!("a part of one block"));
    comm.exchange(block, &sends, |parts| {
        received.clear();
        received.extend(parts[partner].iter().rev().copied());
    })?;
    Ok(())
}

/// Which part of the block of `rank` goes to each rank: the last elements to the first rank.
fn mirrored(from: &Layout, to: &Layout, rank: usize) -> Blocks {
    let (n, mine) = (from.len(), from.range(rank));
    let part = |target: usize| {
        let theirs = to.range(target); // of the reversed whole
        let begin = (n - theirs.end).clamp(mine.start, mine.end);
        let end = (n - theirs.start).clamp(mine.start, mine.end);
        (end - begin, begin - mine.start)
    };
    let (counts, displs) = (0..to.size()).map(part).unzip();
    Blocks::new(counts, displs).unwrap_or_else(|_| unreachable!("parts of one block"))
}

#[cfg(test)]
mod tests {
    use ndarray::Axis;

    use super::*;

    #[test]
    fn every_element_goes_to_its_mirrored_place() {
        let layouts = [[3, 0, 4, 2], [0, 9, 0, 0], [2, 2, 2, 3], [0, 0, 1, 8]]
            .map(|counts| Layout::from_counts(&[9], Axis(0), &counts).unwrap());
        for (from, to) in layouts.iter().flat_map(|from| layouts.iter().map(move |to| (from, to))) {
            for target in 0..4 {
                let arrived = (0..4).rev().flat_map(|source| {
                    let (begin, part) = (from.range(source).start, mirrored(from, to, source).range(target));
                    part.rev().map(move |i| 8 - (begin + i))
                });
                assert!(arrived.eq(to.range(target)), "{from:?} to {to:?}");
            }
        }
    }
}
