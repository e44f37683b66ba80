//! What a rank sees of its part before it sorts: whether it is in order, and how many keys differ.

use maniple_kernels::{Key, Order, SortKey, distinct};
use ndarray::ArrayView1;

/// Elements looked at between two questions whether to go on: without a branch for each, a look is as fast as memory.
const STRIDE: usize = 256;

/// Elements sampled for an estimate, at most. They tell ten thousand distinct keys from a hundred thousand.
const SAMPLE: usize = 4096;

/// A rank with fewer elements than this for each sampled one takes no sample.
const PER_SAMPLED: usize = 16;

/// A first look at a rank's part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Look {
    /// No element stands behind its successor.
    pub(crate) rising: bool,
    /// No element stands before its successor.
    pub(crate) falling: bool,
    /// About how many distinct keys there are; hardly more than so many.
    pub(crate) distinct: usize,
}

impl Look {
    /// Looks at values. Those without order are seen through after a few.
    pub(crate) fn at<T: SortKey>(values: &ArrayView1<'_, T>, order: Order) -> Self {
        let key = |value: &T| order.encode::<T>(value.to_key());
        let rising = holds_along(values, |a, b| key(a) <= key(b));
        let falling = match (rising, values.first(), values.last()) {
            (true, Some(first), Some(last)) => key(first) == key(last),
            _ => holds_along(values, |a, b| key(a) >= key(b)),
        };
        let distinct = match rising || falling {
            true => values.len(), // not asked for
            false => estimate(values.len(), |i| key(&values[i])),
        };
        Look { rising, falling, distinct }
    }

    /// Looks for order alone, of canonical keys: both zeros are one, all NaNs are.
    pub(crate) fn at_order<T: SortKey>(values: &ArrayView1<'_, T>, order: Order) -> Self {
        let key = |value: &T| order.encode::<T>(value.canonical());
        let rising = holds_along(values, |a, b| key(a) <= key(b));
        Look { rising, falling: false, distinct: values.len() }
    }

    pub(crate) fn packed(self) -> u64 {
        (self.distinct as u64) << 2 | u64::from(self.falling) << 1 | u64::from(self.rising)
    }

    pub(crate) fn unpacked(packed: u64) -> Self {
        Look { rising: packed & 1 != 0, falling: packed & 2 != 0, distinct: (packed >> 2) as usize }
    }
}

/// Does `holds` for every two neighbours?
fn holds_along<T>(values: &ArrayView1<'_, T>, holds: impl Fn(&T, &T) -> bool) -> bool {
    match values.as_slice() {
        Some(values) => (0..values.len().saturating_sub(1)).step_by(STRIDE).all(|begin| {
            let stride = &values[begin..values.len().min(begin + STRIDE + 1)];
            stride.iter().zip(&stride[1..]).fold(true, |all, (a, b)| all & holds(a, b))
        }),
        None => values.iter().zip(values.iter().skip(1)).all(|(a, b)| holds(a, b)),
    }
}

/// About how many of `len` keys differ: what a sample shows, and what the keys that it shows once and twice say of the others.
///
/// Source: Chao, "Nonparametric estimation of the number of classes in a population" (1984): a lower bound.
fn estimate<K: Key>(len: usize, key_at: impl Fn(usize) -> K) -> usize {
    let sampled = SAMPLE.min(len / PER_SAMPLED);
    if sampled == 0 {
        return len;
    }
    let width = len / sampled;
    // One place in each stretch, anywhere in it, so that no period of the keys hides.
    let mut random = 0_u64;
    let places = (0..sampled).map(|stretch| {
        random = random.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
        stretch * width + (random >> 33) as usize % width
    });
    let sample: Vec<K> = places.map(key_at).collect();
    let Ok(seen) = distinct(&sample).run() else { return len };
    let times = |n: u64| seen.counts.iter().filter(|&&count| count == n).count();
    let unseen = times(1) * times(1) / (2 * times(2)).max(1);
    (seen.keys.len() + unseen).min(len)
}

#[cfg(test)]
mod tests {
    use maniple_kernels::patterns::{Pattern, Rng};
    use ndarray::{Array1, ArrayView1, Axis, Slice};

    use super::*;

    fn look(values: &[i32]) -> (bool, bool) {
        let look = Look::at(&ArrayView1::from(values), Order::ASCENDING);
        (look.rising, look.falling)
    }

    #[test]
    fn order_is_seen_across_strides() {
        for n in [0, 1, 2, STRIDE - 1, STRIDE, STRIDE + 1, STRIDE + 2, 3 * STRIDE + 1] {
            let mut values: Vec<i32> = (0..n as i32).collect();
            assert_eq!(look(&values), (true, n < 2));
            for at in 1..n {
                values.swap(at - 1, at);
                assert!(!look(&values).0, "{n} elements, the {at}th out of place");
                values.swap(at - 1, at);
            }
            values.reverse();
            assert_eq!(look(&values), (n < 2, true));
        }
        assert_eq!(look(&[5; 1000]), (true, true));
    }

    #[test]
    fn views_are_looked_at_as_they_show() {
        let values = Array1::from_iter((0..100).map(|i| if i % 2 == 0 { i } else { -i }));
        let part = |slice| Look::at(&values.slice_axis(Axis(0), slice), Order::ASCENDING.descending());
        assert!(part(Slice::new(1, None, 2)).rising && part(Slice::new(0, None, -2)).falling);
    }

    #[test]
    fn estimates_are_near_where_it_matters() {
        let estimate_of = |keys: &[u64]| estimate(keys.len(), |i| keys[i]);
        let mut rng = Rng(1);
        for few in [1, 10, 1_000, 5_000] {
            let keys: Vec<u64> = (0..200_000).map(|_| rng.up_to(few - 1)).collect();
            let estimate = estimate_of(&keys) as u64;
            assert!((few * 4 / 5..=few * 5 / 4).contains(&estimate), "{estimate} for {few}");
        }
        for many in [Pattern::Uniform, Pattern::HeavyKey, Pattern::FloatMix] {
            assert!(estimate_of(&many.keys(200_000, 1, 1)) > 20_000, "{many:?}");
        }
    }

    #[test]
    fn a_look_survives_its_journey() {
        for (rising, falling) in [(false, false), (false, true), (true, false), (true, true)] {
            let look = Look { rising, falling, distinct: 12_345 };
            assert_eq!(Look::unpacked(look.packed()), look);
        }
    }
}
