//! Counting sort for keys of 8 and 16 bits.

use super::level::Level;
use super::sort_u32;

/// Shorter arrays of bytes are sorted by comparison: clearing and reading 256 counters takes longer.
const MIN_BYTES: usize = 64;

/// Shorter arrays of 16-bit keys are sorted as 32-bit keys: clearing and reading 65 536 counters takes longer.
const MIN_COUNTED: usize = 1 << 17;

/// Sorts ascending.
pub(super) fn sort_u8(keys: &mut [u8]) {
    if keys.len() < MIN_BYTES {
        return keys.sort_unstable();
    }
    // Four tables, so that runs of one key don't wait for the counter that was just written.
    let mut counts = [[0usize; 256]; 4];
    let mut quads = keys.chunks_exact(4);
    for quad in &mut quads {
        for (table, &key) in counts.iter_mut().zip(quad) {
            table[usize::from(key)] += 1;
        }
    }
    for &key in quads.remainder() {
        counts[0][usize::from(key)] += 1;
    }
    let mut rest = keys;
    for key in 0..=u8::MAX {
        let count: usize = counts.iter().map(|table| table[usize::from(key)]).sum();
        let (run, behind) = rest.split_at_mut(count);
        run.fill(key);
        rest = behind;
    }
}

/// Sorts ascending.
pub(super) fn sort_u16(keys: &mut [u16], level: Level) {
    if keys.len() < MIN_COUNTED {
        let mut wide: Vec<u32> = keys.iter().map(|&key| key.into()).collect();
        sort_u32(&mut wide, level);
        for (key, wide) in keys.iter_mut().zip(wide) {
            *key = wide as u16;
        }
        return;
    }
    let mut counts = vec![[0usize; 2]; 1 << 16];
    let mut pairs = keys.chunks_exact(2);
    for pair in &mut pairs {
        counts[usize::from(pair[0])][0] += 1;
        counts[usize::from(pair[1])][1] += 1;
    }
    for &key in pairs.remainder() {
        counts[usize::from(key)][0] += 1;
    }
    let mut rest = keys;
    for (key, count) in counts.into_iter().enumerate() {
        let (run, behind) = rest.split_at_mut(count[0] + count[1]);
        run.fill(key as u16);
        rest = behind;
    }
}
