//! Arrays in every form, and wishes that can't be granted.

use maniple::prelude::*;
use maniple::{ArrayError as Error, Checked, DistArrayBase};
use maniple_kernels::patterns::Pattern;
use maniple_kernels::{Order, SortKey};
use maniple_sort::{Sort, find_splitters};
use ndarray::{CowArray, array};

use crate::support::{counts_like, each_size, on, share};
use crate::values::assert_sorted;

pub(crate) fn replicated_arrays() {
    each_size(|comm| {
        let whole: Vec<f64> =
            Pattern::FloatMix.keys::<u64>(500, 3, 9).into_iter().map(f64::from_key).collect();
        let order = Order::ASCENDING;
        let everywhere = DistArray::replicated(comm, Array1::from_vec(whole.clone())).unwrap();
        let sorted = everywhere.sort().run().unwrap();
        assert_eq!(sorted.layout().split(), None);
        assert_sorted(&sorted.local().to_vec(), &whole, order, "replicated");

        let even = Layout::even(&[500], Axis(0), comm.size()).unwrap();
        let split = everywhere.sort().layout(even.clone()).run().unwrap();
        assert_eq!(split.layout(), &even);
        assert_sorted(&split.gather().unwrap().to_vec(), &whole, order, "split");

        let copies = Layout::replicated(&[500], comm.size());
        for shortcuts in [true, false] {
            let x = share(comm, &whole, even.blocks().counts());
            let all = x.into_sorted().shortcuts(shortcuts).layout(copies.clone()).run().unwrap();
            assert_eq!(all.layout(), &copies);
            assert_sorted(&all.local().to_vec(), &whole, order, "to everyone");
        }
    });
}

pub(crate) fn shared_and_borrowed_arrays() {
    on(2, |comm| {
        let values = array![3, 1, 2];
        let shared = DistArrayBase::from_local(comm, values.to_shared(), Axis(0)).unwrap();
        assert_eq!(shared.sort().run().unwrap().gather().unwrap(), array![1, 1, 2, 2, 3, 3]);
        let borrowed = DistArrayBase::from_local(comm, CowArray::from(values.view()), Axis(0)).unwrap();
        assert_eq!(borrowed.into_sorted().run().unwrap().gather().unwrap(), array![1, 1, 2, 2, 3, 3]);
        assert_eq!(shared.into_sorted().run().unwrap().gather().unwrap(), array![1, 1, 2, 2, 3, 3]);
        assert_eq!(values, array![3, 1, 2]);
    });
}

pub(crate) fn impossible_wishes_are_errors_on_every_rank() {
    each_size(|comm| {
        let (p, line) = (comm.size(), |e: &Error| e.to_string());
        let x = share(comm, &[3, 1, 2], &counts_like(&[1, 1, 1], p));
        let e = x.sort().layout(Layout::even(&[4], Axis(0), p).unwrap()).run().unwrap_err();
        assert_eq!(line(&e), "sort: shape of the wanted layout is [4], expected [3]");
        let e = x.argsort().layout(Layout::even(&[3], Axis(0), p + 1).unwrap()).run().unwrap_err();
        assert_eq!(
            line(&e),
            format!("argsort: number of ranks of the wanted layout is {}, expected {p}", p + 1)
        );
        let e = x.sort_with_indices().layout(Layout::even(&[3, 1], Axis(0), p).unwrap()).run().unwrap_err();
        assert_eq!(line(&e), "sort_with_indices: shape of the wanted layout is [3, 1], expected [3]");
        assert_eq!(
            x.sort().run().unwrap().gather().unwrap(),
            array![1, 2, 3],
            "and the ranks go on together"
        );
    });
}

pub(crate) fn ranks_that_want_different_things_are_told() {
    on(3, |comm| {
        let comm = &Checked::wrap(comm); // not every transport compares calls
        let x = share(comm, &[3.0, 1.0, 2.0], &[1, 1, 1]);
        let last = comm.rank() == 2;
        let e = if last { x.sort().descending().run() } else { x.sort().run() }.unwrap_err();
        assert_eq!(
            e.to_string(),
            "sort: the ranks disagree on the order: rank 0 has Ascending, NaN Last, rank 2 Descending, NaN Last"
        );
        let to = if last { [0, 0, 3] } else { [3, 0, 0] };
        let e = x.argsort().layout(Layout::from_counts(&[3], Axis(0), &to).unwrap()).run().unwrap_err();
        assert!(matches!(e, Error::Disagree { what: "layout of the result", .. }), "{e}");
        let e = if last { x.sort().run().map(drop) } else { x.argsort().run().map(drop) }.unwrap_err();
        assert!(matches!(e, Error::Comm(_)), "{e}");
    });
}

pub(crate) fn splitters_of_different_targets_are_refused() {
    on(2, |comm| {
        let e = find_splitters(comm, &[1_u32, 2], &[comm.rank()]).unwrap_err();
        assert!(matches!(e, Error::Disagree { what: "targets", .. }), "{e}");
        let e = find_splitters(comm, &[1_u32, 2], &[5]).unwrap_err();
        assert_eq!(e.to_string(), "find_splitters: a target is 5, expected at most 4, the number of keys");
    });
}
