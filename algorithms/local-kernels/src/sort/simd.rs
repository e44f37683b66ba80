//! Vectorised quicksort: keys of 32 and 64 bits, on AVX-512 or AVX2, chosen once at run time.
//!
//! The algorithm is written once over [`Vector`]; an instruction set adds one file. The functions that take a `Vector` are
//! `inline(always)` and carry no target feature themselves: they end up inside the one function per type and instruction
//! set that does, so the whole sort, its recursion turned into a stack, is compiled with the features on.
//!
//! Sources: Gueron and Krasnov, *Fast quicksort implementation using AVX instructions* (2016) and Bramas, *A novel hybrid
//! quicksort algorithm vectorized using AVX-512* (2017), for partitioning by permuting a register and storing it on both
//! sides; Blacher, Giesen, Kühne, *Fast and robust vectorized in-place sorting of primitive types* (SEA 2021), and Wassenberg
//! et al., *Vectorized and performance-portable quicksort* (2022), for choosing the side to read from and for networks
//! whose columns are registers' lanes; Batcher (1968) and Knuth vol. 3, 5.3.4, for the networks themselves.

mod avx2;
mod avx512;
mod network;
mod partition;
mod quicksort;
#[cfg(test)]
mod tests;

pub(super) use avx2::{sort_u32 as sort_u32_avx2, sort_u64 as sort_u64_avx2};
pub(super) use avx512::{sort_u32 as sort_u32_avx512, sort_u64 as sort_u64_avx512};

/// A register of keys.
///
/// # Safety
/// Implementors: each method does what its doc says and touches no other memory. Callers: the features of the instruction
/// set are there, and the pointers are valid for as many keys as the method says (no alignment is needed).
unsafe trait Vector: Copy {
    /// The key in a lane.
    type Key: crate::Key;
    /// Keys per register, a power of two of at most 16.
    const LANES: usize;

    /// Every lane holds `key`.
    unsafe fn splat(key: Self::Key) -> Self;

    /// The `LANES` keys at `from`.
    unsafe fn load(from: *const Self::Key) -> Self;

    /// Writes the `LANES` keys to `to`.
    unsafe fn store(self, to: *mut Self::Key);

    /// The `len <= LANES` keys at `from`, then `MAX` in the other lanes.
    unsafe fn load_first(from: *const Self::Key, len: usize) -> Self;

    /// Writes the first `len <= LANES` keys to `to`.
    unsafe fn store_first(self, to: *mut Self::Key, len: usize);

    /// The smaller and the greater key of each lane.
    unsafe fn min_max(self, other: Self) -> (Self, Self);

    /// Lane `i` holds what lane `i ^ mask` held.
    ///
    /// `mask` is a constant after inlining, and so is the shuffle.
    unsafe fn swap_lanes(self, mask: usize) -> Self;

    /// Lanes whose number has `bit` clear from `self`, the others from `other`. `bit` is a constant after inlining.
    unsafe fn blend_lanes(self, other: Self, bit: usize) -> Self;

    /// As [`min_max`](Self::min_max), but the other way round in the lanes whose number has `bit` set.
    #[inline(always)]
    unsafe fn min_max_by_lane(self, other: Self, bit: usize) -> (Self, Self) {
        // SAFETY: the caller's.
        unsafe {
            let (low, high) = self.min_max(other);
            (low.blend_lanes(high, bit), high.blend_lanes(low, bit))
        }
    }

    /// Moves the keys up to `pivot` to the first lanes and stores the register twice: from `left` on and so that it ends at
    /// `right`. Returns how many keys went first.
    unsafe fn partition_store(self, pivot: Self, left: *mut Self::Key, right: *mut Self::Key) -> usize;
}
