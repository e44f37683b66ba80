//! How states move: never the answer's business, and as announced.

use maniple::Metered;
use maniple::prelude::*;
use maniple_groupby::{GroupBy, Method, Reason, Strategy as Way, count, max, mean, min, sum};
use maniple_kernels::SortKey;
use proptest::prelude::*;

use crate::cases::all;
use crate::support::{counts, each_size, on, property, share};

/// Floats of any size, so that another order of addition would show.
fn rough_floats(ranks: usize) -> impl Strategy<Value = (Vec<u8>, Vec<f64>, Vec<usize>)> {
    (1..80_usize).prop_flat_map(move |n| {
        let value = prop_oneof![-1e3..1e3, -1e-9..1e-9, -1e17..1e17];
        let labels = prop::collection::vec(0..6_u8, n);
        (labels, prop::collection::vec(value, n), counts(n, ranks))
    })
}

pub fn results_do_not_depend_on_the_strategy() {
    property(80, rough_floats, |comm, (labels, values, counts)| {
        let (x, labels) = (share(comm, values, counts), share(comm, labels, counts));
        let run = |method| {
            let grouping = x.group_by(&labels).method(method);
            let groups = grouping.agg((sum(), mean().skip_nan(), min(), max(), count())).unwrap();
            let (sums, means, least, greatest, counts) = groups.values;
            let bits = [sums, means, least, greatest]
                .map(|array| all(&array).into_iter().map(|x| x.to_key()).collect::<Vec<_>>());
            (all(&groups.labels), bits, all(&counts), all(&groups.counts))
        };
        let auto = run(Method::Auto);
        assert_eq!(run(Method::Cohorts), auto);
        assert_eq!(run(Method::ReduceScatter), auto);
    });
}

pub fn float_sums_are_deterministic_for_a_layout_and_close_for_others() {
    property(80, rough_floats, |comm, (labels, values, counts)| {
        let ranks = comm.size();
        let sums = |counts: &[usize]| {
            let (x, labels) = (share(comm, values, counts), share(comm, labels, counts));
            all(&x.group_by(&labels).sum().unwrap().values)
        };
        let found = sums(counts);
        let again = sums(counts);
        assert!(found.iter().zip(&again).all(|(a, b)| a.to_bits() == b.to_bits()));
        // On one rank: the same up to rounding of the greatest intermediate sum.
        let alone = sums(&(0..ranks).map(|r| if r == 0 { values.len() } else { 0 }).collect::<Vec<_>>());
        let scale: f64 = values.iter().map(|x| x.abs()).sum();
        let tolerance = scale * f64::EPSILON * values.len() as f64;
        assert!(found.iter().zip(&alone).all(|(a, b)| (a - b).abs() <= tolerance), "{found:?} {alone:?}");
    });
}

pub fn plans_name_the_cohorts() {
    on(3, |comm| {
        let labels = share(comm, &['a', 'a', 'b', 'b', 'b', 'b', 'c', 'c', 'a'], &[4, 3, 2]);
        let x = share(comm, &[1.0; 9], &[4, 3, 2]);
        let plan = x.group_by(&labels).plan(&mean()).unwrap();
        let found: Vec<_> = plan.cohorts.iter().map(|c| (c.ranks.as_slice().to_vec(), c.labels)).collect();
        assert_eq!(found, [(vec![0, 1], 1), (vec![0, 2], 1), (vec![1, 2], 1)]);
        assert_eq!((plan.groups, plan.present, plan.state_bytes), (3, 6, 4 + 8));
        assert_eq!(plan.strategy, Way::Cohorts);
        // Three labels leave their rank: position, rows and sum of each.
        assert_eq!(plan.bytes.states, 3 * (4 + 4 + 8));
        let Reason::FewerBytes { cohorts, reduce_scatter } = plan.reason else { panic!("{plan}") };
        assert_eq!((cohorts, reduce_scatter), (48, 2 * 3 * 12));
        let words = plan.to_string();
        assert!(
            words.starts_with("Cohorts: states of present labels are 48 bytes, of all groups 72\n"),
            "{words}"
        );
        assert!(words.contains("\n  1 labels on ranks 0, 2\n"), "{words}");
    });
}

/// Labels that rise with the rows lie where their groups do, or next to it.
pub fn days_of_a_time_series_do_not_move() {
    for ranks in [2, 4] {
        on(ranks, |comm| {
            let hours = 24 * 8;
            let x = DistArray::from_fn(comm, hours, Axis(0), |hour| hour as f32).unwrap();
            let day = DistArray::from_fn(comm, hours, Axis(0), |hour| (hour / 24) as i32).unwrap();
            let plan = x.group_by(&day).plan(&mean()).unwrap();
            assert_eq!((plan.strategy, plan.reason), (Way::Local, Reason::NothingToMove));
            assert_eq!(plan.bytes.states, 0);
            assert!(plan.cohorts.iter().all(|cohort| cohort.ranks.as_slice().len() == 1));
            let means = x.group_by(&day).mean().unwrap().values;
            let wanted = (0..8).map(|day| (24 * day) as f32 + 11.5).collect::<Vec<_>>();
            assert_eq!(means.gather().unwrap().to_vec(), wanted);
        });
    }
}

pub fn a_label_on_every_rank_goes_by_reduce_scatter() {
    on(5, |comm| {
        let x = DistArray::from_fn(comm, 500, Axis(0), |i| i as i64).unwrap();
        let month = DistArray::from_fn(comm, 500, Axis(0), |i| (i % 12) as u8).unwrap();
        let plan = x.group_by(&month).plan(&sum()).unwrap();
        assert_eq!(plan.strategy, Way::ReduceScatter);
        assert_eq!(plan.bytes.states, 4 * 12 * (4 + 16));
        assert_eq!(plan.cohorts.len(), 1);
        let sums = x.group_by(&month).sum().unwrap().values;
        assert_eq!(all(&sums).iter().sum::<i64>(), 499 * 500 / 2);
    });
}

/// In every way to find labels, and to every layout of results.
pub fn the_meter_shows_what_the_plan_says() {
    each_size(|comm| {
        let (comm, meter) = Metered::wrap(comm);
        let few = |i: usize| (i % 7) as i64;
        let many = |i: usize| (i * i % 30_011) as i64;
        for label in [&few as &dyn Fn(usize) -> i64, &many] {
            let x = DistArray::from_fn(&comm, 40_000, Axis(0), |i| i as f64).unwrap();
            let labels = DistArray::from_fn(&comm, 40_000, Axis(0), label).unwrap();
            for method in [Method::Auto, Method::Cohorts, Method::ReduceScatter] {
                let grouping = x.group_by(&labels).method(method);
                let replicated = x.group_by(&labels).method(method).replicated();
                let expected = x.group_by(&labels).method(method).expected(&[0, 1, 4]);
                for grouping in [grouping, replicated, expected] {
                    let plan = grouping.plan(&(mean(), max().skip_nan())).unwrap();
                    meter.reset();
                    grouping.agg((mean(), max().skip_nan())).unwrap();
                    let sent = comm.all_reduce_value(meter.total().sent, |a, b| a + b).unwrap();
                    assert_eq!(sent, plan.bytes.total(), "{plan}");
                }
            }
        }
    });
}
