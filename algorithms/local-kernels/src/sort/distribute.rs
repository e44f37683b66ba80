//! One step of a sample sort, for arrays much larger than a core's cache.
//!
//! A sort that moves keys and positions together through memory, or fetches keys by position at its end, misses the cache at
//! every access. Dealing the array out to buckets that fit in the cache costs two passes; what follows stays inside a bucket.
//!
//! Source: Sanders and Winkel, *Super scalar sample sort* (ESA 2004), for the search without branches and the two passes.

use std::ops::Range;

use super::index::SortIndex;
use super::sort_keys;
use crate::Key;

/// Fewer keys than this are not dealt out: they fit in the cache.
pub(super) const MIN_KEYS: usize = 1 << 18;

/// Buckets; a bucket's number fits in a byte, and the ends of all buckets in the cache.
const BUCKETS: usize = 64;

/// Keys sampled per bucket: enough that few buckets are twice as large as the mean.
const OVERSAMPLING: usize = 16;

/// Keys searched at a time, so that the loads of one search hide those of the others.
const LANES: usize = 8;

/// Keys and their positions, dealt out to buckets that rise; inside a bucket in the old order.
pub(super) struct Dealt<K, I> {
    pub(super) keys: Vec<K>,
    pub(super) index: Vec<I>,
    pub(super) buckets: Vec<Range<usize>>,
}

/// Deals keys out to buckets bounded by a sample's quantiles. Equal keys share a bucket.
pub(super) fn distribute<K: Key, I: SortIndex>(keys: &[K]) -> Dealt<K, I> {
    let tree = splitter_tree(keys);
    let mut counts = [0; BUCKETS];
    let mut bucket_of = Vec::with_capacity(keys.len());
    let mut assign = |buckets: &[u8]| {
        bucket_of.extend_from_slice(buckets);
        for &bucket in buckets {
            counts[usize::from(bucket)] += 1;
        }
    };
    let (chunks, rest) = keys.as_chunks::<LANES>();
    chunks.iter().for_each(|keys| assign(&find_buckets(&tree, keys)));
    rest.iter().for_each(|&key| assign(&find_buckets(&tree, &[key])));
    let mut end = 0;
    let buckets: Vec<Range<usize>> = counts.iter().map(|count| (end, end += count).0..end).collect();
    let mut next: [usize; BUCKETS] = std::array::from_fn(|bucket| buckets[bucket].start);
    let mut dealt =
        Dealt { keys: vec![K::MIN; keys.len()], index: vec![I::from_usize(0); keys.len()], buckets };
    for (position, (&key, &bucket)) in keys.iter().zip(&bucket_of).enumerate() {
        let slot = &mut next[usize::from(bucket)];
        dealt.keys[*slot] = key;
        dealt.index[*slot] = I::from_usize(position);
        *slot += 1;
    }
    dealt
}

/// Splitters as a complete search tree: the children of node `i` are `2 i` and `2 i + 1`.
fn splitter_tree<K: Key>(keys: &[K]) -> [K; BUCKETS] {
    let mut seed = keys.len() as u64;
    let mut sample: Vec<K> = (0..BUCKETS * OVERSAMPLING)
        .map(|_| {
            seed = seed.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
            keys[((u128::from(seed) * keys.len() as u128) >> 64) as usize]
        })
        .collect();
    sort_keys(&mut sample);
    std::array::from_fn(|node| match node {
        0 => K::MIN,
        _ => {
            // Node `i` of level `l` is the splitter at (2 (i - 2^l) + 1) / 2^(l + 1) of the way.
            let level = node.ilog2();
            let numerator = 2 * (node - (1 << level)) + 1;
            sample[(numerator * sample.len()) >> (level + 1)]
        }
    })
}

/// The keys' buckets: how many splitters are less, by a walk down the tree.
#[inline(always)]
fn find_buckets<K: Key, const N: usize>(tree: &[K; BUCKETS], keys: &[K; N]) -> [u8; N] {
    let mut nodes = [1usize; N];
    for _ in 0..BUCKETS.ilog2() {
        for (node, key) in nodes.iter_mut().zip(keys) {
            *node = 2 * *node + usize::from(tree[*node % BUCKETS] < *key);
        }
    }
    nodes.map(|node| (node - BUCKETS) as u8)
}
