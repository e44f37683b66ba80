//! Which part of an array goes from which rank to which: arithmetic on two layouts.

use std::ops::Range;

use maniple_core::Layout;
use ndarray::Axis;

/// What one rank sends and receives when an array changes its layout.
///
/// ```
/// use maniple_core::Layout;
/// use maniple_lshape::Plan;
/// use ndarray::Axis;
///
/// let from = Layout::from_counts(&[8], Axis(0), &[6, 0, 2])?;
/// let to = Layout::even(&[8], Axis(0), 3)?;
/// let plan = Plan::new(&from, &to, 0);
/// assert_eq!(plan.sends().iter().map(|p| (p.rank, p.len())).collect::<Vec<_>>(), [(0, 3), (1, 3)]);
/// # Ok::<(), maniple_core::LayoutError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    sends: Vec<Piece>,
    recvs: Vec<Piece>,
}

/// A box of the global array that goes to, or comes from, one rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The partner; may be this rank itself.
    pub rank: usize,
    /// The box, as one range of global indices per axis.
    pub global: Vec<Range<usize>>,
}

impl Piece {
    /// Number of elements.
    pub fn len(&self) -> usize {
        self.global.iter().map(ExactSizeIterator::len).product()
    }

    /// Has the box no element?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Plan {
    /// For `rank`, from one layout to another of the same shape over the same ranks.
    ///
    /// A source that is replicated is taken from oneself. Partners without an element in common do not occur.
    ///
    /// # Complexity
    /// O(log p + partners) for the same split axis, O(p) for another one.
    ///
    /// # Panics
    /// If shapes or numbers of ranks differ.
    pub fn new(from: &Layout, to: &Layout, rank: usize) -> Self {
        assert_eq!((from.shape(), from.size()), (to.shape(), to.size()), "layouts of the same array");
        let piece = |source: usize, target: usize, partner: usize| Piece {
            rank: partner,
            global: intersect(&block(from, source), &block(to, target)),
        };
        // A replicated source is at hand everywhere; a replicated target needs everything from everyone.
        let targets = match from.split() {
            None => rank..rank + 1,
            Some(_) => partners(to, from, rank),
        };
        let sources = match from.split() {
            None => rank..rank + 1,
            Some(_) => partners(from, to, rank),
        };
        let (send, recv) = (|t| piece(rank, t, t), |s| piece(s, rank, s));
        Plan {
            sends: targets.map(send).filter(|p| !p.is_empty()).collect(),
            recvs: sources.map(recv).filter(|p| !p.is_empty()).collect(),
        }
    }

    /// What this rank sends, by rising rank.
    pub fn sends(&self) -> &[Piece] {
        &self.sends
    }

    /// What this rank receives, by rising rank: stacked in this order along the source's split axis, they are its new block.
    pub fn recvs(&self) -> &[Piece] {
        &self.recvs
    }
}

/// The box of the global array that a rank has.
fn block(layout: &Layout, rank: usize) -> Vec<Range<usize>> {
    let mut block: Vec<_> = layout.shape().iter().map(|&n| 0..n).collect();
    if let Some(Axis(axis)) = layout.split() {
        block[axis] = layout.range(rank);
    }
    block
}

fn intersect(a: &[Range<usize>], b: &[Range<usize>]) -> Vec<Range<usize>> {
    let both = |(a, b): (&Range<usize>, &Range<usize>)| {
        let begin = a.start.max(b.start);
        begin..a.end.min(b.end).max(begin)
    };
    a.iter().zip(b).map(both).collect()
}

/// The ranks of `theirs` that can have something in common with the block that `rank` has in `mine`.
fn partners(theirs: &Layout, mine: &Layout, rank: usize) -> Range<usize> {
    if theirs.split().is_none() || theirs.split() != mine.split() {
        return 0..theirs.size();
    }
    let block = mine.range(rank);
    if block.is_empty() {
        return 0..0;
    }
    let owner = |index| theirs.owner(index).unwrap_or_else(|| unreachable!("both layouts are of one shape"));
    owner(block.start)..owner(block.end - 1) + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layouts(shape: &[usize]) -> Vec<Layout> {
        let mut all = vec![Layout::replicated(shape, 3)];
        for axis in (0..shape.len()).map(Axis) {
            let n = shape[axis.0];
            let counts = [[0, n, 0], [n / 2, 0, n - n / 2], [0, 1.min(n), n - 1.min(n)]];
            all.push(Layout::even(shape, axis, 3).unwrap());
            all.extend(counts.iter().map(|c| Layout::from_counts(shape, axis, c).unwrap()));
        }
        all
    }

    /// Every rank gets exactly its new block, from ranks that have it and that plan to send it.
    #[test]
    fn plans_of_all_ranks_fit_together() {
        for shape in [&[7][..], &[4, 5], &[2, 3, 4], &[0, 3]] {
            for (from, to) in
                layouts(shape).iter().flat_map(|f| layouts(shape).into_iter().map(move |t| (f.clone(), t)))
            {
                let plans: Vec<_> = (0..3).map(|r| Plan::new(&from, &to, r)).collect();
                for (rank, plan) in plans.iter().enumerate() {
                    let wanted: usize = to.lshape(rank).iter().product();
                    assert_eq!(
                        plan.recvs().iter().map(Piece::len).sum::<usize>(),
                        wanted,
                        "{from:?} to {to:?}"
                    );
                    for piece in plan.recvs() {
                        let sent =
                            plans[piece.rank].sends().iter().find(|p| p.rank == rank).expect("is sent");
                        assert_eq!(sent.global, piece.global);
                    }
                    let received = |p: &&Piece| plans[p.rank].recvs().iter().any(|q| q.rank == rank);
                    assert!(plan.sends().iter().all(|p| received(&p)));
                }
            }
        }
    }
}
