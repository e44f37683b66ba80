//! Everything against the oracle.

use maniple::prelude::*;
use maniple::{Blocks, Metered};
use maniple_groupby::{
    Aggregation, Aggregations, GroupBy, Grouping, Groups, Method, count, max, mean, min, operation, sum,
};
use ndarray::{ArrayD, Slice};
use proptest::prelude::*;

use crate::oracle::{Options, oracle};
use crate::samples::{Name, Sample, Wide};
use crate::support::{counts, property};

/// A question, with labels and values as numbers.
#[derive(Clone, Debug)]
pub struct Case {
    labels: Vec<u32>,
    values: Vec<u8>,
    /// Lengths of the axes before the rows and behind them.
    lanes: (usize, usize),
    counts: Vec<usize>,
    expected: Option<Vec<u32>>,
    options: Options,
    method: Method,
    replicated_labels: bool,
    replicated_results: bool,
}

/// Labels of `n` rows: few, many, runs, one a row, one.
fn labels(n: usize) -> impl Strategy<Value = Vec<u32>> {
    let runs = prop::collection::vec((0..9_u32, 1..20_usize), n).prop_map(move |runs| {
        let rows = runs.into_iter().flat_map(|(label, len)| std::iter::repeat_n(label, len));
        rows.take(n).collect::<Vec<_>>()
    });
    prop_oneof![
        prop::collection::vec(0..7_u32, n),
        prop::collection::vec(0..200_u32, n),
        runs,
        Just((0..n as u32).collect::<Vec<_>>()).prop_shuffle(),
        (0..7_u32).prop_map(move |label| vec![label; n]),
    ]
}

fn options() -> impl Strategy<Value = Options> {
    let min_count = prop_oneof![4 => Just(None), 1 => (0..4_u64).prop_map(Some)];
    let fill = prop_oneof![1 => Just(None), 3 => any::<u8>().prop_map(Some)];
    (any::<bool>(), any::<bool>(), prop::bool::weighted(0.8), min_count, fill).prop_map(
        |(skip_nan, keep_nan_labels, wrapping, min_count, fill)| Options {
            skip_nan,
            keep_nan_labels,
            wrapping,
            min_count,
            fill,
        },
    )
}

fn cases(ranks: usize) -> impl Strategy<Value = Case> {
    let lanes = prop_oneof![3 => Just((1, 1)), 1 => (0..3_usize, 1..4_usize), 1 => (1..3_usize, 0..3_usize)];
    let method = prop_oneof![
        2 => Just(Method::Auto),
        1 => Just(Method::Cohorts),
        1 => Just(Method::ReduceScatter)
    ];
    (0..60_usize, lanes).prop_flat_map(move |(n, lanes)| {
        let expected = prop::sample::subsequence((0..12_u32).collect::<Vec<_>>(), 0..12).prop_shuffle();
        let fixed = (Just(lanes), options(), method.clone(), any::<bool>(), any::<bool>());
        let values = prop::collection::vec(any::<u8>(), lanes.0 * n * lanes.1);
        (labels(n), values, counts(n, ranks), prop::option::weighted(0.4, expected), fixed).prop_map(
            |(labels, values, counts, expected, fixed)| {
                let (lanes, options, method, replicated_labels, replicated_results) = fixed;
                Case {
                    labels,
                    values,
                    lanes,
                    counts,
                    expected,
                    options,
                    method,
                    replicated_labels,
                    replicated_results,
                }
            },
        )
    })
}

type Five<T> = (
    Aggregation<operation::Sum, <T as maniple_groupby::Value>::Sum>,
    Aggregation<operation::Mean, <T as maniple_groupby::Value>::Mean>,
    Aggregation<operation::Count, u64>,
    Aggregation<operation::Min, T>,
    Aggregation<operation::Max, T>,
);

fn ask<'a, T: Sample, L: Name>(
    values: &'a DistArrayView<'_, T, IxDyn>,
    labels: &'a DistArrayView<'_, L, Ix1>,
    case: &Case,
) -> Grouping<'a, T, L, IxDyn> {
    let options = &case.options;
    let mut grouping = values.group_by(labels).method(case.method);
    if let Some(expected) = &case.expected {
        grouping = grouping.expected(&distinct_names(expected));
    }
    if options.skip_nan {
        grouping = grouping.skip_nan();
    }
    if options.keep_nan_labels {
        grouping = grouping.keep_nan_labels();
    }
    if options.wrapping {
        grouping = grouping.wrapping();
    }
    if let Some(elements) = options.min_count {
        grouping = grouping.min_count(elements);
    }
    if let Some(fill) = options.fill {
        grouping = grouping.fill_value(T::sample(fill));
    }
    if case.replicated_results {
        grouping = grouping.replicated();
    }
    grouping
}

/// Several numbers may name the same label.
fn distinct_names<L: Name>(numbers: &[u32]) -> Vec<L> {
    let mut names: Vec<L> = Vec::new();
    for name in numbers.iter().map(|&number| L::name(number)) {
        if !names.iter().any(|other| other.canonical() == name.canonical()) {
            names.push(name);
        }
    }
    names
}

/// Does this rank's answer agree with the oracle's?
pub fn check<T: Sample, L: Name>(comm: &Comm, case: &Case) {
    let labels: Vec<L> = case.labels.iter().map(|&number| L::name(number)).collect();
    let values: Vec<T> = case.values.iter().map(|&seed| T::sample(seed)).collect();
    let (outer, inner) = case.lanes;
    let rows = Blocks::packed(case.counts.clone()).range(comm.rank());

    let (comm, meter) = Metered::wrap(comm);
    let whole = ArrayD::from_shape_vec(vec![outer, labels.len(), inner], values.clone()).unwrap();
    let block = whole.slice_axis(Axis(1), Slice::from(rows.clone()));
    let x = DistArrayView::from_local(&comm, block, Axis(1)).unwrap();
    let names = match case.replicated_labels {
        true => DistArrayView::replicated(&comm, ndarray::aview1(&labels)).unwrap(),
        false => DistArrayView::from_local(&comm, ndarray::aview1(&labels[rows]), Axis(0)).unwrap(),
    };

    let five: Five<T> = (sum(), mean(), count(), min(), max());
    let grouping = ask(&x, &names, case);
    let plan = grouping.plan(&five).unwrap();
    meter.reset();
    let found = grouping.agg(five);
    let sent = meter.total().sent;
    let expected = case.expected.as_deref().map(distinct_names::<L>);
    let wanted = oracle(&labels, &values, case.lanes, expected.as_deref(), &case.options);
    match (found, wanted) {
        (Err(found), Err(wanted)) => assert_eq!(found, wanted),
        (Err(found), Ok(_)) => panic!("{found}"),
        (Ok(_), Err(wanted)) => panic!("expected: {wanted}"),
        (Ok(found), Ok(wanted)) => {
            let all_sent: u64 = comm.all_gather_value(sent).unwrap().iter().sum();
            assert_eq!(all_sent, plan.bytes.total(), "{plan}");
            assert_eq!(plan.groups, wanted.len());
            compare::<T, L>(&comm, &found, &wanted, case);
        }
    }
}

fn compare<T: Sample, L: Name>(
    comm: &Comm,
    found: &Groups<L, <Five<T> as Aggregations<T>>::Values<IxDyn>>,
    wanted: &[crate::oracle::Group<L>],
    case: &Case,
) {
    let (outer, inner) = case.lanes;
    let shape = [outer, wanted.len(), inner];
    let layout = |shape: &[usize], axis| match case.replicated_results {
        true => Layout::replicated(shape, comm.size()),
        false => Layout::even(shape, Axis(axis), comm.size()).unwrap(),
    };
    let keys = |labels: Vec<L>| labels.into_iter().map(|label| label.to_key()).collect::<Vec<_>>();
    assert_eq!(found.labels.layout(), &layout(&[wanted.len()], 0));
    assert_eq!(
        keys(found.labels.gather().unwrap().to_vec()),
        keys(wanted.iter().map(|g| g.label).collect()),
        "labels, bit for bit"
    );
    assert_eq!(found.counts.gather().unwrap().to_vec(), wanted.iter().map(|g| g.rows).collect::<Vec<_>>());

    let (sums, means, counts, least, greatest) = &found.values;
    let sums = wide(sums, &layout(&shape, 1));
    let means = wide(means, &layout(&shape, 1));
    let counts = wide(counts, &layout(&shape, 1));
    let least = wide(least, &layout(&shape, 1));
    let greatest = wide(greatest, &layout(&shape, 1));
    for (at, group) in wanted.iter().enumerate() {
        for (lane, results) in group.lanes.iter().enumerate() {
            let at = [lane / inner, at, lane % inner];
            let found = [&sums, &means, &counts, &least, &greatest].map(|array| array[at]);
            // A sum of zeros may have either sign.
            let unsigned = |wide: Wide| if wide == Wide::Float(-0.0) { Wide::Float(0.0) } else { wide };
            assert_eq!(
                found[..2].iter().map(|x| unsigned(*x)).collect::<Vec<_>>(),
                results[..2].iter().map(|x| unsigned(*x)).collect::<Vec<_>>(),
                "sum and mean of {:?}",
                group.label
            );
            assert_eq!(found[2..], results[2..], "count, min and max of {:?}", group.label);
        }
    }
}

fn wide<T: maniple_groupby::Value>(array: &DistArray<T, IxDyn>, layout: &Layout) -> ArrayD<Wide> {
    assert_eq!(array.layout(), layout);
    array.gather().unwrap().mapv(widest)
}

/// Any result in the type of the oracle.
fn widest<T: maniple_groupby::Value>(value: T) -> Wide {
    let value: &dyn std::any::Any = &value;
    macro_rules! one_of {
        ($($T:ty)*) => {$( if let Some(value) = value.downcast_ref::<$T>() { return value.wide(); } )*};
    }
    one_of!(bool i8 i16 i32 i64 isize u8 u16 u32 u64 usize f32 f64);
    unreachable!("a type of values")
}

pub fn every_value_type() {
    macro_rules! each {
        ($($T:ty)*) => {$( property(60, cases, check::<$T, i64> as fn(&Comm, &Case)); )*};
    }
    each!(bool i8 i16 i32 i64 isize u8 u16 u32 u64 usize f32 f64);
}

pub fn every_label_type() {
    macro_rules! each {
        ($($L:ty)*) => {$( property(40, cases, check::<f64, $L> as fn(&Comm, &Case)); )*};
    }
    each!(bool char i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64);
}
