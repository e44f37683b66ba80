//! What cannot be answered is the same error on every rank, and the ranks go on together.

use maniple::ArrayError as Error;
use maniple::prelude::*;
use maniple_groupby::{GroupBy, GroupByError, max, min, sum};

use crate::cases::{all, everywhere};
use crate::support::{each_size, on, share};

fn unlike(why: &GroupByError) -> String {
    match why {
        GroupByError::Array(why @ Error::Unlike { operation: "group_by", .. }) => why.to_string(),
        other => panic!("{other}"),
    }
}

pub fn labels_of_another_length() {
    each_size(|comm| {
        let x = DistArray::from_fn(comm, 5, Axis(0), |i| i).unwrap();
        let four = DistArray::from_fn(comm, 4, Axis(0), |i| i).unwrap();
        let all_four = DistArray::replicated(comm, Array1::from_iter(0..4)).unwrap();
        let wanted = "group_by: number of labels is 4, expected 5";
        assert_eq!(unlike(&x.group_by(&four).sum().unwrap_err()), wanted);
        assert_eq!(unlike(&x.group_by(&all_four).sum().unwrap_err()), wanted);
        assert_eq!(unlike(&x.group_by(&four).plan(&sum()).unwrap_err()), wanted);
        assert_eq!(x.gather().unwrap().len(), 5, "the ranks go on together");
    });
}

pub fn labels_in_another_layout() {
    on(3, |comm| {
        let x = share(comm, &[1_i64, 2, 3, 4], &[2, 1, 1]);
        let labels = share(comm, &[0, 0, 1, 1], &[1, 2, 1]);
        let why = x.group_by(&labels).sum().unwrap_err();
        assert_eq!(
            unlike(&why),
            "group_by: layout of the labels is [1, 2, 1], expected [2, 1, 1], like the values' axis 0"
        );
        let aligned = labels.redistribute(x.layout()).unwrap();
        assert_eq!(all(&x.group_by(&aligned).sum().unwrap().values), [3, 7]);

        let apart = comm.duplicate().unwrap();
        let elsewhere = share(&apart, &[0, 0, 1, 1], &[2, 1, 1]);
        let why = x.group_by(&elsewhere).sum().unwrap_err();
        assert_eq!(
            unlike(&why),
            "group_by: communicator of the labels is another one, expected that of the values"
        );
    });
}

pub fn axes_that_cannot_be() {
    each_size(|comm| {
        let x = DistArray::from_fn(comm, (3, 3), Axis(1), |(i, j)| i + j).unwrap();
        let labels = DistArray::from_fn(comm, 3, Axis(0), |i| i).unwrap();
        let why = x.group_by(&labels).axis(Axis(0)).sum().unwrap_err();
        assert_eq!(unlike(&why), "group_by: axis of the groups is 0, expected the split axis 1");
        let why = x.group_by(&labels).axis(Axis(2)).sum().unwrap_err();
        assert_eq!(why.to_string(), "axis 2 of an array with 2 axes");
        assert!(x.group_by(&labels).axis(Axis(1)).sum().is_ok());
    });
}

pub fn expected_labels_twice() {
    everywhere(&[1, 2], &[0.0, 1.0], &[1, 1], |x, labels| {
        let why = x.group_by(labels).expected(&[3.0, 0.0, 1.0, -0.0]).sum().unwrap_err();
        let wanted = GroupByError::DuplicateExpected { label: "-0.0".into(), first: 1, second: 3 };
        assert_eq!(why, wanted);
        assert_eq!(
            why.to_string(),
            "group_by: expected labels must be distinct, but -0.0 stands at 1 and at 3"
        );
    });
}

pub fn ranks_that_ask_differently() {
    for ranks in [2, 3, 5] {
        on(ranks, |comm| {
            let x = DistArray::from_fn(comm, 9, Axis(0), |i| i as f64).unwrap();
            let labels = DistArray::from_fn(comm, 9, Axis(0), |i| i % 2).unwrap();
            let odd_one = comm.rank() == 1;
            let disagree = |why: GroupByError, about: &str| match why {
                GroupByError::Array(Error::Disagree { operation: "group_by", what, ranks, .. }) => {
                    assert_eq!((what, ranks.as_slice()), (about, &[1][..]));
                }
                other => panic!("{other}"),
            };
            let grouping = x.group_by(&labels);
            let grouping = if odd_one { grouping.skip_nan() } else { grouping };
            disagree(grouping.sum().unwrap_err(), "options of all aggregations");

            let fill = if odd_one { 1.0 } else { 0.0 };
            disagree(x.group_by(&labels).agg(min().fill_value(fill)).unwrap_err(), "aggregations");

            let list: &[usize] = if odd_one { &[0, 1] } else { &[1, 0] };
            disagree(x.group_by(&labels).expected(list).sum().unwrap_err(), "expected labels");

            // One rank alone names an axis that cannot be.
            let axis = if odd_one { Axis(3) } else { Axis(0) };
            disagree(x.group_by(&labels).axis(axis).sum().unwrap_err(), "axis");
            assert_eq!(all(&x.group_by(&labels).sum().unwrap().values), [20.0, 16.0]);
        });
    }
}

pub fn sums_that_overflow() {
    let values = [i64::MAX, 1, i64::MIN, -1, 5];
    everywhere(&values, &['c', 'c', 'b', 'b', 'a'], &[2, 2, 1], |x, labels| {
        let why = x.group_by(labels).sum().unwrap_err();
        let wanted =
            GroupByError::Overflow { label: "'b'".into(), sum: i128::from(i64::MIN) - 1, expected: "i64" };
        assert_eq!(why, wanted, "the first group");
        assert_eq!(
            why.to_string(),
            "group_by: the sum of group 'b' is -9223372036854775809, expected one that fits i64; wrapping() allows it"
        );
        let wrapped = [5, i64::MAX, i64::MIN];
        assert_eq!(all(&x.group_by(labels).wrapping().sum().unwrap().values), wrapped);
        assert_eq!(all(&x.group_by(labels).agg(sum().wrapping()).unwrap().values), wrapped);
        let means = [5.0, -4_611_686_018_427_387_904.5, 4_611_686_018_427_387_904.0];
        assert_eq!(all(&x.group_by(labels).mean().unwrap().values), means, "no sum, no overflow");
        let present = x.group_by(labels).expected(&['a']).sum().unwrap();
        assert_eq!(all(&present.values), [5], "a dropped group does not overflow");
    });
    everywhere(&[u64::MAX, 1], &[0, 0], &[1, 1], |x, labels| {
        let why = x.group_by(labels).sum().unwrap_err();
        assert!(matches!(
            why,
            GroupByError::Overflow { sum: 18_446_744_073_709_551_616, expected: "u64", .. }
        ));
    });
}

pub fn groups_without_a_result() {
    everywhere(&[3_i32, 4], &[1, 1], &[1, 1], |x, labels| {
        let grouping = x.group_by(labels).expected(&[1, 2, 3]);
        let missing = |operation, label: &str, expected, found| GroupByError::Missing {
            operation,
            label: label.into(),
            expected,
            found,
        };
        assert_eq!(grouping.min().unwrap_err(), missing("min", "2", 1, 0));
        let why = grouping.agg((sum(), max())).unwrap_err();
        assert_eq!(why, missing("max", "2", 1, 0));
        assert_eq!(
            why.to_string(),
            "group_by: max of group 2 has 0 valid elements, expected at least 1 or a fill_value()"
        );
        assert_eq!(all(&grouping.agg(max().fill_value(-7)).unwrap().values), [4, -7, -7]);
        let why = x.group_by(labels).min_count(3).sum().unwrap_err();
        assert_eq!(why, missing("sum", "1", 3, 2));
        assert!(all(&grouping.mean().unwrap().values)[1..].iter().all(|mean| mean.is_nan()));
    });
}

pub fn errors_pass_through_the_facade() {
    let run = |comm: &Comm| -> maniple::Result<()> {
        let x = DistArray::from_fn(comm, 2, Axis(0), |_| u64::MAX)?;
        let labels = DistArray::from_fn(comm, 2, Axis(0), |_| 'x')?;
        x.group_by(&labels).sum()?;
        Ok(())
    };
    each_size(|comm| {
        assert_eq!(
            run(comm).unwrap_err().to_string(),
            "group_by: the sum of group 'x' is 36893488147419103230, expected one that fits u64; wrapping() allows it"
        );
    });
}
