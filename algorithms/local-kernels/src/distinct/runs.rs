//! Stretches of equal keys: what holds for a run's head holds for all of it.

use super::word::Word;
use super::{Found, Wanted, find, plan};

pub(super) fn runs<K: Word>(keys: &[K], wanted: Wanted) -> Found<K> {
    let (heads, starts) = run_heads(keys);
    let ends = starts.iter().skip(1).copied().chain([keys.len()]);
    let lens = starts.iter().zip(ends).map(|(start, end)| end - start);
    if heads.is_sorted() {
        // Neighbouring heads differ, so each is the only one of its key.
        let codes = if wanted.codes {
            expand(0.., lens.clone(), keys.len())
        } else {
            Vec::new()
        };
        let counts = lens.map(|len| len as u64).collect();
        return Found {
            keys: heads,
            counts,
            codes,
            first: if wanted.first { starts } else { Vec::new() },
        };
    }
    // Few heads, no two neighbours equal: another strategy finds their distinct keys.
    let planned = plan::choose(&heads);
    let (of_heads, _) = find(
        &heads,
        Wanted {
            codes: true,
            first: wanted.first,
        },
        planned,
    );
    let mut counts = vec![0; of_heads.keys.len()];
    for (&code, len) in of_heads.codes.iter().zip(lens.clone()) {
        counts[code as usize] += len as u64;
    }
    let codes = if wanted.codes {
        expand(of_heads.codes.iter().copied(), lens, keys.len())
    } else {
        Vec::new()
    };
    let first = of_heads.first.iter().map(|&head| starts[head]).collect();
    Found {
        keys: of_heads.keys,
        counts,
        codes,
        first,
    }
}

/// The first key of each run, and where it stands.
fn run_heads<K: Word>(keys: &[K]) -> (Vec<K>, Vec<usize>) {
    let Some(&first) = keys.first() else {
        return Default::default();
    };
    let (mut heads, mut starts) = (vec![first], vec![0]);
    for (at, pair) in keys.windows(2).enumerate() {
        if pair[0] != pair[1] {
            heads.push(pair[1]);
            starts.push(at + 1);
        }
    }
    (heads, starts)
}

/// Each code as often as its run is long.
fn expand(
    codes: impl Iterator<Item = u32>,
    lens: impl Iterator<Item = usize>,
    n: usize,
) -> Vec<u32> {
    let mut expanded = Vec::with_capacity(n);
    for (code, len) in codes.zip(lens) {
        expanded.resize(expanded.len() + len, code);
    }
    expanded
}
