//! The types that can be labels, and those that can be reduced: what their sums and means are, and in what they are added up.

use std::fmt::Debug;
use std::ops::Add;

use maniple_core::Element;
use maniple_kernels::SortKey;

/// A type of labels: everything with an order-preserving key. Both zeros are one label, and so are all NaNs.
pub trait Label: Element + SortKey + Debug {}

impl<L: Element + SortKey + Debug> Label for L {}

/// A type of values that can be reduced: `bool`, the integers up to 64 bits, `f32` and `f64`. The trait is sealed.
///
/// | values | sum | mean | added up in |
/// |---|---|---|---|
/// | `i8` .. `i64`, `isize` | `i64` | `f64` | exact integers |
/// | `bool`, `u8` .. `u64`, `usize` | `u64` | `f64` | exact integers |
/// | `f32`, `f64` | kept | kept | `f64` |
pub trait Value: Element + SortKey + Debug + PartialEq + sealed::Sealed {
    /// The type of sums.
    type Sum: Value;
    /// The type of means.
    type Mean: Value;
    /// In what the values of one rank are added up, without loss if they are integers.
    #[doc(hidden)]
    type Part: Part;

    /// What stands for a missing result, if the type has something.
    #[doc(hidden)]
    const MISSING: Option<Self>;
    /// So many values can always be added up, as a power of two; `None`: any number.
    #[doc(hidden)]
    const HEADROOM: Option<u32>;

    /// The value as the sum of itself alone.
    #[doc(hidden)]
    fn part(self) -> Self::Part;
    /// The sum as a result, unless it leaves the type.
    #[doc(hidden)]
    fn sum(total: Total<Self>) -> Option<Self::Sum>;
    /// The sum as a result, modulo the size of its type.
    #[doc(hidden)]
    fn wrapping_sum(total: Total<Self>) -> Self::Sum;
    /// The mean of `n` values.
    #[doc(hidden)]
    fn mean(total: Total<Self>, n: u64) -> Self::Mean;
    /// An exact sum for an error message.
    #[doc(hidden)]
    fn exact(total: Total<Self>) -> i128;
}

/// The sum over all ranks.
#[doc(hidden)]
pub(crate) type Total<T> = <<T as Value>::Part as Part>::Total;

/// The sum of one rank's values, as it crosses the wire; no more than 8 bytes where 8 bytes can hold it.
#[doc(hidden)]
pub trait Part: bytemuck::Pod + Debug + Add<Output = Self> {
    /// Holds the sum over any number of ranks.
    type Total: Copy + Debug + Add<Output = Self::Total> + From<Self>;
    const ZERO: Self;
    const NOTHING: Self::Total;
}

macro_rules! part {
    ($($P:ty => $T:ty, $zero:expr;)*) => {$(
        impl Part for $P {
            type Total = $T;
            const ZERO: $P = $zero;
            const NOTHING: $T = $zero as $T;
        }
    )*};
}

part! {
    f64 => f64, 0.0;
    i64 => i128, 0;
    u64 => i128, 0;
    i128 => i128, 0;
}

/// At most 2^32 values of 32 bits fit 64; those of 64 bits need more.
macro_rules! integer {
    ($($T:ty => $P:ty, $S:ty;)*) => {$(
        impl sealed::Sealed for $T {}

        impl Value for $T {
            type Sum = $S;
            type Mean = f64;
            type Part = $P;
            const MISSING: Option<Self> = None;
            const HEADROOM: Option<u32> = Some(<$S>::BITS - 8 * size_of::<$T>() as u32);

            #[inline(always)]
            fn part(self) -> $P {
                self as $P
            }

            fn sum(total: i128) -> Option<$S> {
                <$S>::try_from(total).ok()
            }

            fn wrapping_sum(total: i128) -> $S {
                total as $S
            }

            fn mean(total: i128, n: u64) -> f64 {
                total as f64 / n as f64
            }

            fn exact(total: i128) -> i128 {
                total
            }
        }
    )*};
}

integer! {
    bool => u64, u64;
    u8 => u64, u64;
    u16 => u64, u64;
    u32 => u64, u64;
    u64 => i128, u64;
    usize => i128, u64;
    i8 => i64, i64;
    i16 => i64, i64;
    i32 => i64, i64;
    i64 => i128, i64;
    isize => i128, i64;
}

macro_rules! float {
    ($($T:ty)*) => {$(
        impl sealed::Sealed for $T {}

        impl Value for $T {
            type Sum = $T;
            type Mean = $T;
            type Part = f64;
            const MISSING: Option<Self> = Some(<$T>::NAN);
            const HEADROOM: Option<u32> = None;

            #[inline(always)]
            fn part(self) -> f64 {
                f64::from(self)
            }

            fn sum(total: f64) -> Option<$T> {
                Some(total as $T)
            }

            fn wrapping_sum(total: f64) -> $T {
                total as $T
            }

            fn mean(total: f64, n: u64) -> $T {
                (total / n as f64) as $T
            }

            fn exact(_: f64) -> i128 {
                unreachable!("a sum of floats leaves no type")
            }
        }
    )*};
}

float! { f32 f64 }

mod sealed {
    pub trait Sealed {}
}
