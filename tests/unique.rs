//! Sorted unique against an ordered map, for any type, shape, layout, number of ranks and regime.

mod support;

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt::Debug;

use maniple::prelude::*;
use maniple::{ArrayError as Error, Checked, DistArrayBase, Meter, Metered, Traffic};
use maniple_unique::{Choice, Reason, Regime, SortKey, SortedUnique, Unique};
use ndarray::{Array, ArrayBase, ArrayD, Data, Dimension, Slice, arr0, array};
use proptest::prelude::*;
use support::{counts, counts_like, each_size, layouts, on, property, share};

const REGIMES: [Option<Regime>; 5] =
    [None, Some(Regime::Local), Some(Regime::Small), Some(Regime::Dense), Some(Regime::Large)];

trait Value: SortKey + Element + PartialOrd + Debug {}
impl<T: SortKey + Element + PartialOrd + Debug> Value for T {}

/// Numbers by `<`, then everything that equals nothing: the order by values alone, without keys.
#[derive(Clone, Copy)]
struct ByValue<T>(T);

impl<T: PartialOrd> Ord for ByValue<T> {
    #[allow(clippy::eq_op, reason = "a NaN is what does not equal itself")]
    fn cmp(&self, other: &Self) -> Ordering {
        let is_nan = |x: &T| x != x;
        self.0.partial_cmp(&other.0).unwrap_or_else(|| is_nan(&self.0).cmp(&is_nan(&other.0)))
    }
}

impl<T: PartialOrd> PartialOrd for ByValue<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T: PartialOrd> PartialEq for ByValue<T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<T: PartialOrd> Eq for ByValue<T> {}

/// What is right for a whole array.
struct Oracle<T: SortKey> {
    /// As bit patterns.
    values: Vec<T::Key>,
    counts: Vec<u64>,
    first_index: Vec<u64>,
    inverse: ArrayD<u64>,
}

impl<T: Value> Oracle<T> {
    fn of(whole: &ArrayD<T>) -> Self {
        let mut seen: BTreeMap<ByValue<T>, (u64, u64)> = BTreeMap::new();
        for (i, &value) in whole.iter().enumerate() {
            seen.entry(ByValue(value)).or_insert((0, i as u64)).0 += 1;
        }
        let position: BTreeMap<_, _> = seen.keys().copied().zip(0..).collect();
        Oracle {
            values: seen.keys().map(|value| T::from_canonical(value.0.canonical()).to_key()).collect(),
            counts: seen.values().map(|&(count, _)| count).collect(),
            first_index: seen.values().map(|&(_, first)| first).collect(),
            inverse: whole.map(|&value| position[&ByValue(value)]),
        }
    }

    /// Everything is right, and lies as it should: the results in `layout`, the inverse as the input.
    fn check<D: Dimension>(&self, found: &Unique<T, D>, input: &Layout, layout: &Layout) {
        let bits = |values: Array1<T>| values.iter().map(|value| value.to_key()).collect::<Vec<_>>();
        assert_eq!(bits(found.values.gather().unwrap()), self.values, "values, {}", found.regime);
        let counts = found.counts.as_ref().expect("asked for");
        assert_eq!(counts.gather().unwrap().to_vec(), self.counts, "counts, {}", found.regime);
        let first = found.first_index.as_ref().expect("asked for");
        assert_eq!(first.gather().unwrap().to_vec(), self.first_index, "first index, {}", found.regime);
        let inverse = found.inverse.as_ref().expect("asked for");
        assert_eq!(inverse.gather().unwrap().into_dyn(), self.inverse, "inverse, {}", found.regime);
        assert_eq!((found.values.layout(), counts.layout(), first.layout()), (layout, layout, layout));
        assert_eq!(inverse.layout(), input);
    }
}

/// The array `whole` in `layout`, as this rank has it.
fn lay<T: Value>(comm: &Comm, whole: &ArrayD<T>, layout: &Layout) -> DistArray<T, IxDyn> {
    let block = match layout.split() {
        None => whole.clone(),
        Some(axis) => whole.slice_axis(axis, Slice::from(layout.range(comm.rank()))).to_owned(),
    };
    DistArray::from_parts(comm, block, layout.clone()).expect("a block of the layout")
}

fn even(n: usize, comm: &Comm) -> Layout {
    Layout::even(&[n], Axis(0), comm.size()).expect("one axis")
}

/// Every regime, every layout of the results.
fn check_everywhere<T: Value>(comm: &Comm, whole: &ArrayD<T>, layout: &Layout) {
    let oracle = Oracle::of(whole);
    let (x, u) = (lay(comm, whole, layout), oracle.values.len());
    for regime in REGIMES {
        let ask = || {
            let all = x.unique().counts().inverse().first_index();
            if let Some(regime) = regime { all.regime(regime) } else { all }
        };
        oracle.check(&ask().run().unwrap(), layout, &even(u, comm));
        oracle.check(&ask().replicated().run().unwrap(), layout, &Layout::replicated(&[u], comm.size()));
        let all_on_last = counts_like(&[vec![0; comm.size() - 1], vec![u]].concat(), comm.size());
        let uneven = Layout::from_counts(&[u], Axis(0), &all_on_last).unwrap();
        oracle.check(&ask().layout(uneven.clone()).run().unwrap(), layout, &uneven);
        let bare = x.unique().run().unwrap();
        assert_eq!(bare.values.layout(), &even(u, comm));
        assert!(bare.counts.is_none() && bare.inverse.is_none() && bare.first_index.is_none());
    }
}

/// Shape, elements as random bits, and how the array lies: split axis and counts, or `None` for replicated.
type Input = (Vec<usize>, Vec<u64>, Option<(usize, Vec<usize>)>);

/// Arrays of up to three axes, whose elements come from a pool: of one, a few, or as many as there are elements.
fn inputs(ranks: usize) -> impl Strategy<Value = Input> {
    let shape = prop_oneof![
        3 => prop::collection::vec(0..40_usize, 1),
        3 => prop::collection::vec(0..8_usize, 2..4),
        1 => Just(Vec::new()),
    ];
    (shape, prop_oneof![Just(1_usize), 2..6_usize, Just(64)]).prop_flat_map(move |(shape, pool)| {
        let pool = prop::collection::vec(any::<u64>(), pool);
        let picks = prop::collection::vec(any::<prop::sample::Index>(), shape.iter().product::<usize>());
        let elements =
            (pool, picks).prop_map(|(pool, picks)| picks.iter().map(|pick| *pick.get(&pool)).collect());
        let cut = match shape.len() {
            0 => Just(None).boxed(),
            ndim => {
                let shape = shape.clone();
                let cut = (0..ndim).prop_flat_map(move |axis| (Just(axis), counts(shape[axis], ranks)));
                prop::option::weighted(0.85, cut).boxed()
            }
        };
        (Just(shape), elements, cut)
    })
}

/// Checks arrays of what `value` makes of random bits.
fn check_inputs<T: Value>(cases: u32, value: fn(u64) -> T) {
    let body: &(dyn Fn(&Comm, &Input) + Sync) = &|comm, (shape, elements, cut)| {
        let elements = elements.iter().map(|&bits| value(bits)).collect();
        let whole = ArrayD::from_shape_vec(&shape[..], elements).expect("as many as the shape has");
        let layout = match cut {
            None => Layout::replicated(shape, comm.size()),
            Some((axis, counts)) => Layout::from_counts(shape, Axis(*axis), counts).unwrap(),
        };
        check_everywhere(comm, &whole, &layout);
    };
    property(cases, inputs, body);
}

/// One of the `odd` values half of the time, else what `ordinary` makes of the rest of the bits.
fn mixed<T: Copy>(bits: u64, odd: &[T], ordinary: impl Fn(u64) -> T) -> T {
    let rest = bits >> 1;
    if bits.is_multiple_of(2) { odd[rest as usize % odd.len()] } else { ordinary(rest) }
}

fn integers_of_any_width() {
    const WIDE: [i64; 7] = [i64::MIN, i64::MIN + 1, -1, 0, 1, i64::MAX - 1, i64::MAX];
    check_inputs(40, |bits| mixed(bits, &WIDE, |bits| bits as i64));
    check_inputs(40, |bits| mixed(bits, &[0, 1, u64::MAX - 1, u64::MAX], |bits| bits % 100));
    check_inputs(20, |bits| mixed(bits, &[i32::MIN, -1, 0, i32::MAX], |bits| bits as i32 % 20));
    check_inputs(20, |bits| bits as i16);
    check_inputs(20, |bits| bits as u8);
    check_inputs(20, |bits| {
        mixed(bits, &[i128::MIN, -1, 0, i128::MAX], |bits| i128::from(bits as i64) << (bits % 64))
    });
    check_inputs(10, |bits| bits as usize);
}

fn floats_bools_and_chars() {
    const INF: f64 = f64::INFINITY;
    const ODD: [f64; 10] = [0.0, -0.0, 1.0, -1.0, f64::NAN, -f64::NAN, INF, -INF, f64::MIN_POSITIVE, 5e-324];
    check_inputs(40, |bits| mixed(bits, &ODD, |bits| f64::from_bits(bits << 1)));
    check_inputs(40, |bits| mixed(bits, &[f32::NAN, -0.0, 0.0], |bits| f32::from(bits as i8 % 4)));
    check_inputs(10, |bits| bits % 2 == 1);
    check_inputs(20, |bits| char::from_u32(bits as u32 % 0x11_0000).unwrap_or('\0'));
}

/// Sizes at which the ladder takes each rung by itself.
fn the_regime_follows_from_the_data() {
    type Case = (&'static str, fn(u64) -> u64, fn(Choice) -> bool);
    let cases: [Case; 4] = [
        (
            "few",
            |i| i % 100 * 1_000_003,
            |c| matches!((c.regime, c.reason), (Regime::Small, Reason::Few { bytes: 4800 | 7200 })),
        ),
        ("a permutation of a small span", |i| i * 7919 % 100_003, |c| c.regime == Regime::Dense),
        (
            "scattered",
            |i| i.wrapping_mul(0x9E37_79B9_7F4A_7C15),
            |c| c.reason == Reason::Many { keys: 100_003 },
        ),
        (
            "scattered, on every rank",
            |i| (i % 30_000).wrapping_mul(0x9E37_79B9_7F4A_7C15),
            |c| c.regime == Regime::Large,
        ),
    ];
    for (name, value, expected) in cases {
        let whole = ArrayD::from_shape_fn(vec![100_003], |i| value(i[0] as u64));
        let oracle = Oracle::of(&whole);
        for ranks in [2, 3] {
            on(ranks, |comm| {
                for counts in layouts(whole.len(), comm.size()) {
                    let layout = Layout::from_counts(&[whole.len()], Axis(0), &counts).unwrap();
                    let x = lay(comm, &whole, &layout);
                    let found = x.unique().counts().inverse().first_index().run().unwrap();
                    oracle.check(&found, &layout, &even(oracle.values.len(), comm));
                    if layout.is_balanced() {
                        assert!(expected(found.regime), "{name}: {}", found.regime);
                    }
                }
            });
        }
    }
}

fn one_answer_for_any_number_of_ranks() {
    let value = |i: usize| match i % 97 {
        0 => f64::from_bits(0x7FF8_0000_0000_0000 + i as u64),
        1 => -f64::NAN,
        2 => [0.0, -0.0][i / 97 % 2],
        r => (r * r % 61) as f64 / 7.0 - 3.0,
    };
    let whole = ArrayD::from_shape_fn(vec![20, 70], |i| value(70 * i[0] + i[1]));
    for ranks in [1, 2, 3, 5, 8, 16] {
        on(ranks, |comm| {
            for axis in [Axis(0), Axis(1)] {
                check_everywhere(comm, &whole, &Layout::even(&[20, 70], axis, comm.size()).unwrap());
            }
        });
    }
}

fn zeros_are_shown_positive_and_nans_quiet() {
    each_size(|comm| {
        let odd = [-0.0, f64::from_bits(0xFFF0_0000_0000_0001), 1.0, f64::from_bits(0x7FF8_0000_0000_0007)];
        for counts in layouts(4, comm.size()) {
            for regime in REGIMES.into_iter().flatten() {
                let values = share(comm, &odd, &counts)
                    .unique()
                    .regime(regime)
                    .run()
                    .unwrap()
                    .values
                    .gather()
                    .unwrap();
                let bits: Vec<u64> = values.iter().map(|v| v.to_bits()).collect();
                assert_eq!(bits, [0, 1.0_f64.to_bits(), 0x7FF8_0000_0000_0000]);
            }
        }
    });
}

/// Blocks in column-major order, reversed, or strided are read as what they show.
fn blocks_in_any_memory_order() {
    fn check<S: Data<Elem = i32>>(comm: &Comm, local: ArrayBase<S, Ix2>) {
        let x = DistArrayBase::from_local(comm, local, Axis(0)).unwrap();
        let whole = x.gather().unwrap().into_dyn();
        let found = x.unique().counts().inverse().first_index().run().unwrap();
        let oracle = Oracle::of(&whole);
        oracle.check(&found, x.layout(), &even(oracle.values.len(), comm));
    }
    each_size(|comm| {
        let rows = 2 + comm.rank() % 2;
        let block = Array2::from_shape_fn((rows, 6), |(i, j)| (7 * comm.rank() + 5 * i + j) as i32 % 11);
        check(comm, block.t().as_standard_layout().into_owned().reversed_axes());
        check(comm, block.slice(ndarray::s![..;-1, ..]));
        check(comm, block.slice(ndarray::s![.., 1..;2]));
    });
}

/// A flat case: values, inverse and counts as reported, on the layout reported and on others.
fn reported<T: Value>(a: &[T], reported: &[usize], values: &[T], inverse: &[u64], counts: &[u64]) {
    each_size(|comm| {
        let mut all = layouts(a.len(), comm.size());
        all.push(counts_like(reported, comm.size()));
        for layout in all {
            for regime in REGIMES.into_iter().flatten() {
                let x = share(comm, a, &layout);
                let found = x.unique().inverse().counts().regime(regime).run().unwrap();
                assert_eq!(format!("{:?}", found.values.gather().unwrap().to_vec()), format!("{values:?}"));
                assert_eq!(found.counts.unwrap().gather().unwrap().to_vec(), counts);
                let positions = found.inverse.unwrap();
                assert_eq!(
                    positions.layout().counts(),
                    layout,
                    "the length and layout of the inverse are the input's"
                );
                assert_eq!(positions.gather().unwrap().to_vec(), inverse);
            }
        }
    });
}

fn nans_are_one_value() {
    let nan = f64::NAN;
    let a = [0.0, nan, 2.0, nan, 2.0, 1.0, 0.0];
    reported(&a, &[3, 4], &[0.0, 1.0, 2.0, nan], &[0, 3, 2, 3, 2, 1, 0], &[2, 1, 2, 2]);
}

fn nans_on_several_ranks_are_counted_together() {
    let nan = f64::NAN;
    let a = [nan, 1.0, nan, 2.0, 1.0, nan];
    reported(&a, &[2, 2, 2], &[1.0, 2.0, nan], &[2, 0, 2, 1, 0, 2], &[2, 1, 3]);
}

fn the_inverse_is_as_long_as_the_input() {
    reported(&[7_i64, 3, 7, 1, 3, 3, 9], &[4, 1, 2], &[1, 3, 7, 9], &[2, 1, 2, 0, 1, 1, 3], &[1, 3, 2, 1]);
}

fn values_come_sorted() {
    let a = [50_i64, 2, 41, 2, 13, 50, 8];
    reported(&a, &[3, 3, 1], &[2, 8, 13, 41, 50], &[4, 0, 3, 0, 2, 4, 1], &[2, 1, 1, 1, 2]);
}

fn nothing_has_no_values() {
    reported::<f64>(&[], &[0, 0], &[], &[], &[]);
}

fn integers_beyond_the_floats_stay_apart() {
    let big = 1_i64 << 53;
    reported(
        &[big + 1, big, i64::MAX, i64::MAX - 1, big + 1],
        &[2, 3],
        &[big, big + 1, i64::MAX - 1, i64::MAX],
        &[1, 0, 3, 2, 1],
        &[1, 2, 1, 1],
    );
}

fn the_inverse_of_a_matrix_is_a_matrix() {
    each_size(|comm| {
        let whole = array![[1_i64, 2, 6], [2, 3, 2]];
        for counts in [counts_like(&[2, 1], comm.size())].into_iter().chain(layouts(3, comm.size())) {
            let layout = Layout::from_counts(&[2, 3], Axis(1), &counts).unwrap();
            let block = whole.slice_axis(Axis(1), Slice::from(layout.range(comm.rank()))).to_owned();
            let x = DistArray::from_parts(comm, block, layout).unwrap();
            let found = x.unique().inverse().run().unwrap();
            assert_eq!(found.values.gather().unwrap(), array![1, 2, 3, 6]);
            assert_eq!(found.inverse.unwrap().gather().unwrap(), array![[0, 1, 3], [1, 2, 1]]);
        }
    });
}

fn a_scalar_has_one_value() {
    each_size(|comm| {
        let x = DistArray::replicated(comm, arr0(7_i64)).unwrap();
        let found = x.unique().first_index().inverse().counts().run().unwrap();
        assert_eq!(found.values.gather().unwrap(), array![7]);
        assert_eq!(found.values.layout(), &even(1, comm));
        assert_eq!(found.first_index.unwrap().gather().unwrap(), array![0]);
        assert_eq!(found.counts.unwrap().gather().unwrap(), array![1]);
        assert_eq!(found.inverse.unwrap().gather().unwrap(), arr0(0));
        assert_eq!(found.regime.reason, Reason::Replicated);
    });
}

fn arrays_without_elements() {
    each_size(|comm| {
        for (shape, axis) in
            [(vec![0, 4], 0), (vec![0, 4], 1), (vec![5, 0], 0), (vec![5, 0], 1), (vec![3, 0, 2], 2)]
        {
            let whole: ArrayD<f32> = Array::zeros(shape);
            check_everywhere(comm, &whole, &Layout::even(whole.shape(), Axis(axis), comm.size()).unwrap());
        }
    });
}

/// The agreement on the options, the figures, and one all-gather of the records.
fn few_values_cost_one_all_gather() {
    each_size(|comm| {
        let (comm, meter) = Metered::wrap(comm);
        let x = DistArray::from_fn(&comm, 4000, Axis(0), |i| (i % 50) as i64 * 1_000_000_007).unwrap();
        meter.reset();
        let found = x.unique().counts().inverse().first_index().regime(Regime::Small).run().unwrap();
        assert_eq!(found.regime.reason, Reason::Preferred);
        let others = comm.size() as u64 - 1;
        assert_eq!((meter.total().calls, meter.total().received), (3, others * (16 + 40 + 50 * 24)));
    });
}

fn dense_values_cost_bits() {
    each_size(|comm| {
        let (comm, meter) = Metered::wrap(comm);
        let x = DistArray::from_fn(&comm, 64_000, Axis(0), |i| (i * 7 % 64_000) as u32).unwrap();
        meter.reset();
        x.unique().regime(Regime::Dense).run().unwrap();
        let p = comm.size() as u64;
        assert_eq!(meter.total().calls, 3 + u64::from(8000 * p > 64 << 10));
        assert!(
            meter.total().received <= (p - 1) * (16 + 40) + (64 << 10), // more than twice the bits
            "{:?}",
            meter.by_call()
        );
    });
}

/// Out: the key, a count and a first index for each of the rank's own distinct values that another rank owns; back: four bytes.
fn many_values_move_once_and_are_answered_once() {
    // The splitters' rounds are exchanges of numbers of another type.
    fn moved(meter: &Meter) -> Traffic {
        let by_call = meter.by_call();
        let data = ["exchange::<u32>", "exchange::<u64>"];
        let moved = by_call.iter().filter(|(call, _)| data.iter().any(|name| call.contains(name)));
        moved.fold(Traffic::default(), |sum, (_, t)| Traffic {
            calls: sum.calls + t.calls,
            sent: sum.sent + t.sent,
            received: sum.received + t.received,
            ..sum
        })
    }
    each_size(|comm| {
        let (comm, meter) = Metered::wrap(comm);
        let n = 3000 * comm.size();
        let x = DistArray::from_fn(&comm, n, Axis(0), |i| (i as u32).wrapping_mul(2_654_435_761)).unwrap();
        meter.reset();
        let found = x.unique().counts().inverse().first_index().regime(Regime::Large).run().unwrap();
        let values = found.values.layout().clone();
        assert_eq!(values, even(n, &comm));
        let inverse = found.inverse.expect("asked for").into_local();
        let elsewhere =
            inverse.iter().filter(|&&at| values.owner(at as usize) != Some(comm.rank())).count() as u64;
        let asked = comm.all_gather_value(elsewhere).unwrap();
        let (all, moved_here) = (asked.iter().sum::<u64>(), moved(&meter));
        assert_eq!(moved_here.calls, 4, "keys, two columns, answers back");
        assert!(moved_here.sent >= (4 + 8 + 8) * elsewhere && moved_here.received >= 4 * elsewhere);
        let total = comm.all_reduce(&[moved_here.sent, moved_here.received], |a, b| a + b).unwrap();
        assert_eq!(total, [(4 + 8 + 8 + 4) * all; 2]);

        meter.reset();
        x.unique().regime(Regime::Large).run().unwrap();
        let bare = moved(&meter);
        assert_eq!((bare.calls, bare.sent), (1, 4 * elsewhere), "without questions, keys are all that moves");
    });
}

fn questions_that_differ_are_errors_on_every_rank() {
    each_size(|comm| {
        if comm.size() == 1 {
            return;
        }
        let x = share(comm, &[3, 1, 3], &counts_like(&[1, 1, 1], comm.size()));
        let odd_one = comm.rank() == 1;
        let ask = |odd: bool| if odd { x.unique().counts() } else { x.unique() };
        let results = ask(odd_one).run().map(drop);
        let regimes = x.unique().regime(if odd_one { Regime::Small } else { Regime::Large }).run().map(drop);
        let layouts = if odd_one { x.unique().replicated().run() } else { x.unique().run() }.map(drop);
        for (result, expected) in [
            (results, "results asked for"),
            (regimes, "preferred regime"),
            (layouts, "layout of the results"),
        ] {
            match result {
                Err(Error::Disagree { operation: "unique", what, ranks, .. }) => {
                    assert_eq!((what, ranks.as_slice()), (expected, &[1][..]));
                }
                other => panic!("{expected}: {other:?}"),
            }
        }
        assert_eq!(
            x.unique().run().unwrap().values.gather().unwrap(),
            array![1, 3],
            "and the ranks go on together"
        );
    });
}

fn layouts_that_do_not_fit_are_errors_on_every_rank() {
    each_size(|comm| {
        let p = comm.size();
        let x = share(comm, &[3, 1, 3], &counts_like(&[1, 1, 1], p));
        for (layout, expected) in [
            (Layout::even(&[3], Axis(0), p), "unique: shape of the layout is [3], expected [2]".to_string()),
            (
                Layout::even(&[2, 1], Axis(0), p),
                "unique: number of axes of the layout is 2, expected 1".to_string(),
            ),
            (
                Layout::even(&[2], Axis(0), p + 1),
                format!("unique: number of ranks of the layout is {}, expected {p}", p + 1),
            ),
        ] {
            assert_eq!(x.unique().layout(layout.unwrap()).run().unwrap_err().to_string(), expected);
        }
    });
}

fn errors_name_the_line_of_the_question() {
    on(2, |comm| {
        let comm = &Checked::wrap(comm); // not every transport compares calls
        let x = share(comm, &[3, 1, 3], &[2, 1]);
        let e = match comm.rank() {
            0 => x.unique().run().unwrap_err(),
            _ => comm.barrier().unwrap_err().into(),
        };
        let e = e.to_string();
        assert!(e.contains("in unique at tests/unique.rs"), "{e}");
    });
}

support::tests![
    integers_of_any_width,
    floats_bools_and_chars,
    the_regime_follows_from_the_data,
    one_answer_for_any_number_of_ranks,
    zeros_are_shown_positive_and_nans_quiet,
    blocks_in_any_memory_order,
    nans_are_one_value,
    nans_on_several_ranks_are_counted_together,
    the_inverse_is_as_long_as_the_input,
    values_come_sorted,
    nothing_has_no_values,
    integers_beyond_the_floats_stay_apart,
    the_inverse_of_a_matrix_is_a_matrix,
    a_scalar_has_one_value,
    arrays_without_elements,
    few_values_cost_one_all_gather,
    dense_values_cost_bits,
    many_values_move_once_and_are_answered_once,
    questions_that_differ_are_errors_on_every_rank,
    layouts_that_do_not_fit_are_errors_on_every_rank,
    errors_name_the_line_of_the_question,
];
