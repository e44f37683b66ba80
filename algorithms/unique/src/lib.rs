//! Sorted unique values of distributed arrays, with counts, inverse and first indices.
//!
//! *The problem.* Every rank has a block of an array. Wanted are its distinct values in ascending order, spread over the
//! ranks; how often each occurs; where it occurs first; and, for every element, the position of its value (the inverse), on the
//! rank that has the element.
//!
//! ```text
//!   x          rank 0 | 7 3 7 |   rank 1 | 1 3 9 |
//!   values     rank 0 | 1 3 |     rank 1 | 7 9 |          even over the ranks, whatever the data
//!   counts     rank 0 | 1 2 |     rank 1 | 2 1 |
//!   inverse    rank 0 | 2 1 2 |   rank 1 | 0 1 3 |        lies as x does; global positions
//! ```
//!
//! | phase, file | what it does | communication |
//! |---|---|---|
//! | `dedup_local` | each rank's own distinct keys, their counts, the code of each element | none |
//! | `regime` | a ladder over exact figures of all ranks says how to join them | one all-gather |
//! | `small` | everyone gathers all keys and merges them alike | one all-gather |
//! | `dense` | a bit for each possible key of a small span; ranking the bits gives the positions | one all-reduce |
//! | `large` | each range of keys goes to an owner, which merges what it gets | splitters, one exchange |
//! | `columns` | counts and first indices follow the way of the keys | one exchange each |
//! | `inverse` | owners answer each key with its position, the block looks them up | one exchange |
//! | `layout` | the results in the layout that was asked for | at most one redistribution each |
//!
//! *Guarantees.* All regimes give the same answer, bit for bit, for any number of ranks and any layout. All NaNs are one value,
//! the last; both zeros are one, shown as `+0.0`. The layout of a result never depends on the data. 64-bit integers stay
//! integers.
//!
//! ```
//! use maniple_core::{Comm, DistArray};
//! use maniple_unique::SortedUnique;
//! use ndarray::{Axis, array};
//!
//! let comm = Comm::solo();
//! let x = DistArray::from_local(&comm, array![[1, 2, 6], [2, 3, 2]], Axis(0))?;
//! let found = x.unique().counts().inverse().run()?;
//! assert_eq!(found.values.gather()?, array![1, 2, 3, 6]);
//! assert_eq!(found.counts.unwrap().gather()?, array![1, 3, 1, 1]);
//! assert_eq!(found.inverse.unwrap().gather()?, array![[0, 1, 3], [1, 2, 1]]);
//! # Ok::<(), maniple_core::Error>(())
//! ```
//!
//! The plan is that of a proposal for Heat (pull request 749: local uniques, gathered if few, else pivot-sorted), with these
//! deviations: all ranks choose by the figures of all; equal keys are never split between ranks; the inverse is answered by
//! the owners instead of going round a ring.
#![forbid(unsafe_code)]

mod columns;
mod dedup_local;
mod dense;
mod inverse;
mod joined;
mod large;
mod layout;
mod merge;
mod regime;
mod request;
mod slot;
mod small;

pub use maniple_kernels::SortKey;
pub use regime::{Choice, Reason, Regime};
pub use request::{Request, SortedUnique, Unique};
