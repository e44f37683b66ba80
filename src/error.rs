use maniple_core::{CommError, LayoutError};
use maniple_groupby::GroupByError;

/// What an operation can fail with. Every rank gets an error; what it says is told by the variants' own types.
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Error {
    /// Of arrays, layouts and communication.
    #[error(transparent)]
    Array(#[from] maniple_core::Error),
    /// Of grouping.
    #[error(transparent)]
    GroupBy(#[from] GroupByError),
}

impl From<CommError> for Error {
    fn from(error: CommError) -> Self {
        Error::Array(error.into())
    }
}

impl From<LayoutError> for Error {
    fn from(error: LayoutError) -> Self {
        Error::Array(error.into())
    }
}

/// The result of an operation of maniple.
pub type Result<T, E = Error> = std::result::Result<T, E>;
