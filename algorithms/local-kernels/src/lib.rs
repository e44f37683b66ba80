//! One rank's kernels: order-preserving keys, sort, merge, deduplication.
