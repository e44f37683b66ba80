//! What passes between the phases: the question, and what a regime answers.

use maniple_core::Layout;

use crate::columns::Columns;

/// What is asked for besides the values.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Wanted {
    pub(crate) counts: bool,
    pub(crate) inverse: bool,
    pub(crate) first_index: bool,
}

impl Wanted {
    /// Is the position of each rank's own keys among all keys needed?
    pub(crate) fn positions(self) -> bool {
        self.counts || self.inverse || self.first_index
    }
}

/// The distinct keys of all ranks, as a regime leaves them.
#[derive(Debug)]
pub(crate) struct Joined<K> {
    /// How keys and columns lie.
    pub(crate) layout: Layout,
    pub(crate) keys: Vec<K>,
    pub(crate) columns: Columns,
    /// The position among all keys of each of this rank's own. `None`: not asked for, or every key is its own rank's.
    pub(crate) ids: Option<Vec<u64>>,
}
