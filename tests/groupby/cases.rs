//! Small inputs on which other tools went wrong, with the right answers.

use maniple::prelude::*;
use maniple_groupby::{GroupBy, Label, Value, count, max, mean, min, sum};
use ndarray::{Array1, Array2, array};

use crate::support::{counts_like, each_size, layouts, share};

/// On every number of ranks, in the reported layout and in those with empty ranks.
pub fn everywhere<T: Value, L: Label>(
    values: &[T],
    labels: &[L],
    reported: &[usize],
    body: impl Fn(&DistArray<T, Ix1>, &DistArray<L, Ix1>) + Sync,
) {
    each_size(|comm| {
        let n = values.len();
        for counts in layouts(n, comm.size()).into_iter().chain([counts_like(reported, comm.size())]) {
            body(&share(comm, values, &counts), &share(comm, labels, &counts));
        }
    });
}

/// The whole array as a vector.
pub fn all<T: maniple::Element>(array: &DistArray<T, Ix1>) -> Vec<T> {
    array.gather().unwrap().to_vec()
}

/// Equal, with NaN equal to NaN.
#[track_caller]
pub fn assert_same(found: &[f64], wanted: &[f64]) {
    let same = |(a, b): (&f64, &f64)| a == b || a.is_nan() && b.is_nan();
    assert!(
        found.len() == wanted.len() && found.iter().zip(wanted).all(same),
        "found {found:?}, expected {wanted:?}"
    );
}

pub fn float_labels_above_the_integers_stay_apart() {
    let (two62, two63, two64) =
        (4_611_686_018_427_388_000.0, 9_223_372_036_854_776_000.0, 1.844_674_407_370_955_2e19);
    everywhere(&[1; 4], &[two62, two63, two64, two63], &[2, 2], |x, labels| {
        let groups = x.group_by(labels).count().unwrap();
        assert_eq!(all(&groups.labels), [two62, two63, two64]);
        assert_eq!(all(&groups.values), [1, 2, 1]);
    });
}

pub fn narrow_types_widen() {
    let labels = [0, 0, 0, 1];
    everywhere(&[true, true, false, true], &labels, &[2, 2], |x, labels| {
        assert_eq!(all(&x.group_by(labels).sum().unwrap().values), [2_u64, 1]);
    });
    everywhere(&[255_u8, 1, 0, 255], &labels, &[2, 2], |x, labels| {
        assert_eq!(all(&x.group_by(labels).sum().unwrap().values), [256_u64, 255]);
        assert_eq!(all(&x.group_by(labels).mean().unwrap().values), [256.0 / 3.0, 255.0]);
    });
    everywhere(&[i8::MIN; 4], &labels, &[2, 2], |x, labels| {
        assert_eq!(all(&x.group_by(labels).sum().unwrap().values), [-384_i64, -128]);
    });
}

pub fn large_integer_sums_are_exact() {
    let values = [18_014_398_509_481_984_i64, 14, 18_014_398_509_481_985];
    everywhere(&values, &[0, 0, 1], &[1, 2], |x, labels| {
        let sums = [18_014_398_509_481_998, 18_014_398_509_481_985, 0];
        assert_eq!(all(&x.group_by(labels).sum().unwrap().values), sums[..2]);
        let filled = x.group_by(labels).expected(&[0, 1, 2]).fill_value(0).sum().unwrap();
        assert_eq!(all(&filled.values), sums);
    });
    // The sum fits although sums on the way to it do not.
    everywhere(&[i64::MAX, i64::MAX, i64::MIN, i64::MIN], &[7; 4], &[2, 2], |x, labels| {
        assert_eq!(all(&x.group_by(labels).sum().unwrap().values), [-2]);
    });
}

pub fn rows_with_and_without_the_label_merge() {
    everywhere(&[1.0, 2.0, 10.0, 20.0, 40.0], &[0, 0, 1, 1, 1], &[1, 1, 0, 3], |x, labels| {
        assert_same(&all(&x.group_by(labels).mean().unwrap().values), &[1.5, 70.0 / 3.0]);
    });
}

pub fn booleans_are_counted() {
    everywhere(&[true, true, false, true, false], &[0, 0, 0, 1, 2], &[2, 3], |x, labels| {
        let groups = x.group_by(labels).agg((sum(), mean(), max(), min())).unwrap();
        let (sums, means, any, every) = groups.values;
        assert_eq!(all(&sums), [2_u64, 1, 0]);
        assert_eq!(all(&means), [2.0 / 3.0, 1.0, 0.0]);
        assert_eq!(all(&any), [true, true, false]);
        assert_eq!(all(&every), [false, true, false]);
    });
}

pub fn min_count_on_integers_counts_rows() {
    everywhere(&[1_i64, 2, 3], &[5, 5, 7], &[3, 0], |x, labels| {
        let one = x.group_by(labels).min_count(1).sum().unwrap();
        assert_eq!((all(&one.labels), all(&one.values)), (vec![5, 7], vec![3, 3]));
        let two = x.group_by(labels).agg((sum().min_count(2).fill_value(-1), mean().min_count(2), count()));
        let (sums, means, counts) = two.unwrap().values;
        assert_eq!(all(&sums), [3, -1]);
        assert_same(&all(&means), &[1.5, f64::NAN]);
        assert_eq!(all(&counts), [2, 1]);
    });
}

pub fn count_of_types_without_nan() {
    let labels = [0, 1, 0, 2];
    everywhere(&[true, false, true, true], &labels, &[2, 2], |x, labels| {
        assert_eq!(all(&x.group_by(labels).skip_nan().count().unwrap().values), [2, 1, 1]);
    });
    everywhere(&[5_i64, 5, 5, 5], &labels, &[2, 2], |x, labels| {
        assert_eq!(all(&x.group_by(labels).skip_nan().count().unwrap().values), [2, 1, 1]);
    });
}

pub fn no_sentinel_among_values() {
    let values = [i64::MIN, 5, i64::MAX, 7];
    everywhere(&values, &[0, 0, 1, 1], &[1, 1, 1, 1], |x, labels| {
        let grouping = x.group_by(labels).expected(&[0, 1, 2]).fill_value(0);
        assert_eq!(all(&grouping.min().unwrap().values), [i64::MIN, 7, 0]);
        assert_eq!(all(&grouping.max().unwrap().values), [5, i64::MAX, 0]);
    });
}

pub fn nan_and_infinities_at_both_ends() {
    let values = [f64::NAN, f64::NAN, f64::INFINITY, f64::INFINITY, f64::NEG_INFINITY];
    everywhere(&values, &[0, 0, 1, 1, 2], &[1, 2, 2], |x, labels| {
        let (least, greatest) = x.group_by(labels).skip_nan().agg((min(), max())).unwrap().values;
        let wanted = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
        assert_same(&all(&least), &wanted);
        assert_same(&all(&greatest), &wanted);
    });
}

pub fn nan_propagates_unless_skipped() {
    everywhere(&[1.0, f64::NAN, 3.0, 4.0], &[0, 0, 1, 1], &[2, 2], |x, labels| {
        let both = (
            (sum(), mean(), min(), max(), count()),
            (sum().skip_nan(), mean().skip_nan(), min().skip_nan(), max().skip_nan(), count().skip_nan()),
        );
        let (raw, skipped) = x.group_by(labels).agg(both).unwrap().values;
        assert_same(&all(&raw.0), &[f64::NAN, 7.0]);
        assert_same(&all(&raw.1), &[f64::NAN, 3.5]);
        assert_same(&all(&raw.2), &[f64::NAN, 3.0]);
        assert_same(&all(&raw.3), &[f64::NAN, 4.0]);
        assert_eq!(all(&raw.4), [2, 2]);
        assert_same(&all(&skipped.0), &[1.0, 7.0]);
        assert_same(&all(&skipped.1), &[1.0, 3.5]);
        assert_same(&all(&skipped.2), &[1.0, 3.0]);
        assert_same(&all(&skipped.3), &[1.0, 4.0]);
        assert_eq!(all(&skipped.4), [1, 2]);
    });
}

/// Empty groups keep their place, and a fill value tells an empty sum from a sum of zero.
pub fn bins_of_a_map_keep_empty_cells() {
    everywhere(&[1.0, 2.0, 3.0, 4.0], &[0_u8, 1, 2, 4], &[1, 3], |x, cells| {
        let grouping = x.group_by(cells).expected(&[0, 1, 2, 3, 4]);
        assert_same(
            &all(&grouping.agg(sum().fill_value(f64::NAN)).unwrap().values),
            &[1.0, 2.0, 3.0, f64::NAN, 4.0],
        );
        assert_same(&all(&grouping.sum().unwrap().values), &[1.0, 2.0, 3.0, 0.0, 4.0]);
        assert_eq!(all(&grouping.count().unwrap().values), [1, 1, 1, 0, 1]);
    });
    // No value falls into any of them.
    everywhere(&[5.0, 6.0, 7.0], &[9_u8; 3], &[1, 1, 1], |x, cells| {
        let groups = x.group_by(cells).expected(&[0, 1]).agg((mean(), count())).unwrap();
        assert_same(&all(&groups.values.0), &[f64::NAN, f64::NAN]);
        assert_eq!(all(&groups.values.1), [0, 0]);
        assert_eq!(all(&groups.counts), [0, 0]);
    });
}

/// Axes before and behind that of the groups are lanes, each reduced by itself.
pub fn lanes_before_and_behind_the_groups() {
    each_size(|comm| {
        for counts in layouts(2, comm.size()) {
            // Rows with labels 10 and 20; 15 is expected too.
            let whole = array![[true, false, false], [false, false, true]];
            let mine = maniple::Blocks::packed(counts.clone()).range(comm.rank());
            let x =
                DistArray::from_local(comm, whole.slice(ndarray::s![mine, ..]).to_owned(), Axis(0)).unwrap();
            let labels = share(comm, &[10, 20], &counts);
            let grouping = x.group_by(&labels).expected(&[10, 15, 20]).skip_nan();
            let any = grouping.agg(max().fill_value(false)).unwrap().values;
            let every = grouping.agg(min().fill_value(true)).unwrap().values;
            let wanted = array![[true, false, false], [false; 3], [false, false, true]];
            assert_eq!(any.gather().unwrap(), wanted);
            let wanted = array![[true, false, false], [true; 3], [false, false, true]];
            assert_eq!(every.gather().unwrap(), wanted);
        }
        // Months of a cube of time, latitude and longitude, split along time, then along longitude.
        let (hours, lat, lon) = (12, 3, 4);
        let value = |t: usize, i: usize, j: usize| (100 * t + 10 * i + j) as f32;
        let month: Vec<u8> = (0..hours).map(|t| (t / 5) as u8).collect();
        let cube = DistArray::from_fn(comm, (hours, lat, lon), Axis(0), |(t, i, j)| value(t, i, j)).unwrap();
        let months = DistArray::from_fn(comm, hours, Axis(0), |t| month[t]).unwrap();
        let means = cube.group_by(&months).mean().unwrap();
        assert_eq!(all(&means.counts), [5, 5, 2]);
        for ((m, i, j), &mean) in means.values.gather().unwrap().indexed_iter() {
            let hours = [2.0, 7.0, 10.5][m];
            assert_eq!(mean, 100.0 * hours + (10 * i + j) as f32);
        }
        let turned =
            DistArray::from_fn(comm, (lat, lon, hours), Axis(2), |(i, j, t)| value(t, i, j)).unwrap();
        let turned = turned.group_by(&months).mean().unwrap().values;
        assert_eq!(turned.layout().split(), Some(Axis(2)));
        let means = means.values.gather().unwrap();
        assert_eq!(turned.gather().unwrap(), means.permuted_axes([1, 2, 0]));
    });
}

pub fn blocks_in_any_memory_order() {
    each_size(|comm| {
        let rows = 3 + comm.rank();
        let base = Array2::from_shape_fn((rows, 8), |(i, j)| (i * 8 + j) as i32);
        let labels = Array1::from_shape_fn(2 * rows, |i| (i % 3) as i16);
        let labels = DistArrayView::from_local(comm, labels.slice(ndarray::s![..;-2]), Axis(0)).unwrap();
        for block in
            [base.slice(ndarray::s![..;-1, 1..;3]), base.t().slice(ndarray::s![..3, ..]).reversed_axes()]
        {
            let x = DistArrayView::from_local(comm, block, Axis(0)).unwrap();
            let straight =
                DistArray::from_local(comm, block.as_standard_layout().to_owned(), Axis(0)).unwrap();
            let straight_labels = labels.to_owned();
            let found = x.group_by(&labels).sum().unwrap();
            let wanted = straight.group_by(&straight_labels).sum().unwrap();
            assert_eq!(all(&found.labels), all(&wanted.labels));
            assert_eq!(found.values.gather().unwrap(), wanted.values.gather().unwrap());
        }
    });
}
