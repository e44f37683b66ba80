//! Which values and labels belong together, and this rank's part of them.

use maniple_core::{DistArrayView, Element, Error, Layout, LayoutError, Result};
use ndarray::{ArrayView, Axis, CowArray, Dimension, Ix1, Slice};

/// A rank has fewer rows than this: they are counted in 32 bits.
const MOST_ROWS: usize = u32::MAX as usize;

/// This rank's rows, owned or borrowed.
#[derive(Debug)]
pub(crate) struct Aligned<'a, T, L, D: Dimension> {
    /// The axis that becomes the axis of groups.
    pub(crate) axis: Axis,
    values: CowArray<'a, T, D>,
    labels: CowArray<'a, L, Ix1>,
    lanes: (usize, usize),
}

/// This rank's rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block<'a, T, L> {
    /// In row-major order: `[outer, labels, inner]`.
    pub(crate) values: &'a [T],
    pub(crate) labels: &'a [L],
    /// Lengths of the axes before that of the groups and behind it, multiplied: outer and inner.
    pub(crate) lanes: (usize, usize),
}

impl<T: Element, L: Element, D: Dimension> Aligned<'_, T, L, D> {
    pub(crate) fn block(&self) -> Block<'_, T, L> {
        let standard = || -> ! { unreachable!("made in standard layout") };
        Block {
            values: self.values.as_slice().unwrap_or_else(|| standard()),
            labels: self.labels.as_slice().unwrap_or_else(|| standard()),
            lanes: self.lanes,
        }
    }
}

/// Aligns labels with an axis of the values: the split one, or the one asked for if every rank has all values.
pub(crate) fn align<'a, T: Element, L: Element, D: Dimension>(
    values: &'a DistArrayView<'_, T, D>,
    labels: &'a DistArrayView<'_, L, Ix1>,
    axis: Option<Axis>,
) -> Result<Aligned<'a, T, L, D>> {
    if !values.comm().is_same(labels.comm()) {
        return unlike("communicator of the labels", "that of the values".into(), "another one".into());
    }
    let axis = axis.or(values.layout().split()).unwrap_or(Axis(0));
    let shape = values.layout().shape();
    if axis.0 >= shape.len() {
        return Err(LayoutError::Axis { axis: axis.0, ndim: shape.len() }.into());
    }
    if let Some(split) = values.layout().split()
        && split != axis
    {
        return unlike("axis of the groups", format!("the split axis {}", split.0), axis.0.to_string());
    }
    let rows = shape[axis.0];
    if labels.layout().len() != rows {
        return unlike("number of labels", rows.to_string(), labels.layout().len().to_string());
    }
    let cut = common_cut(values.layout(), labels.layout(), axis)?;
    if let Some(rank) = (0..cut.size()).find(|&rank| cut.count(rank) >= MOST_ROWS) {
        let found = format!("{} on rank {rank}", cut.count(rank));
        return unlike("number of rows", format!("fewer than {MOST_ROWS} on a rank"), found);
    }
    let mine = cut.range(values.comm().rank());
    let part = |whole: bool| match whole {
        true => Slice::from(mine.clone()),
        false => Slice::from(..),
    };
    Ok(Aligned {
        axis,
        values: standard(values.local(), axis, part(values.layout().split().is_none())),
        labels: standard(labels.local(), Axis(0), part(labels.layout().split().is_none())),
        lanes: (shape[..axis.0].iter().product(), shape[axis.0 + 1..].iter().product()),
    })
}

/// How rows lie over the ranks: as whichever array is split, evenly if none is.
fn common_cut(values: &Layout, labels: &Layout, axis: Axis) -> Result<Layout> {
    let rows = values.shape()[axis.0];
    match (values.split(), labels.split()) {
        (None, None) => Ok(Layout::even(&[rows], Axis(0), values.size())?),
        (None, Some(_)) => Ok(labels.clone()),
        (Some(_), None) => Ok(Layout::from_counts(&[rows], Axis(0), &values.counts())?),
        (Some(_), Some(_)) if values.counts() == labels.counts() => Ok(labels.clone()),
        (Some(_), Some(_)) => unlike(
            "layout of the labels",
            format!("{:?}, like the values' axis {}", values.counts(), axis.0),
            format!("{:?}", labels.counts()),
        ),
    }
}

/// A part of an array in row-major order: a view of it where it lies so.
fn standard<T: Clone, D: Dimension>(
    mut whole: ArrayView<'_, T, D>,
    axis: Axis,
    part: Slice,
) -> CowArray<'_, T, D> {
    whole.slice_axis_inplace(axis, part);
    match whole.is_standard_layout() {
        true => CowArray::from(whole),
        false => CowArray::from(whole.as_standard_layout().into_owned()),
    }
}

fn unlike<R>(what: &'static str, expected: String, found: String) -> Result<R> {
    Err(Error::Unlike { operation: "group_by", what, expected, found })
}
