//! What is known of each distinct key besides the key: its count, its first index.
//!
//! Both follow the same way from the ranks to the result; they differ in how the figures of two ranks are joined.

use maniple_core::{Blocks, Comm, CommError};

use crate::slot::Slot;

/// A figure per distinct key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Column {
    Count,
    First,
}

impl Column {
    /// The figure of a key that a rank does not have.
    fn none(self) -> u64 {
        match self {
            Column::Count => 0,
            Column::First => u64::MAX,
        }
    }

    fn join(self, a: u64, b: u64) -> u64 {
        match self {
            Column::Count => a + b,
            Column::First => a.min(b),
        }
    }

    /// The joined figures of `len` keys: `answers[r][i]` is the position of the key that `parts[r][i]` belongs to.
    pub(crate) fn fold<S: Slot>(self, parts: &[&[u64]], answers: &[&[S]], len: usize) -> Vec<u64> {
        let mut joined = vec![self.none(); len];
        for (part, answers) in parts.iter().zip(answers) {
            for (&figure, at) in part.iter().zip(*answers) {
                let at = at.position();
                joined[at] = self.join(joined[at], figure);
            }
        }
        joined
    }
}

/// The columns that were asked for, each as long as the keys that it goes with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Columns {
    pub(crate) counts: Option<Vec<u64>>,
    pub(crate) first: Option<Vec<u64>>,
}

impl Columns {
    pub(crate) fn is_empty(&self) -> bool {
        self.counts.is_none() && self.first.is_none()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (Column, &[u64])> {
        let counts = self.counts.iter().map(|figures| (Column::Count, &figures[..]));
        counts.chain(self.first.iter().map(|figures| (Column::First, &figures[..])))
    }

    pub(crate) fn get(&self, column: Column) -> Option<&[u64]> {
        match column {
            Column::Count => self.counts.as_deref(),
            Column::First => self.first.as_deref(),
        }
    }

    /// Each column turned into another, in the same order on every rank.
    pub(crate) fn try_map<E>(
        &self,
        mut f: impl FnMut(Column, &[u64]) -> Result<Vec<u64>, E>,
    ) -> Result<Columns, E> {
        let mut mapped = Columns::default();
        for (column, figures) in self.iter() {
            let figures = f(column, figures)?;
            match column {
                Column::Count => mapped.counts = Some(figures),
                Column::First => mapped.first = Some(figures),
            }
        }
        Ok(mapped)
    }

    /// The figures of each key, sent to the key's owner and joined there.
    ///
    /// `answers[r][i]` is the position, among the owner's `len` keys, of the i-th key from rank r.
    pub(crate) fn to_owners<S: Slot>(
        &self,
        comm: &Comm,
        sends: &Blocks,
        answers: &[&[S]],
        len: usize,
    ) -> Result<Columns, CommError> {
        self.try_map(|column, figures| {
            comm.exchange(figures, sends, |parts| column.fold(parts, answers, len))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_of_one_key_are_joined() {
        let answers: [&[u32]; 3] = [&[0, 2], &[], &[0, 1]];
        let parts: [&[u64]; 3] = [&[5, 7], &[], &[3, 9]];
        assert_eq!(Column::Count.fold(&parts, &answers, 3), [8, 9, 7]);
        assert_eq!(Column::First.fold(&parts, &answers, 3), [3, 9, 7]);
    }
}
