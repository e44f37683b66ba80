//! Redistribution of arrays: from any layout to any other.
//!
//! *Plan, then execute.* Which elements go where follows from the two layouts by arithmetic, without communication
//! ([`Plan`]); then there is one exchange with the ranks concerned. Order is kept, and exactly the elements move whose rank
//! changes.
//!
//! ```text
//!   from   rank 0 |0 1 2 3 4 5|   rank 1 | |   rank 2 |6 7|
//!   to     rank 0 |0 1 2|   rank 1 |3 4 5|   rank 2 |6 7|      rank 0 sends [3 4 5] to rank 1, and that is all
//! ```
//!
//! ```
//! use maniple_core::{Comm, DistArray, Layout};
//! use maniple_lshape::Redistribute;
//! use ndarray::{Axis, array};
//!
//! let comm = Comm::solo();
//! let x = DistArray::from_local(&comm, array![[1, 2], [3, 4]], Axis(0))?;
//! let by_columns = x.redistribute(&Layout::even(&[2, 2], Axis(1), comm.size())?)?;
//! assert_eq!(by_columns.gather()?, array![[1, 2], [3, 4]]);
//! # Ok::<(), maniple_core::Error>(())
//! ```
#![forbid(unsafe_code)]

mod plan;
mod redistribute;

pub use plan::{Piece, Plan};
pub use redistribute::Redistribute;
