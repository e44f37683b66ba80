//! Phase 1: the distinct keys of this rank's block. No communication.

use std::borrow::Cow;

use maniple_core::Layout;
use maniple_kernels::distinct::DistinctError;
use maniple_kernels::{SortKey, distinct};
use ndarray::{ArrayView, Axis, Dimension};

use crate::columns::Columns;
use crate::joined::Wanted;

/// What one rank has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Local<K> {
    /// The distinct canonical keys of the block, ascending.
    pub(crate) keys: Vec<K>,
    /// How often each occurs here, and the global index of its first element here.
    pub(crate) columns: Columns,
    /// For the inverse: the position in `keys` of each element's key, in row-major order.
    pub(crate) codes: Option<Vec<u32>>,
}

pub(crate) fn dedup_local<T: SortKey, D: Dimension>(
    block: ArrayView<'_, T, D>,
    layout: &Layout,
    rank: usize,
    wanted: Wanted,
) -> Result<Local<T::Key>, DistinctError> {
    let values = row_major(&block);
    let mut request = distinct(&values);
    if wanted.inverse {
        request = request.codes();
    }
    if wanted.first_index {
        request = request.first();
    }
    let found = request.run()?;
    let global = GlobalIndex::of(layout, rank);
    Ok(Local {
        keys: found.keys,
        columns: Columns {
            counts: wanted.counts.then_some(found.counts),
            first: found.first.map(|first| first.into_iter().map(|at| global.of_local(at)).collect()),
        },
        codes: found.codes,
    })
}

/// Could a rank have more distinct keys than there are codes, so that [`dedup_local`] fails? All ranks know.
pub(crate) fn may_outnumber_codes(layout: &Layout) -> bool {
    (0..layout.size()).any(|rank| u32::try_from(layout.lshape(rank).iter().product::<usize>()).is_err())
}

/// All elements in row-major order: where they are if they lie so, else a copy.
fn row_major<'a, T: Copy, D: Dimension>(block: &'a ArrayView<'_, T, D>) -> Cow<'a, [T]> {
    match block.as_slice() {
        Some(values) => Cow::Borrowed(values),
        None => Cow::Owned(block.iter().copied().collect()),
    }
}

/// From row-major indices of a block to those of the whole array. Rising, so that the first index in a block is the first of the block's
/// elements in the array too.
#[derive(Clone, Copy, Debug)]
struct GlobalIndex {
    /// Elements from one index of the axes before the split axis to the next, in the block and in the whole.
    run: (usize, usize),
    /// Elements of a whole run before the block's.
    begin: usize,
}

impl GlobalIndex {
    fn of(layout: &Layout, rank: usize) -> Self {
        let shape = layout.shape();
        let Some(Axis(axis)) = layout.split() else {
            return GlobalIndex { run: (layout.len(), layout.len()), begin: 0 };
        };
        let (mine, inner) = (layout.range(rank), shape[axis + 1..].iter().product::<usize>());
        GlobalIndex { run: (mine.len() * inner, shape[axis] * inner), begin: mine.start * inner }
    }

    /// Of an element that the block has.
    fn of_local(self, index: usize) -> u64 {
        let (mine, whole) = self.run;
        (index / mine * whole + self.begin + index % mine) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array, Array3, Slice};

    const ALL: Wanted = Wanted { counts: true, inverse: true, first_index: true };

    #[test]
    fn local_indices_become_global_ones() {
        let whole = Array3::from_shape_fn((3, 4, 5), |(i, j, k)| (20 * i + 5 * j + k) as u64);
        for axis in 0..3 {
            let n = whole.len_of(Axis(axis));
            let layout = Layout::from_counts(whole.shape(), Axis(axis), &[1, 0, n - 1]).unwrap();
            for rank in 0..3 {
                let block = whole.slice_axis(Axis(axis), Slice::from(layout.range(rank)));
                let global = GlobalIndex::of(&layout, rank);
                for (local, &index) in block.iter().enumerate() {
                    assert_eq!(global.of_local(local), index, "axis {axis}, rank {rank}");
                }
            }
        }
    }

    #[test]
    fn zeros_and_nans_are_one_each_in_any_memory_order() {
        let rows = [[0.0, f64::NAN, 2.0], [-f64::NAN, -0.0, 2.0]];
        let block = Array::from_shape_fn((2, 3), |(i, j)| rows[i][j]);
        let layout = Layout::replicated(&[2, 3], 1);
        let found = dedup_local(block.view(), &layout, 0, ALL).unwrap();
        assert_eq!(found.keys, [0.0, 2.0, f64::NAN].map(f64::canonical));
        assert_eq!(found.columns.counts, Some(vec![2, 2, 2]));
        assert_eq!(found.columns.first, Some(vec![0, 2, 1]));
        assert_eq!(found.codes, Some(vec![0, 2, 1, 2, 0, 1]));
        let column_major = block.t().as_standard_layout().into_owned().reversed_axes();
        assert_eq!(dedup_local(column_major.view(), &layout, 0, ALL).unwrap(), found);
    }
}
