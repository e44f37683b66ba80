//! What the user may say of an aggregation.

/// What an operation does with NaN, with overflow and with groups that have too few values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options<O> {
    pub(crate) skip_nan: bool,
    pub(crate) wrapping: bool,
    pub(crate) min_count: Option<u64>,
    pub(crate) fill: Option<O>,
}

impl<O> Default for Options<O> {
    fn default() -> Self {
        Options { skip_nan: false, wrapping: false, min_count: None, fill: None }
    }
}
