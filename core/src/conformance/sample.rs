//! Values that say where they come from, in every width, and comparisons of bytes.

use std::fmt::Debug;

use bytemuck::NoUninit;

use crate::blocks::Blocks;
use crate::element::{Element, bytes_of};

/// A type whose values can be made from a number.
pub(super) trait Sample: Element + Debug {
    fn sample(seed: u64) -> Self;
}

/// A struct such as users derive: several fields, 24 bytes.
#[derive(Clone, Copy, Debug, NoUninit)]
#[repr(C)]
pub(super) struct Record {
    key: u64,
    value: f64,
    tags: [u16; 4],
}

macro_rules! sample {
    ($($type:ty: $seed:ident => $value:expr;)+) => {
        $(impl Sample for $type {
            fn sample($seed: u64) -> Self {
                $value
            }
        })+
    };
}

sample! {
    u8: s => s as u8;
    u16: s => s as u16;
    u32: s => s as u32;
    u64: s => s;
    u128: s => u128::from(s) << 64 | u128::from(!s);
    f64: s => f64::from_bits(s); // any bits: NaNs with a payload, denormal numbers
    bool: s => s & 1 == 1;
    [u8; 3]: s => [s as u8, (s >> 8) as u8, (s >> 16) as u8];
    Record: s => Record { key: s, value: f64::from_bits(!s), tags: [s as u16, (s >> 16) as u16, 7, !s as u16] };
}

/// Calls a generic check for every width of element.
macro_rules! each_type {
    ($check:ident($($arg:expr),*)) => {
        $check::<u8>($($arg),*);
        $check::<u16>($($arg),*);
        $check::<u32>($($arg),*);
        $check::<u64>($($arg),*);
        $check::<u128>($($arg),*);
        $check::<f64>($($arg),*);
        $check::<bool>($($arg),*);
        $check::<[u8; 3]>($($arg),*);
        $check::<$crate::conformance::sample::Record>($($arg),*);
    };
}
pub(super) use each_type;

/// The `n` values that rank `from` has for rank `to`: no two pairs have the same.
pub(super) fn message<T: Sample>(from: usize, to: usize, n: usize) -> Vec<T> {
    let pair = mix(from as u64) ^ mix(!(to as u64));
    (0..n as u64).map(|k| T::sample(mix(pair ^ k))).collect()
}

/// What a buffer holds before anything is received.
pub(super) fn filler<T: Sample>() -> T {
    T::sample(0x5a5a_5a5a_5a5a_5a5a)
}

/// How many elements rank `from` has for rank `to`: often none, never the same in both directions.
pub(super) fn count(from: usize, to: usize) -> usize {
    if from % 3 == 1 || to % 4 == 2 { 0 } else { (5 * from + 3 * to) % 7 }
}

/// Bijective, and scatters neighbouring numbers (a step of SplitMix64).
pub(super) fn mix(x: u64) -> u64 {
    let mut x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// Are these the very bytes?
#[track_caller]
pub(super) fn assert_same<T: Sample>(found: &[T], expected: &[T]) {
    if let Some(k) =
        (0..found.len().min(expected.len())).find(|&k| bytes_of(&found[k..=k]) != bytes_of(&expected[k..=k]))
    {
        panic!("element {k} of {} is {:?}, expected {:?}", found.len(), found[k], expected[k]);
    }
    assert_eq!(found.len(), expected.len(), "number of elements");
}

/// Blocks in falling rank order with gaps before, between and behind them, an empty one nowhere near, and the length of their
/// buffer.
pub(super) fn scattered(counts: Vec<usize>) -> (Blocks, usize) {
    let mut displs = vec![usize::MAX; counts.len()];
    let mut end = 2;
    for rank in (0..counts.len()).rev().filter(|&rank| counts[rank] > 0) {
        displs[rank] = end;
        end += counts[rank] + 1 + rank % 3;
    }
    (Blocks::new(counts, displs).expect("blocks inside the index range"), end)
}

/// A buffer with these parts in their blocks, and the filler around them.
pub(super) fn filled<T: Sample>(blocks: &Blocks, len: usize, part: impl Fn(usize) -> Vec<T>) -> Vec<T> {
    let mut buffer = vec![filler(); len];
    for rank in (0..blocks.size()).filter(|&rank| blocks.count(rank) > 0) {
        buffer[blocks.range(rank)].copy_from_slice(&part(rank));
    }
    buffer
}
