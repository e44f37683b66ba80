//! The unsigned integers whose distinct values are found.

use std::fmt::Debug;

/// An unsigned integer: `u8`, `u16`, `u32`, `u64` or `u128`. The trait is sealed.
pub trait Word: Copy + Ord + Debug + Send + Sync + sealed::Sealed + 'static {
    /// Width in bits.
    const BITS: u32;

    /// The value as an integer of the greatest width.
    fn to_u128(self) -> u128;

    /// The low `BITS` bits of `wide`.
    fn from_u128(wide: u128) -> Self;

    /// The sum modulo `2^BITS`.
    fn wrapping_add(self, other: Self) -> Self;

    /// The difference modulo `2^BITS`.
    fn wrapping_sub(self, other: Self) -> Self;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! word {
    ($($K:ident)*) => {$(
        impl sealed::Sealed for $K {}
        impl Word for $K {
            const BITS: u32 = $K::BITS;

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
        }
    )*};
}

word! { u8 u16 u32 u64 u128 }
