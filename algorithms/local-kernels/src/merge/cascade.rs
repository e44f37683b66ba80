//! Many runs: blocks of the output that fit the cache, each finished by a tree of two-way merges.

use std::mem::MaybeUninit;

use super::records::{Run, Slots};
use super::select::multiselect;
use super::two_way::two_way;

/// Bytes of a block: its output and the scratch of the same size stay in cache.
///
/// A smaller block fits a nearer cache, but selects cuts for each run more often. Measured flat from 1 to 8 MiB for eight
/// runs of `u64`; the smaller half of that range serves machines with less cache.
const BLOCK_BYTES: usize = 1 << 21;

/// Fills `out` with the stable merge of `runs`.
pub(super) fn cascade<K: Copy + Ord, I: Copy>(runs: &[Run<'_, K, I>], mut out: Slots<'_, K, I>) {
    let block = (BLOCK_BYTES / (size_of::<K>() + size_of::<I>()).max(1)).max(1);
    let scratch_len = block.min(out.len());
    let (mut scratch_keys, mut scratch_payload) = (uninit(scratch_len), uninit(scratch_len));
    let mut rest = runs.to_vec();
    while out.len() > 0 {
        let len = block.min(out.len());
        let (slots, later) = out.split_at(len);
        out = later;
        let scratch = Slots::new(&mut scratch_keys[..len], &mut scratch_payload[..len]);
        tree(&next_block(&mut rest, len), slots, scratch);
    }
}

fn uninit<T>(len: usize) -> Vec<MaybeUninit<T>> {
    std::iter::repeat_with(MaybeUninit::uninit).take(len).collect()
}

/// Cuts what the first `len` records of the merge need off the front of the runs. Leaves out runs that give nothing.
fn next_block<'a, K: Copy + Ord, I: Copy>(rest: &mut [Run<'a, K, I>], len: usize) -> Vec<Run<'a, K, I>> {
    let windows: Vec<_> = rest.iter().map(|run| &run.keys()[..run.len().min(len)]).collect();
    let cuts = multiselect(&windows, len);
    let pieces = rest.iter_mut().zip(cuts).map(|(run, cut)| {
        let (piece, later) = run.split_at(cut);
        *run = later;
        piece
    });
    pieces.filter(|piece| !piece.is_empty()).collect()
}

/// Merges `pieces` into `out`, the two halves going through `scratch` of the same length.
fn tree<K: Copy + Ord, I: Copy>(
    pieces: &[Run<'_, K, I>],
    mut out: Slots<'_, K, I>,
    scratch: Slots<'_, K, I>,
) {
    match *pieces {
        [] => assert_eq!(out.len(), 0),
        [piece] => out.copy_from(piece),
        [a, b] => two_way(a, b, out),
        _ => {
            let (left, right) = pieces.split_at(pieces.len() / 2);
            let mid = left.iter().map(Run::len).sum();
            let (scratch_left, scratch_right) = scratch.split_at(mid);
            let (out_left, out_right) = out.reborrow().split_at(mid);
            let a = half(left, scratch_left, out_left);
            let b = half(right, scratch_right, out_right);
            two_way(a, b, out);
        }
    }
}

/// The merge of `pieces`: in `into`, or where it is if there is nothing to merge.
fn half<'a, K: Copy + Ord, I: Copy>(
    pieces: &[Run<'a, K, I>],
    mut into: Slots<'a, K, I>,
    scratch: Slots<'_, K, I>,
) -> Run<'a, K, I> {
    if let [piece] = *pieces {
        return piece;
    }
    tree(pieces, into.reborrow(), scratch);
    // SAFETY: `tree` wrote every slot of `into`.
    unsafe { into.written() }
}
