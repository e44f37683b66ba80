//! One state for each label and lane: from the values of this rank to the totals of all ranks.

use std::ops::Range;

use maniple_core::memory;

use crate::accumulate::{Chunk, accumulate};
use crate::state::State;

/// How states lie in memory: `[outer, labels, inner]`, as in the array that is reduced, whose lanes are `outer × inner`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) outer: usize,
    pub(crate) labels: usize,
    pub(crate) inner: usize,
}

impl Shape {
    pub(crate) fn lanes(self) -> usize {
        self.outer * self.inner
    }

    pub(crate) fn len(self) -> usize {
        self.outer * self.labels * self.inner
    }

    pub(crate) fn with_labels(self, labels: usize) -> Self {
        Shape { labels, ..self }
    }
}

/// The states of one kind.
#[derive(Debug)]
pub(crate) struct Column<T, S: State<T>> {
    shape: Shape,
    /// One accumulator more than there are labels: the last one never changes and stands for every label that is not here.
    parts: Vec<S::Part>,
    totals: Vec<S::Total>,
}

impl<T: Copy, S: State<T>> Column<T, S> {
    pub(crate) fn new(shape: Shape) -> Self {
        let parts = filled(shape.with_labels(shape.labels + 1).len(), S::IDENTITY);
        Column { shape, parts, totals: Vec::new() }
    }

    /// The accumulators, `[outer, labels + 1, inner]`.
    pub(crate) fn parts(&self) -> &[S::Part] {
        &self.parts
    }

    /// The totals, `[outer, groups, inner]`.
    pub(crate) fn totals(&self) -> &[S::Total] {
        &self.totals
    }
}

/// What all columns over values of one type have in common.
pub(crate) trait Reduce<T> {
    /// Makes room for more labels in a single lane.
    fn grow(&mut self, labels: usize);
    /// Takes in a chunk of rows, of which `values` are those of outer index `outer`.
    fn update(&mut self, outer: usize, chunk: &Chunk<'_>, values: &[T]);
    /// Bytes of one label's parts.
    fn bytes_per_label(&self) -> usize;
    /// Appends the parts of the accumulators `at`: `[outer, at, inner]`.
    fn pack(&self, at: &[u32], wire: &mut Vec<u8>);
    /// Makes room for the totals of as many groups, and forgets the parts.
    fn begin_totals(&mut self, groups: usize);
    /// Merges what [`pack`](Reduce::pack) wrote for labels that are the groups `to` here; returns the bytes behind it.
    fn merge<'a>(&mut self, to: &[u32], wire: &'a [u8]) -> &'a [u8];
}

impl<T: Copy, S: State<T>> Reduce<T> for Column<T, S> {
    fn grow(&mut self, labels: usize) {
        debug_assert_eq!(self.shape.lanes(), 1, "a new label lies behind the others in every lane");
        self.shape.labels = labels;
        self.parts.resize(labels + 1, S::IDENTITY);
    }

    fn update(&mut self, outer: usize, chunk: &Chunk<'_>, values: &[T]) {
        let Shape { labels, inner, .. } = self.shape;
        let begin = outer * (labels + 1) * inner;
        accumulate::<T, S>(&mut self.parts[begin..begin + labels * inner], chunk, values, inner);
    }

    fn bytes_per_label(&self) -> usize {
        self.shape.lanes() * size_of::<S::Part>()
    }

    fn pack(&self, at: &[u32], wire: &mut Vec<u8>) {
        let inner = self.shape.inner;
        for parts in self.parts.chunks_exact(((self.shape.labels + 1) * inner).max(1)) {
            for run in runs(at) {
                wire.extend_from_slice(bytemuck::cast_slice(&parts[lanes(run, inner)]));
            }
        }
    }

    fn begin_totals(&mut self, groups: usize) {
        self.shape.labels = groups;
        self.parts = Vec::new();
        self.totals = filled(self.shape.len(), S::NOTHING);
    }

    fn merge<'a>(&mut self, to: &[u32], wire: &'a [u8]) -> &'a [u8] {
        let (mine, behind) = wire.split_at(to.len() * self.bytes_per_label());
        let Shape { labels, inner, .. } = self.shape;
        let mut parts = mine.chunks_exact(size_of::<S::Part>());
        for totals in self.totals.chunks_exact_mut((labels * inner).max(1)) {
            for run in runs(to) {
                for (total, part) in totals[lanes(run, inner)].iter_mut().zip(&mut parts) {
                    // A peer's bytes may lie anywhere.
                    *total = S::merge(*total, bytemuck::pod_read_unaligned(part));
                }
            }
        }
        behind
    }
}

/// Stretches of neighbours: one move for each.
fn runs(at: &[u32]) -> impl Iterator<Item = &[u32]> {
    at.chunk_by(|a, b| *b == a + 1)
}

/// The states of neighbouring labels.
fn lanes(run: &[u32], inner: usize) -> Range<usize> {
    let first = run[0] as usize; // a stretch is not empty
    first * inner..(first + run.len()) * inner
}

fn filled<V: Copy>(n: usize, value: V) -> Vec<V> {
    let mut values = memory::with_capacity(n);
    values.resize(n, value);
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::Sum;

    #[test]
    fn parts_travel_to_other_positions_lane_by_lane() {
        // Two outer lanes, two inner ones, labels 0 and 1.
        let mut sent = Column::<i32, Sum<false>>::new(Shape { outer: 2, labels: 2, inner: 2 });
        let chunk = Chunk::new(&[1, 0, 1]);
        sent.update(0, &chunk, &[1, 2, 10, 20, 100, 200]);
        sent.update(1, &chunk, &[3, 4, 30, 40, 300, 400]);
        let mut wire = vec![7]; // nothing is aligned
        sent.pack(&[0, 2, 1], &mut wire); // 2: not here
        assert_eq!(wire.len(), 1 + 3 * sent.bytes_per_label());

        let mut owner = Column::<i32, Sum<false>>::new(Shape { outer: 2, labels: 0, inner: 2 });
        owner.begin_totals(3);
        let behind = owner.merge(&[0, 1, 2], &wire[1..]);
        assert!(behind.is_empty());
        owner.merge(&[2, 1, 1], &wire[1..]);
        assert_eq!(
            owner.totals(),
            [10, 20, 101, 202, 101 + 10, 202 + 20, 30, 40, 303, 404, 303 + 30, 404 + 40]
        );
    }

    #[test]
    fn no_lanes_and_no_labels() {
        for shape in [Shape { outer: 0, labels: 2, inner: 3 }, Shape { outer: 3, labels: 2, inner: 0 }] {
            let mut column = Column::<f32, Sum<true>>::new(shape);
            let mut wire = Vec::new();
            column.pack(&[0, 1], &mut wire);
            assert!(wire.is_empty());
            column.begin_totals(2);
            assert!(column.merge(&[0, 1], &[]).is_empty());
        }
    }
}
