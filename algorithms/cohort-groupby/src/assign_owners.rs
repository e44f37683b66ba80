//! Phase 4: who merges which label, and what is sent for that. Arithmetic only.
//!
//! The owner of a group is the rank that holds it in the even layout of the result, so finished groups never move. The
//! strategy is the one that moves fewer bytes, by exact counts.

use std::fmt;

use maniple_core::Blocks;

/// How states come to their owners.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Strategy {
    /// Nothing has to move: every label lives on its owner alone.
    Local,
    /// Each rank sends the states of the labels it has, with their positions: they move only within the label's cohort and
    /// to its owner.
    Cohorts,
    /// Each rank sends a state for every group, without positions, that of no value where it has none.
    ReduceScatter,
}

/// The strategy that the caller wants. The result is the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Method {
    /// The one that moves the fewest bytes.
    #[default]
    Auto,
    /// [`Strategy::Cohorts`].
    Cohorts,
    /// [`Strategy::ReduceScatter`].
    ReduceScatter,
}

/// Why a strategy was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// The caller asked for it.
    Asked,
    /// No label is on another rank than its owner.
    NothingToMove,
    /// It moves fewer bytes than the other, or as many.
    FewerBytes {
        /// Bytes with [`Strategy::Cohorts`].
        cohorts: u64,
        /// Bytes with [`Strategy::ReduceScatter`].
        reduce_scatter: u64,
    },
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Asked => f.write_str("asked for"),
            Reason::NothingToMove => f.write_str("every label lives on its owner alone"),
            Reason::FewerBytes { cohorts, reduce_scatter } => {
                write!(f, "states of present labels are {cohorts} bytes, of all groups {reduce_scatter}")
            }
        }
    }
}

/// The owners of a rank's labels.
#[derive(Debug)]
pub(crate) struct Owners {
    /// Groups of each owner.
    pub(crate) groups: Blocks,
    /// This rank's labels, ascending, by owner.
    pub(crate) labels: Blocks,
}

/// A position on the wire: the group's, counted from its owner's first.
pub(crate) type Position = u32;

impl Owners {
    /// For `positions`, ascending, of `groups` groups over `size` ranks.
    pub(crate) fn new(positions: &[usize], groups: usize, size: usize) -> Self {
        let groups = Blocks::even(groups, size);
        let end = |owner| positions.partition_point(|&position| position < groups.range(owner).end);
        let offsets: Vec<usize> = [0].into_iter().chain((0..size).map(end)).collect();
        Owners { labels: Blocks::between(&offsets), groups }
    }

    /// Bytes that `rank` sends to others with one strategy and the other, for states of `state` bytes.
    pub(crate) fn volumes(&self, rank: usize, state: usize) -> Volumes {
        let others = |blocks: &Blocks, bytes: usize| ((blocks.total() - blocks.count(rank)) * bytes) as u64;
        Volumes {
            cohorts: others(&self.labels, state + size_of::<Position>()),
            reduce_scatter: others(&self.groups, state),
        }
    }
}

/// Bytes sent with each strategy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Volumes {
    pub(crate) cohorts: u64,
    pub(crate) reduce_scatter: u64,
}

/// The ladder, for the volumes of all ranks together.
pub(crate) fn choose(method: Method, total: Volumes) -> (Strategy, Reason) {
    let Volumes { cohorts, reduce_scatter } = total;
    match method {
        // 1.
        Method::Cohorts => (Strategy::Cohorts, Reason::Asked),
        Method::ReduceScatter => (Strategy::ReduceScatter, Reason::Asked),
        // 2. Labels in the order of the ranks, such as the days of a time series.
        Method::Auto if cohorts == 0 => (Strategy::Local, Reason::NothingToMove),
        // 3. Most labels are on few ranks.
        Method::Auto if cohorts <= reduce_scatter => {
            (Strategy::Cohorts, Reason::FewerBytes { cohorts, reduce_scatter })
        }
        // 4. Nearly every rank has nearly every label: positions would say what is known.
        Method::Auto => (Strategy::ReduceScatter, Reason::FewerBytes { cohorts, reduce_scatter }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_go_to_the_rank_of_their_group() {
        let owners = Owners::new(&[0, 3, 4, 9], 10, 4); // groups 0..3, 3..6, 6..8, 8..10
        assert_eq!(owners.labels.counts(), [1, 2, 0, 1]);
        assert_eq!(owners.volumes(1, 10), Volumes { cohorts: 2 * 14, reduce_scatter: 7 * 10 });
        assert_eq!(Owners::new(&[], 0, 3).labels.counts(), [0, 0, 0]);
    }

    #[test]
    fn fewer_bytes_win() {
        let volumes = |cohorts, reduce_scatter| Volumes { cohorts, reduce_scatter };
        assert_eq!(choose(Method::Auto, volumes(0, 5)).0, Strategy::Local);
        assert_eq!(choose(Method::Auto, volumes(5, 5)).0, Strategy::Cohorts);
        assert_eq!(choose(Method::Auto, volumes(6, 5)).0, Strategy::ReduceScatter);
        assert_eq!(choose(Method::Cohorts, volumes(6, 5)), (Strategy::Cohorts, Reason::Asked));
    }
}
