#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod error;
mod launch;

pub use error::{Error, Result};
pub use launch::launch;
pub use maniple_core::{
    Blocks, BlocksError, Call, CallOf, Checked, Comm, CommError, Communicator, DistArcArray, DistArray,
    DistArrayBase, DistArrayView, DistArrayViewMut, ElemSig, Element, Error as ArrayError, Layout,
    LayoutError, Meter, Metered, Op, Ranks, RecvFrom, SendTo, Solo, Traffic, memory,
};
pub use maniple_groupby::{self as groupby, GroupBy, GroupByError, Grouping, Groups};
pub use maniple_lshape::{Piece, Plan, Redistribute};
#[cfg(feature = "mpi")]
pub use maniple_mpi as mpi;
pub use maniple_sort::{Indexed, Sort, Sorting, Splitter, cut_between, cut_ties, find_splitters};
pub use maniple_threads::Cluster;
pub use maniple_unique::{self as unique, SortedUnique, Unique};
pub use ndarray;

/// What a program that uses distributed arrays needs: `use maniple::prelude::*;`.
pub mod prelude {
    pub use maniple_core::{Comm, DistArray, DistArrayView, Element, Layout};
    pub use maniple_groupby::GroupBy;
    pub use maniple_lshape::Redistribute;
    pub use maniple_sort::Sort;
    pub use maniple_unique::SortedUnique;
    pub use ndarray::{Array1, Array2, Axis, Ix1, Ix2, IxDyn};
}
