//! Registers of 256 bits.

use std::arch::x86_64::*;

use super::Vector;
use super::network::sort_small;
use super::quicksort::quicksort;

macro_rules! entry {
    ($sort:ident, $small:ident, $V:ty, $K:ty) => {
        /// Sorts ascending.
        ///
        /// # Safety
        /// The CPU has the features.
        #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
        pub(in crate::sort) unsafe fn $sort(keys: &mut [$K]) {
            // SAFETY: the features are enabled here, and `$small` has the same.
            unsafe { quicksort::<$V>(keys, $small) }
        }

        #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
        unsafe fn $small(keys: *mut $K, len: usize) {
            // SAFETY: the features are enabled here; the rest is the caller's duty by `SortSmall`.
            unsafe { sort_small::<$V>(keys, len) }
        }
    };
}

entry!(sort_u64, small_u64, U64x4, u64);
entry!(sort_u32, small_u32, U32x8, u32);

/// Holds its keys with the sign bit flipped, from `load` to `store`.
#[derive(Clone, Copy)]
struct U64x4(__m256i);

#[derive(Clone, Copy)]
struct U32x8(__m256i);

/// Entry `m` of a table for registers of `lanes` lanes made of `words` 32-bit words each: word numbers, those of the lanes
/// set in `m` first, each kind rising.
const fn partitions<const ENTRIES: usize>(lanes: usize) -> [[u8; 8]; ENTRIES] {
    let words = 8 / lanes;
    let mut table = [[0; 8]; ENTRIES];
    let mut mask = 0;
    while mask < ENTRIES {
        let (mut lane, mut low, mut high) = (0, 0, (mask as u32).count_ones() as usize);
        while lane < lanes {
            let place = if mask >> lane & 1 == 1 { &mut low } else { &mut high };
            let mut word = 0;
            while word < words {
                table[mask][*place * words + word] = (lane * words + word) as u8;
                word += 1;
            }
            *place += 1;
            lane += 1;
        }
        mask += 1;
    }
    table
}

static PARTITIONS_4: [[u8; 8]; 16] = partitions(4);
static PARTITIONS_8: [[u8; 8]; 256] = partitions(8);

/// The words of `register` in the order of a table's entry.
///
/// # Safety
/// The CPU has AVX2.
#[inline(always)]
unsafe fn permute(register: __m256i, places: &[u8; 8]) -> __m256i {
    // SAFETY: the caller's; the entry has the 8 bytes that are loaded.
    unsafe {
        _mm256_permutevar8x32_epi32(register, _mm256_cvtepu8_epi32(_mm_loadl_epi64(places.as_ptr().cast())))
    }
}

/// The 32-bit word numbers.
///
/// # Safety
/// The CPU has AVX2.
#[inline(always)]
unsafe fn word_numbers() -> __m256i {
    // SAFETY: the caller's.
    unsafe { _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0) }
}

/// Ones in the first `words` 32-bit words.
///
/// # Safety
/// The CPU has AVX2.
#[inline(always)]
unsafe fn first(words: usize) -> __m256i {
    // SAFETY: the caller's.
    unsafe { _mm256_cmpgt_epi32(_mm256_set1_epi32(words as i32), word_numbers()) }
}

/// The words of `a` whose number has `bit` clear, the others from `b`.
///
/// # Safety
/// The CPU has AVX2.
#[inline(always)]
unsafe fn blend_words(a: __m256i, b: __m256i, bit: usize) -> __m256i {
    // SAFETY: the caller's.
    unsafe {
        match bit {
            1 => _mm256_blend_epi32::<0b1010_1010>(a, b),
            2 => _mm256_blend_epi32::<0b1100_1100>(a, b),
            _ => _mm256_blend_epi32::<0b1111_0000>(a, b),
        }
    }
}

/// Flips the sign bits: AVX2 compares signed integers only.
///
/// # Safety
/// The CPU has AVX2.
#[inline(always)]
unsafe fn flip_signs(keys: __m256i) -> __m256i {
    // SAFETY: the caller's.
    unsafe { _mm256_xor_si256(keys, _mm256_set1_epi64x(i64::MIN)) }
}

// SAFETY: each method reads and writes `LANES` keys or, under a mask, the first `len`; nothing else.
unsafe impl Vector for U64x4 {
    type Key = u64;
    const LANES: usize = 4;

    #[inline(always)]
    unsafe fn splat(key: u64) -> Self {
        // SAFETY: the caller vouches for the features.
        unsafe { Self(flip_signs(_mm256_set1_epi64x(key as i64))) }
    }

    #[inline(always)]
    unsafe fn load(from: *const u64) -> Self {
        // SAFETY: the caller's.
        unsafe { Self(flip_signs(_mm256_loadu_si256(from.cast()))) }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u64) {
        // SAFETY: the caller's.
        unsafe { _mm256_storeu_si256(to.cast(), flip_signs(self.0)) }
    }

    #[inline(always)]
    unsafe fn load_first(from: *const u64, len: usize) -> Self {
        // SAFETY: the caller's; masked lanes are not accessed. Loaded lanes OR 0, the others 0 OR MAX.
        unsafe {
            let mask = first(2 * len);
            let absent = _mm256_xor_si256(mask, _mm256_set1_epi64x(-1));
            Self(flip_signs(_mm256_or_si256(_mm256_maskload_epi64(from.cast(), mask), absent)))
        }
    }

    #[inline(always)]
    unsafe fn store_first(self, to: *mut u64, len: usize) {
        // SAFETY: the caller's; masked lanes are not accessed.
        unsafe { _mm256_maskstore_epi64(to.cast(), first(2 * len), flip_signs(self.0)) }
    }

    #[inline(always)]
    unsafe fn min_max(self, other: Self) -> (Self, Self) {
        // SAFETY: the caller vouches for the features.
        unsafe {
            let greater = _mm256_cmpgt_epi64(self.0, other.0);
            let low = _mm256_blendv_epi8(self.0, other.0, greater);
            let high = _mm256_blendv_epi8(other.0, self.0, greater);
            (Self(low), Self(high))
        }
    }

    #[inline(always)]
    unsafe fn swap_lanes(self, mask: usize) -> Self {
        // SAFETY: the caller vouches for the features.
        unsafe {
            Self(match mask {
                1 => _mm256_permute4x64_epi64::<0b10_11_00_01>(self.0),
                2 => _mm256_permute4x64_epi64::<0b01_00_11_10>(self.0),
                _ => _mm256_permute4x64_epi64::<0b00_01_10_11>(self.0),
            })
        }
    }

    #[inline(always)]
    unsafe fn blend_lanes(self, other: Self, bit: usize) -> Self {
        // SAFETY: the caller vouches for the features.
        unsafe { Self(blend_words(self.0, other.0, 2 * bit)) }
    }

    #[inline(always)]
    unsafe fn partition_store(self, pivot: Self, left: *mut u64, right: *mut u64) -> usize {
        // SAFETY: the caller's.
        unsafe {
            let high = _mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpgt_epi64(self.0, pivot.0)));
            let low = !high as usize & 0b1111;
            let parted = Self(permute(self.0, &PARTITIONS_4[low]));
            parted.store(left);
            parted.store(right.sub(Self::LANES));
            low.count_ones() as usize
        }
    }
}

// SAFETY: each method reads and writes `LANES` keys or, under a mask, the first `len`; nothing else.
unsafe impl Vector for U32x8 {
    type Key = u32;
    const LANES: usize = 8;

    #[inline(always)]
    unsafe fn splat(key: u32) -> Self {
        // SAFETY: the caller vouches for the features.
        unsafe { Self(_mm256_set1_epi32(key as i32)) }
    }

    #[inline(always)]
    unsafe fn load(from: *const u32) -> Self {
        // SAFETY: the caller's.
        unsafe { Self(_mm256_loadu_si256(from.cast())) }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u32) {
        // SAFETY: the caller's.
        unsafe { _mm256_storeu_si256(to.cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn load_first(from: *const u32, len: usize) -> Self {
        // SAFETY: the caller's; masked lanes are not accessed. Loaded lanes OR 0, the others 0 OR MAX.
        unsafe {
            let mask = first(len);
            let absent = _mm256_xor_si256(mask, _mm256_set1_epi32(-1));
            Self(_mm256_or_si256(_mm256_maskload_epi32(from.cast(), mask), absent))
        }
    }

    #[inline(always)]
    unsafe fn store_first(self, to: *mut u32, len: usize) {
        // SAFETY: the caller's; masked lanes are not accessed.
        unsafe { _mm256_maskstore_epi32(to.cast(), first(len), self.0) }
    }

    #[inline(always)]
    unsafe fn min_max(self, other: Self) -> (Self, Self) {
        // SAFETY: the caller vouches for the features.
        unsafe { (Self(_mm256_min_epu32(self.0, other.0)), Self(_mm256_max_epu32(self.0, other.0))) }
    }

    #[inline(always)]
    unsafe fn swap_lanes(self, mask: usize) -> Self {
        // SAFETY: the caller vouches for the features.
        unsafe {
            let partners = _mm256_xor_si256(word_numbers(), _mm256_set1_epi32(mask as i32));
            Self(_mm256_permutevar8x32_epi32(self.0, partners))
        }
    }

    #[inline(always)]
    unsafe fn blend_lanes(self, other: Self, bit: usize) -> Self {
        // SAFETY: the caller vouches for the features.
        unsafe { Self(blend_words(self.0, other.0, bit)) }
    }

    #[inline(always)]
    unsafe fn partition_store(self, pivot: Self, left: *mut u32, right: *mut u32) -> usize {
        // SAFETY: the caller's. A key is at most the pivot if it is their minimum.
        unsafe {
            let is_low = _mm256_cmpeq_epi32(_mm256_min_epu32(self.0, pivot.0), self.0);
            let low = _mm256_movemask_ps(_mm256_castsi256_ps(is_low)) as usize;
            let parted = Self(permute(self.0, &PARTITIONS_8[low]));
            parted.store(left);
            parted.store(right.sub(Self::LANES));
            low.count_ones() as usize
        }
    }
}
