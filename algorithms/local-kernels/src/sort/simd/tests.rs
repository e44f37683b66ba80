//! The generic code on a register that is a plain array: runs on every machine, and under Miri.

use super::Vector;
use super::network::{MAX_ROWS, sort_small};
use super::partition::{MIN_REGISTERS, partition};
use super::quicksort::quicksort;
use crate::patterns::{Pattern, Rng};

/// Its methods are not inlined: the networks are hundreds of calls long, and the compiler would take minutes.
#[derive(Clone, Copy)]
struct Plain<const L: usize>([u32; L]);

// SAFETY: `LANES` keys or the first `len` are read or written, nothing else.
unsafe impl<const L: usize> Vector for Plain<L> {
    type Key = u32;
    const LANES: usize = L;

    #[inline(never)]
    unsafe fn splat(key: u32) -> Self {
        Self([key; L])
    }

    #[inline(never)]
    unsafe fn load(from: *const u32) -> Self {
        // SAFETY: the caller's.
        unsafe { Self(from.cast::<[u32; L]>().read()) }
    }

    #[inline(never)]
    unsafe fn store(self, to: *mut u32) {
        // SAFETY: the caller's.
        unsafe { to.cast::<[u32; L]>().write(self.0) }
    }

    #[inline(never)]
    unsafe fn load_first(from: *const u32, len: usize) -> Self {
        let mut keys = [u32::MAX; L];
        // SAFETY: the caller's.
        keys[..len].copy_from_slice(unsafe { std::slice::from_raw_parts(from, len) });
        Self(keys)
    }

    #[inline(never)]
    unsafe fn store_first(self, to: *mut u32, len: usize) {
        for i in 0..len {
            // SAFETY: the caller's.
            unsafe { to.add(i).write(self.0[i]) }
        }
    }

    #[inline(never)]
    unsafe fn min_max(self, other: Self) -> (Self, Self) {
        let pick = |f: fn(u32, u32) -> u32| Self(std::array::from_fn(|i| f(self.0[i], other.0[i])));
        (pick(u32::min), pick(u32::max))
    }

    #[inline(never)]
    unsafe fn swap_lanes(self, mask: usize) -> Self {
        Self(std::array::from_fn(|i| self.0[i ^ mask]))
    }

    #[inline(never)]
    unsafe fn blend_lanes(self, other: Self, bit: usize) -> Self {
        Self(std::array::from_fn(|i| if i & bit == 0 { self.0[i] } else { other.0[i] }))
    }

    #[inline(never)]
    unsafe fn partition_store(self, pivot: Self, left: *mut u32, right: *mut u32) -> usize {
        let mut parted = self;
        parted.0.sort_by_key(|&key| key > pivot.0[0]);
        // SAFETY: the caller's.
        unsafe {
            parted.store(left);
            parted.store(right.sub(L));
        }
        self.0.iter().filter(|&&key| key <= pivot.0[0]).count()
    }
}

/// # Safety
/// As `SortSmall`.
unsafe fn small<const L: usize>(keys: *mut u32, len: usize) {
    // SAFETY: the caller's.
    unsafe { sort_small::<Plain<L>>(keys, len) }
}

/// The zero-one principle: a network that sorts all sequences of zeros and ones sorts everything. Rows of one lane leave
/// nothing but the network of columns.
#[test]
fn networks_sort_all_zeros_and_ones() {
    for len in [2, 4, 8, if cfg!(miri) { 8 } else { 16 }] {
        for bits in 0..1u32 << len {
            let mut keys: Vec<u32> = (0..len).map(|i| bits >> i & 1).collect();
            // SAFETY: a plain register needs no features.
            unsafe { small::<1>(keys.as_mut_ptr(), len) };
            assert!(keys.is_sorted() && keys.iter().sum::<u32>() == bits.count_ones(), "{bits:b}");
        }
    }
}

fn matrices<const L: usize>() {
    let mut rng = Rng(3);
    for len in 0..=MAX_ROWS * L {
        for top in [1, u32::MAX] {
            let mut keys: Vec<u32> = (0..len).map(|_| rng.up_to(top.into()) as u32).collect();
            let mut expected = keys.clone();
            expected.sort();
            // SAFETY: a plain register needs no features.
            unsafe { small::<L>(keys.as_mut_ptr(), len) };
            assert_eq!(keys, expected);
        }
    }
}

#[test]
fn matrices_of_every_width_sort() {
    matrices::<2>();
    matrices::<4>();
    matrices::<8>();
    matrices::<16>();
}

#[test]
fn partition_moves_low_keys_left() {
    let mut rng = Rng(4);
    for len in MIN_REGISTERS * 4..MIN_REGISTERS * 4 + 150 {
        for pivot in [0, 1, 500, 998, 999, 2000] {
            let mut keys: Vec<u32> = (0..len).map(|_| rng.up_to(999) as u32).collect();
            let mut expected = keys.clone();
            // SAFETY: a plain register needs no features.
            let low = unsafe { partition::<Plain<4>>(keys.as_mut_ptr(), len, pivot) };
            assert!(keys[..low].iter().all(|&key| key <= pivot));
            assert!(keys[low..].iter().all(|&key| key > pivot));
            keys.sort();
            expected.sort();
            assert_eq!(keys, expected);
        }
    }
}

#[test]
fn quicksort_on_plain_registers() {
    for &pattern in Pattern::ALL {
        for len in if cfg!(miri) { [0, 300] } else { [1000, 5000] } {
            let mut keys: Vec<u32> = pattern.keys(len, 3, 1);
            let mut expected = keys.clone();
            expected.sort();
            // SAFETY: a plain register needs no features.
            unsafe { quicksort::<Plain<4>>(&mut keys, small::<4>) };
            assert_eq!(keys, expected, "{pattern:?}");
        }
    }
}
