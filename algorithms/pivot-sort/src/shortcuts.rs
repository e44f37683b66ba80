//! Phase 1: is there a shorter way?

use maniple_core::{Comm, Layout, Result};
use maniple_kernels::{Key, Order, SortKey};
use ndarray::ArrayView1;

use crate::histogram;
use crate::options::{Agreed, Input};

/// Up to this many bytes in all, showing every rank everything is faster than finding splitters.
const LITTLE: usize = 64 << 10;

/// Elements looked at between two questions whether to go on.
const STRIDE: usize = 256;

/// The way a sort goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    /// Each rank has everything: one rank, or a replicated array.
    Alone,
    /// The whole is in order: at most its layout changes.
    InOrder,
    /// So little that everyone looks at everything and takes its part.
    Gather,
    /// So few possible keys that counting them says it all.
    Histogram,
    /// Splitters, one exchange, merge.
    Exchange,
}

impl Route {
    /// The ladder. `edges` are this rank's first and last key, `countable` says whether the keys alone are the result.
    pub(crate) fn choose<T: SortKey>(
        x: &Input<'_, T>,
        agreed: &Agreed,
        edges: Option<[T::Key; 2]>,
        countable: bool,
    ) -> Result<Route> {
        let (layout, comm) = (x.layout(), x.comm());
        let n = layout.len();
        Ok(if comm.size() == 1 || layout.split().is_none() {
            Route::Alone
        } else if !agreed.shortcuts {
            Route::Exchange
        } else if agreed.parts_in_order && edges_in_order(comm, layout, edges)? {
            Route::InOrder
        } else if n * size_of::<T>() <= LITTLE {
            Route::Gather
        } else if countable && histogram::pays::<T::Key>(n / comm.size()) {
            Route::Histogram
        } else {
            Route::Exchange
        })
    }

    /// The layout in which this route produces the result: the wanted one, unless every rank has, or wants, everything.
    pub(crate) fn layout(self, input: &Layout, wanted: &Layout) -> Layout {
        match self {
            Route::Alone => input.clone(),
            _ if wanted.split().is_none() => input.clone(),
            _ => wanted.clone(),
        }
    }
}

/// Do the ranks' parts, each in order, follow each other?
fn edges_in_order<K: Key>(comm: &Comm, layout: &Layout, edges: Option<[K; 2]>) -> Result<bool> {
    let all = comm.all_gather_value(edges.unwrap_or([K::MIN; 2]))?;
    let parts: Vec<_> = (0..comm.size()).filter(|&r| layout.count(r) > 0).map(|r| all[r]).collect();
    Ok(parts.windows(2).all(|pair| pair[0][1] <= pair[1][0]))
}

/// Is this rank's part in order? Unsorted elements are seen through after a few.
pub(crate) fn in_order<T: SortKey>(local: &ArrayView1<'_, T>, order: Order) -> bool {
    let key = |value: &T| order.encode::<T>(value.to_key());
    match local.as_slice() {
        // A stride without a branch is faster than a look at each.
        Some(values) => (0..values.len().saturating_sub(1)).step_by(STRIDE).all(|begin| {
            let stride = &values[begin..values.len().min(begin + STRIDE + 1)];
            stride.windows(2).fold(true, |rising, pair| rising & (key(&pair[0]) <= key(&pair[1])))
        }),
        None => local.iter().is_sorted_by_key(key),
    }
}

/// First and last of keys that stand in order.
pub(crate) fn edges<K: Copy>(mut keys: impl DoubleEndedIterator<Item = K>) -> Option<[K; 2]> {
    let first = keys.next()?;
    Some([first, keys.next_back().unwrap_or(first)])
}
