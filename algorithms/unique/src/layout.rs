//! The last phase: results in the layout that was asked for.

use maniple_core::{Comm, DistArray, Element, Error, Layout, Result};
use maniple_lshape::Redistribute;
use ndarray::{Array1, Axis, Ix1};

/// How the results are to lie.
#[derive(Clone, Debug, Default)]
pub(crate) enum Wish {
    #[default]
    Even,
    Replicated,
    As(Layout),
}

impl Wish {
    /// The layout of `n` results.
    ///
    /// # Errors
    /// [`Error::Unlike`], on every rank: a layout for another number of results, or over other ranks.
    pub(crate) fn layout(&self, n: usize, size: usize) -> Result<Layout> {
        match self {
            Wish::Even => Ok(Layout::even(&[n], Axis(0), size)?),
            Wish::Replicated => Ok(Layout::replicated(&[n], size)),
            Wish::As(layout) => match (layout.shape() == [n], layout.size() == size) {
                (true, true) => Ok(layout.clone()),
                (_, false) => Err(unlike("number of ranks of the layout", size, layout.size())),
                (false, _) => Err(unlike("shape of the layout", [n], layout.shape())),
            },
        }
    }

    /// What can be known of the wish before the results are.
    pub(crate) fn check(&self, size: usize) -> Result<()> {
        match self {
            Wish::As(layout) if layout.ndim() != 1 => {
                Err(unlike("number of axes of the layout", 1, layout.ndim()))
            }
            Wish::As(layout) => self.layout(layout.len(), size).map(drop),
            Wish::Even | Wish::Replicated => Ok(()),
        }
    }
}

/// The array of which each rank has its part in layout `from`, in layout `to`.
pub(crate) fn lay<T: Element>(
    comm: &Comm,
    part: Vec<T>,
    from: &Layout,
    to: &Layout,
) -> Result<DistArray<T, Ix1>> {
    if from == to || comm.size() == 1 {
        return DistArray::from_parts(comm, Array1::from_vec(part), to.clone());
    }
    match from.split() {
        None => {
            DistArray::from_parts(comm, Array1::from_vec(part[to.range(comm.rank())].to_vec()), to.clone())
        }
        Some(_) => DistArray::from_parts(comm, Array1::from_vec(part), from.clone())?.into_layout(to),
    }
}

fn unlike(what: &'static str, expected: impl std::fmt::Debug, found: impl std::fmt::Debug) -> Error {
    Error::Unlike {
        operation: "unique",
        what,
        expected: format!("{expected:?}"),
        found: format!("{found:?}"),
    }
}
