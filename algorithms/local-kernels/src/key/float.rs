//! Keys of IEEE 754 floats.
//!
//! As integers the bit patterns of positive floats rise with the value and those of negative ones fall. Flipping the sign
//! bit of the former and every bit of the latter makes one rising sequence: negative NaNs, numbers, positive NaNs.
//! Subtracting the number of negative NaNs puts `-inf` at 0 and wraps them round to the top, behind the positive NaNs.

use super::SortKey;

macro_rules! float_key {
    ($($F:ty, $K:ty, $I:ty, mantissa $M:expr, quiet_nan $NAN:expr;)*) => {$(
        impl SortKey for $F {
            type Key = $K;
            const NANS: $K = 2 * ((1 << $M) - 1);

            #[inline(always)]
            fn to_key(self) -> $K {
                let bits = self.to_bits();
                let flip = (bits as $I >> (<$K>::BITS - 1)) as $K | 1 << (<$K>::BITS - 1);
                (bits ^ flip).wrapping_sub((1 << $M) - 1)
            }

            #[inline(always)]
            fn from_key(key: $K) -> Self {
                let rising = key.wrapping_add((1 << $M) - 1);
                let flip = !(rising as $I >> (<$K>::BITS - 1)) as $K | 1 << (<$K>::BITS - 1);
                Self::from_bits(rising ^ flip)
            }

            #[inline(always)]
            fn canonical(self) -> $K {
                const NEGATIVE_ZERO: $K = 1 << (<$K>::BITS - 1);
                let bits = match self.to_bits() {
                    _ if self.is_nan() => $NAN,
                    NEGATIVE_ZERO => 0,
                    bits => bits,
                };
                Self::from_bits(bits).to_key()
            }

            #[inline(always)]
            fn is_nan(self) -> bool {
                <$F>::is_nan(self)
            }
        }
    )*};
}

float_key! {
    f32, u32, i32, mantissa 23, quiet_nan 0x7FC0_0000;
    f64, u64, i64, mantissa 52, quiet_nan 0x7FF8_0000_0000_0000;
}

#[cfg(feature = "half")]
float_key! {
    half::f16, u16, i16, mantissa 10, quiet_nan 0x7E00;
    half::bf16, u16, i16, mantissa 7, quiet_nan 0x7FC0;
}
