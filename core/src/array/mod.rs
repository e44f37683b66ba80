//! Distributed arrays: one ndarray block per rank.

mod construct;
mod gather;
mod join;

use std::fmt;

use ndarray::{
    ArrayBase, ArrayView, ArrayViewMut, Data, DataMut, Dimension, OwnedArcRepr, OwnedRepr, RawData, ViewRepr,
};

use crate::comm::Comm;
use crate::layout::Layout;

pub use join::{join, shaped};

/// An array over the ranks of a communicator: this rank's block, and the layout of all blocks.
///
/// `S` is one of ndarray's storages, `D` one of its dimensions; the aliases [`DistArray`], [`DistArrayView`],
/// [`DistArcArray`] say it shortly. The block is an ordinary ndarray array: element-wise work is done there.
pub struct DistArrayBase<S: RawData, D> {
    local: ArrayBase<S, D>,
    layout: Layout,
    comm: Comm,
}

/// An array whose blocks are owned.
pub type DistArray<T, D> = DistArrayBase<OwnedRepr<T>, D>;
/// An array whose blocks are borrowed.
pub type DistArrayView<'a, T, D> = DistArrayBase<ViewRepr<&'a T>, D>;
/// An array whose blocks are mutably borrowed.
pub type DistArrayViewMut<'a, T, D> = DistArrayBase<ViewRepr<&'a mut T>, D>;
/// An array whose blocks are shared and copied on write.
pub type DistArcArray<T, D> = DistArrayBase<OwnedArcRepr<T>, D>;

impl<S: RawData, D: Dimension> DistArrayBase<S, D> {
    /// Global shape, split axis, and what each rank has. Never communicates.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The ranks over which the array lies.
    pub fn comm(&self) -> &Comm {
        &self.comm
    }

    /// This rank's block itself.
    pub fn into_local(self) -> ArrayBase<S, D> {
        self.local
    }

    /// The block in its storage.
    pub fn block(&self) -> &ArrayBase<S, D> {
        &self.local
    }
}

impl<S: Data, D: Dimension> DistArrayBase<S, D> {
    /// This rank's block.
    pub fn local(&self) -> ArrayView<'_, S::Elem, D> {
        self.local.view()
    }

    /// The same array, borrowed.
    pub fn view(&self) -> DistArrayView<'_, S::Elem, D> {
        DistArrayBase { local: self.local.view(), layout: self.layout.clone(), comm: self.comm.clone() }
    }

    /// The same array with owned blocks: copies borrowed ones.
    pub fn into_owned(self) -> DistArray<S::Elem, D>
    where
        S::Elem: Clone,
    {
        DistArrayBase { local: self.local.into_owned(), layout: self.layout, comm: self.comm }
    }

    /// A copy with owned blocks.
    pub fn to_owned(&self) -> DistArray<S::Elem, D>
    where
        S::Elem: Clone,
    {
        DistArrayBase { local: self.local.to_owned(), layout: self.layout.clone(), comm: self.comm.clone() }
    }
}

impl<S: DataMut, D: Dimension> DistArrayBase<S, D> {
    /// This rank's block, to be changed in place.
    pub fn local_mut(&mut self) -> ArrayViewMut<'_, S::Elem, D> {
        self.local.view_mut()
    }
}

impl<S, D> fmt::Debug for DistArrayBase<S, D>
where
    S: Data,
    S::Elem: fmt::Debug,
    D: Dimension,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}, rank {}: {:?}", self.layout, self.comm.rank(), self.local)
    }
}
