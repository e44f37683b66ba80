//! Distributed n-d arrays, and the operations that hurt most on them, written once and run on threads or on MPI.

#![forbid(unsafe_code)]

mod launch;

pub use launch::launch;
pub use maniple_core::*;
pub use maniple_lshape::{Piece, Plan, Redistribute};
pub use maniple_sort::{Indexed, Sort, Sorting, Splitter, cut_between, cut_ties, find_splitters};
pub use maniple_threads::Cluster;
pub use maniple_unique::{Regime, SortedUnique, Unique};

/// What a program that uses distributed arrays needs: `use maniple::prelude::*;`.
pub mod prelude {
    pub use maniple_core::{Comm, DistArray, DistArrayView, Element, Layout};
    pub use maniple_lshape::Redistribute;
    pub use maniple_sort::Sort;
    pub use maniple_unique::SortedUnique;
    pub use ndarray::{Array1, Array2, Axis, Ix1, Ix2, IxDyn};
}
