//! A shortcut: values that fall where they should rise go to their mirrored places, and nothing is sorted.

use maniple_core::{Blocks, Comm, Element, Layout, Result, memory};
use ndarray::ArrayView1;

/// This rank's part, in the layout `to`, of the reversed whole that lies in the layout `from`.
#[track_caller]
pub(crate) fn reverse<T: Element>(
    comm: &Comm,
    local: &ArrayView1<'_, T>,
    from: &Layout,
    to: &Layout,
) -> Result<Vec<T>> {
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
