//! Positions as they cross between ranks.

use maniple_core::Element;

/// A position among the distinct keys of one rank: `u32` wherever all ranks' distinct keys together number fewer than 2³²,
/// which halves what the inverse moves.
pub(crate) trait Slot: Element {
    fn at(position: usize) -> Self;
    fn position(self) -> usize;
}

impl Slot for u32 {
    #[inline(always)]
    fn at(position: usize) -> Self {
        debug_assert!(u32::try_from(position).is_ok());
        position as u32
    }

    #[inline(always)]
    fn position(self) -> usize {
        self as usize
    }
}

impl Slot for u64 {
    #[inline(always)]
    fn at(position: usize) -> Self {
        position as u64
    }

    #[inline(always)]
    fn position(self) -> usize {
        self as usize
    }
}
