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

/// Repeats the body with a constant number of a row for all `row < $count`. The compiler gives up on unrolling loops of this
/// size, and a register whose number is a variable lives in memory.
macro_rules! each_row {
    ($row:ident < $count:expr => $body:block) => {
        each_row!($row < $count => $body; 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)
    };
    ($row:ident < $count:expr => $body:block; $($number:literal)*) => {
        $( if $number < $count {
            let $row: usize = $number;
            $body
        } )*
    };
}

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
        each_row!(row < R => {
            let from = keys.wrapping_add(row * V::LANES);
            // Padding sorts to the end, where it is not stored.
            rows[row] = match filled(row) {
                None => V::load(from),
                Some(len) => V::load_first(from, len),
            };
        });
        sort_columns(&mut rows);
        merge_columns(&mut rows);
        transpose(&mut rows);
        each_row!(row < R => {
            // Tall matrices were transposed in square blocks.
            let position = row % V::LANES * R.max(V::LANES) + row / V::LANES * V::LANES;
            let to = keys.wrapping_add(position);
            match filled(position / V::LANES) {
                None => rows[row].store(to),
                Some(len) => rows[row].store_first(to, len),
            }
        });
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

/// Merges all columns into one sequence, pairs of groups of them at a time.
///
/// # Safety
/// As [`Vector`].
#[inline(always)]
unsafe fn merge_columns<V: Vector, const R: usize>(rows: &mut [V; R]) {
    // SAFETY: the caller's.
    unsafe {
        if V::LANES >= 2 {
            merge_mirrored(rows, 0);
            merge_rows(rows);
        }
        if V::LANES >= 4 {
            merge_mirrored(rows, 1);
            merge_lanes(rows, 0);
            merge_rows(rows);
        }
        if V::LANES >= 8 {
            merge_mirrored(rows, 2);
            merge_lanes(rows, 1);
            merge_lanes(rows, 0);
            merge_rows(rows);
        }
        if V::LANES >= 16 {
            merge_mirrored(rows, 3);
            merge_lanes(rows, 2);
            merge_lanes(rows, 1);
            merge_lanes(rows, 0);
            merge_rows(rows);
        }
    }
}

/// Exchanges each key of a group of `2^level` columns with the key as far from the end of the next group.
///
/// # Safety
/// As [`Vector`].
#[inline(always)]
unsafe fn merge_mirrored<V: Vector, const R: usize>(rows: &mut [V; R], level: usize) {
    let mirror = (0..=level).fold(0, |mask, k| mask | column_bit::<V, R>(k));
    each_row!(row < R / 2 => {
        // SAFETY: the caller's.
        unsafe {
            let mirrored = rows[R - 1 - row].swap_lanes(mirror);
            let (here, there) = rows[row].min_max_by_lane(mirrored, column_bit::<V, R>(level));
            rows[row] = here;
            rows[R - 1 - row] = there.swap_lanes(mirror);
        }
    });
}

/// Exchanges columns `2^k` apart.
///
/// # Safety
/// As [`Vector`].
#[inline(always)]
unsafe fn merge_lanes<V: Vector, const R: usize>(rows: &mut [V; R], k: usize) {
    let bit = column_bit::<V, R>(k);
    each_row!(row < R => {
        // SAFETY: the caller's.
        unsafe { (rows[row], _) = rows[row].min_max_by_lane(rows[row].swap_lanes(bit), bit) };
    });
}

/// Exchanges rows half a column apart, then a quarter, down to neighbours.
///
/// # Safety
/// As [`Vector`].
#[inline(always)]
unsafe fn merge_rows<V: Vector, const R: usize>(rows: &mut [V; R]) {
    // SAFETY: the caller's.
    unsafe {
        merge_rows_apart(rows, 8);
        merge_rows_apart(rows, 4);
        merge_rows_apart(rows, 2);
        merge_rows_apart(rows, 1);
    }
}

/// # Safety
/// As [`Vector`].
#[inline(always)]
unsafe fn merge_rows_apart<V: Vector, const R: usize>(rows: &mut [V; R], distance: usize) {
    each_row!(row < R => {
        if row & distance == 0 && row + distance < R {
            // SAFETY: the caller's.
            unsafe { exchange(rows, row, row + distance) };
        }
    });
}

/// The bit of a lane number that is bit `k` of its column's place in the sorted sequence.
///
/// If the matrix is wide they are rotated against each other, so that `transpose` needs no permutation at its end.
#[inline(always)]
fn column_bit<V: Vector, const R: usize>(k: usize) -> usize {
    let (rows_log2, lanes_log2) = (R.ilog2() as usize, V::LANES.ilog2() as usize);
    if rows_log2 < lanes_log2 { 1 << ((k + rows_log2) % lanes_log2) } else { 1 << k }
}

/// Transposes the matrix, in square blocks if it is not square, by swapping bits of row and lane numbers.
///
/// # Safety
/// As [`Vector`].
#[inline(always)]
unsafe fn transpose<V: Vector, const R: usize>(rows: &mut [V; R]) {
    // SAFETY: the caller's.
    unsafe {
        swap_bits(rows, 1);
        swap_bits(rows, 2);
        swap_bits(rows, 4);
        swap_bits(rows, 8);
    }
}

/// Swaps a bit of the row numbers with the same bit of the lane numbers, if both have it.
///
/// # Safety
/// As [`Vector`].
#[inline(always)]
unsafe fn swap_bits<V: Vector, const R: usize>(rows: &mut [V; R], bit: usize) {
    each_row!(row < R => {
        if row & bit == 0 && row + bit < R && bit < V::LANES {
            let (a, b) = (rows[row], rows[row + bit]);
            // SAFETY: the caller's.
            unsafe {
                rows[row] = a.blend_lanes(b.swap_lanes(bit), bit);
                rows[row + bit] = a.swap_lanes(bit).blend_lanes(b, bit);
            }
        }
    });
}
