//! The unsigned integers that serve as keys, and the arithmetic that a bisection over them needs.

use std::fmt::Debug;
use std::hash::Hash;

use super::SortKey;
use crate::sort::Kernel;

/// An unsigned integer as a sort key: `u8`, `u16`, `u32`, `u64` and `u128`.
///
/// Keys are plain old data, so they cross the wire as they are, and each is its own key. The trait is sealed.
pub trait Key:
    SortKey<Key = Self> + Copy + Ord + Hash + Debug + Send + Sync + bytemuck::Pod + Kernel
{
    /// Width in bits.
    const BITS: u32;
    /// The lowest key.
    const MIN: Self;
    /// The highest key.
    const MAX: Self;

    /// The key as an integer of the greatest width.
    fn to_u128(self) -> u128;

    /// The low `BITS` bits of `wide`.
    fn from_u128(wide: u128) -> Self;

    /// The sum modulo `2^BITS`.
    fn wrapping_add(self, other: Self) -> Self;

    /// The difference modulo `2^BITS`.
    fn wrapping_sub(self, other: Self) -> Self;

    /// Every bit flipped: reverses the order.
    fn complement(self) -> Self;

    /// The middle of the two keys, rounded down, without overflow.
    fn midpoint(self, other: Self) -> Self;

    /// The point `part / parts` of the way from `low` to `high`, rounded down, without overflow.
    ///
    /// The probes of an m-ary bisection: `part` in `1..parts` cuts the bracket into `parts` pieces whose widths differ
    /// by at most one.
    ///
    /// # Panics
    /// If `low > high`, or `part > parts`, or `parts` is zero.
    ///
    /// # Examples
    /// ```
    /// use maniple_kernels::Key;
    ///
    /// let probes: Vec<u8> = (1..4).map(|part| u8::between(3, 255, part, 4)).collect();
    /// assert_eq!(probes, [66, 129, 192]);
    /// ```
    fn between(low: Self, high: Self, part: u32, parts: u32) -> Self {
        assert!(
            low <= high && part <= parts,
            "expected low <= high and part <= parts, found {low:?}, {high:?}, {part}, {parts}"
        );
        let (width, part, parts) = (high.to_u128() - low.to_u128(), u128::from(part), u128::from(parts));
        // width * part / parts, split so that no product leaves 128 bits.
        let step = width / parts * part + width % parts * part / parts;
        Self::from_u128(low.to_u128() + step)
    }
}

macro_rules! key {
    ($($K:ident)*) => {$(
        impl Key for $K {
            const BITS: u32 = $K::BITS;
            const MIN: Self = $K::MIN;
            const MAX: Self = $K::MAX;

            #[inline(always)]
            fn to_u128(self) -> u128 {
                self as u128
            }

            #[inline(always)]
            fn from_u128(wide: u128) -> Self {
                wide as $K
            }

            #[inline(always)]
            fn wrapping_add(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            #[inline(always)]
            fn wrapping_sub(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }

            #[inline(always)]
            fn complement(self) -> Self {
                !self
            }

            #[inline(always)]
            fn midpoint(self, other: Self) -> Self {
                self.midpoint(other)
            }
        }
    )*};
}

key! { u8 u16 u32 u64 u128 }
