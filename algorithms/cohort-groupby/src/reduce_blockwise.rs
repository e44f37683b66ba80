//! Phase 2: this rank's values into one accumulator for each label and lane, all states in one pass.

use maniple_kernels::Key;

use crate::accumulate::Chunk;
use crate::align::Block;
use crate::column::Shape;
use crate::factorize::{Factors, Misfit};
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

/// Reduces a block, by codes that fit its labels.
pub(crate) fn reduce_blockwise<T: Value, L: Label>(
    block: Block<'_, T, L>,
    needs: Needs,
) -> (States<T>, Present<L::Key>) {
    let (outer, inner) = block.lanes;
    let mut factors = Factors::guess(block.labels, outer * inner);
    loop {
        match reduce(block, &mut factors, needs) {
            Ok(states) => {
                let present = present(&factors, &states);
                return (states, present);
            }
            Err(Misfit) => factors = factors.after_misfit(block.labels),
        }
    }
}

/// Chunk by chunk: codes, then every state.
fn reduce<T: Value, L: Label>(
    block: Block<'_, T, L>,
    factors: &mut Factors<L::Key>,
    needs: Needs,
) -> Result<States<T>, Misfit> {
    let Block { values, labels, lanes: (outer, inner) } = block;
    let mut states = States::new(needs, Shape { outer, labels: factors.len(), inner });
    let rows = (CHUNK / inner.max(1)).max(1);
    let mut codes = Vec::with_capacity(rows.min(labels.len()));
    for begin in (0..labels.len()).step_by(rows) {
        let end = labels.len().min(begin + rows);
        factors.encode(labels, begin..end, &mut codes)?;
        states.grow(factors.len());
        let chunk = Chunk::new(&codes);
        states.count(&chunk);
        for outer in 0..outer {
            let first = outer * labels.len();
            states.update(outer, &chunk, &values[(first + begin) * inner..(first + end) * inner]);
        }
    }
    Ok(states)
}

/// The labels whose codes have rows.
fn present<T: Value, K: Key>(factors: &Factors<K>, states: &States<T>) -> Present<K> {
    let rows = &states.rows.parts()[..factors.len()];
    let codes = (0..).zip(rows).filter(|(_, rows)| **rows > 0).map(|(code, _)| code);
    let mut present: Vec<(K, u32)> = codes.map(|code| (factors.key(code), code)).collect();
    if !present.is_sorted() {
        present.sort_unstable(); // codes in the order of appearance
    }
    let (keys, at) = present.into_iter().unzip();
    Present { keys, at }
}
