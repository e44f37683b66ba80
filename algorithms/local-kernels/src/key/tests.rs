use std::cmp::Ordering;
use std::fmt::Debug;

use proptest::prelude::*;

use super::*;

const ORDERS: [Order; 4] = [
    Order::ASCENDING,
    Order::ASCENDING.descending(),
    Order::ASCENDING.nan_first(),
    Order::ASCENDING.descending().nan_first(),
];

/// What a reader of semantics expects, by comparison of values alone.
fn expected<T: SortKey + PartialOrd>(a: T, b: T, order: Order) -> Ordering {
    let nan_side = |first| {
        if first == (order.nan == NanOrder::First) { Ordering::Less } else { Ordering::Greater }
    };
    match (a.is_nan(), b.is_nan()) {
        (true, true) => Ordering::Equal,
        (true, false) => nan_side(true),
        (false, true) => nan_side(false),
        (false, false) => {
            let numbers = a.partial_cmp(&b).unwrap();
            if order.direction == Direction::Descending { numbers.reverse() } else { numbers }
        }
    }
}

/// Canonical keys compare like the values; exact keys refine that and come back bit for bit.
fn check<T: SortKey + PartialOrd + Debug>(a: T, b: T, bits: impl Fn(T) -> u128) {
    assert_eq!(bits(T::from_key(a.to_key())), bits(a));
    assert_eq!(a.to_key() == b.to_key(), bits(a) == bits(b), "{a:?} {b:?}");
    let shown = T::from_canonical(a.canonical());
    assert_eq!(shown.canonical(), a.canonical());
    assert!(if a.is_nan() { shown.is_nan() } else { shown == a }, "{a:?} {shown:?}");
    for order in ORDERS {
        let exact = |x: T| order.encode::<T>(x.to_key());
        let canonical = |x: T| order.encode::<T>(x.canonical());
        assert_eq!(order.decode::<T>(exact(a)), a.to_key());
        assert_eq!(order.decode::<T>(canonical(a)), a.canonical());
        assert_eq!(canonical(a).cmp(&canonical(b)), expected(a, b, order), "{a:?} {b:?} {order:?}");
        if canonical(a) != canonical(b) {
            assert_eq!(exact(a).cmp(&exact(b)), expected(a, b, order), "{a:?} {b:?} {order:?}");
        }
    }
}

#[test]
fn every_pair_of_8_bit_values() {
    for a in 0..=u8::MAX {
        for b in 0..=u8::MAX {
            check(a, b, u128::from);
            check(a as i8, b as i8, |x| x as u128);
            check(a & 1 == 1, b & 1 == 1, u128::from);
        }
    }
}

/// Every value, compared with its neighbours in key order: with injectivity that fixes the whole order.
fn check_all_16_bit<T: SortKey<Key = u16> + PartialOrd + Debug>(
    from_bits: impl Fn(u16) -> T,
    bits: impl Fn(T) -> u128 + Copy,
) {
    let mut seen = vec![false; 1 << 16];
    for b in 0..=u16::MAX {
        let value = from_bits(b);
        assert!(
            !std::mem::replace(&mut seen[usize::from(value.to_key())], true),
            "two values have the key of {value:?}"
        );
        check(value, T::from_key(value.to_key().wrapping_add(1)), bits);
        check(value, T::from_key(value.to_key().wrapping_sub(1)), bits);
        check(value, T::from_key(!value.to_key()), bits);
    }
    for order in ORDERS {
        seen.fill(false);
        for key in 0..=u16::MAX {
            let code = order.encode::<T>(key);
            assert!(
                !std::mem::replace(&mut seen[usize::from(code)], true),
                "two keys have the code of {key} in {order:?}"
            );
            assert_eq!(order.decode::<T>(code), key);
        }
    }
}

#[test]
fn every_16_bit_value() {
    check_all_16_bit(|b| b, u128::from);
    check_all_16_bit(|b| b as i16, |x| x as u128);
}

#[cfg(feature = "half")]
#[test]
fn every_half_precision_value() {
    check_all_16_bit(half::f16::from_bits, |x| x.to_bits().into());
    check_all_16_bit(half::bf16::from_bits, |x| x.to_bits().into());
}

/// Zeros, infinities, the smallest and greatest of each class, quiet and signalling NaNs, of both signs.
const F64_CORNERS: [u64; 12] = [
    0,
    1,
    0x000F_FFFF_FFFF_FFFF,
    0x0010_0000_0000_0000,
    0x3FF0_0000_0000_0000,
    0x7FEF_FFFF_FFFF_FFFF,
    0x7FF0_0000_0000_0000,
    0x7FF0_0000_0000_0001,
    0x7FF7_FFFF_FFFF_FFFF,
    0x7FF8_0000_0000_0000,
    0x7FF8_0000_0000_0001,
    0x7FFF_FFFF_FFFF_FFFF,
];

#[test]
fn corners_of_floats() {
    let f64s: Vec<f64> = F64_CORNERS.into_iter().flat_map(|b| [b, b | 1 << 63]).map(f64::from_bits).collect();
    let f32s: Vec<f32> = [
        0,
        1,
        0x7F_FFFF,
        0x80_0000,
        0x3F80_0000,
        0x7F7F_FFFF,
        0x7F80_0000,
        0x7F80_0001,
        0x7FC0_0000,
        0x7FFF_FFFF,
    ]
    .into_iter()
    .flat_map(|b: u32| [b, b | 1 << 31])
    .map(f32::from_bits)
    .collect();
    for &a in &f64s {
        f64s.iter().for_each(|&b| check(a, b, |x| x.to_bits().into()));
    }
    for &a in &f32s {
        f32s.iter().for_each(|&b| check(a, b, |x| x.to_bits().into()));
    }
}

#[test]
fn zeros_and_nans_by_value() {
    assert_eq!((-0.0f64).to_key() + 1, 0.0f64.to_key());
    assert_eq!(f64::NEG_INFINITY.to_key(), 0);
    assert_eq!(f64::INFINITY.to_key(), !f64::NANS);
    assert_eq!(f64::from_canonical((-0.0f64).canonical()).to_bits(), 0);
    assert_eq!(
        f64::from_canonical(f64::from_bits(0xFFF0_0000_0000_0001).canonical()).to_bits(),
        0x7FF8_0000_0000_0000
    );
    assert_eq!(f32::from_canonical(f32::from_bits(0xFFFF_FFFF).canonical()).to_bits(), 0x7FC0_0000);
    let falling: Vec<f64> = crate::from_keys(
        crate::sort_values(vec![3.0, f64::NAN, 1.0, 2.0, f64::NAN], Order::ASCENDING.descending()),
        Order::ASCENDING.descending(),
    );
    assert_eq!(falling[..3], [3.0, 2.0, 1.0]);
    assert!(falling[3].is_nan() && falling[4].is_nan());
}

#[test]
#[should_panic(expected = "Unicode scalar value")]
fn a_surrogate_is_no_char() {
    char::from_key(0xD800);
}

#[test]
fn midpoint_at_the_ends() {
    assert_eq!(u8::MAX.midpoint(u8::MAX), u8::MAX);
    assert_eq!(Key::midpoint(u128::MAX, u128::MAX - 1), u128::MAX - 1);
    assert_eq!(u128::between(0, u128::MAX, 255, 255), u128::MAX);
    assert_eq!(u128::between(0, u128::MAX, 1, 2), u128::MAX / 2);
    assert_eq!(u64::between(7, 7, 3, 5), 7);
}

#[test]
#[should_panic(expected = "expected low <= high")]
fn between_wants_a_bracket() {
    u8::between(2, 1, 0, 1);
}

proptest! {
    #[test]
    fn any_pair_of_values(a: u128, b: u128, close in 0u128..3) {
        // Unrelated values, and values a bit apart, where rounding and sign tricks fail.
        for b in [b, a.wrapping_add(close), a ^ 1 << 63, a ^ 1 << 31] {
            check(a as u32, b as u32, u128::from);
            check(a as u64, b as u64, u128::from);
            check(a, b, |x| x);
            check(a as usize, b as usize, |x| x as u128);
            check(a as i32, b as i32, |x| x as u128);
            check(a as i64, b as i64, |x| x as u128);
            check(a as i128, b as i128, |x| x as u128);
            check(a as isize, b as isize, |x| x as u128);
            check(f32::from_bits(a as u32), f32::from_bits(b as u32), |x| x.to_bits().into());
            check(f64::from_bits(a as u64), f64::from_bits(b as u64), |x| x.to_bits().into());
        }
    }

    #[test]
    fn any_pair_of_chars(a: char, b: char) {
        check(a, b, |x| x as u128);
    }

    #[test]
    fn between_is_exact_and_monotone(low: u64, high: u64, parts in 1u32..300) {
        let (low, high) = (low.min(high), low.max(high));
        let probes: Vec<u64> = (0..=parts).map(|part| u64::between(low, high, part, parts)).collect();
        prop_assert_eq!((probes[0], probes[parts as usize]), (low, high));
        for (part, &probe) in probes.iter().enumerate() {
            let exact = u128::from(high - low) * part as u128 / u128::from(parts);
            prop_assert_eq!(u128::from(probe - low), exact);
        }
    }
}
