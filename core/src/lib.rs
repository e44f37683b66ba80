//! The foundation of maniple: what a rank can say to its peers, how an array lies over them, and the array itself.
//!
//! | item | what it is |
//! |---|---|
//! | [`Communicator`] | the contract of a transport: a dozen collectives over bytes. Implemented by transports and wrappers. |
//! | [`Comm`] | what everyone else holds: the typed collectives of one rank |
//! | [`Blocks`] | counts and displacements: which part of a buffer belongs to which rank |
//! | [`Layout`] | global shape, split axis and offsets of an array; known on every rank, read without communication |
//! | [`DistArrayBase`] | an ndarray block per rank and the layout that joins them |
//! | [`Solo`], [`Metered`] | a communicator of one rank; a wrapper that counts calls and bytes |
//!
//! A split array, four rows on three ranks (`split = Axis(0)`):
//!
//! ```text
//!              global shape [4, 3]             lshape map
//!   rank 0   [ 0  1  2 ]                        [2, 3]
//!            [ 3  4  5 ]
//!   rank 1   (no row: an ordinary case)         [0, 3]
//!   rank 2   [ 6  7  8 ]                        [2, 3]
//!            [ 9 10 11 ]
//! ```
//!
//! ```
//! use maniple_core::{Comm, DistArray};
//! use ndarray::{Axis, array};
//!
//! let comm = Comm::solo();
//! let x = DistArray::from_local(&comm, array![[1, 2], [3, 4]], Axis(0))?;
//! assert_eq!(x.layout().shape(), [2, 2]);
//! assert_eq!(x.gather()?, array![[1, 2], [3, 4]]);
//! # Ok::<(), maniple_core::Error>(())
//! ```
#![deny(unsafe_code)]

mod agree;
mod array;
mod blocks;
mod call;
mod checked;
mod comm;
mod communicator;
#[cfg(any(test, feature = "conformance"))]
pub mod conformance;
mod element;
mod error;
mod launcher;
mod layout;
pub mod memory;
mod metered;
mod solo;
pub mod verdict;

pub use agree::Fact;
pub use array::{DistArcArray, DistArray, DistArrayBase, DistArrayView, DistArrayViewMut, join, shaped};
pub use blocks::{Blocks, BlocksError};
pub use call::{Call, Op, Ranks, ScopeGuard};
pub use checked::Checked;
pub use comm::{Comm, RecvFrom, SendTo};
pub use communicator::{BcastBuf, ByteRecv, ByteSend, Bytes, Communicator};
pub use element::{ElemSig, Element};
pub use error::{CallOf, CommError, Error, LayoutError, Result};
pub use launcher::ranks_of_launcher;
pub use layout::Layout;
pub use metered::{Meter, Metered, Traffic};
pub use solo::Solo;
