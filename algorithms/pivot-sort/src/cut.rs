//! Phase 4: where this rank's sorted keys are cut.

use maniple_core::{Blocks, Comm, Result};
use maniple_kernels::Key;

use crate::splitters::Splitter;

/// Cuts this rank's sorted keys at splitters to the element: block `j` of every rank together is what lies between splitters
/// `j - 1` and `j` of the sorted whole, which has exactly the wished length.
///
/// Of the keys equal to a splitter, those of lower ranks stand before those of higher ones, so a stable sort stays stable.
///
/// # Shapes
/// One block more than there are splitters, which rise.
///
/// # Communication
/// One exclusive scan of a number per splitter; none if no splitter divides equal keys.
///
/// # Errors
/// [`Error::Comm`](maniple_core::Error::Comm), as every collective.
///
/// # Examples
/// ```
/// use maniple_core::Comm;
/// use maniple_sort::{cut_ties, find_splitters};
///
/// let comm = Comm::solo();
/// let sorted = [10_u32, 20, 20, 20, 30];
/// let splitters = find_splitters(&comm, &sorted, &[2, 3])?;
/// assert_eq!(cut_ties(&comm, &sorted, &splitters)?.counts(), [2, 1, 2]);
/// # Ok::<(), maniple_core::Error>(())
/// ```
#[track_caller]
pub fn cut_ties<K: Key>(comm: &Comm, sorted: &[K], splitters: &[Splitter<K>]) -> Result<Blocks> {
    if splitters.iter().all(|splitter| splitter.ties == 0) {
        return Ok(cut_between(sorted, splitters));
    }
    let _scope = comm.scope("cut_ties");
    let (begins, equal): (Vec<_>, Vec<_>) = splitters.iter().map(|s| equal_range(sorted, s.key)).unzip();
    let on_lower_ranks = comm.ex_scan(&equal, |a, b| a + b)?.unwrap_or(vec![0; equal.len()]);
    let cuts = splitters
        .iter()
        .enumerate()
        .map(|(j, splitter)| begins[j] + splitter.ties.saturating_sub(on_lower_ranks[j]).min(equal[j]));
    Ok(blocks(cuts, sorted.len()))
}

/// Cuts this rank's sorted keys near splitters, without dividing equal keys: they all go to the lower block if any of them
/// stands before the cut.
///
/// On all ranks a key goes to the same block, so blocks can be finished without each other: unique values, groups.
///
/// # Shapes
/// One block more than there are splitters, which rise.
///
/// # Examples
/// ```
/// use maniple_core::Comm;
/// use maniple_sort::{cut_between, find_splitters};
///
/// let sorted = [10_u32, 20, 20, 20, 30];
/// let splitters = find_splitters(&Comm::solo(), &sorted, &[2])?;
/// assert_eq!(cut_between(&sorted, &splitters).counts(), [4, 1]);
/// # Ok::<(), maniple_core::Error>(())
/// ```
pub fn cut_between<K: Key>(sorted: &[K], splitters: &[Splitter<K>]) -> Blocks {
    let cuts = splitters.iter().map(|s| match s.ties {
        0 => sorted.partition_point(|&key| key < s.key),
        _ => sorted.partition_point(|&key| key <= s.key),
    });
    blocks(cuts, sorted.len())
}

/// Where the keys equal to `key` begin, and how many there are.
fn equal_range<K: Key>(sorted: &[K], key: K) -> (usize, usize) {
    let begin = sorted.partition_point(|&k| k < key);
    (begin, sorted[begin..].partition_point(|&k| k == key))
}

fn blocks(cuts: impl Iterator<Item = usize>, len: usize) -> Blocks {
    let offsets: Vec<usize> = std::iter::once(0).chain(cuts).chain([len]).collect();
    Blocks::between(&offsets)
}
