//! The sort of values: the phases in order.

use maniple_core::{Comm, DistArray, Element, Layout, Result};
use maniple_kernels::{Key, SortKey};
use maniple_lshape::Redistribute;
use ndarray::Ix1;

use crate::backwards::reverse;
use crate::count::Counts;
use crate::exchange::Exchange;
use crate::look::Look;
use crate::options::{Input, Options};
use crate::shortcuts::{Route, Wanted, edges, follow_each_other};
use crate::sort_local::{sort_local, to_keys, to_values};

/// The elements in order.
#[track_caller]
pub(crate) fn sort<T: SortKey + Element>(x: Input<'_, T>, options: &Options) -> Result<DistArray<T, Ix1>> {
    let (comm, order) = (x.comm().clone(), options.order);
    let key = |value: &T| order.encode::<T>(value.to_key());
    let agreed = options.agree(&x, Look::at(&x.local(), order))?;
    let route = Route::choose(&x, &agreed, edges(x.local().iter().map(key)), Wanted::Keys)?;
    let layout = route.layout(x.layout(), &agreed.target);
    let mine = layout.range(comm.rank());
    let keys = match route {
        Route::InOrder if x.layout() == &agreed.target => return Ok(x.into_owned()),
        Route::InOrder => return x.into_layout(&agreed.target),
        Route::Backwards => {
            let from = x.layout().clone();
            let reversed = reverse(&comm, x.into_local(), &from, &layout)?;
            return agreed.deliver(&comm, reversed, layout);
        }
        Route::CountAll => Counts::of_all_keys(&comm, x.local().iter().map(key))?.write(Vec::new(), mine),
        Route::CountFew => {
            let each = x.layout().len() / comm.size();
            let keys = to_keys(x.into_local(), order);
            let counts = Counts::of(&keys);
            match counts.gather(&comm, each)? {
                Some(all) => all.write(keys, mine),
                None => {
                    let n = keys.len();
                    exchange(&comm, counts.write(keys, 0..n), &layout)?
                }
            }
        }
        Route::Alone => sort_local(x.into_local(), order),
        Route::Gather => {
            let sorted = sort_local(x.into_local(), order);
            Exchange::whole(&comm, &sorted, &layout).merge(&sorted)?
        }
        Route::Exchange => {
            let stays = agreed.shortcuts && x.layout() == &layout;
            let sorted = sort_local(x.into_local(), order);
            match stays && follow_each_other(&comm, &layout, &sorted)? {
                true => sorted,
                false => exchange(&comm, sorted, &layout)?,
            }
        }
    };
    agreed.deliver(&comm, to_values(keys, order), layout)
}

/// Phases 3 to 6.
#[track_caller]
fn exchange<K: Key>(comm: &Comm, sorted: Vec<K>, layout: &Layout) -> Result<Vec<K>> {
    Exchange::exact(comm, &sorted, layout)?.merge(&sorted)
}
