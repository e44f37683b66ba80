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

/// For programs that use the errors of the core: nothing but the type is lost.
impl From<GroupByError> for Error {
    fn from(why: GroupByError) -> Self {
        let (what, expected, found) = match why {
            GroupByError::Array(why) => return why,
            GroupByError::DuplicateExpected { label, first, second } => (
                "list of expected labels",
                "distinct labels".into(),
                format!("{label} at {first} and {second}"),
            ),
            GroupByError::Overflow { label, sum, expected } => {
                ("sum of a group", format!("one that fits {expected}"), format!("{sum} in group {label}"))
            }
            GroupByError::Missing { operation, label, expected, found } => (
                "number of valid elements",
                format!("at least {expected} for {operation}, or a fill value"),
                format!("{found} in group {label}"),
            ),
        };
        Error::Unlike { operation: "group_by", what, expected, found }
    }
}
