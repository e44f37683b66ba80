//! Phase 1: is there a shorter way?

use maniple_core::{Comm, Layout, Result};
use maniple_kernels::{Key, SortKey};

use crate::count;
use crate::options::{Agreed, Input};

/// Up to this many bytes in all, showing every rank everything is faster than finding splitters.
const LITTLE: usize = 64 << 10;

/// The way a sort goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    /// Each rank has everything: one rank, or a replicated array.
    Alone,
    /// The whole is in order: at most its layout changes.
    InOrder,
    /// The whole is in order backwards.
    Backwards,
    /// So little that everyone looks at everything and takes its part.
    Gather,
    /// So few possible keys that counting each says it all.
    CountAll,
    /// So few different keys that counting those says it all.
    CountFew,
    /// Splitters, one exchange, merge.
    Exchange,
}

/// What a route may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// Only keys: equal ones can't be told apart.
    Keys,
    /// Equal keys in the order of their indices.
    Stable,
}

impl Route {
    /// The ladder. `edges` are this rank's first and last key.
    pub(crate) fn choose<T: SortKey>(
        x: &Input<'_, T>,
        agreed: &Agreed,
        edges: Option<[T::Key; 2]>,
        wanted: Wanted,
    ) -> Result<Route> {
        let (layout, comm, looks) = (x.layout(), x.comm(), &agreed.looks);
        let (n, each) = (layout.len(), layout.len() / comm.size());
        if comm.size() == 1 || layout.split().is_none() {
            return Ok(Route::Alone);
        }
        if !agreed.shortcuts {
            return Ok(Route::Exchange);
        }
        let (rising, falling) = (looks.iter().all(|look| look.rising), looks.iter().all(|look| look.falling));
        if rising && parts_hold(comm, layout, edges, |left, right| left[1] <= right[0])? {
            return Ok(Route::InOrder);
        }
        if falling
            && wanted == Wanted::Keys
            && parts_hold(comm, layout, edges, |left, right| left[1] >= right[0])?
        {
            return Ok(Route::Backwards);
        }
        Ok(match wanted {
            _ if n * size_of::<T>() <= LITTLE => Route::Gather,
            Wanted::Keys if count::all_keys_pay::<T::Key>(each) => Route::CountAll,
            Wanted::Keys if count::few_keys_pay::<T::Key>(each, looks) => Route::CountFew,
            _ => Route::Exchange,
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

/// Does `holds` for the edges of the parts of every two neighbours, of the ranks that have any?
fn parts_hold<K: Key>(
    comm: &Comm,
    layout: &Layout,
    edges: Option<[K; 2]>,
    holds: impl Fn([K; 2], [K; 2]) -> bool,
) -> Result<bool> {
    let all = comm.all_gather_value(edges.unwrap_or([K::MIN; 2]))?;
    let parts: Vec<[K; 2]> = (0..comm.size()).filter(|&r| layout.count(r) > 0).map(|r| all[r]).collect();
    Ok(parts.windows(2).all(|pair| holds(pair[0], pair[1])))
}

/// Do the sorted parts follow each other, so that the whole is in order?
pub(crate) fn follow_each_other<K: Key>(comm: &Comm, layout: &Layout, sorted: &[K]) -> Result<bool> {
    parts_hold(comm, layout, edges(sorted.iter().copied()), |left, right| left[1] <= right[0])
}

/// First and last of some keys.
pub(crate) fn edges<K: Copy>(mut keys: impl DoubleEndedIterator<Item = K>) -> Option<[K; 2]> {
    let first = keys.next()?;
    Some([first, keys.next_back().unwrap_or(first)])
}
