//! Ways to make a distributed array.

use ndarray::{Array, ArrayBase, ArrayView, Axis, Dimension, IntoDimension, RawData, Slice};

use crate::agree::Fact;
use crate::comm::Comm;
use crate::element::Element;
use crate::error::{Error, LayoutError, Result};
use crate::layout::Layout;

use super::{DistArray, DistArrayBase, DistArrayView};

impl<S: RawData, D: Dimension> DistArrayBase<S, D> {
    /// The array whose blocks, joined along axis `split` in rank order, are what each rank gives. No element is copied
    /// or moved.
    ///
    /// # Shapes
    /// Blocks may have any length along `split`, zero too, and are alike along all other axes.
    ///
    /// # Communication
    /// One all-gather of two numbers per rank.
    ///
    /// # Errors
    /// On every rank: [`Error::Disagree`] if element type, number of axes, split axis or the other lengths differ;
    /// [`LayoutError::Axis`] for an axis that is not there.
    ///
    /// ```
    /// # use maniple_core::{Comm, DistArray};
    /// # use ndarray::{Array1, Axis};
    /// # let comm = Comm::solo();
    /// let mine = Array1::from_iter(0..comm.rank()); // rank 0 has nothing
    /// let x = DistArray::from_local(&comm, mine, Axis(0))?;
    /// assert_eq!(x.layout().counts(), Vec::from_iter(0..comm.size()));
    /// # Ok::<(), maniple_core::Error>(())
    /// ```
    #[track_caller]
    pub fn from_local(comm: &Comm, local: ArrayBase<S, D>, split: Axis) -> Result<Self>
    where
        S::Elem: 'static,
    {
        let ndim = local.ndim();
        let mut facts = facts_of::<S::Elem>(ndim, Some(split));
        let (mut shape, count) = (local.shape().to_vec(), local.shape().get(split.0).copied());
        let others =
            || shape.iter().enumerate().map(|(i, n)| if i == split.0 { "..".into() } else { n.to_string() });
        facts.push(("shape off the split axis", format!("[{}]", others().collect::<Vec<_>>().join(", "))));
        let counts = comm.agree_on("from_local", &facts, count.unwrap_or(0) as u64)?;
        let counts: Vec<usize> = counts.into_iter().map(|n| n as usize).collect();
        if count.is_none() {
            return Err(LayoutError::Axis { axis: split.0, ndim }.into());
        }
        shape[split.0] = counts.iter().sum();
        let layout = Layout::from_counts(&shape, split, &counts)?;
        Ok(DistArrayBase { local, layout, comm: comm.clone() })
    }

    /// The array of which every rank has the same copy.
    ///
    /// # Communication
    /// One all-gather of two numbers per rank, to make sure of the shape. Contents are not compared.
    ///
    /// # Errors
    /// On every rank: [`Error::Disagree`] if element type or shape differ.
    #[track_caller]
    pub fn replicated(comm: &Comm, local: ArrayBase<S, D>) -> Result<Self>
    where
        S::Elem: 'static,
    {
        comm.agree_on("replicated", &facts_of_shape::<S::Elem>(local.shape(), None), 0)?;
        let layout = Layout::replicated(local.shape(), comm.size());
        Ok(DistArrayBase { local, layout, comm: comm.clone() })
    }

    /// The array with this block and layout, both of which the caller has got from an operation on all ranks.
    ///
    /// # Errors
    /// On this rank alone: [`Error::Unlike`] if the block has not the shape that the layout gives this rank.
    pub fn from_parts(comm: &Comm, local: ArrayBase<S, D>, layout: Layout) -> Result<Self> {
        if layout.size() != comm.size() {
            return Err(unlike("number of ranks", comm.size(), layout.size()));
        }
        if local.shape() != layout.lshape(comm.rank()) {
            return Err(unlike("shape of the block", layout.lshape(comm.rank()), local.shape()));
        }
        Ok(DistArrayBase { local, layout, comm: comm.clone() })
    }
}

impl<'a, T: Element, D: Dimension> DistArrayView<'a, T, D> {
    /// The array that every rank has as a whole, split evenly: each rank keeps a view of its own part. No copy.
    ///
    /// # Communication
    /// One all-gather of two numbers per rank, to make sure of the shape. Contents are not compared.
    ///
    /// # Errors
    /// On every rank: [`Error::Disagree`] if element type, shape or split axis differ; [`LayoutError::Axis`] for an axis
    /// that is not there.
    ///
    /// ```
    /// # use maniple_core::{Comm, DistArrayView};
    /// # use ndarray::{Axis, array};
    /// # let comm = Comm::solo();
    /// let whole = array![3, 1, 2];
    /// let x = DistArrayView::from_replicated(&comm, whole.view(), Axis(0))?;
    /// assert_eq!(x.gather()?, whole);
    /// # Ok::<(), maniple_core::Error>(())
    /// ```
    #[track_caller]
    pub fn from_replicated(comm: &Comm, whole: ArrayView<'a, T, D>, split: Axis) -> Result<Self> {
        comm.agree_on("from_replicated", &facts_of_shape::<T>(whole.shape(), Some(split)), 0)?;
        let layout = Layout::even(whole.shape(), split, comm.size())?;
        Self::part(comm, whole, layout)
    }

    /// As [`from_replicated`](DistArrayView::from_replicated), with `counts[r]` of axis `split` on rank r.
    ///
    /// # Errors
    /// As there, and [`LayoutError::Sum`] or [`LayoutError::Ranks`] for counts that are no layout.
    #[track_caller]
    pub fn from_replicated_with(
        comm: &Comm,
        whole: ArrayView<'a, T, D>,
        split: Axis,
        counts: &[usize],
    ) -> Result<Self> {
        let mut facts = facts_of_shape::<T>(whole.shape(), Some(split));
        facts.push(("counts", format!("{counts:?}")));
        comm.agree_on("from_replicated_with", &facts, 0)?;
        if counts.len() != comm.size() {
            return Err(LayoutError::Ranks { expected: comm.size(), found: counts.len() }.into());
        }
        let layout = Layout::from_counts(whole.shape(), split, counts)?;
        Self::part(comm, whole, layout)
    }

    fn part(comm: &Comm, mut local: ArrayView<'a, T, D>, layout: Layout) -> Result<Self> {
        if let Some(split) = layout.split() {
            local.slice_axis_inplace(split, Slice::from(layout.range(comm.rank())));
        }
        Ok(DistArrayBase { local, layout, comm: comm.clone() })
    }
}

impl<T: Element, D: Dimension> DistArray<T, D> {
    /// The array of `shape` whose element at each global index is `f(index)`, split evenly along `split`.
    ///
    /// # Communication
    /// One all-gather of two numbers per rank, to make sure of the shape.
    ///
    /// # Errors
    /// On every rank: [`Error::Disagree`] if element type, shape or split axis differ; [`LayoutError::Axis`] for an axis
    /// that is not there.
    ///
    /// ```
    /// # use maniple_core::{Comm, DistArray};
    /// # use ndarray::{Axis, Ix2, array};
    /// # let comm = Comm::solo();
    /// let x = DistArray::from_fn(&comm, (2, 3), Axis(0), |(i, j)| 10 * i + j)?;
    /// assert_eq!(x.gather()?, array![[0, 1, 2], [10, 11, 12]]);
    /// # Ok::<(), maniple_core::Error>(())
    /// ```
    #[track_caller]
    pub fn from_fn<Sh>(
        comm: &Comm,
        shape: Sh,
        split: Axis,
        mut f: impl FnMut(D::Pattern) -> T,
    ) -> Result<Self>
    where
        Sh: IntoDimension<Dim = D>,
    {
        let shape = shape.into_dimension();
        comm.agree_on("from_fn", &facts_of_shape::<T>(shape.slice(), Some(split)), 0)?;
        let layout = Layout::even(shape.slice(), split, comm.size())?;
        let mine = layout.range(comm.rank());
        let mut lshape = shape;
        lshape[split.0] = mine.len();
        let local = Array::from_shape_fn(lshape, |index| {
            let mut global = index.into_dimension();
            global[split.0] += mine.start;
            f(global.into_pattern())
        });
        Ok(DistArrayBase { local, layout, comm: comm.clone() })
    }
}

fn facts_of<T: 'static>(ndim: usize, split: Option<Axis>) -> Vec<Fact> {
    let split = split.map_or("none".to_string(), |axis| axis.0.to_string());
    let elem = std::any::type_name::<T>().to_string();
    vec![("element type", elem), ("number of axes", ndim.to_string()), ("split axis", split)]
}

fn facts_of_shape<T: 'static>(shape: &[usize], split: Option<Axis>) -> Vec<Fact> {
    let mut facts = facts_of::<T>(shape.len(), split);
    facts.push(("shape", format!("{shape:?}")));
    facts
}

fn unlike(what: &'static str, expected: impl std::fmt::Debug, found: impl std::fmt::Debug) -> Error {
    Error::Unlike {
        operation: "from_parts",
        what,
        expected: format!("{expected:?}"),
        found: format!("{found:?}"),
    }
}
