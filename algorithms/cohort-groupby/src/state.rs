//! What is kept of the values of one group in one lane.
//!
//! A state is a commutative monoid: an identity, and a way to join two parts. A value becomes a part ([`State::of`]), parts of
//! one rank join, and parts of all ranks are added to a total. The identity is neutral everywhere, so a rank without a label,
//! a group without values and a padded table are nothing special.
//!
//! Minimum and maximum work on the order-preserving integer keys of the values. Whether NaN wins or never does is then the
//! choice of the end at which it stands, and an empty state of floats is a NaN by itself.

use std::fmt::Debug;
use std::marker::PhantomData;

use bytemuck::Pod;
use maniple_kernels::{Key, Order, SortKey};

use crate::value::{Part, Total, Value};

/// Chains in which a run is joined: enough to hide the latency of an addition.
const CHAINS: usize = 8;

/// One kind of state, for values of type `T`.
pub(crate) trait State<T> {
    /// The state of one rank's values, as it crosses the wire.
    type Part: Pod + Debug;
    /// The state of all ranks' values.
    type Total: Copy + Debug;
    /// The part of no value.
    const IDENTITY: Self::Part;
    /// The total of no part.
    const NOTHING: Self::Total;

    /// The part of one value.
    fn of(value: T) -> Self::Part;
    /// The part of the values of both.
    fn join(a: Self::Part, b: Self::Part) -> Self::Part;
    /// The part of several values. They are joined in a few chains, so that it is not one long one, which would also round more.
    #[inline(always)]
    fn of_run(values: &[T]) -> Self::Part
    where
        T: Copy,
    {
        let mut chains = [Self::IDENTITY; CHAINS];
        let (groups, rest) = values.as_chunks::<CHAINS>();
        for group in groups {
            chains.iter_mut().zip(group).for_each(|(chain, &x)| *chain = Self::join(*chain, Self::of(x)));
        }
        chains.iter_mut().zip(rest).for_each(|(chain, &x)| *chain = Self::join(*chain, Self::of(x)));
        let [a, b, c, d, e, f, g, h] = chains;
        let [ab, cd] = [Self::join(a, b), Self::join(c, d)];
        let [ef, gh] = [Self::join(e, f), Self::join(g, h)];
        Self::join(Self::join(ab, cd), Self::join(ef, gh))
    }
    /// The total with one more part.
    fn merge(total: Self::Total, part: Self::Part) -> Self::Total;
}

/// How many rows.
#[derive(Debug)]
pub(crate) struct Rows;

impl<T> State<T> for Rows {
    type Part = u32; // a rank has fewer than 2^32 rows
    type Total = u64;
    const IDENTITY: u32 = 0;
    const NOTHING: u64 = 0;

    #[inline(always)]
    fn of(_: T) -> u32 {
        1
    }

    #[inline(always)]
    fn of_run(values: &[T]) -> u32 {
        values.len() as u32
    }

    #[inline(always)]
    fn join(a: u32, b: u32) -> u32 {
        a + b
    }

    #[inline(always)]
    fn merge(total: u64, part: u32) -> u64 {
        total + u64::from(part)
    }
}

/// How many values that are not NaN.
#[derive(Debug)]
pub(crate) struct Valid;

impl<T: Value> State<T> for Valid {
    type Part = u32;
    type Total = u64;
    const IDENTITY: u32 = 0;
    const NOTHING: u64 = 0;

    #[inline(always)]
    fn of(value: T) -> u32 {
        u32::from(!value.is_nan())
    }

    #[inline(always)]
    fn join(a: u32, b: u32) -> u32 {
        a + b
    }

    #[inline(always)]
    fn merge(total: u64, part: u32) -> u64 {
        total + u64::from(part)
    }
}

/// The sum; of the values that are not NaN if `SKIP`.
#[derive(Debug)]
pub(crate) struct Sum<const SKIP: bool>;

impl<T: Value, const SKIP: bool> State<T> for Sum<SKIP> {
    type Part = T::Part;
    type Total = Total<T>;
    const IDENTITY: T::Part = T::Part::ZERO;
    const NOTHING: Total<T> = T::Part::NOTHING;

    #[inline(always)]
    fn of(value: T) -> T::Part {
        if SKIP && value.is_nan() { T::Part::ZERO } else { value.part() }
    }

    #[inline(always)]
    fn join(a: T::Part, b: T::Part) -> T::Part {
        a + b
    }

    #[inline(always)]
    fn merge(total: Total<T>, part: T::Part) -> Total<T> {
        total + Total::<T>::from(part)
    }
}

/// The least or greatest value, as the key of an order in which NaN wins or, if `SKIP`, loses.
#[derive(Debug)]
pub(crate) struct Extreme<E, const SKIP: bool>(PhantomData<E>);

/// Least or greatest.
pub(crate) trait End: 'static {
    /// Is the least key the best one?
    const LEAST: bool;
}

/// The least.
#[derive(Debug)]
pub(crate) struct Low;

impl End for Low {
    const LEAST: bool = true;
}

/// The greatest.
#[derive(Debug)]
pub(crate) struct High;

impl End for High {
    const LEAST: bool = false;
}

impl<E: End, const SKIP: bool> Extreme<E, SKIP> {
    /// The last key is the worst for a minimum, so NaN stands there if it is to lose; for a maximum the other way round.
    const ORDER: Order = if E::LEAST == SKIP { Order::ASCENDING } else { Order::ASCENDING.nan_first() };

    /// The value of a total, a NaN always the ordinary one; a NaN if the state is empty and `SKIP`.
    pub(crate) fn value<T: Value>(total: T::Key) -> T {
        let value = T::from_key(Self::ORDER.decode::<T>(total));
        if value.is_nan() { T::from_canonical(value.canonical()) } else { value }
    }
}

impl<T: Value, E: End, const SKIP: bool> State<T> for Extreme<E, SKIP> {
    type Part = T::Key;
    type Total = T::Key;
    const IDENTITY: T::Key = if E::LEAST { T::Key::MAX } else { T::Key::MIN };
    const NOTHING: T::Key = <Self as State<T>>::IDENTITY;

    #[inline(always)]
    fn of(value: T) -> T::Key {
        Self::ORDER.encode::<T>(SortKey::to_key(value))
    }

    #[inline(always)]
    fn join(a: T::Key, b: T::Key) -> T::Key {
        if E::LEAST { a.min(b) } else { a.max(b) }
    }

    #[inline(always)]
    fn merge(total: T::Key, part: T::Key) -> T::Key {
        <Self as State<T>>::join(total, part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn low<const SKIP: bool>(values: &[f64]) -> f64 {
        fold::<Low, SKIP>(values)
    }

    fn fold<E: End, const SKIP: bool>(values: &[f64]) -> f64 {
        let state = values.iter().map(|&x| <Extreme<E, SKIP> as State<f64>>::of(x));
        Extreme::<E, SKIP>::value(
            state.fold(<Extreme<E, SKIP> as State<f64>>::IDENTITY, <Extreme<E, SKIP> as State<f64>>::join),
        )
    }

    #[test]
    fn nan_wins_or_loses_at_both_ends() {
        for nan in [f64::NAN, -f64::NAN] {
            let values = [2.0, nan, f64::NEG_INFINITY, f64::INFINITY];
            assert!(low::<false>(&values).is_nan());
            assert!(fold::<High, false>(&values).is_nan());
            assert_eq!(low::<true>(&values), f64::NEG_INFINITY);
            assert_eq!(fold::<High, true>(&values), f64::INFINITY);
            assert_eq!(low::<true>(&[nan]).to_bits(), f64::NAN.to_bits(), "the ordinary NaN");
            assert_eq!(fold::<High, true>(&[nan]).to_bits(), f64::NAN.to_bits());
        }
    }

    #[test]
    fn the_identity_of_a_skipping_extreme_is_nan_and_loses_to_infinity() {
        assert!(low::<true>(&[]).is_nan() && fold::<High, true>(&[]).is_nan());
        assert_eq!(low::<true>(&[f64::INFINITY]), f64::INFINITY);
        assert_eq!(fold::<High, true>(&[f64::NEG_INFINITY]), f64::NEG_INFINITY);
    }

    #[test]
    fn zeros_have_signs_whatever_the_order() {
        assert_eq!(low::<true>(&[0.0, -0.0]).to_bits(), (-0.0f64).to_bits());
        assert_eq!(fold::<High, false>(&[-0.0, 0.0]).to_bits(), 0.0f64.to_bits());
    }
}
