//! Grouped reductions of distributed arrays: sum, mean, count, min and max of the elements that have the same label.
//!
//! Every rank reduces its own block once; then the *states* of groups move to the ranks that own them, and values never do.
//!
//! ```text
//!            rank 0            rank 1            rank 2
//!   labels   a a b b           b b c             c a
//!   values   1 2 3 4           5 6 7             8 9
//!   states   a: 3  b: 7        b: 11  c: 7       a: 9  c: 8       reduce_blockwise
//!   owners   a: 3+9            b: 7+11           c: 7+8           shuffle, within the cohorts {0, 2}, {0, 1}, {1, 2}
//!   sums     a: 12             b: 18             c: 15            finish
//! ```
//!
//! | phase | file | communicates |
//! |---|---|---|
//! | labels to codes | `factorize.rs` | |
//! | one accumulator for each label and lane, all states in one pass | `reduce_blockwise.rs`, `accumulate.rs`, `state.rs` | |
//! | which labels there are, and who has them | `discover_cohorts.rs` | labels, once |
//! | who merges which label, by which strategy | `assign_owners.rs` | three numbers |
//! | one packed exchange; owners merge in rank order | `shuffle.rs` | states |
//! | results, fill values, errors | `finish.rs` | a fault, if there can be one |
//!
//! | operation | result | group without valid elements | NaN | NaN, with `skip_nan` |
//! |---|---|---|---|---|
//! | [`sum`] | `i64` or `u64`, exact; floats kept | 0; fill value | propagates | skipped |
//! | [`mean`] | `f64`; floats kept | fill value, else NaN | propagates | skipped |
//! | [`count`] | `u64` | 0 | counts | does not count |
//! | [`min`], [`max`] | kept | fill value, else NaN, else an error | propagates | skipped |
//!
//! ```
//! use maniple_core::{Comm, DistArray};
//! use maniple_groupby::{GroupBy, max, sum};
//! use ndarray::{Axis, array};
//!
//! let comm = Comm::solo();
//! let x = DistArray::from_local(&comm, array![1_u8, 200, 100, 7], Axis(0))?;
//! let labels = DistArray::from_local(&comm, array![-1, 5, 5, -1], Axis(0))?;
//!
//! let total = x.group_by(&labels).sum()?;
//! assert_eq!(total.labels.gather()?, array![-1, 5]);
//! assert_eq!(total.values.gather()?, array![8_u64, 300]);
//!
//! let groups = x.group_by(&labels).expected(&[-1, 0, 5]).fill_value(0).agg((sum(), max()))?;
//! let (sums, greatest) = groups.values;
//! assert_eq!(sums.gather()?, array![8, 0, 300]);
//! assert_eq!(greatest.gather()?, array![7, 0, 200]);
//! assert_eq!(groups.counts.gather()?, array![2, 0, 2]);
//! # Ok::<(), maniple_groupby::GroupByError>(())
//! ```
//!
//! # Source
//! The scheme is the one proposed in the discussion of flox's issue 140: reduce blockwise, shuffle intermediates to cohorts.
//! It differs in that labels need not be known beforehand or fit one rank, that there is no coordinator, that the number of
//! bytes decides, and that no answer depends on the strategy.
#![forbid(unsafe_code)]

mod accumulate;
mod aggregation;
mod align;
mod assign_owners;
mod column;
mod discover_cohorts;
mod error;
mod factorize;
mod finish;
mod grouping;
pub mod operation;
mod options;
mod plan;
mod prepare;
mod question;
mod reduce_blockwise;
mod run;
mod shuffle;
mod state;
mod states;
mod value;

pub use aggregation::{Aggregation, Aggregations, count, max, mean, min, sum};
pub use assign_owners::{Method, Reason, Strategy};
pub use error::GroupByError;
pub use grouping::{GroupBy, Grouping, Groups};
pub use plan::{Cohort, GroupPlan, PlannedBytes};
pub use value::{Label, Value};
