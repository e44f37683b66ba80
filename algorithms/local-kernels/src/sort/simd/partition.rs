//! Vectorised partition in place.
//!
//! A block at each end is set aside, which leaves a gap at both ends. A block is then read from the side whose gap is the
//! narrower one, and each of its registers is permuted (keys up to the pivot first) and stored whole into *both* gaps:
//! what is wrong on one side lies inside the gap and is overwritten later. What was set aside fills the rest.

use std::mem::MaybeUninit;

use super::Vector;
use crate::Key;

/// Registers read at a time: choosing the side costs a chain of latencies per block, which this many registers hide.
const BLOCK: usize = 8;

/// The fewest keys that [`partition`] takes, in registers.
pub(super) const MIN_REGISTERS: usize = 2 * BLOCK;

/// Room for what is set aside: two blocks and less than a third, of registers with at most 16 lanes.
const ASIDE: usize = 3 * BLOCK * 16;

/// Moves the keys up to `pivot` before the others and returns how many there are.
///
/// # Safety
/// As [`Vector`]; `keys` is valid for `len >= MIN_REGISTERS * LANES` keys, and `pivot < MAX`.
#[inline(always)]
pub(super) unsafe fn partition<V: Vector>(keys: *mut V::Key, len: usize, pivot: V::Key) -> usize {
    let block = BLOCK * V::LANES;
    debug_assert!(len >= 2 * block && pivot < V::Key::MAX);
    let odd = (len - 2 * block) % block;
    let len_aside = 2 * block + odd;
    let mut aside = [MaybeUninit::<V::Key>::uninit(); ASIDE];
    let aside = aside.as_mut_ptr().cast::<V::Key>();
    let mut gaps = Gaps { keys, left: 0, width: 2 * block + odd };
    // SAFETY: the caller's. `unread` always is the middle of the array between the gaps. The gaps hold `2 * block + odd`
    // keys whenever a block is about to be read, so after reading from the narrower side each of them has room for at least
    // one block: enough for the overlapping stores of its registers. While `aside` is put back nothing is unread and both
    // gaps are one, as wide as what remains of `aside`: a multiple of `LANES` once the single keys are gone, so the two stores
    // of a register are apart, or at the very end the same.
    unsafe {
        let pivots = V::splat(pivot);
        aside.copy_from_nonoverlapping(keys, block + odd);
        aside.add(block + odd).copy_from_nonoverlapping(keys.add(len - block), block);
        let mut unread = block + odd..len - block;
        while !unread.is_empty() {
            let left_gap = unread.start - gaps.left;
            let from_left = left_gap <= gaps.width - left_gap;
            // Arithmetic, because this branch would be mispredicted half of the time.
            let from = if from_left { unread.start } else { unread.end - block };
            unread.start += if from_left { block } else { 0 };
            unread.end -= if from_left { 0 } else { block };
            gaps.width += block;
            let mut registers = [pivots; BLOCK];
            for (i, register) in registers.iter_mut().enumerate() {
                *register = V::load(keys.add(from + i * V::LANES));
            }
            for register in registers {
                gaps.put(register, pivots, unread.len());
            }
        }
        let single = odd % V::LANES;
        gaps.put_singly(aside, single, pivot);
        while gaps.width > 0 {
            gaps.put(V::load(aside.add(len_aside - gaps.width)), pivots, 0);
        }
    }
    gaps.left
}

/// The places not yet written: from `left` on, and as many again behind what is unread that `width` is their total.
struct Gaps<K> {
    keys: *mut K,
    left: usize,
    width: usize,
}

impl<K: Key> Gaps<K> {
    /// # Safety
    /// As [`Vector`]; each gap has room for `LANES` keys.
    #[inline(always)]
    unsafe fn put<V: Vector<Key = K>>(&mut self, register: V, pivots: V, unread: usize) {
        // SAFETY: the caller's.
        unsafe {
            let right = self.keys.add(self.left + self.width + unread);
            self.left += register.partition_store(pivots, self.keys.add(self.left), right);
        }
        self.width -= V::LANES;
    }

    /// Puts keys one by one when nothing is unread.
    ///
    /// # Safety
    /// `from` is valid for `count <= width` keys.
    #[inline(always)]
    unsafe fn put_singly(&mut self, from: *const K, count: usize, pivot: K) {
        for i in 0..count {
            // SAFETY: the caller's; the gap is not full, so its first and its last place are free.
            unsafe {
                let key = from.add(i).read();
                self.keys.add(self.left).write(key);
                self.keys.add(self.left + self.width - 1).write(key);
                self.left += usize::from(key <= pivot);
            }
            self.width -= 1;
        }
    }
}
