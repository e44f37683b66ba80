//! Inputs on which other tools were reported to fail, each in its own layout and in all others.

use maniple::prelude::*;
use maniple::{Blocks, DistArrayBase};
use maniple_sort::Sort;
use ndarray::array;

use crate::support::{counts_like, each_size, layouts, on, share};
use crate::values::Value;

/// Reported inputs in their own layout, and in all others.
fn reported<T: Value>(whole: &[T], reported: &[usize], check: impl Fn(&Comm, &DistArray<T, Ix1>) + Sync) {
    each_size(|comm| {
        check(comm, &share(comm, whole, &counts_like(reported, comm.size())));
        for counts in layouts(whole.len(), comm.size()) {
            check(comm, &share(comm, whole, &counts));
        }
    });
}

/// Sorted both ways, with shortcuts and without, as they print: NaN equals NaN, and -0.0 is not 0.0.
fn sorts_to<T: Value>(whole: &[T], layout: &[usize], ascending: &[T], descending: &[T]) {
    let print = |values: &[T]| format!("{values:?}");
    reported(whole, layout, |_, x| {
        for shortcuts in [true, false] {
            let sorted = x.sort().shortcuts(shortcuts).run().unwrap();
            assert_eq!(sorted.layout(), x.layout());
            assert_eq!(print(&sorted.gather().unwrap().to_vec()), print(ascending));
            let falling = x.sort().descending().shortcuts(shortcuts).run().unwrap();
            assert_eq!(print(&falling.gather().unwrap().to_vec()), print(descending));
        }
    });
}

const NAN: f64 = f64::NAN;
const INF: f64 = f64::INFINITY;

/// A bound taken by `min` becomes NaN, and negatives are overlooked.
pub(crate) fn nan_beside_negatives() {
    sorts_to(
        &[2.5, 0.0, NAN, -1.0, -INF, 0.0, INF],
        &[3, 0, 4],
        &[-INF, -1.0, 0.0, 0.0, 2.5, INF, NAN],
        &[INF, 2.5, 0.0, 0.0, -1.0, -INF, NAN],
    );
}

/// A NaN with its sign bit set is as large as any other.
pub(crate) fn nan_of_either_sign() {
    let bits =
        [0x3ff0 << 48, 0xfff8 << 48, 0xfff0 << 48, 0x7ff8 << 48, 0, 0xc014_u64 << 48].map(f64::from_bits);
    sorts_to(&bits, &[2, 2, 2], &[-INF, -5.0, 0.0, 1.0, NAN, NAN], &[1.0, 0.0, -5.0, -INF, NAN, NAN]);
    reported(&bits, &[2, 2, 2], |_, x| {
        assert_eq!(x.argsort().run().unwrap().gather().unwrap(), array![2, 5, 4, 0, 1, 3]);
    });
}

/// So many NaNs that a comparison which is no order would leave numbers unsorted too.
pub(crate) fn many_nans() {
    let value = |i: u64| if i.is_multiple_of(5) { NAN } else { (i * 7919 % 1013) as f64 };
    let whole: Vec<f64> = (0..32_768).map(value).collect();
    for ranks in [1, 3, 4, 7] {
        on(ranks, |comm| {
            let sorted = share(comm, &whole, Blocks::even(whole.len(), ranks).counts()).sort().run().unwrap();
            let all = sorted.gather().unwrap().to_vec();
            assert_eq!(all.iter().position(|v| v.is_nan()), Some(26_214));
            assert_eq!(all.iter().filter(|v| v.is_nan()).count(), 6_554);
            assert!(all[..26_214].is_sorted());
            assert_eq!([0, 1, 1_000, 13_107, 26_213].map(|i| all[i]), [0.0, 0.0, 38.0, 506.0, 1012.0]);
        });
    }
}

/// One key on more than two ranks loses no element, on input that is in order already.
pub(crate) fn one_key_on_many_ranks() {
    let whole = [4_i64, 4, 8, 8, 8, 8, 8, 8, 8, 9];
    let mut falling = whole;
    falling.reverse();
    sorts_to(&whole, &[3, 3, 2, 2], &whole, &falling);
}

/// Few distinct keys still spread over all ranks.
pub(crate) fn one_key_on_all_ranks() {
    sorts_to(&[7_i64; 8], &[2, 2, 2, 2], &[7; 8], &[7; 8]);
    on(4, |comm| {
        let even = Layout::even(&[8], Axis(0), 4).unwrap();
        let sorted = share(comm, &[7_i64; 8], &[8, 0, 0, 0]).sort().layout(even).run().unwrap();
        assert_eq!(sorted.local(), array![7, 7]);
    });
}

/// All elements on the last rank, wanted evenly.
pub(crate) fn from_one_rank_to_all() {
    for shortcuts in [true, false] {
        on(3, |comm| {
            let x = share(comm, &[9_i64, 8, 7, 6, 5, 4, 3, 2, 1], &[0, 0, 9]);
            let even = Layout::even(&[9], Axis(0), 3).unwrap();
            let sorted = x.sort().shortcuts(shortcuts).layout(even).run().unwrap();
            assert_eq!(sorted.local().to_vec(), [[1, 2, 3], [4, 5, 6], [7, 8, 9]][comm.rank()]);
        });
    }
}

/// A column and a row of a matrix, as they lie in its memory; reversed, too.
pub(crate) fn columns_and_rows_of_a_matrix() {
    each_size(|comm| {
        let a = Array2::from_shape_fn((4, 6), |(i, j)| ((7 * j + 18 * i) % 24) as i64);
        assert_eq!((a[[1, 3]], a[[2, 4]]), (15, 16));
        let rows = counts_like(&[2, 1, 1], comm.size());
        let mine = Blocks::packed(rows).range(comm.rank());
        let column = a.column(2);
        let local = column.slice(ndarray::s![mine]);
        for local in [local, local.slice(ndarray::s![..;-1])] {
            let x = DistArrayBase::from_local(comm, local, Axis(0)).unwrap();
            assert_eq!(x.sort().run().unwrap().gather().unwrap(), array![2, 8, 14, 20]);
            let owned = x.to_owned();
            assert_eq!(owned.into_sorted().run().unwrap().gather().unwrap(), array![2, 8, 14, 20]);
        }
        let row = DistArrayView::from_replicated(comm, a.row(3), Axis(0)).unwrap();
        assert_eq!(row.sort().run().unwrap().gather().unwrap(), array![3, 6, 10, 13, 17, 20]);
    });
}

/// NaN stays last in falling order; on request it is first in both.
pub(crate) fn nan_last_in_both_directions() {
    let whole = [3.0, NAN, 1.0, 2.0, NAN];
    sorts_to(&whole, &[2, 3], &[1.0, 2.0, 3.0, NAN, NAN], &[3.0, 2.0, 1.0, NAN, NAN]);
    reported(&whole, &[2, 3], |_, x| {
        let flipped = x.sort().descending().nan_first().run().unwrap().gather().unwrap();
        assert_eq!(format!("{flipped}"), "[NaN, NaN, 3, 2, 1]");
    });
}

pub(crate) fn nan_in_every_width() {
    let whole = [1.5, NAN, -2.0, 0.25, NAN, -0.5];
    let (up, down) = ([-2.0, -0.5, 0.25, 1.5, NAN, NAN], [1.5, 0.25, -0.5, -2.0, NAN, NAN]);
    sorts_to(&whole, &[1, 5], &up, &down);
    let narrow = |values: [f64; 6]| values.map(|v| v as f32);
    sorts_to(&narrow(whole), &[1, 5], &narrow(up), &narrow(down));
}
