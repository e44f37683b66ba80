//! Stable argsort: every type, layout, order and number of ranks against a naive one.

mod support;
#[path = "support/values.rs"]
mod values;

use maniple::prelude::*;
use maniple::{Blocks, Layout, Metered};
use maniple_kernels::patterns::Pattern;
use maniple_kernels::{Order, SortKey};
use maniple_sort::Sort;
use ndarray::array;
use support::{counts_like, each_size, layouts, on, property, share};
use values::{Case, Value, bits, cases, every_type, naive_argsort};

fn ranks_elements<T: Value>(comm: &Comm, case: &Case) {
    let keys = case.pattern.keys::<T::Key>(case.n, comm.size(), 1);
    let whole: Vec<T> = keys.into_iter().map(T::of_pattern).collect();
    let expected = naive_argsort(&whole, case.order);
    let x = share(comm, &whole, &case.from);

    let indices = case.ask(x.argsort()).run().unwrap();
    assert_eq!(&indices.layout().counts(), case.to.as_ref().unwrap_or(&case.from));
    assert_eq!(indices.gather().unwrap().to_vec(), expected, "{case:?}");

    let both = case.ask(x.sort_with_indices()).run().unwrap();
    assert_eq!((both.values.layout(), both.indices.layout()), (indices.layout(), indices.layout()));
    assert_eq!(both.indices.gather().unwrap().to_vec(), expected, "{case:?}");
    let pointed_at: Vec<T> = expected.iter().map(|&i| whole[i as usize]).collect();
    assert_eq!(bits(&both.values.gather().unwrap().to_vec()), bits(&pointed_at), "{case:?}");
}

/// Every key there is, and every way from values to keys.
fn every_kind_of_key_layout_and_order() {
    property(80, cases, |comm, case| {
        every_type! { ranks_elements(comm, case): u8 i16 u32 i64 u128 bool f32 f64 }
    });
}

fn every_pattern_on_the_general_way() {
    each_size(|comm| {
        for &pattern in Pattern::ALL {
            let whole: Vec<f64> =
                pattern.keys::<u64>(2_000, comm.size(), 2).into_iter().map(f64::from_key).collect();
            let expected = naive_argsort(&whole, Order::ASCENDING);
            for counts in layouts(whole.len(), comm.size()) {
                let indices = share(comm, &whole, &counts).argsort().shortcuts(false).run().unwrap();
                assert_eq!(indices.gather().unwrap().to_vec(), expected, "{pattern:?} as {counts:?}");
            }
        }
    });
}

fn the_same_on_any_number_of_ranks() {
    for pattern in [Pattern::EightDup, Pattern::HeavyKey, Pattern::FloatMix] {
        let whole: Vec<f32> = pattern.keys::<u32>(30_011, 4, 5).into_iter().map(f32::from_key).collect();
        let expected = naive_argsort(&whole, Order::ASCENDING.descending());
        for ranks in [1, 2, 3, 5, 8, 16] {
            on(ranks, |comm| {
                let x = share(comm, &whole, Blocks::even(whole.len(), ranks).counts());
                let indices = x.argsort().descending().run().unwrap();
                assert_eq!(indices.gather().unwrap().to_vec(), expected, "{pattern:?} on {ranks} ranks");
            });
        }
    }
}

/// Ranks of a reported input in its own layout and all others, with shortcuts and without.
fn indices_are<T: Value>(whole: &[T], layout: &[usize], ascending: &[u64], descending: &[u64]) {
    each_size(|comm| {
        let own = counts_like(layout, comm.size());
        for counts in [own].into_iter().chain(layouts(whole.len(), comm.size())) {
            for shortcuts in [true, false] {
                let x = share(comm, whole, &counts);
                let up = x.argsort().shortcuts(shortcuts).run().unwrap();
                assert_eq!(up.gather().unwrap().to_vec(), ascending, "{counts:?}");
                let down = x.argsort().descending().shortcuts(shortcuts).run().unwrap();
                assert_eq!(down.gather().unwrap().to_vec(), descending, "{counts:?}");
                assert_eq!(down.layout(), x.layout());
            }
        }
    });
}

/// Reversing the ascending result would reverse the ties too.
fn ties_keep_their_order_when_falling() {
    indices_are(&[2_i64, 5, 2, 5, 1], &[2, 1, 2], &[4, 0, 2, 1, 3], &[1, 3, 0, 2, 4]);
}

fn ties_keep_their_order() {
    let whole = [3_i64, 1, 3, 1, 2, 3, 1, 2];
    indices_are(&whole, &[3, 0, 1, 4], &[1, 3, 6, 4, 7, 0, 2, 5], &[0, 2, 5, 4, 7, 1, 3, 6]);
}

fn three_distinct_keys() {
    indices_are(
        &[1_i64, 3, 2, 3, 3, 1, 2, 1, 3, 2, 2, 1],
        &[5, 0, 4, 3],
        &[0, 5, 7, 11, 2, 6, 9, 10, 1, 3, 4, 8],
        &[1, 3, 4, 8, 2, 6, 9, 10, 0, 5, 7, 11],
    );
}

fn equal_keys_stand_in_the_order_of_the_input() {
    indices_are(&[7_i64; 8], &[2, 2, 2, 2], &[0, 1, 2, 3, 4, 5, 6, 7], &[0, 1, 2, 3, 4, 5, 6, 7]);
}

fn from_one_rank_to_all() {
    on(3, |comm| {
        let x = share(comm, &[9_i64, 8, 7, 6, 5, 4, 3, 2, 1], &[0, 0, 9]);
        let even = Layout::even(&[9], Axis(0), 3).unwrap();
        let indices = x.argsort().layout(even).run().unwrap();
        assert_eq!(indices.local().to_vec(), [[8, 7, 6], [5, 4, 3], [2, 1, 0]][comm.rank()]);
    });
}

/// To an argsort zeros of either sign are equal, and so are all NaNs.
fn zeros_and_nans_are_ties() {
    let whole = [0.0, -0.0, f64::NAN, -f64::NAN, 0.0, -1.0, f64::NAN];
    indices_are(&whole, &[2, 0, 5], &[5, 0, 1, 4, 2, 3, 6], &[0, 1, 4, 5, 2, 3, 6]);
}

/// By several columns: sorted by the last one first, each pass keeping the order of the one before.
fn several_keys_by_stable_passes() {
    each_size(|comm| {
        let columns = [[3_i64, 1, 3, 1, 2], [1, 9, 0, 2, 5]];
        let counts = counts_like(&[2, 2, 1], comm.size());
        let mut rows: Vec<u64> = (0..5).collect();
        for column in columns.iter().rev() {
            let keys: Vec<i64> = rows.iter().map(|&row| column[row as usize]).collect();
            let indices = share(comm, &keys, &counts).argsort().run().unwrap().gather().unwrap();
            rows = indices.iter().map(|&i| rows[i as usize]).collect();
        }
        assert_eq!(rows, [3, 1, 4, 2, 0]);
    });
}

/// Indices are whole numbers of 64 bits, whatever is sorted: f32 could not tell these apart.
fn indices_beyond_the_floats() {
    on(2, |comm| {
        let n = (1 << 24) + 6;
        let mine = Blocks::even(n, 2).range(comm.rank());
        let local = Array1::from_iter(mine.map(|i| if i + 1 == n { -1_i8 } else { 0 }));
        let x = DistArray::from_local(comm, local, Axis(0)).unwrap();
        let indices = x.argsort().run().unwrap();
        let expected = |at: usize| if at == 0 { n as u64 - 1 } else { at as u64 - 1 };
        let begin = indices.layout().range(comm.rank()).start;
        assert!(indices.local().iter().enumerate().all(|(i, &index)| index == expected(begin + i)));
    });
}

fn input_in_order_moves_nothing() {
    on(4, |comm| {
        let (comm, meter) = Metered::wrap(comm);
        let whole: Vec<i64> = (0..40_000).map(|i| i / 7).collect();
        let x = share(&comm, &whole, &[10_000, 0, 20_000, 10_000]);
        let before = meter.total().sent;
        let indices = x.argsort().layout(Layout::even(&[40_000], Axis(0), 4).unwrap()).run().unwrap();
        assert!(meter.total().sent - before <= 32 * 3, "{meter:?}");
        let begin = indices.layout().range(comm.rank()).start as u64;
        assert!(indices.local().iter().enumerate().all(|(i, &index)| index == begin + i as u64));
    });
}

/// Keys and positions of 4 bytes move, once.
fn keys_and_positions_move_once() {
    on(5, |comm| {
        let whole: Vec<u64> = Pattern::Uniform.keys(100_000, 5, 3);
        let (comm, meter) = Metered::wrap(comm);
        let x = share(&comm, &whole, Blocks::even(whole.len(), 5).counts());
        x.argsort().run().unwrap();
        let elements =
            |what| meter.by_call().iter().filter(|(c, _)| c.contains(what)).map(|c| c.1.sent).sum::<u64>();
        let n = x.local().len() as u64;
        let (keys, positions) = (elements("exchange::<u64>"), elements("exchange::<u32>"));
        assert!(keys > 4 * n && keys <= 8 * n, "{keys} bytes of keys");
        assert_eq!(2 * positions, keys);
    });
}

fn replicated_arrays() {
    each_size(|comm| {
        let values = array![2.0, f64::NAN, -0.0, 0.0, -3.0];
        let x = DistArray::replicated(comm, values.clone()).unwrap();
        let both = x.sort_with_indices().run().unwrap();
        assert_eq!((both.values.layout().split(), both.indices.layout().split()), (None, None));
        assert_eq!(both.indices.local(), array![4, 2, 3, 0, 1]);
        assert_eq!(format!("{}", both.values.local()), "[-3, -0, 0, 2, NaN]");
        let even = Layout::even(&[5], Axis(0), comm.size()).unwrap();
        let split = x.argsort().layout(even.clone()).run().unwrap();
        assert_eq!((split.layout(), split.gather().unwrap()), (&even, array![4, 2, 3, 0, 1]));
        let copies = share(comm, &values.to_vec(), even.blocks().counts())
            .argsort()
            .layout(Layout::replicated(&[5], comm.size()))
            .run()
            .unwrap();
        assert_eq!(copies.local(), array![4, 2, 3, 0, 1]);
    });
}

support::tests![
    every_kind_of_key_layout_and_order,
    every_pattern_on_the_general_way,
    the_same_on_any_number_of_ranks,
    ties_keep_their_order_when_falling,
    ties_keep_their_order,
    three_distinct_keys,
    equal_keys_stand_in_the_order_of_the_input,
    from_one_rank_to_all,
    zeros_and_nans_are_ties,
    several_keys_by_stable_passes,
    indices_beyond_the_floats,
    input_in_order_moves_nothing,
    keys_and_positions_move_once,
    replicated_arrays,
];
