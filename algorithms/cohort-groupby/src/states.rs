//! The states that the requested aggregations need, each kept once however many of them need it.

use crate::accumulate::Chunk;
use crate::column::{Column, Reduce, Shape};
use crate::state::{Extreme, High, Low, Rows, Sum, Valid};
use crate::value::Value;

/// Which states are kept besides the number of rows. Of a pair, the first takes NaN as it is, the second skips it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    pub(crate) valid: bool,
    pub(crate) sum: [bool; 2],
    pub(crate) low: [bool; 2],
    pub(crate) high: [bool; 2],
}

impl Needs {
    /// What either needs.
    pub(crate) fn and(self, other: Needs) -> Needs {
        let either = |a: [bool; 2], b: [bool; 2]| [a[0] | b[0], a[1] | b[1]];
        Needs {
            valid: self.valid | other.valid,
            sum: either(self.sum, other.sum),
            low: either(self.low, other.low),
            high: either(self.high, other.high),
        }
    }
}

type Lowest<const SKIP: bool> = Extreme<Low, SKIP>;
type Highest<const SKIP: bool> = Extreme<High, SKIP>;

/// All states of one group-by on this rank.
#[derive(Debug)]
pub(crate) struct States<T: Value> {
    shape: Shape,
    pub(crate) rows: Column<u32, Rows>,
    pub(crate) valid: Option<Column<T, Valid>>,
    pub(crate) sum: Option<Column<T, Sum<false>>>,
    pub(crate) sum_skip: Option<Column<T, Sum<true>>>,
    pub(crate) low: Option<Column<T, Lowest<false>>>,
    pub(crate) low_skip: Option<Column<T, Lowest<true>>>,
    pub(crate) high: Option<Column<T, Highest<false>>>,
    pub(crate) high_skip: Option<Column<T, Highest<true>>>,
}

impl<T: Value> States<T> {
    pub(crate) fn new(needs: Needs, shape: Shape) -> Self {
        States {
            shape,
            rows: Column::new(Shape { outer: 1, labels: shape.labels, inner: 1 }),
            valid: needs.valid.then(|| Column::new(shape)),
            sum: needs.sum[0].then(|| Column::new(shape)),
            sum_skip: needs.sum[1].then(|| Column::new(shape)),
            low: needs.low[0].then(|| Column::new(shape)),
            low_skip: needs.low[1].then(|| Column::new(shape)),
            high: needs.high[0].then(|| Column::new(shape)),
            high_skip: needs.high[1].then(|| Column::new(shape)),
        }
    }

    pub(crate) fn shape(&self) -> Shape {
        self.shape
    }

    /// Those that look at values, in the order in which they cross the wire.
    fn columns(&self) -> impl Iterator<Item = &dyn Reduce<T>> {
        fn any<T, C: Reduce<T>>(column: &Option<C>) -> Option<&dyn Reduce<T>> {
            column.as_ref().map(|column| column as &dyn Reduce<T>)
        }
        let all = [
            any(&self.valid),
            any(&self.sum),
            any(&self.sum_skip),
            any(&self.low),
            any(&self.low_skip),
            any(&self.high),
            any(&self.high_skip),
        ];
        all.into_iter().flatten()
    }

    fn columns_mut(&mut self) -> impl Iterator<Item = &mut dyn Reduce<T>> {
        fn any<T, C: Reduce<T>>(column: &mut Option<C>) -> Option<&mut dyn Reduce<T>> {
            column.as_mut().map(|column| column as &mut dyn Reduce<T>)
        }
        let all = [
            any(&mut self.valid),
            any(&mut self.sum),
            any(&mut self.sum_skip),
            any(&mut self.low),
            any(&mut self.low_skip),
            any(&mut self.high),
            any(&mut self.high_skip),
        ];
        all.into_iter().flatten()
    }

    /// Makes room for more labels in a single lane.
    pub(crate) fn grow(&mut self, labels: usize) {
        if labels > self.shape.labels {
            self.shape.labels = labels;
            self.rows.grow(labels);
            self.columns_mut().for_each(|column| column.grow(labels));
        }
    }

    /// Takes in the values that a chunk of rows has at `outer`.
    pub(crate) fn update(&mut self, outer: usize, chunk: &Chunk<'_>, values: &[T]) {
        self.columns_mut().for_each(|column| column.update(outer, chunk, values));
    }

    /// Counts the rows of a chunk.
    pub(crate) fn count(&mut self, chunk: &Chunk<'_>) {
        self.rows.update(0, chunk, chunk.codes());
    }

    /// Bytes of one label's parts.
    pub(crate) fn bytes_per_label(&self) -> usize {
        self.rows.bytes_per_label() + self.columns().map(|column| column.bytes_per_label()).sum::<usize>()
    }

    /// Appends the parts of the accumulators `at`.
    pub(crate) fn pack(&self, at: &[u32], wire: &mut Vec<u8>) {
        self.rows.pack(at, wire);
        self.columns().for_each(|column| column.pack(at, wire));
    }

    /// Makes room for the totals of the groups that this rank owns.
    pub(crate) fn begin_totals(&mut self, groups: usize) {
        self.shape.labels = groups;
        self.rows.begin_totals(groups);
        self.columns_mut().for_each(|column| column.begin_totals(groups));
    }

    /// Merges the parts of labels that are the groups `to` here.
    pub(crate) fn merge(&mut self, to: &[u32], wire: &[u8]) {
        let wire = self.rows.merge(to, wire);
        let behind = self.columns_mut().fold(wire, |wire, column| column.merge(to, wire));
        debug_assert!(behind.is_empty(), "a message holds the states that were asked for, and nothing else");
    }
}
