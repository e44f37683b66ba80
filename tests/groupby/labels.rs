//! What a label is, how many there may be, and which groups there are.

use std::collections::BTreeMap;

use maniple::prelude::*;
use maniple_groupby::{GroupBy, count, max, sum};
use proptest::prelude::*;

use crate::cases::{all, assert_same, everywhere};
use crate::support::{counts, each_size, layouts, on, property, share};

/// More labels than every rank gets to see: they are numbered by a directory.
pub fn many_labels_through_the_directory() {
    let inputs = |ranks: usize| {
        let n = 3 * 8192;
        let labels = prop_oneof![
            Just((0..n as i64).collect::<Vec<_>>()).prop_shuffle(), // one a row
            prop::collection::vec(any::<i64>(), n),                 // no order at all
            prop::collection::vec(-9000..9000_i64, n),              // some on several ranks
            Just((0..n as i64).map(|i| i * i % 16_411).collect::<Vec<_>>()),
        ];
        (labels, counts(n, ranks))
    };
    property(24, inputs, |comm, (labels, counts)| {
        let values: Vec<i32> = (0..labels.len() as i32).collect();
        let mut wanted: BTreeMap<i64, (i64, u64)> = BTreeMap::new();
        for (&label, &x) in labels.iter().zip(&values) {
            let (sum, rows) = wanted.entry(label).or_default();
            *sum += i64::from(x);
            *rows += 1;
        }
        let x = share(comm, &values, counts);
        let found = x.group_by(&share(comm, labels, counts)).sum().unwrap();
        let even = Layout::even(&[wanted.len()], Axis(0), comm.size()).unwrap();
        assert_eq!((found.labels.layout(), found.values.layout()), (&even, &even));
        let mine = even.range(comm.rank());
        let wanted: Vec<_> = wanted.into_iter().skip(mine.start).take(mine.len()).collect();
        let found: Vec<_> = (found.labels.local().iter().zip(found.values.local()))
            .zip(found.counts.local())
            .map(|((&label, &sum), &rows)| (label, (sum, rows)))
            .collect();
        assert_eq!(found, wanted);
    });
}

pub fn more_labels_than_a_16_bit_or_17_bit_code_holds() {
    for n in [90_000_i64, 131_073] {
        on(4, |comm| {
            let x = DistArray::from_fn(comm, n as usize, Axis(0), |i| i as i64).unwrap();
            let groups = x.group_by(&x).agg((max(), sum(), count())).unwrap();
            assert_eq!(groups.labels.layout().shape(), [n as usize]);
            assert_eq!(groups.labels.local(), x.local());
            assert_eq!(groups.values.0.local(), x.local());
            assert_eq!(groups.values.1.local(), x.local());
            assert!(groups.values.2.local().iter().all(|&rows| rows == 1));
        });
    }
}

pub fn nan_labels_are_one_group_or_dropped() {
    let labels = [1.0, f64::NAN, 2.0, -f64::NAN, 1.0];
    everywhere(&[1.0, 2.0, 4.0, 8.0, 16.0], &labels, &[2, 2, 1], |x, labels| {
        let kept = x.group_by(labels).keep_nan_labels().sum().unwrap();
        assert_same(&all(&kept.labels), &[1.0, 2.0, f64::NAN]);
        assert_same(&all(&kept.values), &[17.0, 4.0, 10.0]);
        assert_eq!(all(&kept.counts), [2, 1, 2]);
        let dropped = x.group_by(labels).sum().unwrap();
        assert_same(&all(&dropped.labels), &[1.0, 2.0]);
        assert_same(&all(&dropped.values), &[17.0, 4.0]);
        let expected = x.group_by(labels).expected(&[f64::NAN, 3.0, 1.0]).sum().unwrap();
        assert_same(&all(&expected.labels), &[1.0, 3.0, f64::NAN]);
        assert_same(&all(&expected.values), &[17.0, 0.0, 10.0]);
    });
    // A dropped group has no overflow.
    everywhere(&[i64::MAX, i64::MAX, 5], &[f64::NAN, f64::NAN, 1.0], &[2, 1], |x, labels| {
        assert_eq!(all(&x.group_by(labels).sum().unwrap().values), [5]);
    });
}

pub fn sentinels_are_ordinary_labels() {
    let labels = [-1, i64::MIN, i64::MAX, 0, -1, i64::MAX];
    everywhere(&[1_i64, 2, 4, 8, 16, 32], &labels, &[1, 3, 2], |x, labels| {
        let groups = x.group_by(labels).sum().unwrap();
        assert_eq!(all(&groups.labels), [i64::MIN, -1, 0, i64::MAX]);
        assert_eq!(all(&groups.values), [2, 17, 8, 36]);
    });
    everywhere(&[1_i64, 2, 4], &[u64::MAX, 0, u64::MAX - 1], &[1, 1, 1], |x, labels| {
        let groups = x.group_by(labels).expected(&[u64::MAX, 7, 0]).sum().unwrap();
        assert_eq!(all(&groups.labels), [0, 7, u64::MAX]);
        assert_eq!(all(&groups.values), [2, 0, 1]);
    });
}

pub fn the_two_zeros_are_one_label() {
    everywhere(&[1_i64, 2, 4], &[-0.0_f32, 0.0, -1.0], &[1, 2], |x, labels| {
        let groups = x.group_by(labels).sum().unwrap();
        let bits: Vec<u32> = all(&groups.labels).into_iter().map(f32::to_bits).collect();
        assert_eq!(bits, [-1.0_f32, 0.0].map(f32::to_bits));
        assert_eq!(all(&groups.values), [4, 3]);
    });
}

pub fn expected_labels_decide_the_groups() {
    everywhere(&[1_i64, 2, 4, 8], &['d', 'a', 'd', 'b'], &[2, 2], |x, labels| {
        let groups = x.group_by(labels).expected(&['d', 'c', 'b']).sum().unwrap();
        assert_eq!(all(&groups.labels), ['b', 'c', 'd'], "sorted, whatever the order of the request");
        assert_eq!(all(&groups.values), [8, 0, 5]);
        assert_eq!(all(&groups.counts), [1, 0, 2]);
        let none = x.group_by(labels).expected(&[]).sum().unwrap();
        assert_eq!((all(&none.labels), all(&none.values)), (vec![], vec![]));
    });
}

pub fn nothing_to_group() {
    everywhere::<f32, i8>(&[], &[], &[0, 0], |x, labels| {
        let groups = x.group_by(labels).agg((sum(), max(), count())).unwrap();
        assert!(groups.labels.layout().is_empty() && groups.values.1.layout().is_empty());
        let expected = x.group_by(labels).expected(&[1, 2]).sum().unwrap();
        assert_eq!(all(&expected.values), [0.0, 0.0]);
    });
}

/// Whatever is on every rank is divided among the ranks; the answer is the same.
pub fn replicated_values_and_labels() {
    let (values, labels): (Vec<i32>, Vec<i32>) = ((0..23).collect(), (0..23).map(|i| i % 4).collect());
    let wanted = ([0, 1, 2, 3], [60_i64, 66, 72, 55]);
    each_size(|comm| {
        let all_values = DistArrayView::replicated(comm, ndarray::aview1(&values)).unwrap();
        let all_labels = DistArrayView::replicated(comm, ndarray::aview1(&labels)).unwrap();
        for counts in layouts(23, comm.size()) {
            let (x, names) = (share(comm, &values, &counts), share(comm, &labels, &counts));
            for groups in [
                all_values.group_by(&all_labels).sum().unwrap(),
                all_values.group_by(&names).sum().unwrap(),
                x.group_by(&all_labels).sum().unwrap(),
            ] {
                assert_eq!(groups.values.layout(), &Layout::even(&[4], Axis(0), comm.size()).unwrap());
                assert_eq!(
                    (&all(&groups.labels)[..], &all(&groups.values)[..]),
                    (&wanted.0[..], &wanted.1[..])
                );
            }
        }
        let groups = all_values.group_by(&all_labels).replicated().sum().unwrap();
        assert_eq!(groups.values.layout().split(), None);
        assert_eq!(groups.values.local().to_vec(), wanted.1);
        assert_eq!(groups.labels.local().to_vec(), wanted.0);
        // Along the second axis.
        let square = DistArrayView::replicated(comm, ndarray::aview2(&[[1_i64, 2, 3], [4, 5, 6]])).unwrap();
        let columns = DistArrayView::replicated(comm, ndarray::aview1(&['b', 'a', 'b'])).unwrap();
        let groups = square.group_by(&columns).axis(Axis(1)).sum().unwrap();
        assert_eq!(groups.values.layout().split(), Some(Axis(1)));
        assert_eq!(groups.values.gather().unwrap(), ndarray::array![[2, 4], [5, 10]]);
    });
}
