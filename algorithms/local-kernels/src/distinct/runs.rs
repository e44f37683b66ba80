//! Stretches of equal keys: what holds for a run's head holds for all of it.

use super::{Found, Wanted, find, plan};
use crate::SortKey;

pub(super) fn runs<T: SortKey>(values: &[T], wanted: Wanted) -> Found<T::Key> {
    let (heads, lens) = heads_and_lens(values);
    if heads.is_sorted() {
        // Neighbouring heads differ, so each is the only one of its key.
        let codes = if wanted.codes { expand(0.., &lens, values.len()) } else { Vec::new() };
        let first = if wanted.first { starts(&lens).collect() } else { Vec::new() };
        return Found { keys: heads, counts: lens, codes, first };
    }
    // Few heads, no two neighbours equal: another strategy finds their distinct keys.
    let planned = plan::choose(&heads);
    let (of_heads, _) = find(&heads, Wanted { codes: true, first: wanted.first }, planned);
    let mut counts = vec![0; of_heads.keys.len()];
    for (&code, len) in of_heads.codes.iter().zip(&lens) {
        counts[code as usize] += len;
    }
    let mut first = of_heads.first;
    if wanted.first {
        let starts: Vec<usize> = starts(&lens).collect();
        first.iter_mut().for_each(|head| *head = starts[*head]);
    }
    let codes =
        if wanted.codes { expand(of_heads.codes.iter().copied(), &lens, values.len()) } else { Vec::new() };
    Found { keys: of_heads.keys, counts, codes, first }
}

/// The first key of each run, and the length of the run.
fn heads_and_lens<T: SortKey>(values: &[T]) -> (Vec<T::Key>, Vec<u64>) {
    let (mut heads, mut lens) = (Vec::new(), Vec::new());
    let mut start = 0;
    while let Some(head) = values.get(start).map(|value| value.canonical()) {
        let len = values[start..].iter().take_while(|value| value.canonical() == head).count();
        heads.push(head);
        lens.push(len as u64);
        start += len;
    }
    (heads, lens)
}

/// Where each run begins.
fn starts(lens: &[u64]) -> impl Iterator<Item = usize> {
    lens.iter().scan(0, |end, &len| {
        let start = *end;
        *end += len as usize;
        Some(start)
    })
}

/// Each code as often as its run is long.
fn expand(codes: impl Iterator<Item = u32>, lens: &[u64], n: usize) -> Vec<u32> {
    let mut expanded = Vec::with_capacity(n);
    for (code, &len) in codes.zip(lens) {
        expanded.resize(expanded.len() + len as usize, code);
    }
    expanded
}
