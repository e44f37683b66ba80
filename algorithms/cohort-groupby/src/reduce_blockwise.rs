//! Phase 2: this rank's values into one accumulator for each label and lane, all states in one pass.

use maniple_kernels::Key;

use crate::accumulate::Chunk;
use crate::align::Block;
use crate::column::Shape;
use crate::factorize::Factors;
use crate::states::{Needs, States};
use crate::value::{Label, Value};

/// Values taken at once: they stay in the second-level cache while one state after the other reads them.
const CHUNK: usize = 1 << 13;

/// The labels that this rank has, ascending, and the accumulator of each.
#[derive(Debug)]
pub(crate) struct Present<K> {
    pub(crate) keys: Vec<K>,
    pub(crate) at: Vec<u32>,
}

/// Reduces a block by the codes of its labels.
pub(crate) fn reduce_blockwise<T: Value, L: Label>(
    block: Block<'_, T, L>,
    factors: &Factors<L::Key>,
    needs: Needs,
) -> (States<T>, Present<L::Key>) {
    let Block { values, labels, lanes: (outer, inner) } = block;
    let shape = Shape { outer, labels: factors.len(), inner };
    let mut states = States::new(needs, shape);
    let rows = (CHUNK / inner.max(1)).max(1);
    for begin in (0..labels.len()).step_by(rows) {
        let end = labels.len().min(begin + rows);
        let codes = factors.codes(labels, begin..end);
        let chunk = Chunk::new(&codes);
        states.count(&chunk);
        for outer in 0..outer {
            let first = outer * labels.len();
            states.update(outer, &chunk, &values[(first + begin) * inner..(first + end) * inner]);
        }
    }
    let present = present(factors, &states);
    (states, present)
}

/// The codes that have rows.
fn present<T: Value, K: Key>(factors: &Factors<K>, states: &States<T>) -> Present<K> {
    let rows = &states.rows.parts()[..factors.len()];
    let at: Vec<u32> = (0..).zip(rows).filter(|(_, rows)| **rows > 0).map(|(code, _)| code).collect();
    Present { keys: at.iter().map(|&code| factors.key(code as usize)).collect(), at }
}
