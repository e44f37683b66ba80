//! Registers of 512 bits.

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
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi1,bmi2,lzcnt,popcnt")]
        pub(in crate::sort) unsafe fn $sort(keys: &mut [$K]) {
            // SAFETY: the features are enabled here, and `$small` has the same.
            unsafe { quicksort::<$V>(keys, $small) }
        }

        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi1,bmi2,lzcnt,popcnt")]
        unsafe fn $small(keys: *mut $K, len: usize) {
            // SAFETY: the features are enabled here; the rest is the caller's duty by `SortSmall`.
            unsafe { sort_small::<$V>(keys, len) }
        }
    };
}

entry!(sort_u64, small_u64, U64x8, u64);
entry!(sort_u32, small_u32, U32x16, u32);

#[derive(Clone, Copy)]
struct U64x8(__m512i);

#[derive(Clone, Copy)]
struct U32x16(__m512i);

/// The lanes whose number has `bit` set.
#[inline(always)]
fn lanes_with(bit: usize) -> u16 {
    match bit {
        1 => 0xAAAA,
        2 => 0xCCCC,
        4 => 0xF0F0,
        _ => 0xFF00,
    }
}

/// Entry `m`: lane numbers, those of the bits set in `m` first, each kind rising.
static PARTITIONS: [[u8; 8]; 256] = {
    let mut table = [[0; 8]; 256];
    let mut mask = 0;
    while mask < 256 {
        let (mut lane, mut low, mut high) = (0, 0, (mask as u32).count_ones() as usize);
        while lane < 8 {
            if mask >> lane & 1 == 1 {
                table[mask][low] = lane as u8;
                low += 1;
            } else {
                table[mask][high] = lane as u8;
                high += 1;
            }
            lane += 1;
        }
        mask += 1;
    }
    table
};

// SAFETY: each method reads and writes `LANES` keys or, under a mask, the first `len`; nothing else.
unsafe impl Vector for U64x8 {
    type Key = u64;
    const LANES: usize = 8;

    #[inline(always)]
    unsafe fn splat(key: u64) -> Self {
        // SAFETY: the caller vouches for the features.
        unsafe { Self(_mm512_set1_epi64(key as i64)) }
    }

    #[inline(always)]
    unsafe fn load(from: *const u64) -> Self {
        // SAFETY: the caller's.
        unsafe { Self(_mm512_loadu_si512(from.cast())) }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u64) {
        // SAFETY: the caller's.
        unsafe { _mm512_storeu_si512(to.cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn load_first(from: *const u64, len: usize) -> Self {
        // SAFETY: the caller's; masked lanes are not accessed.
        unsafe { Self(_mm512_mask_loadu_epi64(_mm512_set1_epi64(-1), first(len) as u8, from.cast())) }
    }

    #[inline(always)]
    unsafe fn store_first(self, to: *mut u64, len: usize) {
        // SAFETY: the caller's; masked lanes are not accessed.
        unsafe { _mm512_mask_storeu_epi64(to.cast(), first(len) as u8, self.0) }
    }

    #[inline(always)]
    unsafe fn min_max(self, other: Self) -> (Self, Self) {
        // SAFETY: the caller vouches for the features.
        unsafe { (Self(_mm512_min_epu64(self.0, other.0)), Self(_mm512_max_epu64(self.0, other.0))) }
    }

    #[inline(always)]
    unsafe fn swap_lanes(self, mask: usize) -> Self {
        // SAFETY: the caller vouches for the features.
        unsafe {
            let lanes = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
            let partners = _mm512_xor_si512(lanes, _mm512_set1_epi64(mask as i64));
            Self(_mm512_permutexvar_epi64(partners, self.0))
        }
    }

    #[inline(always)]
    unsafe fn blend_lanes(self, other: Self, bit: usize) -> Self {
        // SAFETY: the caller vouches for the features.
        unsafe { Self(_mm512_mask_blend_epi64(lanes_with(bit) as u8, self.0, other.0)) }
    }

    #[inline(always)]
    unsafe fn partition_store(self, pivot: Self, left: *mut u64, right: *mut u64) -> usize {
        // SAFETY: the caller's. One table look-up and one permutation put both kinds in place, where two compressions
        // would keep the shuffle port busy twice as long.
        unsafe {
            let low = _mm512_cmple_epu64_mask(self.0, pivot.0);
            let places = _mm512_cvtepu8_epi64(_mm_loadl_epi64(PARTITIONS[usize::from(low)].as_ptr().cast()));
            let parted = Self(_mm512_permutexvar_epi64(places, self.0));
            parted.store(left);
            parted.store(right.sub(Self::LANES));
            low.count_ones() as usize
        }
    }
}

// SAFETY: each method reads and writes `LANES` keys or, under a mask, the first `len`; nothing else.
unsafe impl Vector for U32x16 {
    type Key = u32;
    const LANES: usize = 16;

    #[inline(always)]
    unsafe fn splat(key: u32) -> Self {
        // SAFETY: the caller vouches for the features.
        unsafe { Self(_mm512_set1_epi32(key as i32)) }
    }

    #[inline(always)]
    unsafe fn load(from: *const u32) -> Self {
        // SAFETY: the caller's.
        unsafe { Self(_mm512_loadu_si512(from.cast())) }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u32) {
        // SAFETY: the caller's.
        unsafe { _mm512_storeu_si512(to.cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn load_first(from: *const u32, len: usize) -> Self {
        // SAFETY: the caller's; masked lanes are not accessed.
        unsafe { Self(_mm512_mask_loadu_epi32(_mm512_set1_epi32(-1), first(len), from.cast())) }
    }

    #[inline(always)]
    unsafe fn store_first(self, to: *mut u32, len: usize) {
        // SAFETY: the caller's; masked lanes are not accessed.
        unsafe { _mm512_mask_storeu_epi32(to.cast(), first(len), self.0) }
    }

    #[inline(always)]
    unsafe fn min_max(self, other: Self) -> (Self, Self) {
        // SAFETY: the caller vouches for the features.
        unsafe { (Self(_mm512_min_epu32(self.0, other.0)), Self(_mm512_max_epu32(self.0, other.0))) }
    }

    #[inline(always)]
    unsafe fn swap_lanes(self, mask: usize) -> Self {
        // SAFETY: the caller vouches for the features.
        unsafe {
            let partners = _mm512_xor_si512(lane_numbers(), _mm512_set1_epi32(mask as i32));
            Self(_mm512_permutexvar_epi32(partners, self.0))
        }
    }

    #[inline(always)]
    unsafe fn blend_lanes(self, other: Self, bit: usize) -> Self {
        // SAFETY: the caller vouches for the features.
        unsafe { Self(_mm512_mask_blend_epi32(lanes_with(bit), self.0, other.0)) }
    }

    #[inline(always)]
    unsafe fn partition_store(self, pivot: Self, left: *mut u32, right: *mut u32) -> usize {
        // SAFETY: the caller's. A table for 16 lanes would not fit in the cache, so the high keys are compressed
        // and rotated to the end, and the low ones compressed over the other lanes.
        unsafe {
            let low = _mm512_cmple_epu32_mask(self.0, pivot.0);
            let count = low.count_ones();
            let high = _mm512_maskz_compress_epi32(!low, self.0);
            let places = _mm512_sub_epi32(lane_numbers(), _mm512_set1_epi32(count as i32));
            let high_last = _mm512_permutexvar_epi32(places, high);
            let parted = Self(_mm512_mask_compress_epi32(high_last, low, self.0));
            parted.store(left);
            parted.store(right.sub(Self::LANES));
            count as usize
        }
    }
}

/// # Safety
/// The CPU has AVX-512F.
#[inline(always)]
unsafe fn lane_numbers() -> __m512i {
    // SAFETY: the caller's.
    unsafe { _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0) }
}

/// A mask of the first `len <= 16` lanes.
#[inline(always)]
fn first(len: usize) -> u16 {
    ((1u32 << len) - 1) as u16
}
