//! From a distributed array to an ordinary one.

use ndarray::{Array, Data, Dimension};

use crate::blocks::Blocks;
use crate::element::Element;
use crate::error::Result;

use super::{DistArrayBase, join};

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
        Ok(self.comm.exchange(values, &whole, |blocks| join(self.layout.shape(), split, blocks))?)
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
                join(self.layout.shape(), split, &parts)
            })),
        }
    }
}
