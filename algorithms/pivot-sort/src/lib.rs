//! Distributed sort and argsort with exact splitters.
//!
//! ```text
//!              rank 0          rank 1          rank 2
//! input        5 1 4 1         3 9 2           6                 any layout, empty ranks too
//! sort_local   1 1 4 5         2 3 9           6
//! splitters            |1 1 2 3|       4 5 6 |        9          exact: offsets of the wanted layout
//! exchange     1 1 | 4 5 |     2 3 |  | 9      |  6 |            each element moves once, or not at all
//! merge        1 1 2 3         4 5 6           9
//! ```
//!
//! | phase | communicates |
//! |---|---|
//! | 1. shortcuts: one rank, input in order, backwards or in order by ranks, little input, few different keys | two small all-gathers |
//! | 2. sort_local: values become integer keys, sorted by the kernels | |
//! | 3. [`find_splitters`]: bisection on the keys, to the element | one all-reduce per round |
//! | 4. [`cut_ties`]: equal keys on a boundary are divided in the order of ranks | one exclusive scan |
//! | 5. exchange: each rank's sorted run goes, in pieces, where it belongs | one all-to-all-v |
//! | 6. merge_runs: the pieces, where the exchange shows them, into the result | |
//!
//! Guaranteed:
//! - the result has exactly the wished layout, and is the same to the last bit for any number of ranks and any layout;
//! - equal elements keep the order of their global indices (argsort), and no bit pattern changes (sort);
//! - no data is bad: no sample is taken, a heavy key may fill many ranks, the number of rounds has a bound.
//!
//! ```
//! use maniple_core::{Comm, DistArray};
//! use maniple_sort::Sort;
//! use ndarray::{Axis, array};
//!
//! let comm = Comm::solo();
//! let x = DistArray::from_local(&comm, array![2.5, f64::NAN, -1.0, 2.5], Axis(0))?;
//! let sorted = x.sort().descending().run()?;
//! assert_eq!(sorted.local().as_slice().unwrap()[..3], [2.5, 2.5, -1.0]);
//! assert!(sorted.local()[3].is_nan());
//! assert_eq!(x.argsort().run()?.gather()?, array![2, 0, 3, 1]);
//! # Ok::<(), maniple_core::Error>(())
//! ```
#![forbid(unsafe_code)]

mod argsort;
mod backwards;
mod count;
mod cut;
mod exchange;
mod interface;
mod look;
mod options;
mod shortcuts;
mod sort;
mod sort_local;
mod splitters;

pub use argsort::Indexed;
pub use cut::{cut_between, cut_ties};
pub use interface::{Sort, Sorting};
pub use splitters::{Splitter, find_splitters};
