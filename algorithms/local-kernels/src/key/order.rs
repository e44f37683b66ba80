//! The wished order as a permutation of the keys.

use super::{Key, SortKey};

/// Whether numbers rise or fall.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Direction {
    /// The smallest number first.
    #[default]
    Ascending,
    /// The greatest number first.
    Descending,
}

/// Where NaNs stand, whatever the direction of the numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum NanOrder {
    /// Before all numbers.
    First,
    /// After all numbers.
    #[default]
    Last,
}

/// An order of values, applied to keys so that the kernels only ever sort ascending.
///
/// # Order and ties
/// `encode` is a permutation of the key's whole range: distinct keys stay distinct, equal keys stay equal. A stable
/// ascending sort of encoded keys therefore keeps ties in index order in every direction.
///
/// # Examples
/// ```
/// use maniple_kernels::{Order, SortKey};
///
/// let falling = Order::ASCENDING.descending();
/// let code = |x: f32| falling.encode::<f32>(x.to_key());
/// assert!(code(2.0) < code(1.0) && code(-1e30) < code(f32::NAN));
/// assert_eq!(falling.decode::<f32>(code(2.0)), 2.0f32.to_key());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Order {
    /// The direction of the numbers.
    pub direction: Direction,
    /// The place of NaNs.
    pub nan: NanOrder,
}

impl Order {
    /// Numbers rising, then NaNs: the order of the keys themselves.
    pub const ASCENDING: Self = Self { direction: Direction::Ascending, nan: NanOrder::Last };

    /// The same with numbers falling; NaNs stay where they are.
    #[must_use]
    pub const fn descending(self) -> Self {
        Self { direction: Direction::Descending, nan: self.nan }
    }

    /// The same with NaNs before all numbers.
    #[must_use]
    pub const fn nan_first(self) -> Self {
        Self { direction: self.direction, nan: NanOrder::First }
    }

    /// Maps a key of `T` so that ascending order of the results is this order. Canonical keys too.
    #[inline(always)]
    #[must_use]
    pub fn encode<T: SortKey>(self, key: T::Key) -> T::Key {
        match (self.direction, self.nan) {
            (Direction::Ascending, NanOrder::Last) => key,
            (Direction::Ascending, NanOrder::First) => key.wrapping_add(T::NANS),
            (Direction::Descending, NanOrder::Last) => mirror_numbers::<T>(key),
            (Direction::Descending, NanOrder::First) => key.complement(),
        }
    }

    /// The inverse of [`encode`](Self::encode).
    #[inline(always)]
    #[must_use]
    pub fn decode<T: SortKey>(self, code: T::Key) -> T::Key {
        match (self.direction, self.nan) {
            (Direction::Ascending, NanOrder::Last) => code,
            (Direction::Ascending, NanOrder::First) => code.wrapping_sub(T::NANS),
            (Direction::Descending, NanOrder::Last) => mirror_numbers::<T>(code),
            (Direction::Descending, NanOrder::First) => code.complement(),
        }
    }
}

/// Reverses the order of the numbers' keys and leaves those of NaNs; its own inverse.
#[inline(always)]
fn mirror_numbers<T: SortKey>(key: T::Key) -> T::Key {
    let last_number = T::NANS.complement();
    if key <= last_number { last_number.wrapping_sub(key) } else { key }
}
