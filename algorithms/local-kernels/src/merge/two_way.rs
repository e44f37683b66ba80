//! Two runs into one, ties to the first.
//!
//! A merge step waits for a load, a comparison and an addition before the next one can start. [`advance`] therefore walks
//! several chains at once, one from each end of one or two windows; they do not depend on each other, and none has a
//! branch on the data.
//!
//! 1. The merge is cut in the middle into two [`Window`]s of the runs and the output.
//! 2. Rounds of steps from all four ends narrow the windows, two ends once only one window is left. Between rounds, a
//!    stretch that comes from one run alone is copied.
//! 3. A window whose runs are very different in length is cut at the keys of the shorter run.

use std::hint::select_unpredictable;
use std::ops::Range;

use super::records::{Run, Slots};

/// Steps from each end between two looks for a stretch.
const ROUND: usize = 512;

/// Merges of fewer records are not worth two windows.
const TWO_WINDOWS: usize = 64;

/// A run this many times longer than the other is cut at the other's keys instead of merged step by step.
const LOPSIDED: usize = 16;

/// Fills `out` with the stable merge of `a` and `b`.
pub(super) fn two_way<K: Copy + Ord, I: Copy>(a: Run<'_, K, I>, b: Run<'_, K, I>, out: Slots<'_, K, I>) {
    let n = out.len();
    assert_eq!(a.len() + b.len(), n);
    let mut merge = Merge { a, b, out };
    let mut whole = Window { a: 0..a.len(), b: 0..b.len(), out: 0 };
    if n < TWO_WINDOWS || whole.steps() == 0 {
        return merge.finish(whole);
    }
    let mid = cut_of_a(a.keys(), b.keys(), n / 2);
    let upper = Window { a: mid..a.len(), b: n / 2 - mid..b.len(), out: n / 2 };
    whole.a.end = mid;
    whole.b.end = n / 2 - mid;
    let mut windows = [whole, upper];
    loop {
        let steps = windows[0].steps().min(windows[1].steps());
        if steps == 0 {
            break;
        }
        merge.round(&mut windows, steps);
    }
    windows.into_iter().for_each(|window| merge.finish(window));
}

struct Merge<'a, 'o, K, I> {
    a: Run<'a, K, I>,
    b: Run<'a, K, I>,
    out: Slots<'o, K, I>,
}

/// What is left to merge: records of `a` and of `b`, and where in the output they go.
struct Window {
    a: Range<usize>,
    b: Range<usize>,
    out: usize,
}

impl Window {
    /// The length of the next round: zero if steps do not pay.
    fn steps(&self) -> usize {
        let (shorter, longer) = (self.a.len().min(self.b.len()), self.a.len().max(self.b.len()));
        if shorter * LOPSIDED <= longer { 0 } else { shorter.min(ROUND) }
    }
}

impl<K: Copy + Ord, I: Copy> Merge<'_, '_, K, I> {
    fn finish(&mut self, window: Window) {
        let mut windows = [window];
        loop {
            let steps = windows[0].steps();
            if steps == 0 {
                break;
            }
            self.round(&mut windows, steps);
        }
        let [window] = windows;
        self.cut(window);
    }

    /// Narrows each window by `steps` from either end, and by the stretch that follows if all came from one run.
    fn round<const W: usize>(&mut self, windows: &mut [Window; W], steps: usize) {
        let before = windows.each_ref().map(|window| (window.a.start, window.b.start));
        advance(self.a, self.b, self.out.reborrow(), windows, steps);
        for (window, (a, b)) in windows.iter_mut().zip(before) {
            // Sorted runs cannot disagree on what is left; unsorted ones must not reach beyond it.
            assert!(window.a.start <= window.a.end && window.b.start <= window.b.end, "expected sorted runs");
            if window.a.start == a + steps {
                self.take_a(window);
            } else if window.b.start == b + steps {
                self.take_b(window);
            }
        }
    }

    /// Merges runs of very different lengths: the longer is cut at the keys of the shorter and copied piece by piece.
    fn cut(&mut self, mut window: Window) {
        while !window.a.is_empty() && !window.b.is_empty() {
            if window.a.len() < window.b.len() {
                self.take_b(&mut window);
                self.copy_a(&mut window, 1);
            } else {
                self.take_a(&mut window);
                self.copy_b(&mut window, 1);
            }
        }
        let (a, b) = (window.a.len(), window.b.len());
        self.copy_a(&mut window, a);
        self.copy_b(&mut window, b);
    }

    /// Moves the records of `a` that stand before the first of `b`.
    fn take_a(&mut self, window: &mut Window) {
        let rest = &self.a.keys()[window.a.clone()];
        let stretch = window.b.clone().next().map_or(0, |first| {
            let first = self.b.keys()[first];
            gallop(rest, |key| key <= first)
        });
        self.copy_a(window, stretch);
    }

    /// Moves the records of `b` that stand before the first of `a`.
    fn take_b(&mut self, window: &mut Window) {
        let rest = &self.b.keys()[window.b.clone()];
        let stretch = window.a.clone().next().map_or(0, |first| {
            let first = self.a.keys()[first];
            gallop(rest, |key| key < first)
        });
        self.copy_b(window, stretch);
    }

    fn copy_a(&mut self, window: &mut Window, len: usize) {
        let from = window.a.start;
        self.out.reborrow().part(window.out, len).copy_from(self.a.part(from, from + len));
        window.a.start += len;
        window.out += len;
    }

    fn copy_b(&mut self, window: &mut Window, len: usize) {
        let from = window.b.start;
        self.out.reborrow().part(window.out, len).copy_from(self.b.part(from, from + len));
        window.b.start += len;
        window.out += len;
    }
}

/// Writes the first `steps` and the last `steps` records of each window, and narrows it.
#[inline(always)]
fn advance<K: Copy + Ord, I: Copy, const W: usize>(
    a: Run<'_, K, I>,
    b: Run<'_, K, I>,
    mut out: Slots<'_, K, I>,
    windows: &mut [Window; W],
    steps: usize,
) {
    for window in &*windows {
        assert!(steps <= window.a.len() && window.a.end <= a.len());
        assert!(steps <= window.b.len() && window.b.end <= b.len());
        assert!(window.out + window.a.len() + window.b.len() <= out.len());
    }
    let (a_keys, b_keys) = (a.keys().as_ptr(), b.keys().as_ptr());
    let (a_payload, b_payload) = (a.payload().as_ptr(), b.payload().as_ptr());
    let (out_keys, out_payload) = out.as_mut_ptrs();
    let mut front = windows.each_ref().map(|window| (window.a.start, window.b.start));
    let mut back = windows.each_ref().map(|window| (window.a.end, window.b.end));
    let first = windows.each_ref().map(|window| window.out);
    let last = windows.each_ref().map(|window| window.out + window.a.len() + window.b.len() - 1);
    for step in 0..steps {
        for w in 0..W {
            // SAFETY: this is the inner loop of the merge, and checked indexing makes it half as slow again. Whatever the
            // comparisons say, each end takes one record a step, so neither end has moved further than `step` in either
            // run; with step < steps <= the window's records of each run, i and j stay below the window's ends, p and q
            // above its starts, and both output positions inside its output. The asserts put windows inside the slices.
            unsafe {
                let (i, j) = front[w];
                let (x, y) = (*a_keys.add(i), *b_keys.add(j));
                let from_b = y < x;
                *out_keys.add(first[w] + step) = select_unpredictable(from_b, y, x);
                *out_payload.add(first[w] + step) =
                    *select_unpredictable(from_b, b_payload.add(j), a_payload.add(i));
                front[w] = (i + !from_b as usize, j + from_b as usize);

                let (p, q) = back[w];
                let (x, y) = (*a_keys.add(p - 1), *b_keys.add(q - 1));
                let from_a = y < x;
                *out_keys.add(last[w] - step) = select_unpredictable(from_a, x, y);
                *out_payload.add(last[w] - step) =
                    *select_unpredictable(from_a, a_payload.add(p - 1), b_payload.add(q - 1));
                back[w] = (p - from_a as usize, q - !from_a as usize);
            }
        }
    }
    for (window, (front, back)) in windows.iter_mut().zip(front.into_iter().zip(back)) {
        *window = Window { a: front.0..back.0, b: front.1..back.1, out: window.out + steps };
    }
}

/// How many records of `a` are among the first `t` of the merge.
fn cut_of_a<K: Copy + Ord>(a: &[K], b: &[K], t: usize) -> usize {
    // a[i] is among them if fewer than t - i records of b stand before it.
    let (mut low, mut high) = (t.saturating_sub(b.len()), a.len().min(t));
    while low < high {
        let mid = low + (high - low) / 2;
        if a[mid] <= b[t - mid - 1] {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    low
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
