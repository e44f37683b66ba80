//! One rank's kernels: order-preserving keys, sort, merge, deduplication.

mod merge;

pub use merge::{merge_into, merge_with_payload_into, multiselect};
