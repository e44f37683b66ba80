//! Sorting values: every type, layout, order and number of ranks against a naive order.

mod support;
#[path = "support/values.rs"]
mod values;

use maniple::prelude::*;
use maniple::{ArrayError as Error, Blocks, DistArrayBase, Layout, Metered};
use maniple_kernels::patterns::Pattern;
use maniple_kernels::{Key, Order, SortKey};
use maniple_sort::{Sort, cut_between, cut_ties, find_splitters};
use ndarray::{CowArray, array};
use proptest::prelude::*;
use support::{RANKS, counts, counts_like, each_size, layouts, on, property, share};
use values::{Case, Value, assert_sorted, bits, cases, every_type};

fn sorts<T: Value>(comm: &Comm, case: &Case) {
    let keys = case.pattern.keys::<T::Key>(case.n, comm.size(), 1);
    let whole: Vec<T> = keys.into_iter().map(T::of_pattern).collect();
    let x = share(comm, &whole, &case.from);
    let sorted = case.ask(x.sort()).run().unwrap();
    assert_eq!(&sorted.layout().counts(), case.to.as_ref().unwrap_or(&case.from));
    assert_eq!(
        bits(&x.local().to_vec()),
        bits(&share(comm, &whole, &case.from).local().to_vec()),
        "the input stays"
    );
    let found = sorted.gather().unwrap().to_vec();
    assert_sorted(&found, &whole, case.order, &format!("{case:?}"));

    let consumed = case.ask(x.into_sorted()).run().unwrap().gather().unwrap();
    assert_eq!(bits(&consumed.to_vec()), bits(&found), "{case:?}");
}

fn every_type_layout_and_order() {
    property(80, cases, |comm, case| {
        every_type! { sorts(comm, case) }
    });
}

/// Beyond the little that is gathered, and up to more ranks than any other test has.
fn the_same_bits_on_any_number_of_ranks() {
    for pattern in [Pattern::FloatMix, Pattern::Zipf, Pattern::HeavyBoundary, Pattern::Lognormal] {
        let whole: Vec<f64> = pattern.keys::<u64>(20_011, 4, 5).into_iter().map(f64::from_key).collect();
        let mut results = [1, 2, 3, 5, 8, 16].into_iter().map(|ranks| {
            on(ranks, |comm| {
                let x = share(comm, &whole, Blocks::even(whole.len(), ranks).counts());
                bits(&x.sort().run().unwrap().gather().unwrap().to_vec())
            })
            .pop()
        });
        let first = results.next();
        assert!(results.all(|result| Some(result) == first), "{pattern:?}");
    }
}

fn every_pattern_on_the_general_way() {
    for ranks in RANKS {
        on(ranks, |comm| {
            for &pattern in Pattern::ALL {
                let whole: Vec<u64> = pattern.keys(3_000, comm.size(), 2);
                let mut expected = whole.clone();
                expected.sort_unstable();
                for counts in layouts(whole.len(), comm.size()) {
                    let sorted = share(comm, &whole, &counts).sort().shortcuts(false).run().unwrap();
                    assert_eq!(sorted.gather().unwrap().to_vec(), expected, "{pattern:?} as {counts:?}");
                }
            }
        });
    }
}

fn splitters_cut_at_their_targets() {
    fn check<K: Key>(comm: &Comm, whole: &[K], counts: &[usize], targets: &[usize]) {
        let mut mine = share(comm, whole, counts).into_local().to_vec();
        mine.sort_unstable();
        let splitters = find_splitters(comm, &mine, targets).unwrap();
        let everyones = comm.all_gather(&splitters.iter().map(|s| s.key).collect::<Vec<K>>()).unwrap();
        assert!(everyones.chunks(targets.len().max(1)).all(|keys| keys == &everyones[..targets.len()]));

        // Every key with the number of its block, on all ranks.
        let in_blocks = |blocks: &Blocks| {
            let numbered = |(j, range): (usize, std::ops::Range<usize>)| std::iter::repeat_n(j, range.len());
            let numbers: Vec<usize> = blocks.ranges().enumerate().flat_map(numbered).collect();
            let (numbers, keys) =
                (comm.all_gather_v(&numbers).unwrap().0, comm.all_gather_v(&mine).unwrap().0);
            let mut all: Vec<(usize, K)> = numbers.into_iter().zip(keys).collect();
            all.sort_unstable();
            all
        };
        // To the element: blocks as long as the targets say, that follow each other.
        let cut = cut_ties(comm, &mine, &splitters).unwrap();
        let offsets: Vec<usize> =
            [0].into_iter().chain(targets.iter().copied()).chain([whole.len()]).collect();
        assert_eq!(comm.all_reduce(cut.counts(), |a, b| a + b).unwrap(), Blocks::between(&offsets).counts());
        assert!(in_blocks(&cut).is_sorted_by_key(|&(_, key)| key));
        // Between keys: none is in two blocks.
        let apart = in_blocks(&cut_between(&mine, &splitters));
        assert!(apart.windows(2).all(|w| w[0].1 < w[1].1 || w[0] == w[1]), "{apart:?}");
    }
    let inputs = |ranks| {
        (prop::sample::select(Pattern::ALL), 0..300_usize).prop_flat_map(move |(pattern, n)| {
            let targets = prop::collection::vec(0..=n, 0..12).prop_map(|mut targets| {
                targets.sort_unstable();
                targets
            });
            (Just(pattern), counts(n, ranks), targets)
        })
    };
    property(200, inputs, |comm, (pattern, counts, targets)| {
        let n = counts.iter().sum();
        check::<u8>(comm, &pattern.keys(n, comm.size(), 3), counts, targets);
        check::<u64>(comm, &pattern.keys(n, comm.size(), 3), counts, targets);
        check::<u128>(comm, &pattern.keys(n, comm.size(), 3), counts, targets);
    });
}

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
fn nan_beside_negatives() {
    sorts_to(
        &[2.5, 0.0, NAN, -1.0, -INF, 0.0, INF],
        &[3, 0, 4],
        &[-INF, -1.0, 0.0, 0.0, 2.5, INF, NAN],
        &[INF, 2.5, 0.0, 0.0, -1.0, -INF, NAN],
    );
}

/// A NaN with its sign bit set is as large as any other.
fn nan_of_either_sign() {
    let bits =
        [0x3ff0 << 48, 0xfff8 << 48, 0xfff0 << 48, 0x7ff8 << 48, 0, 0xc014_u64 << 48].map(f64::from_bits);
    sorts_to(&bits, &[2, 2, 2], &[-INF, -5.0, 0.0, 1.0, NAN, NAN], &[1.0, 0.0, -5.0, -INF, NAN, NAN]);
    reported(&bits, &[2, 2, 2], |_, x| {
        assert_eq!(x.argsort().run().unwrap().gather().unwrap(), array![2, 5, 4, 0, 1, 3]);
    });
}

/// So many NaNs that a comparison which is no order would leave numbers unsorted too.
fn many_nans() {
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
fn one_key_on_many_ranks() {
    let whole = [4_i64, 4, 8, 8, 8, 8, 8, 8, 8, 9];
    let mut falling = whole;
    falling.reverse();
    sorts_to(&whole, &[3, 3, 2, 2], &whole, &falling);
}

/// Few distinct keys still spread over all ranks.
fn one_key_on_all_ranks() {
    sorts_to(&[7_i64; 8], &[2, 2, 2, 2], &[7; 8], &[7; 8]);
    on(4, |comm| {
        let even = Layout::even(&[8], Axis(0), 4).unwrap();
        let sorted = share(comm, &[7_i64; 8], &[8, 0, 0, 0]).sort().layout(even).run().unwrap();
        assert_eq!(sorted.local(), array![7, 7]);
    });
}

/// All elements on the last rank, wanted evenly.
fn from_one_rank_to_all() {
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
fn columns_and_rows_of_a_matrix() {
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
fn nan_last_in_both_directions() {
    let whole = [3.0, NAN, 1.0, 2.0, NAN];
    sorts_to(&whole, &[2, 3], &[1.0, 2.0, 3.0, NAN, NAN], &[3.0, 2.0, 1.0, NAN, NAN]);
    reported(&whole, &[2, 3], |_, x| {
        let flipped = x.sort().descending().nan_first().run().unwrap().gather().unwrap();
        assert_eq!(format!("{flipped}"), "[NaN, NaN, 3, 2, 1]");
    });
}

fn nan_in_every_width() {
    let whole = [1.5, NAN, -2.0, 0.25, NAN, -0.5];
    let (up, down) = ([-2.0, -0.5, 0.25, 1.5, NAN, NAN], [1.5, 0.25, -0.5, -2.0, NAN, NAN]);
    sorts_to(&whole, &[1, 5], &up, &down);
    let narrow = |values: [f64; 6]| values.map(|v| v as f32);
    sorts_to(&narrow(whole), &[1, 5], &narrow(up), &narrow(down));
}

/// 8 and 16 bits are counted from a few thousand elements per rank on.
fn counted_keys() {
    fn check<T: Value>(pattern: Pattern, n: usize) {
        on(3, |comm| {
            let keys = pattern.keys::<T::Key>(n, 3, 7);
            let whole: Vec<T> = keys.into_iter().map(T::of_pattern).collect();
            let (comm, meter) = Metered::wrap(comm);
            let to = Layout::from_counts(&[n], Axis(0), &[n / 7, 0, n - n / 7]).unwrap();
            let x = share(&comm, &whole, Blocks::even(n, 3).counts());
            let sorted = x.sort().descending().layout(to.clone()).run().unwrap();
            let calls = meter.by_call();
            assert!(
                calls.iter().all(|(call, _)| !call.contains("exchange") || call.contains("usize")),
                "no element moves: {calls:?}"
            );
            assert_eq!(sorted.layout(), &to);
            let (found, order) = (sorted.gather().unwrap().to_vec(), Order::ASCENDING.descending());
            assert_sorted(&found, &whole, order, &format!("{pattern:?}"));
        });
    }
    for pattern in [Pattern::Uniform, Pattern::Zipf, Pattern::Extremes] {
        check::<i8>(pattern, 70_000);
        check::<bool>(pattern, 70_000);
        check::<u16>(pattern, 1_600_000);
    }
}

/// In order, in the wished layout: neither an element nor the storage moves.
fn input_in_order_stays_where_it_is() {
    each_size(|comm| {
        for counts in layouts(30_000, comm.size()) {
            let (comm, meter) = Metered::wrap(comm);
            let x = share(&comm, &(0..30_000_i64).map(|i| i / 3).collect::<Vec<_>>(), &counts);
            let (before, storage) = (meter.total().sent, x.local().as_ptr());
            let sorted = x.into_sorted().run().unwrap();
            assert_eq!(sorted.local().as_ptr(), storage);
            let others = comm.size() as u64 - 1;
            assert!(meter.total().sent - before <= 32 * others, "agreement and edges: {meter:?}");
        }
    });
}

/// In order in another layout: what changes its rank moves, nothing else.
fn input_in_order_is_only_redistributed() {
    on(4, |comm| {
        let whole: Vec<f32> = (0..40_000).map(|i| i as f32).collect();
        let (comm, meter) = Metered::wrap(comm);
        let x = share(&comm, &whole, &[10_000, 10_000, 10_000, 10_000]);
        let before = meter.total().sent;
        let to = Layout::from_counts(&[40_000], Axis(0), &[9_000, 11_000, 10_000, 10_000]).unwrap();
        let sorted = x.sort().layout(to).run().unwrap();
        let moved = if comm.rank() == 0 { 1_000 * 4 } else { 0 };
        let sent = meter.total().sent - before;
        assert!((moved..moved + 300).contains(&sent), "{meter:?}");
        assert_eq!(sorted.gather().unwrap().to_vec(), whole);
    });
}

/// Each element moves at most once, and what finds the way is short.
fn elements_move_at_most_once() {
    for (pattern, ranks) in [(Pattern::Uniform, 2), (Pattern::Zipf, 5), (Pattern::Reverse, 8)] {
        on(ranks, |comm| {
            let whole: Vec<u64> = pattern.keys(200_000, ranks, 3);
            let (comm, meter) = Metered::wrap(comm);
            let x = share(&comm, &whole, Blocks::even(whole.len(), ranks).counts());
            x.sort().run().unwrap();
            let (mut elements, mut search) = (0, 0);
            for (call, traffic) in meter.by_call() {
                match call.contains("exchange::<u64>") {
                    true => elements += traffic.sent,
                    false => search += traffic.sent,
                }
            }
            assert!(elements <= 8 * x.local().len() as u64, "{elements} bytes of elements");
            assert!(search <= 12_500 * 8 * 2 * 10, "{search} bytes to find splitters");
        });
    }
}

fn replicated_arrays() {
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

fn shared_and_borrowed_arrays() {
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

fn impossible_wishes_are_errors_on_every_rank() {
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

fn ranks_that_want_different_things_are_told() {
    on(3, |comm| {
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

fn splitters_of_different_targets_are_refused() {
    on(2, |comm| {
        let e = find_splitters(comm, &[1_u32, 2], &[comm.rank()]).unwrap_err();
        assert!(matches!(e, Error::Disagree { what: "targets", .. }), "{e}");
        let e = find_splitters(comm, &[1_u32, 2], &[5]).unwrap_err();
        assert_eq!(e.to_string(), "find_splitters: a target is 5, expected at most 4, the number of keys");
    });
}

support::tests![
    every_type_layout_and_order,
    the_same_bits_on_any_number_of_ranks,
    every_pattern_on_the_general_way,
    splitters_cut_at_their_targets,
    nan_beside_negatives,
    nan_of_either_sign,
    many_nans,
    one_key_on_many_ranks,
    one_key_on_all_ranks,
    from_one_rank_to_all,
    columns_and_rows_of_a_matrix,
    nan_last_in_both_directions,
    nan_in_every_width,
    counted_keys,
    input_in_order_stays_where_it_is,
    input_in_order_is_only_redistributed,
    elements_move_at_most_once,
    replicated_arrays,
    shared_and_borrowed_arrays,
    impossible_wishes_are_errors_on_every_rank,
    ranks_that_want_different_things_are_told,
    splitters_of_different_targets_are_refused,
];
