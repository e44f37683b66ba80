//! From a distributed array to an ordinary one.

use ndarray::{Array, Axis, Data, Dimension};

use crate::blocks::Blocks;
use crate::element::Element;
use crate::error::Result;
use crate::memory;

use super::DistArrayBase;

impl<S, D> DistArrayBase<S, D>
where
    S: Data,
    S::Elem: Element,
    D: Dimension,
{
    /// The whole array, on every rank.
    ///
    /// # Communication
    /// One collective; every rank receives every element. None if the array is replicated.
    ///
    /// # Errors
    /// [`Error::Comm`](crate::Error::Comm), as every collective.
    #[track_caller]
    pub fn gather(&self) -> Result<Array<S::Elem, D>> {
        let Some(split) = self.layout.split() else { return Ok(self.local.to_owned()) };
        let _scope = self.comm.scope("gather");
        let mine = self.local.as_standard_layout();
        let whole = Blocks::whole(mine.len(), self.comm.size());
        let values = mine.as_slice().unwrap_or_else(|| unreachable!("in standard layout"));
        Ok(self.comm.exchange(values, &whole, |blocks| self.join(split, blocks))?)
    }

    /// The whole array on rank `root`; `None` elsewhere.
    ///
    /// # Communication
    /// One message from each rank to the root. None but a barrier if the array is replicated.
    ///
    /// # Errors
    /// [`Error::Comm`](crate::Error::Comm), as every collective; also if the ranks name different roots.
    #[track_caller]
    pub fn gather_to(&self, root: usize) -> Result<Option<Array<S::Elem, D>>> {
        let _scope = self.comm.scope("gather_to");
        let mine = self.local.as_standard_layout();
        let values = mine.as_slice().unwrap_or_else(|| unreachable!("in standard layout"));
        match self.layout.split() {
            None => {
                self.comm.gather::<S::Elem>(root, &[])?;
                Ok((self.comm.rank() == root).then(|| self.local.to_owned()))
            }
            Some(split) => Ok(self.comm.gather_v(root, values)?.map(|(all, blocks)| {
                let parts: Vec<_> = blocks.ranges().map(|range| &all[range]).collect();
                self.join(split, &parts)
            })),
        }
    }

    /// Joins the blocks of all ranks, each in standard layout, along the split axis.
    fn join(&self, split: Axis, blocks: &[&[S::Elem]]) -> Array<S::Elem, D> {
        let shape = shape_of::<D>(self.layout.shape());
        let mut all = memory::with_capacity(self.layout.len());
        // What a rank has of one outer index is one run; with split axis 0 that is its whole block.
        let outer: usize = self.layout.shape()[..split.0].iter().product();
        for i in 0..outer {
            for block in blocks {
                let run = block.len() / outer;
                all.extend_from_slice(&block[i * run..(i + 1) * run]);
            }
        }
        Array::from_shape_vec(shape, all)
            .unwrap_or_else(|_| unreachable!("the blocks make up the whole array"))
    }
}

fn shape_of<D: Dimension>(lengths: &[usize]) -> D {
    let mut shape = D::zeros(lengths.len());
    shape.slice_mut().copy_from_slice(lengths);
    shape
}
