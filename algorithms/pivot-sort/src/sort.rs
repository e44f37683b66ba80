//! The sort of values: the phases in order.

use maniple_core::{DistArray, Element, Result};
use maniple_kernels::{SortKey, from_keys};
use maniple_lshape::Redistribute;
use ndarray::Ix1;

use crate::exchange::Exchange;
use crate::histogram::count_and_fill;
use crate::options::{Input, Options};
use crate::shortcuts::{Route, edges, in_order};
use crate::sort_local::sort_local;

/// The elements in order.
#[track_caller]
pub(crate) fn sort<T: SortKey + Element>(x: Input<'_, T>, options: &Options) -> Result<DistArray<T, Ix1>> {
    let (comm, order) = (x.comm().clone(), options.order);
    let key = |value: &T| order.encode::<T>(value.to_key());
    let agreed = options.agree(&x, in_order(&x.local(), order))?;
    let route = Route::choose(&x, &agreed, edges(x.local().iter().map(key)), true)?;
    let layout = route.layout(x.layout(), &agreed.target);
    let keys = match route {
        Route::InOrder if x.layout() == &agreed.target => return Ok(x.into_owned()),
        Route::InOrder => return x.into_layout(&agreed.target),
        Route::Histogram => count_and_fill(&comm, x.local().iter().map(key), layout.range(comm.rank()))?,
        Route::Alone => sort_local(x.into_local(), order),
        Route::Gather => {
            let sorted = sort_local(x.into_local(), order);
            Exchange::whole(&comm, &sorted, &layout).merge(&sorted)?
        }
        Route::Exchange => {
            let sorted = sort_local(x.into_local(), order);
            Exchange::exact(&comm, &sorted, &layout)?.merge(&sorted)?
        }
    };
    agreed.deliver(&comm, from_keys(keys, order), layout)
}
