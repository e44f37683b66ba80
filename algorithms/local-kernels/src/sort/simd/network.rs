//! Sorting networks for what fits in registers.
//!
//! The keys form a matrix of `R` registers (rows) by `LANES` columns. Sorting all columns at once needs no shuffle. Then
//! neighbouring groups of columns are merged (Batcher's bitonic merge, its first step mirrored so that both groups rise):
//! steps between columns shuffle lanes, steps inside a column don't. In the end the keys rise down the columns, and a
//! transposition writes them down along the rows.

use super::Vector;
use crate::Key;

/// The most registers a network takes.
pub(super) const MAX_ROWS: usize = 16;

/// Sorts up to `MAX_ROWS * LANES` keys.
///
/// # Safety
/// As [`Vector`]; `keys` is valid for `len` keys.
#[inline(always)]
pub(super) unsafe fn sort_small<V: Vector>(keys: *mut V::Key, len: usize) {
    debug_assert!(len <= MAX_ROWS * V::LANES);
    // SAFETY: the caller's; each arm has at least `len` lanes, and `len` fills more than half of them (but for two rows).
    unsafe {
        match len.div_ceil(V::LANES) {
            0 => (),
            1 | 2 => sort_matrix::<V, 2>(keys, len),
            3 | 4 => sort_matrix::<V, 4>(keys, len),
            5..=8 => sort_matrix::<V, 8>(keys, len),
            _ => sort_matrix::<V, 16>(keys, len),
        }
    }
}

/// # Safety
/// As [`Vector`]; `keys` is valid for `len` keys, and `len` is above half of `R * LANES` (or `R` is 2) and at most all of it.
#[inline(always)]
unsafe fn sort_matrix<V: Vector, const R: usize>(keys: *mut V::Key, len: usize) {
    // Only the upper half of the registers can be partly filled.
    let filled = |register: usize| {
        if R > 2 && register < R / 2 {
            None
        } else {
            Some(len.saturating_sub(register * V::LANES).min(V::LANES))
        }
    };
    // SAFETY: the caller's; `filled` keeps every access below `len`.
    unsafe {
        let mut rows = [V::splat(V::Key::MAX); R];
        for (row, keys_of_row) in rows.iter_mut().enumerate() {
            let from = keys.wrapping_add(row * V::LANES);
            // Padding sorts to the end, where it is not stored.
            *keys_of_row = filled(row).map_or_else(|| V::load(from), |len| V::load_first(from, len));
        }
        sort_columns(&mut rows);
        merge_columns(&mut rows);
        transpose(&mut rows);
        for (row, keys_of_row) in rows.into_iter().enumerate() {
            // Tall matrices were transposed in square blocks.
            let position = row % V::LANES * R.max(V::LANES) + row / V::LANES * V::LANES;
            let to = keys.wrapping_add(position);
            match filled(position / V::LANES) {
                None => keys_of_row.store(to),
                Some(len) => keys_of_row.store_first(to, len),
            }
        }
    }
}

/// The smaller keys go to row `low`, the greater ones to row `high`.
///
/// # Safety
/// As [`Vector`].
#[inline(always)]
unsafe fn exchange<V: Vector>(rows: &mut [V], low: usize, high: usize) {
    // SAFETY: the caller's.
    (rows[low], rows[high]) = unsafe { rows[low].min_max(rows[high]) };
}

macro_rules! exchanges {
    ($rows:expr; $($low:literal $high:literal),*) => {{ $( exchange($rows, $low, $high); )* }};
}

/// Sorts each column by the network of fewest exchanges for its height (the tests apply the zero-one principle).
///
/// # Safety
/// As [`Vector`].
#[inline(always)]
unsafe fn sort_columns<V: Vector, const R: usize>(rows: &mut [V; R]) {
    // SAFETY: the caller's.
    unsafe {
        match R {
            2 => exchanges!(rows; 0 1),
            4 => exchanges!(rows; 0 1, 2 3, 0 2, 1 3, 1 2),
            8 => exchanges!(rows;
                0 2, 1 3, 4 6, 5 7, 0 4, 1 5, 2 6, 3 7, 0 1, 2 3, 4 5, 6 7, 2 4, 3 5, 1 4, 3 6, 1 2, 3 4, 5 6),
            16 => exchanges!(rows;
                0 13, 1 12, 2 15, 3 14, 4 8, 5 6, 7 11, 9 10, 0 5, 1 7, 2 9, 3 4, 6 13, 8 14, 10 15, 11 12,
                0 1, 2 3, 4 5, 6 8, 7 9, 10 11, 12 13, 14 15, 0 2, 1 3, 4 10, 5 11, 6 7, 8 9, 12 14, 13 15,
                1 2, 3 12, 4 6, 5 7, 8 10, 9 11, 13 14, 1 4, 2 6, 5 8, 7 10, 9 13, 11 14, 2 4, 3 6, 9 12, 11 13,
                3 5, 6 8, 7 9, 10 12, 3 4, 5 6, 7 8, 9 10, 11 12, 6 7, 8 9),
            _ => unreachable!("there are networks for 2, 4, 8 and 16 rows"),
        }
    }
}

/// Merges sorted columns until all lanes form one sequence.
///
/// Bit `k` of a column's place in that sequence is bit `(k + log2 R) mod log2 LANES` of its lane number where the matrix is
/// wide, and bit `k` otherwise: then `transpose` needs no permutation at its end.
///
/// # Safety
/// As [`Vector`].
#[inline(always)]
unsafe fn merge_columns<V: Vector, const R: usize>(rows: &mut [V; R]) {
    let column_bits = V::LANES.ilog2();
    let lane_bit = |k: u32| {
        let rotation = if R < V::LANES { R.ilog2() } else { 0 };
        1usize << ((k + rotation) % column_bits)
    };
    // SAFETY: the caller's.
    unsafe {
        for k in 0..column_bits {
            let mirror = (0..=k).fold(0, |mask, j| mask | lane_bit(j));
            for row in 0..R / 2 {
                let (a, b) = (rows[row], rows[R - 1 - row].swap_lanes(mirror));
                let (low, high) = a.min_max(b);
                rows[row] = low.blend_lanes(high, lane_bit(k));
                rows[R - 1 - row] = high.blend_lanes(low, lane_bit(k)).swap_lanes(mirror);
            }
            for j in (0..k).rev() {
                for keys in rows.iter_mut() {
                    let (low, high) = keys.min_max(keys.swap_lanes(lane_bit(j)));
                    *keys = low.blend_lanes(high, lane_bit(j));
                }
            }
            let mut distance = R / 2;
            while distance > 0 {
                for row in (0..R).filter(|row| row & distance == 0) {
                    exchange(rows, row, row | distance);
                }
                distance /= 2;
            }
        }
    }
}

/// Transposes the matrix, in square blocks if it is not square, by swapping bits of row and lane numbers.
///
/// # Safety
/// As [`Vector`].
#[inline(always)]
unsafe fn transpose<V: Vector, const R: usize>(rows: &mut [V; R]) {
    let mut bit = 1;
    while bit < R.min(V::LANES) {
        for row in (0..R).filter(|row| row & bit == 0) {
            let (a, b) = (rows[row], rows[row | bit]);
            // SAFETY: the caller's.
            unsafe {
                rows[row] = a.blend_lanes(b.swap_lanes(bit), bit);
                rows[row | bit] = a.swap_lanes(bit).blend_lanes(b, bit);
            }
        }
        bit *= 2;
    }
}
