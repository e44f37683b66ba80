//! What the tests of sorting share: inputs of every kind, and a naive order of values that knows no keys.
#![allow(dead_code, unreachable_pub)] // each test program uses its part

use std::cmp::Ordering;

use maniple::prelude::*;
use maniple_kernels::patterns::Pattern;
use maniple_kernels::{Direction, NanOrder, Order, SortKey};
use maniple_sort::Sorting;
use proptest::prelude::*;

use crate::support::counts;

/// An input: pattern and length, how it lies, how the result shall lie, the order, and whether shortcuts are taken.
#[derive(Clone, Debug)]
pub struct Case {
    pub pattern: Pattern,
    pub n: usize,
    pub from: Vec<usize>,
    pub to: Option<Vec<usize>>,
    pub order: Order,
    pub shortcuts: bool,
}

impl Case {
    /// The options of the case.
    pub fn ask<'a, T, R>(&self, mut sorting: Sorting<'a, T, R>) -> Sorting<'a, T, R> {
        if self.order.direction == Direction::Descending {
            sorting = sorting.descending();
        }
        if self.order.nan == NanOrder::First {
            sorting = sorting.nan_first();
        }
        if let Some(to) = &self.to {
            sorting = sorting.layout(Layout::from_counts(&[self.n], Axis(0), to).expect("counts of n"));
        }
        sorting.shortcuts(self.shortcuts)
    }
}

/// Every direction with every place of NaNs.
const ORDERS: [Order; 4] = [
    Order::ASCENDING,
    Order::ASCENDING.nan_first(),
    Order::ASCENDING.descending(),
    Order::ASCENDING.descending().nan_first(),
];

pub fn cases(ranks: usize) -> impl Strategy<Value = Case> {
    let lengths = prop_oneof![Just(0_usize), 1..20_usize, 20..700_usize];
    let what = (prop::sample::select(Pattern::ALL), prop::sample::select(ORDERS.to_vec()), any::<bool>());
    (lengths, what).prop_flat_map(move |(n, (pattern, order, shortcuts))| {
        (counts(n, ranks), prop::option::of(counts(n, ranks))).prop_map(move |(from, to)| Case {
            pattern,
            n,
            from,
            to,
            order,
            shortcuts,
        })
    })
}

/// Calls a generic check for every type that is sorted.
macro_rules! every_type {
    ($check:ident $arguments:tt) => {
        every_type! { $check $arguments: u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize bool char f32 f64 }
    };
    ($check:ident $arguments:tt: $($T:ty)*) => { $($check::<$T> $arguments;)* };
}
pub(crate) use every_type;

/// A type that the library sorts.
pub trait Value: SortKey + Element + std::fmt::Debug + Default {
    /// Numbers by value; zeros are equal, and so are NaNs, which stand behind all numbers.
    fn compare(self, other: Self) -> Ordering;

    /// Is it no number?
    fn no_number(self) -> bool {
        false
    }

    /// The bits, all of them.
    fn bits(self) -> u128;

    /// Some value for each key of a pattern, rising with it.
    fn of_pattern(key: Self::Key) -> Self {
        Self::from_key(key)
    }
}

macro_rules! integers {
    ($($T:ty)*) => {$(
        impl Value for $T {
            fn compare(self, other: Self) -> Ordering {
                self.cmp(&other)
            }
            fn bits(self) -> u128 {
                self as u128
            }
        }
    )*};
}
integers! { u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize bool }

impl Value for char {
    fn compare(self, other: Self) -> Ordering {
        self.cmp(&other)
    }
    fn bits(self) -> u128 {
        self as u128
    }
    fn of_pattern(key: u32) -> Self {
        char::from_u32(key >> 12).unwrap_or('\u{d7ff}')
    }
}

macro_rules! floats {
    ($($T:ty)*) => {$(
        impl Value for $T {
            fn compare(self, other: Self) -> Ordering {
                self.partial_cmp(&other).unwrap_or_else(|| self.is_nan().cmp(&other.is_nan()))
            }
            fn no_number(self) -> bool {
                <$T>::is_nan(self)
            }
            fn bits(self) -> u128 {
                self.to_bits().into()
            }
        }
    )*};
}
floats! { f32 f64 }

/// The order of two values as a user describes it.
fn in_order<T: Value>(order: Order, a: T, b: T) -> Ordering {
    match (a.no_number(), b.no_number(), order.nan, order.direction) {
        (true, true, ..) => Ordering::Equal,
        (true, false, NanOrder::Last, _) | (false, true, NanOrder::First, _) => Ordering::Greater,
        (true, false, NanOrder::First, _) | (false, true, NanOrder::Last, _) => Ordering::Less,
        (.., Direction::Ascending) => a.compare(b),
        (.., Direction::Descending) => b.compare(a),
    }
}

/// The stable argsort, the naive way.
pub fn naive_argsort<T: Value>(whole: &[T], order: Order) -> Vec<u64> {
    let mut index: Vec<u64> = (0..whole.len() as u64).collect();
    index.sort_by(|&i, &j| in_order(order, whole[i as usize], whole[j as usize]));
    index
}

/// Asserts that `found` are the elements of `whole` in order, every bit of each.
pub fn assert_sorted<T: Value>(found: &[T], whole: &[T], order: Order, what: &str) {
    assert_eq!(found.len(), whole.len(), "{what}");
    let rising = found.windows(2).all(|w| in_order(order, w[0], w[1]) != Ordering::Greater);
    assert!(rising, "{what}: not in order: {found:?}");
    let all_bits = |values: &[T]| {
        let mut bits = bits(values);
        bits.sort_unstable();
        bits
    };
    assert_eq!(all_bits(found), all_bits(whole), "{what}: other bits came out than went in");
    // Among equal numbers only zeros differ in their bits: the negative ones stand on the side of the negative numbers.
    let (zero, ascending) = (T::default(), order.direction == Direction::Ascending);
    let zeros = found.iter().filter(|v| !v.no_number() && v.compare(zero) == Ordering::Equal);
    let signs: Vec<bool> = zeros.map(|v| (v.bits() != zero.bits()) != ascending).collect();
    assert!(signs.is_sorted(), "{what}: zeros of mixed sign: {found:?}");
}

/// The bits of every value.
pub fn bits<T: Value>(values: &[T]) -> Vec<u128> {
    values.iter().map(|v| v.bits()).collect()
}
