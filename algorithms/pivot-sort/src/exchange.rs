//! Phases 3 to 6 in terms of sorted runs: what goes where, and merging what arrives.

use std::ops::Range;

use maniple_core::{Blocks, Comm, Element, Layout, Result, memory};
use maniple_kernels::{Key, merge_into, merge_with_payload_into, multiselect};

use crate::cut::cut_ties;
use crate::splitters::search;

/// Which part of each rank's sorted run makes up this rank's part of the sorted whole.
pub(crate) struct Exchange<'a> {
    comm: &'a Comm,
    sends: Blocks,
    /// Of all that arrives, the positions of the merged whole that are wanted; all if none are named.
    slice: Option<Range<usize>>,
}

impl<'a> Exchange<'a> {
    /// Every rank cuts its run so that each element goes where it belongs in the layout `target`.
    pub(crate) fn exact<K: Key>(comm: &'a Comm, sorted: &[K], target: &Layout) -> Result<Self> {
        let splitters = search(comm, sorted, &target.displs()[1..], target.len())?;
        let sends = cut_ties(comm, sorted, &splitters)?;
        Ok(Exchange { comm, sends, slice: None })
    }

    /// Every rank sees every run whole.
    pub(crate) fn whole<K: Key>(comm: &'a Comm, sorted: &[K], target: &Layout) -> Self {
        let sends = Blocks::whole(sorted.len(), comm.size());
        Exchange { comm, sends, slice: Some(target.range(comm.rank())) }
    }

    /// This rank's part of the merged runs, which are read where the exchange shows them.
    pub(crate) fn merge<K: Key>(&self, sorted: &[K]) -> Result<Vec<K>> {
        let merged = self.comm.exchange(sorted, &self.sends, |runs| {
            let runs: Vec<&[K]> =
                runs.iter().zip(self.wanted(runs)).map(|(run, wanted)| &run[wanted]).collect();
            let mut merged = memory::with_capacity(runs.iter().map(|run| run.len()).sum());
            merge_into(&runs, &mut merged);
            merged
        })?;
        Ok(merged)
    }

    /// What belongs to the runs that this rank sees, one value per element, as `map` makes it of the value of a rank.
    pub(crate) fn receive<V: Element, P>(
        &self,
        values: &[V],
        map: impl Fn(usize, V) -> P,
    ) -> Result<Received<P>> {
        Ok(self.comm.exchange(values, &self.sends, |parts| {
            let mut received = memory::with_capacity(parts.iter().map(|part| part.len()).sum());
            for (rank, part) in parts.iter().enumerate() {
                received.extend(part.iter().map(|&value| map(rank, value)));
            }
            Received {
                values: received,
                blocks: Blocks::packed(parts.iter().map(|part| part.len()).collect()),
            }
        })?)
    }

    /// As [`merge`](Self::merge), with what [`receive`](Self::receive) has brought; equal keys in the order of ranks and positions.
    pub(crate) fn merge_with<K: Key, P: Copy>(
        &self,
        sorted: &[K],
        payload: &Received<P>,
    ) -> Result<(Vec<K>, Vec<P>)> {
        let merged = self.comm.exchange(sorted, &self.sends, |runs| {
            let payloads = payload.blocks.ranges().map(|range| &payload.values[range]);
            let runs: Vec<(&[K], &[P])> = (runs.iter().zip(payloads).zip(self.wanted(runs)))
                .map(|((keys, payload), wanted)| (&keys[wanted.clone()], &payload[wanted]))
                .collect();
            let n = runs.iter().map(|(keys, _)| keys.len()).sum();
            let (mut keys, mut payload) = (memory::with_capacity(n), memory::with_capacity(n));
            merge_with_payload_into(&runs, &mut keys, &mut payload);
            (keys, payload)
        })?;
        Ok(merged)
    }

    /// The part of each run that is wanted.
    fn wanted<K: Key>(&self, runs: &[&[K]]) -> Vec<Range<usize>> {
        match &self.slice {
            None => runs.iter().map(|run| 0..run.len()).collect(),
            Some(slice) => {
                let (begins, ends) = (multiselect(runs, slice.start), multiselect(runs, slice.end));
                begins.into_iter().zip(ends).map(|(begin, end)| begin..end).collect()
            }
        }
    }
}

/// One value for each element that a rank sees, in the order of ranks.
pub(crate) struct Received<P> {
    pub(crate) values: Vec<P>,
    pub(crate) blocks: Blocks,
}
