//! Values and labels of every type, from small numbers.

use std::fmt::Debug;

use maniple_groupby::{Label, Value};

/// A value or a result, in a type that holds all of them.
#[derive(Clone, Copy, Debug)]
pub enum Wide {
    Int(i128),
    Float(f64),
}

/// Equal, with all NaNs equal; zeros of either sign differ.
impl PartialEq for Wide {
    fn eq(&self, other: &Wide) -> bool {
        match (*self, *other) {
            (Wide::Int(a), Wide::Int(b)) => a == b,
            (Wide::Float(a), Wide::Float(b)) => a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan(),
            _ => false,
        }
    }
}

/// Types of values.
pub trait Sample: Value + Debug {
    /// Is NaN one of its values?
    const FLOAT: bool;
    /// Range of sums; not for floats.
    const SUMS: (i128, i128);
    /// One of some values whose sums are exact in any order.
    fn sample(seed: u8) -> Self;
    fn wide(self) -> Wide;
}

macro_rules! integers {
    ($($T:ident, $S:ident;)*) => {$(
        impl Sample for $T {
            const FLOAT: bool = false;
            const SUMS: (i128, i128) = ($S::MIN as i128, $S::MAX as i128);

            fn sample(seed: u8) -> Self {
                match seed % 16 {
                    0 => $T::MIN,
                    1 => $T::MAX,
                    small if $T::MIN == 0 => small as $T,
                    small => small as $T - 9,
                }
            }

            fn wide(self) -> Wide {
                Wide::Int(self as i128)
            }
        }
    )*};
}

integers! {
    i8, i64; i16, i64; i32, i64; i64, i64; isize, i64;
    u8, u64; u16, u64; u32, u64; u64, u64; usize, u64;
}

impl Sample for bool {
    const FLOAT: bool = false;
    const SUMS: (i128, i128) = (0, u64::MAX as i128);

    fn sample(seed: u8) -> Self {
        seed.is_multiple_of(3)
    }

    fn wide(self) -> Wide {
        Wide::Int(self.into())
    }
}

macro_rules! floats {
    ($($T:ident)*) => {$(
        impl Sample for $T {
            const FLOAT: bool = true;
            const SUMS: (i128, i128) = (0, 0);

            fn sample(seed: u8) -> Self {
                match seed % 64 {
                    0 => $T::INFINITY,
                    1 => $T::NEG_INFINITY,
                    2 | 3 => $T::NAN,
                    4 => -$T::NAN,
                    5 => -0.0,
                    6 => 0.0,
                    small => $T::from(small) * 0.25 - 8.0,
                }
            }

            fn wide(self) -> Wide {
                Wide::Float(self.into())
            }
        }
    )*};
}

floats! { f32 f64 }

/// Types of labels.
pub trait Name: Label {
    /// One of some labels, among them those that are sentinels elsewhere.
    fn name(number: u32) -> Self;
}

macro_rules! integer_names {
    ($($T:ident)*) => {$(
        impl Name for $T {
            fn name(number: u32) -> Self {
                match number {
                    0 => $T::MIN,
                    1 => $T::MAX,
                    2 => (0 as $T).wrapping_sub(1),
                    _ => (number as $T).wrapping_mul(3),
                }
            }
        }
    )*};
}

integer_names! { i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize }

impl Name for bool {
    fn name(number: u32) -> Self {
        number % 2 == 1
    }
}

impl Name for char {
    fn name(number: u32) -> Self {
        char::from_u32('a' as u32 + number).expect("a letter or something behind it")
    }
}

macro_rules! float_names {
    ($($T:ident)*) => {$(
        impl Name for $T {
            fn name(number: u32) -> Self {
                match number {
                    0 => $T::NAN,
                    1 => -$T::NAN,
                    2 => -0.0,
                    3 => 0.0,
                    4 => $T::INFINITY,
                    5 => $T::NEG_INFINITY,
                    6 => $T::MIN_POSITIVE,
                    _ => number as $T - 20.5,
                }
            }
        }
    )*};
}

float_names! { f32 f64 }
