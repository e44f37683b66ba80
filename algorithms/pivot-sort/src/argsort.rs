//! The stable argsort: the phases in order, with positions beside the keys.
//!
//! Keys are canonical: both zeros are one key, all NaNs are. A rank sorts its keys with their positions, and from then on equal
//! keys stand in the order of ranks: on boundaries and in the merge. So the whole is stable.

use maniple_core::{Comm, DistArray, Element, Layout, Result, memory};
use maniple_kernels::{Key, SortIndex, SortKey, sort_with_index};
use maniple_lshape::Redistribute;
use ndarray::Ix1;

use crate::exchange::{Exchange, Received};
use crate::look::Look;
use crate::options::{Agreed, Input, Options};
use crate::shortcuts::{Route, Wanted, edges};
use crate::sort_local::to_values;

/// The elements in order and where they came from.
#[derive(Debug)]
pub struct Indexed<T> {
    /// The elements: `values[i]` is the input's element `indices[i]`, bit for bit.
    pub values: DistArray<T, Ix1>,
    /// Their global indices in the input; those of equal elements rise.
    pub indices: DistArray<u64, Ix1>,
}

/// The global indices of the elements in order.
#[track_caller]
pub(crate) fn argsort<T: SortKey + Element>(
    x: Input<'_, T>,
    options: &Options,
) -> Result<DistArray<u64, Ix1>> {
    let (comm, mut plan) = (x.comm().clone(), Prepared::new(&x, options)?);
    if plan.route == Route::InOrder {
        return plan.unmoved(&comm);
    }
    let (_, indices) =
        plan.rank::<u64>(&comm, x.layout(), &|_| unreachable!("only indices are asked for"))?;
    plan.agreed.deliver(&comm, indices, plan.layout)
}

/// The indices, and the elements at them.
#[track_caller]
pub(crate) fn sort_with_indices<T: SortKey + Element>(
    x: Input<'_, T>,
    options: &Options,
) -> Result<Indexed<T>> {
    let (comm, mut plan) = (x.comm().clone(), Prepared::new(&x, options)?);
    if plan.route == Route::InOrder {
        let indices = plan.unmoved(&comm)?;
        return Ok(Indexed { values: x.into_layout(&plan.agreed.target)?, indices });
    }
    let local = x.local();
    let key_at = |i: usize| options.order.encode::<T>(local[i].to_key());
    let (keys, indices) = if T::NANS == T::Key::MIN {
        plan.rank::<u64>(&comm, x.layout(), &key_at)?
    } else {
        // Equal floats may have different bits, which canonical keys forget.
        let (_, pairs) = plan.rank::<(u64, T::Key)>(&comm, x.layout(), &key_at)?;
        pairs.into_iter().map(|(index, key)| (key, index)).unzip()
    };
    let values = to_values(keys, options.order);
    let values = plan.agreed.deliver(&comm, values, plan.layout.clone())?;
    Ok(Indexed { values, indices: plan.agreed.deliver(&comm, indices, plan.layout)? })
}

/// What is known before anything is sorted.
struct Prepared<K> {
    /// Canonical; none if nothing is sorted.
    keys: Vec<K>,
    agreed: Agreed,
    route: Route,
    layout: Layout,
}

impl<K: Key> Prepared<K> {
    #[track_caller]
    fn new<T: SortKey<Key = K>>(x: &Input<'_, T>, options: &Options) -> Result<Self> {
        let local = x.local();
        let canonical = local.iter().map(|value| options.order.encode::<T>(value.canonical()));
        let agreed = options.agree(x, Look::at_order(&local, options.order))?;
        let route = Route::choose(x, &agreed, edges(canonical.clone()), Wanted::Stable)?;
        let layout = route.layout(x.layout(), &agreed.target);
        let mut keys = Vec::new();
        if route != Route::InOrder {
            keys = memory::with_capacity(local.len());
            keys.extend(canonical);
        }
        Ok(Prepared { keys, agreed, route, layout })
    }

    /// The indices of elements that are in order.
    fn unmoved(&self, comm: &Comm) -> Result<DistArray<u64, Ix1>> {
        let target = &self.agreed.target;
        let mine = if target.split().is_some() { target.range(comm.rank()) } else { 0..target.len() };
        let mut indices = memory::with_capacity(mine.len());
        indices.extend(mine.map(|i| i as u64));
        self.agreed.deliver(comm, indices, target.clone())
    }

    /// Phases 2 to 6: this rank's part of the canonical keys in order, and what stands beside them. `key_at` gives the key with
    /// all bits of a local element.
    #[track_caller]
    fn rank<P: Beside<K>>(
        &mut self,
        comm: &Comm,
        input: &Layout,
        key_at: &dyn Fn(usize) -> K,
    ) -> Result<(Vec<K>, Vec<P>)> {
        match input.counts().into_iter().all(|count| count as u64 <= u32::MAX.into()) {
            true => self.rank_by::<P, u32>(comm, input, key_at),
            false => self.rank_by::<P, u64>(comm, input, key_at),
        }
    }

    #[track_caller]
    fn rank_by<P: Beside<K>, I: SortIndex + Element>(
        &mut self,
        comm: &Comm,
        input: &Layout,
        key_at: &dyn Fn(usize) -> K,
    ) -> Result<(Vec<K>, Vec<P>)> {
        let mut keys = std::mem::take(&mut self.keys);
        let positions: Vec<I> = sort_with_index(&mut keys);
        let exchange = match self.route {
            Route::Alone => {
                let beside = positions.iter().map(|i| P::here(i.to_usize(), key_at)).collect();
                return Ok((keys, beside));
            }
            Route::Gather => Exchange::whole(comm, &keys, &self.layout),
            _ => Exchange::exact(comm, &keys, &self.layout)?,
        };
        let begins = input.displs();
        let indices = exchange.receive(&positions, |rank, i| (begins[rank] + i.to_usize()) as u64)?;
        let key_at = |i: &I| key_at(i.to_usize());
        let beside = P::receive(&exchange, indices, &mut positions.iter().map(key_at))?;
        exchange.merge_with(&keys, &beside)
    }
}

/// What goes with a canonical key: its element's index, or the key with all bits too.
trait Beside<K>: Copy {
    /// On a rank that has the whole array.
    fn here(index: usize, key_at: &dyn Fn(usize) -> K) -> Self;

    /// For the elements that this rank is going to see, whose indices have arrived. `keys` are this rank's own, in order.
    fn receive(
        exchange: &Exchange<'_>,
        indices: Received<u64>,
        keys: &mut dyn Iterator<Item = K>,
    ) -> Result<Received<Self>>;
}

impl<K> Beside<K> for u64 {
    fn here(index: usize, _: &dyn Fn(usize) -> K) -> u64 {
        index as u64
    }

    fn receive(
        _: &Exchange<'_>,
        indices: Received<u64>,
        _: &mut dyn Iterator<Item = K>,
    ) -> Result<Received<u64>> {
        Ok(indices)
    }
}

impl<K: Key> Beside<K> for (u64, K) {
    fn here(index: usize, key_at: &dyn Fn(usize) -> K) -> (u64, K) {
        (index as u64, key_at(index))
    }

    #[track_caller]
    fn receive(
        exchange: &Exchange<'_>,
        indices: Received<u64>,
        keys: &mut dyn Iterator<Item = K>,
    ) -> Result<Received<(u64, K)>> {
        let keys = exchange.receive(&keys.collect::<Vec<K>>(), |_, key| key)?;
        let both = indices.values.into_iter().zip(keys.values).collect();
        Ok(Received { values: both, blocks: indices.blocks })
    }
}

#[cfg(test)]
mod tests {
    use maniple_core::DistArrayView;
    use maniple_kernels::Order;
    use ndarray::{Array1, Axis, CowArray};

    use super::*;

    /// Positions of 64 bits serve ranks of more than 2^32 elements, which no test has.
    #[test]
    fn wide_positions_give_the_same() {
        let comm = Comm::solo();
        let values = Array1::from_iter((0..1000).map(|i| f64::from(i * 7919 % 101)));
        let x = DistArrayView::from_local(&comm, values.view(), Axis(0)).unwrap();
        let input = || Input::from_parts(&comm, CowArray::from(values.view()), x.layout().clone()).unwrap();
        let (name, order) = ("argsort", Order::ASCENDING.descending());
        let options = Options { name, order, layout: None, shortcuts: true };
        for route in [Route::Alone, Route::Gather, Route::Exchange] {
            let prepared = || Prepared { route, ..Prepared::new(&input(), &options).unwrap() };
            let key_at = |i: usize| order.encode::<f64>(values[i].to_key());
            let narrow = prepared().rank_by::<(u64, u64), u32>(&comm, x.layout(), &key_at).unwrap();
            let wide = prepared().rank_by::<(u64, u64), u64>(&comm, x.layout(), &key_at).unwrap();
            assert_eq!(narrow, wide);
            assert_eq!(narrow.1[..3], [32, 133, 234].map(|i| (i, key_at(32))));
        }
    }
}
