//! One rank's kernels: order-preserving keys, sort, merge, deduplication.

pub mod distinct;
mod merge;

pub use distinct::distinct;
pub use merge::{merge_into, merge_with_payload_into, multiselect};
