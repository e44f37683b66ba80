//! How an array lies over the ranks.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use ndarray::{Array2, Axis};

use crate::blocks::{Blocks, even_range};
use crate::error::LayoutError;

/// Global shape, split axis, and which part of that axis each rank has. Immutable, cheap to clone, equal on all ranks.
///
/// Everything about it is known on every rank from the moment the array exists, so reading it never communicates. An array
/// without a split axis is *replicated*: every rank has all of it.
///
/// ```
/// use maniple_core::Layout;
/// use ndarray::Axis;
///
/// let even = Layout::even(&[10, 3], Axis(0), 4)?;
/// assert_eq!(even.counts(), [3, 3, 2, 2]);
/// assert_eq!(even.lshape(2), [2, 3]);
///
/// let uneven = Layout::from_counts(&[10, 3], Axis(0), &[0, 7, 3])?;
/// assert_eq!(uneven.range(1), 0..7);
/// assert_eq!(uneven.owner(8), Some(2));
/// assert!(!uneven.is_balanced());
/// # Ok::<(), maniple_core::LayoutError>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Layout(Arc<Inner>);

#[derive(PartialEq, Eq)]
struct Inner {
    shape: Vec<usize>,
    size: usize,
    cut: Cut,
}

/// An even layout stores no table, and one that is even by its counts is stored as such: equal layouts compare equal.
#[derive(PartialEq, Eq)]
enum Cut {
    Replicated,
    Even { axis: usize },
    At { axis: usize, offsets: Vec<usize> },
}

impl Layout {
    /// Every rank has the whole array.
    pub fn replicated(shape: &[usize], size: usize) -> Self {
        Layout::new(shape, size, Cut::Replicated)
    }

    /// Split along an axis by the block rule: `n / size` each, the first `n % size` ranks one more.
    ///
    /// # Errors
    /// There is no such axis.
    pub fn even(shape: &[usize], split: Axis, size: usize) -> Result<Self, LayoutError> {
        let axis = checked_axis(shape, split)?;
        Ok(Layout::new(shape, size, Cut::Even { axis }))
    }

    /// Split along an axis with `counts[r]` of it on rank r.
    ///
    /// # Errors
    /// There is no such axis, or the counts don't add up to its length.
    pub fn from_counts(shape: &[usize], split: Axis, counts: &[usize]) -> Result<Self, LayoutError> {
        let axis = checked_axis(shape, split)?;
        let (n, size) = (shape[axis], counts.len());
        let mut offsets = vec![0];
        let mut sum = 0_usize;
        for &count in counts {
            sum = sum.saturating_add(count);
            offsets.push(sum);
        }
        if sum != n {
            return Err(LayoutError::Sum { axis, expected: n, found: sum, counts: counts.to_vec() });
        }
        let is_even = (0..size).all(|r| even_range(n, size, r).end == offsets[r + 1]);
        let cut = if is_even { Cut::Even { axis } } else { Cut::At { axis, offsets } };
        Ok(Layout::new(shape, size, cut))
    }

    fn new(shape: &[usize], size: usize, cut: Cut) -> Self {
        Layout(Arc::new(Inner { shape: shape.to_vec(), size, cut }))
    }

    /// The same cut of an array of another shape, whose split axis is as long and in the same place.
    ///
    /// # Errors
    /// The new shape has no such axis, or one of another length.
    pub fn with_shape(&self, shape: &[usize]) -> Result<Self, LayoutError> {
        match self.split() {
            None => Ok(Layout::replicated(shape, self.size())),
            Some(axis) => Layout::from_counts(shape, axis, &self.counts()),
        }
    }

    /// Global shape.
    pub fn shape(&self) -> &[usize] {
        &self.0.shape
    }

    /// Number of axes.
    pub fn ndim(&self) -> usize {
        self.0.shape.len()
    }

    /// Number of elements of the whole array.
    pub fn len(&self) -> usize {
        self.0.shape.iter().product()
    }

    /// Has the whole array no element?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of ranks.
    pub fn size(&self) -> usize {
        self.0.size
    }

    /// The axis along which the array is split; `None` if every rank has all of it.
    pub fn split(&self) -> Option<Axis> {
        match self.0.cut {
            Cut::Replicated => None,
            Cut::Even { axis } | Cut::At { axis, .. } => Some(Axis(axis)),
        }
    }

    /// Length of the split axis; of a replicated array, 1 (one block, the whole).
    fn split_len(&self) -> usize {
        self.split().map_or(1, |axis| self.0.shape[axis.0])
    }

    /// Which part of the split axis rank `rank` has. For a replicated array, `0..1`: the whole, once.
    ///
    /// # Panics
    /// If there is no such rank.
    pub fn range(&self, rank: usize) -> Range<usize> {
        assert!(rank < self.0.size, "rank {rank} of a layout over {} ranks", self.0.size);
        match &self.0.cut {
            Cut::Replicated => 0..1,
            Cut::Even { .. } => even_range(self.split_len(), self.0.size, rank),
            Cut::At { offsets, .. } => offsets[rank]..offsets[rank + 1],
        }
    }

    /// Length of the split axis on rank `rank`.
    ///
    /// # Panics
    /// If there is no such rank.
    pub fn count(&self, rank: usize) -> usize {
        self.range(rank).len()
    }

    /// Length of the split axis on each rank.
    pub fn counts(&self) -> Vec<usize> {
        (0..self.size()).map(|r| self.count(r)).collect()
    }

    /// Where each rank's part of the split axis begins.
    pub fn displs(&self) -> Vec<usize> {
        (0..self.size()).map(|r| self.range(r).start).collect()
    }

    /// The parts of the split axis as blocks, one per rank.
    pub fn blocks(&self) -> Blocks {
        Blocks::packed(self.counts())
    }

    /// The rank that has `index` of the split axis; `None` outside it. Of a replicated array, rank 0.
    pub fn owner(&self, index: usize) -> Option<usize> {
        if index >= self.split_len() {
            return None;
        }
        match &self.0.cut {
            Cut::Replicated => Some(0),
            Cut::Even { .. } => {
                let (each, rest) = (self.split_len() / self.size(), self.split_len() % self.size());
                let longer = rest * (each + 1); // elements on the ranks that have one more
                Some(if index < longer { index / (each + 1) } else { rest + (index - longer) / each })
            }
            Cut::At { offsets, .. } => Some(offsets.partition_point(|&begin| begin <= index) - 1),
        }
    }

    /// Shape of the block of rank `rank`.
    ///
    /// # Panics
    /// If there is no such rank.
    pub fn lshape(&self, rank: usize) -> Vec<usize> {
        let mut shape = self.0.shape.clone();
        if let Some(axis) = self.split() {
            shape[axis.0] = self.count(rank);
        }
        shape
    }

    /// The shapes of all blocks: row r is that of rank r.
    pub fn lshape_map(&self) -> Array2<usize> {
        let mut map = Array2::zeros((self.size(), self.ndim()));
        for (rank, mut row) in map.rows_mut().into_iter().enumerate() {
            row.iter_mut().zip(self.lshape(rank)).for_each(|(to, n)| *to = n);
        }
        map
    }

    /// Does the split axis lie as the block rule would lay it? Replicated arrays do.
    pub fn is_balanced(&self) -> bool {
        !matches!(self.0.cut, Cut::At { .. })
    }
}

impl fmt::Debug for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} ", self.shape())?;
        match (&self.0.cut, self.split()) {
            (_, None) => write!(f, "on each of {} ranks", self.size()),
            (Cut::Even { .. }, Some(axis)) => {
                write!(f, "split evenly along axis {} over {} ranks", axis.0, self.size())
            }
            (_, Some(axis)) => write!(f, "split along axis {} as {:?}", axis.0, self.counts()),
        }
    }
}

fn checked_axis(shape: &[usize], split: Axis) -> Result<usize, LayoutError> {
    match split.0 < shape.len() {
        true => Ok(split.0),
        false => Err(LayoutError::Axis { axis: split.0, ndim: shape.len() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_cuts_are_equal_layouts() {
        let by_rule = Layout::even(&[10], Axis(0), 4).unwrap();
        assert_eq!(by_rule, Layout::from_counts(&[10], Axis(0), &[3, 3, 2, 2]).unwrap());
        assert_ne!(by_rule, Layout::from_counts(&[10], Axis(0), &[2, 3, 3, 2]).unwrap());
    }

    #[test]
    fn every_index_has_its_owner() {
        let layouts = [
            Layout::even(&[10], Axis(0), 4).unwrap(),
            Layout::even(&[3], Axis(0), 7).unwrap(),
            Layout::from_counts(&[6], Axis(0), &[0, 2, 0, 0, 4, 0]).unwrap(),
        ];
        for layout in layouts {
            for index in 0..layout.len() {
                let owner = layout.owner(index).unwrap();
                assert!(layout.range(owner).contains(&index), "{layout:?}: {index} on {owner}");
            }
            assert_eq!(layout.owner(layout.len()), None);
        }
    }

    #[test]
    fn an_empty_rank_keeps_the_other_axes() {
        let layout = Layout::from_counts(&[2, 5], Axis(0), &[1, 1, 0]).unwrap();
        assert_eq!(layout.lshape_map(), ndarray::array![[1, 5], [1, 5], [0, 5]]);
    }

    #[test]
    fn impossible_layouts() {
        let e = Layout::even(&[4], Axis(1), 2).unwrap_err();
        assert_eq!(e.to_string(), "axis 1 of an array with 1 axes");
        let e = Layout::from_counts(&[4], Axis(0), &[1, 2]).unwrap_err();
        assert_eq!(e.to_string(), "the counts [1, 2] add up to 3, but axis 0 has 4");
        let e = Layout::from_counts(&[4], Axis(0), &[usize::MAX, 5]).unwrap_err();
        assert!(matches!(e, LayoutError::Sum { found: usize::MAX, .. }));
    }
}
