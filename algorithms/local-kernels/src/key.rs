//! Order-preserving unsigned integer keys.
//!
//! | value | key |
//! |---|---|
//! | unsigned, `bool`, `char` | the value itself |
//! | signed | the sign bit flipped |
//! | float | numbers rising from `-inf` = 0 to `+inf`, then every NaN of either sign |
//!
//! The key of a value keeps its bit pattern: `-0.0` stands before `+0.0`, and NaN payloads survive the way back. The
//! *canonical* key forgets what no comparison of numbers sees: both zeros share a key, and so do all NaNs.

mod float;
mod order;
mod unsigned;

pub use order::{Direction, NanOrder, Order};
pub use unsigned::Key;

/// A value with an order-preserving unsigned integer key.
///
/// # Order and ties
/// `a.to_key() < b.to_key()` says that `a` stands before `b`: numbers ascending with `-0.0` before `+0.0`, then NaNs.
/// `to_key` is injective. [`Order`] turns it into the other orders.
///
/// # Examples
/// ```
/// use maniple_kernels::SortKey;
///
/// assert!((-1.0f64).to_key() < (-0.0f64).to_key());
/// assert!((-0.0f64).to_key() < 0.0f64.to_key());
/// assert!(f64::INFINITY.to_key() < (-f64::NAN).to_key());
/// assert_eq!((-0.0f64).canonical(), 0.0f64.canonical());
/// assert_eq!(i16::from_key((-3i16).to_key()), -3);
/// ```
pub trait SortKey: Copy + Send + Sync + 'static {
    /// The unsigned integer of the same width.
    type Key: Key;

    /// How many of the highest keys are NaNs: zero for every type but floats.
    const NANS: Self::Key;

    /// The key, one for each bit pattern.
    fn to_key(self) -> Self::Key;

    /// The value with this key.
    ///
    /// # Panics
    /// If no value has this key, which can happen for `char` alone.
    fn from_key(key: Self::Key) -> Self;

    /// The key that equal values share: one for both zeros, one for all NaNs, greater than that of every number.
    #[inline(always)]
    fn canonical(self) -> Self::Key {
        self.to_key()
    }

    /// The value that stands for a canonical key: zero as `+0.0`, NaN as the ordinary quiet NaN.
    #[inline(always)]
    fn from_canonical(key: Self::Key) -> Self {
        // A canonical key is the key of its representative.
        Self::from_key(key)
    }

    /// Whether the value is a NaN.
    #[inline(always)]
    fn is_nan(self) -> bool {
        false
    }
}

macro_rules! sort_key {
    ($($T:ty => $K:ty, |$v:ident| $to:expr, |$k:ident| $from:expr;)*) => {$(
        impl SortKey for $T {
            type Key = $K;
            const NANS: $K = 0;

            #[inline(always)]
            fn to_key(self) -> $K {
                let $v = self;
                $to
            }

            #[inline(always)]
            fn from_key($k: $K) -> Self {
                $from
            }
        }
    )*};
}

sort_key! {
    u8 => u8, |v| v, |k| k;
    u16 => u16, |v| v, |k| k;
    u32 => u32, |v| v, |k| k;
    u64 => u64, |v| v, |k| k;
    u128 => u128, |v| v, |k| k;
    usize => u64, |v| v as u64, |k| k as usize;
    i8 => u8, |v| (v ^ i8::MIN) as u8, |k| k as i8 ^ i8::MIN;
    i16 => u16, |v| (v ^ i16::MIN) as u16, |k| k as i16 ^ i16::MIN;
    i32 => u32, |v| (v ^ i32::MIN) as u32, |k| k as i32 ^ i32::MIN;
    i64 => u64, |v| (v ^ i64::MIN) as u64, |k| k as i64 ^ i64::MIN;
    i128 => u128, |v| (v ^ i128::MIN) as u128, |k| k as i128 ^ i128::MIN;
    isize => u64, |v| (v as i64 ^ i64::MIN) as u64, |k| (k as i64 ^ i64::MIN) as isize;
    bool => u8, |v| v as u8, |k| k != 0;
    char => u32, |v| v as u32, |k| char::from_u32(k).expect("the key of a char is a Unicode scalar value");
}

#[cfg(test)]
mod tests;
