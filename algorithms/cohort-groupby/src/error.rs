//! What can go wrong in a group-by. Every rank gets the same error.

use maniple_core::{CommError, Error};

/// A group-by failed. Every rank of the communicator gets the same error.
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GroupByError {
    /// A collective failed, the ranks disagree, or labels and values are not alike.
    #[error(transparent)]
    Array(#[from] Error),
    /// The same label twice among the expected ones: the result would have two groups for it.
    #[error("group_by: expected labels must be distinct, but {label} stands at {first} and at {second}")]
    DuplicateExpected {
        /// The label.
        label: String,
        /// Its first position.
        first: usize,
        /// The next one.
        second: usize,
    },
    /// A sum of integers leaves its type.
    #[error(
        "group_by: the sum of group {label} is {sum}, expected one that fits {expected}; wrapping() allows it"
    )]
    Overflow {
        /// The first group concerned.
        label: String,
        /// The exact sum.
        sum: i128,
        /// The type of the result.
        expected: &'static str,
    },
    /// A group has no result, and its type no value that says so.
    #[error(
        "group_by: {operation} of group {label} has {found} valid elements, expected at least {expected} or a fill_value()"
    )]
    Missing {
        /// The operation.
        operation: &'static str,
        /// The first group concerned.
        label: String,
        /// Valid elements needed.
        expected: u64,
        /// Valid elements found.
        found: u64,
    },
}

impl From<CommError> for GroupByError {
    fn from(why: CommError) -> Self {
        GroupByError::Array(why.into())
    }
}
