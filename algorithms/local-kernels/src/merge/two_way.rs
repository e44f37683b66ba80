//! Two runs into one, ties to the first.
//!
//! A merge step waits for a load, a comparison and an addition before the next one can start. [`both_ends`] therefore
//! walks two chains, one from each end; they do not depend on each other, and neither has a branch on the data. Between
//! its rounds, [`two_way`] looks for stretches that come from one run alone and copies them.

use std::hint::select_unpredictable;

use super::records::{Run, Slots};

/// Steps from each end between two looks for a stretch.
const ROUND: usize = 512;

/// A run this many times longer than the other is cut at the other's keys instead of merged step by step.
const LOPSIDED: usize = 16;

/// Fills `out` with the stable merge of `a` and `b`.
pub(super) fn two_way<K: Copy + Ord, I: Copy>(
    mut a: Run<'_, K, I>,
    mut b: Run<'_, K, I>,
    mut out: Slots<'_, K, I>,
) {
    assert_eq!(a.len() + b.len(), out.len());
    while !a.is_empty() && !b.is_empty() {
        if a.precedes(b) {
            break;
        }
        let (shorter, longer) = (a.len().min(b.len()), a.len().max(b.len()));
        if shorter * LOPSIDED <= longer {
            return cut(a, b, out);
        }
        let steps = shorter.min(ROUND);
        let taken = both_ends(a, b, out.reborrow(), steps);
        let (front, back) = (taken.front, taken.back);
        // Sorted runs cannot disagree on what is left; unsorted ones must not reach beyond it.
        a = a.part(front.0, a.len() - back.0);
        b = b.part(front.1, b.len() - back.1);
        let len = out.len();
        out = out.split_at(steps).1.split_at(len - 2 * steps).0;
        // A whole round from one run: more may follow.
        if front.1 == 0 && !b.is_empty() {
            out = emit(&mut a, b.keys()[0], |key, first| key <= first, out);
        } else if front.0 == 0 && !a.is_empty() {
            out = emit(&mut b, a.keys()[0], |key, first| key < first, out);
        }
    }
    let (first, second) = out.split_at(a.len());
    first.copy_from(a);
    second.copy_from(b);
}

/// How many records a round took from `a` and from `b` at either end.
struct Taken {
    front: (usize, usize),
    back: (usize, usize),
}

/// Writes the first `steps` and the last `steps` records of the merge.
#[inline(always)]
fn both_ends<K: Copy + Ord, I: Copy>(
    a: Run<'_, K, I>,
    b: Run<'_, K, I>,
    mut out: Slots<'_, K, I>,
    steps: usize,
) -> Taken {
    assert!(steps <= a.len() && steps <= b.len() && a.len() + b.len() == out.len());
    let (a_len, b_len, n) = (a.len(), b.len(), out.len());
    let (a_keys, b_keys) = (a.keys().as_ptr(), b.keys().as_ptr());
    let (a_payload, b_payload) = (a.payload().as_ptr(), b.payload().as_ptr());
    let (out_keys, out_payload) = out.as_mut_ptrs();
    let (mut i, mut j) = (0, 0);
    let (mut p, mut q) = (a_len, b_len);
    for step in 0..steps {
        // SAFETY: this is the inner loop of the merge, and checked indexing makes it half as fast again. Whatever the
        // comparisons say, each end takes one record a step, so before step `step` both
        // i + j == step and (a_len - p) + (b_len - q) == step. With step < steps <= min(a_len, b_len) follows
        // i < a_len, j < b_len, p >= 1, q >= 1; and n >= 2 * steps keeps both output positions inside `out`.
        unsafe {
            let (x, y) = (*a_keys.add(i), *b_keys.add(j));
            let from_b = y < x;
            *out_keys.add(step) = select_unpredictable(from_b, y, x);
            *out_payload.add(step) = *select_unpredictable(from_b, b_payload.add(j), a_payload.add(i));
            j += from_b as usize;
            i += !from_b as usize;

            let (x, y) = (*a_keys.add(p - 1), *b_keys.add(q - 1));
            let from_a = y < x;
            *out_keys.add(n - 1 - step) = select_unpredictable(from_a, x, y);
            *out_payload.add(n - 1 - step) =
                *select_unpredictable(from_a, a_payload.add(p - 1), b_payload.add(q - 1));
            p -= from_a as usize;
            q -= !from_a as usize;
        }
    }
    Taken { front: (i, j), back: (a_len - p, b_len - q) }
}

/// Merges runs of very different lengths: the longer is cut at the keys of the shorter and copied piece by piece.
fn cut<K: Copy + Ord, I: Copy>(mut a: Run<'_, K, I>, mut b: Run<'_, K, I>, mut out: Slots<'_, K, I>) {
    while !a.is_empty() && !b.is_empty() {
        if a.len() < b.len() {
            out = emit(&mut b, a.keys()[0], |key, first| key < first, out);
            out = emit_one(&mut a, out);
        } else {
            out = emit(&mut a, b.keys()[0], |key, first| key <= first, out);
            out = emit_one(&mut b, out);
        }
    }
    let (first, second) = out.split_at(a.len());
    first.copy_from(a);
    second.copy_from(b);
}

/// Moves what stands `before` the key `first` of the other run from the front of `run` to the output.
fn emit<'o, K: Copy + Ord, I: Copy>(
    run: &mut Run<'_, K, I>,
    first: K,
    before: impl Fn(K, K) -> bool,
    out: Slots<'o, K, I>,
) -> Slots<'o, K, I> {
    let (head, tail) = run.split_at(gallop(run.keys(), |key| before(key, first)));
    *run = tail;
    let (slots, rest) = out.split_at(head.len());
    slots.copy_from(head);
    rest
}

fn emit_one<'o, K: Copy + Ord, I: Copy>(run: &mut Run<'_, K, I>, out: Slots<'o, K, I>) -> Slots<'o, K, I> {
    let (head, tail) = run.split_at(1);
    *run = tail;
    let (slots, rest) = out.split_at(1);
    slots.copy_from(head);
    rest
}

/// `partition_point` in time logarithmic in its result.
fn gallop<K: Copy>(keys: &[K], before: impl Fn(K) -> bool) -> usize {
    let mut bound = 1;
    while bound <= keys.len() && before(keys[bound - 1]) {
        bound *= 2;
    }
    let known = bound / 2;
    known + keys[known..keys.len().min(bound - 1)].partition_point(|&key| before(key))
}
