//! One rank's kernels: order-preserving keys, sort, merge, deduplication.
//!
//! Everything that orders values works on unsigned integers: [`SortKey`] maps a value to its [`Key`], [`Order`] arranges
//! keys so that plain ascending integers give the wished order, and the kernels know nothing but integers.
//!
//! ```
//! use maniple_kernels::{Order, from_keys, sort_values};
//!
//! let keys = sort_values(vec![2.5, f64::NAN, -0.0, 7.0], Order::ASCENDING.descending());
//! let values: Vec<f64> = from_keys(keys, Order::ASCENDING.descending());
//! assert_eq!(values[..3], [7.0, 2.5, 0.0]);
//! assert!(values[3].is_nan());
//! ```
//!
//! No kernel communicates. Unsafe code is confined to the SIMD files under `sort/`.

pub mod distinct;
mod key;
mod merge;
#[cfg(any(test, feature = "patterns"))]
#[doc(hidden)]
pub mod patterns;
mod sort;

pub use distinct::distinct;
pub use key::{Direction, Key, NanOrder, Order, SortKey};
pub use merge::{merge_into, merge_with_payload_into, multiselect};
pub use sort::{SortIndex, canonical_keys, from_keys, into_keys, sort_keys, sort_values, sort_with_index};
