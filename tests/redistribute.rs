//! Arrays from any layout to any other, against slices of the whole array.

mod support;

use maniple::prelude::*;
use maniple::{ArrayError as Error, DistArrayBase, Metered};
use ndarray::{Array, ArrayD, Data, Slice, array};
use proptest::prelude::*;
use support::{counts, each_size, layouts, on, property, share};

/// A shape, and two ways to lay it over the ranks: split axis and counts, or `None` for replicated.
type Change = (Vec<usize>, Option<(usize, Vec<usize>)>, Option<(usize, Vec<usize>)>);

fn changes(ranks: usize) -> impl Strategy<Value = Change> {
    prop::collection::vec(0..7_usize, 1..4).prop_flat_map(move |shape| {
        let lay = move |shape: Vec<usize>| {
            prop::option::weighted(
                0.85,
                (0..shape.len()).prop_flat_map(move |axis| (Just(axis), counts(shape[axis], ranks))),
            )
        };
        (Just(shape.clone()), lay(shape.clone()), lay(shape))
    })
}

fn layout(shape: &[usize], cut: &Option<(usize, Vec<usize>)>, ranks: usize) -> Layout {
    match cut {
        None => Layout::replicated(shape, ranks),
        Some((axis, counts)) => {
            Layout::from_counts(shape, Axis(*axis), counts).expect("counts of this shape")
        }
    }
}

/// The block of `rank`, cut out of the whole array.
fn block(whole: &ArrayD<u32>, layout: &Layout, rank: usize) -> ArrayD<u32> {
    match layout.split() {
        None => whole.clone(),
        Some(axis) => whole.slice_axis(axis, Slice::from(layout.range(rank))).to_owned(),
    }
}

fn numbered(shape: &[usize]) -> ArrayD<u32> {
    let n: usize = shape.iter().product();
    Array::from_shape_vec(shape.to_vec(), (0..n as u32).collect()).expect("as many as the shape has")
}

fn any_layout_to_any_other() {
    property(300, changes, |comm, (shape, from, to)| {
        let whole = numbered(shape);
        let (from, to) = (layout(shape, from, comm.size()), layout(shape, to, comm.size()));
        let (comm, meter) = Metered::wrap(comm);
        let x = DistArray::from_parts(&comm, block(&whole, &from, comm.rank()), from.clone()).unwrap();
        let y = x.redistribute(&to).unwrap();
        assert_eq!(y.layout(), &to);
        assert_eq!(y.local(), block(&whole, &to, comm.rank()));
        assert_eq!(x.local(), block(&whole, &from, comm.rank()), "the input stays as it was");

        // Exactly the elements move that this rank did not have.
        let agreement = meter
            .by_call()
            .iter()
            .filter(|(call, _)| call.contains("all_gather"))
            .map(|(_, t)| t.received)
            .sum::<u64>();
        let new = match (from.split(), to.split()) {
            (None, _) => 0,
            _ => y.local().iter().filter(|v| !x.local().iter().any(|w| w == *v)).count() as u64,
        };
        assert_eq!(meter.total().received - agreement, 4 * new);
    });
}

/// Blocks in column-major order, reversed, or strided are read as what they show.
fn blocks_in_any_memory_order() {
    fn check<S: Data<Elem = u32>>(comm: &Comm, local: ndarray::ArrayBase<S, Ix2>) {
        let logical = local.to_owned();
        let x = DistArrayBase::from_local(comm, local, Axis(0)).unwrap();
        for target in
            [Axis(0), Axis(1)].map(|axis| Layout::even(x.layout().shape(), axis, comm.size()).unwrap())
        {
            assert_eq!(x.redistribute(&target).unwrap().gather().unwrap(), x.gather().unwrap());
        }
        let mine = x.layout().range(comm.rank());
        assert_eq!(x.gather().unwrap().slice_axis(Axis(0), Slice::from(mine)), logical);
    }
    each_size(|comm| {
        let rows = 2 + comm.rank() % 2;
        let block = Array2::from_shape_fn((rows, 6), |(i, j)| (100 * comm.rank() + 10 * i + j) as u32);
        check(comm, block.t().as_standard_layout().into_owned().reversed_axes());
        check(comm, block.slice(ndarray::s![..;-1, ..]));
        check(comm, block.slice(ndarray::s![.., 1..;2]));
    });
}

fn balance_keeps_the_order() {
    let reported = [(vec![0, 0, 2, 4, 4], 10), (vec![0, 0, 2, 3, 3, 3, 3], 14), (vec![9, 0, 0], 9)];
    for (reported, n) in reported {
        on(reported.len(), |comm| {
            let whole: Vec<u32> = (0..n).collect();
            let balanced = share(comm, &whole, &reported).balance().unwrap();
            let even = Layout::even(&[n as usize], Axis(0), comm.size()).unwrap();
            assert_eq!(balanced.local().to_vec(), &whole[even.range(comm.rank())]);
        });
    }
}

fn a_rank_without_columns_gets_its_row() {
    on(4, |comm| {
        let whole = array![[0, 1], [2, 3], [4, 5]];
        let column = whole.slice_axis(Axis(1), Slice::from(comm.rank().min(2)..(comm.rank() + 1).min(2)));
        let x = DistArrayView::from_local(comm, column, Axis(1)).unwrap();
        let rows = x.redistribute(&Layout::even(&[3, 2], Axis(0), 4).unwrap()).unwrap();
        assert_eq!(rows.layout().lshape_map(), array![[1, 2], [1, 2], [1, 2], [0, 2]]);
        assert_eq!(rows.local(), whole.slice_axis(Axis(0), Slice::from(rows.layout().range(comm.rank()))));
    });
}

fn an_equal_layout_moves_nothing() {
    each_size(|comm| {
        for counts in layouts(20, comm.size()) {
            let x = share(comm, &(0..20).collect::<Vec<i64>>(), &counts);
            let (begin, layout) = (x.local().as_ptr(), x.layout().clone());
            let same = x.into_layout(&layout).unwrap();
            assert_eq!(same.local().as_ptr(), begin, "not even on this rank");
        }
    });
}

fn two_arrays_are_aligned_and_stay_what_they_were() {
    on(3, |comm| {
        let a = share(comm, &[1, 2, 3, 4, 5, 6], &[1, 2, 3]);
        let b = share(comm, &[10, 20, 30, 40, 50, 60], &[2, 2, 2]);
        let aligned = a.redistribute(b.layout()).unwrap();
        let sum = DistArray::from_parts(comm, &aligned.local() + &b.local(), b.layout().clone()).unwrap();
        assert_eq!(sum.gather().unwrap(), array![11, 22, 33, 44, 55, 66]);
        assert_eq!((a.layout().counts(), b.layout().counts()), (vec![1, 2, 3], vec![2, 2, 2]));
    });
}

fn impossible_targets_are_errors_on_every_rank() {
    each_size(|comm| {
        let x = share(comm, &[1, 2, 3], &counts_of_three(comm.size()));
        let e = x.redistribute(&Layout::even(&[4], Axis(0), comm.size()).unwrap()).unwrap_err();
        assert_eq!(e.to_string(), "redistribute: shape of the target layout is [4], expected [3]");
        let e = x.redistribute(&Layout::even(&[3], Axis(0), comm.size() + 1).unwrap()).unwrap_err();
        assert_eq!(
            e.to_string(),
            format!("redistribute: number of ranks is {}, expected {}", comm.size() + 1, comm.size())
        );
        if comm.size() > 1 {
            let only = |r: usize| (0..comm.size()).map(|i| 3 * usize::from(i == r)).collect::<Vec<_>>();
            let mine = if comm.rank() == 1 { only(1) } else { only(0) };
            let e = x.redistribute(&Layout::from_counts(&[3], Axis(0), &mine).unwrap()).unwrap_err();
            assert!(
                matches!(e, Error::Disagree { what: "target layout", ref ranks, .. } if ranks.as_slice() == [1]),
                "{e}"
            );
        }
        assert_eq!(x.gather().unwrap(), array![1, 2, 3], "and the ranks go on together");
    });
}

fn counts_of_three(ranks: usize) -> Vec<usize> {
    support::counts_like(&[1, 1, 1], ranks)
}

support::tests![
    any_layout_to_any_other,
    blocks_in_any_memory_order,
    balance_keeps_the_order,
    a_rank_without_columns_gets_its_row,
    an_equal_layout_moves_nothing,
    two_arrays_are_aligned_and_stay_what_they_were,
    impossible_targets_are_errors_on_every_rank,
];
