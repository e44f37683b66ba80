//! Distinct keys of one rank's values: what sorted unique and group-by start from.
//!
//! The answer is sorted distinct keys, how often each occurs and, on request, the code of every element (the position of
//! its key) and the first index of every key. It is the same whichever strategy finds it:
//!
//! | strategy | serves | work |
//! |---|---|---|
//! | `runs` | sorted input, long stretches of one key | one pass, then the run heads alone |
//! | `table` | keys within a small span | a counter for each possible key |
//! | `hash` | few distinct keys | a hash table that stays in cache, then a sort of what it holds |
//! | `sort` | the rest | a sort, of (key, index) packed in one word if codes or first indices are wanted |
//!
//! `plan` chooses from a sample. A wrong guess costs time, never the answer: a hash table that outgrows its budget gives
//! up, and the sort takes over.

mod hash;
mod plan;
mod runs;
mod sort;
mod table;

use crate::SortKey;

pub use plan::{Choice, Reason, Strategy};

/// Distinct keys in ascending order, with what was asked about them.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Distinct<K> {
    /// The distinct keys, ascending.
    pub keys: Vec<K>,
    /// How often each key occurs.
    pub counts: Vec<u64>,
    /// The position in `keys` of every element's key, if asked for.
    pub codes: Option<Vec<u32>>,
    /// The smallest index of each key, if asked for.
    pub first: Option<Vec<usize>>,
    /// How the answer was found, and why so.
    pub choice: Choice,
}

/// Why distinct keys cannot be given as asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DistinctError {
    /// Codes are `u32`.
    #[error("expected at most 2^32 distinct keys to give them 32-bit codes, found {found}")]
    TooManyForCodes {
        /// The number of distinct keys.
        found: usize,
    },
}

/// Asks for the distinct canonical keys of `values`; [`run`](Request::run) answers. Keys are values too, each its own key.
///
/// The values are read where they are: no array of keys is made unless a sort needs one.
///
/// # Order and ties
/// Ascending keys: numbers, then NaN. All NaNs share a key, and so do both zeros.
///
/// # Complexity
/// O(n) expected for sorted input, keys in a small span and few distinct keys; O(n log n) otherwise and at worst.
/// Memory: the answer, and at most 48 bytes for each key besides, which a table takes for first indices.
///
/// # Examples
/// ```
/// use maniple_kernels::distinct;
///
/// let found = distinct(&[50u64, 2, 41, 2, 13, 50, 8]).codes().first().run()?;
/// assert_eq!(found.keys, [2, 8, 13, 41, 50]);
/// assert_eq!(found.counts, [2, 1, 1, 1, 2]);
/// assert_eq!(found.codes.unwrap(), [4, 0, 3, 0, 2, 4, 1]);
/// assert_eq!(found.first.unwrap(), [1, 6, 4, 2, 0]);
/// # Ok::<(), maniple_kernels::distinct::DistinctError>(())
/// ```
pub fn distinct<T: SortKey>(values: &[T]) -> Request<'_, T> {
    Request { values, wanted: Wanted { codes: false, first: false }, strategy: None }
}

/// A question about the distinct keys of a slice; see [`distinct`].
#[derive(Clone, Debug)]
#[must_use = "`run` answers"]
pub struct Request<'a, T> {
    values: &'a [T],
    wanted: Wanted,
    strategy: Option<Strategy>,
}

/// What to find besides keys and counts.
#[derive(Clone, Copy, Debug)]
struct Wanted {
    codes: bool,
    first: bool,
}

/// What a strategy finds. `codes` and `first` are empty if not wanted.
#[derive(Debug)]
struct Found<K> {
    keys: Vec<K>,
    counts: Vec<u64>,
    codes: Vec<u32>,
    first: Vec<usize>,
}

impl<T: SortKey> Request<'_, T> {
    /// Asks for the code of every element.
    pub fn codes(mut self) -> Self {
        self.wanted.codes = true;
        self
    }

    /// Asks for the smallest index of every key.
    pub fn first(mut self) -> Self {
        self.wanted.first = true;
        self
    }

    /// Prefers a strategy to the one that the ladder would choose.
    ///
    /// The answer stays the same. If the strategy cannot hold the keys, the sort takes its place, and
    /// [`Distinct::choice`] says so.
    pub fn strategy(mut self, strategy: Strategy) -> Self {
        self.strategy = Some(strategy);
        self
    }

    /// The distinct keys, their counts and what else was asked for.
    ///
    /// # Errors
    /// [`DistinctError::TooManyForCodes`] if codes are wanted for more than 2^32 distinct keys. Not collective: it depends
    /// on this rank's keys alone.
    pub fn run(self) -> Result<Distinct<T::Key>, DistinctError> {
        let Self { values, wanted, strategy } = self;
        let planned = match strategy {
            Some(strategy) => plan::preferred(values, strategy),
            None => plan::choose(values),
        };
        let (found, choice) = find(values, wanted, planned);
        if wanted.codes {
            check_codes(found.keys.len())?;
        }
        Ok(Distinct {
            keys: found.keys,
            counts: found.counts,
            codes: wanted.codes.then_some(found.codes),
            first: wanted.first.then_some(found.first),
            choice,
        })
    }
}

/// Runs the planned strategy, or the sort if the hash table of the plan outgrows its budget.
fn find<T: SortKey>(values: &[T], wanted: Wanted, planned: plan::Planned<T::Key>) -> (Found<T::Key>, Choice) {
    let plan::Planned { choice, method } = planned;
    let found = match method {
        plan::Method::Runs => runs::runs(values, wanted),
        plan::Method::Table { low, slots } => table::table(values, low, slots, wanted),
        plan::Method::Sort => sort::sort(values, wanted),
        plan::Method::Hash { expected } => match hash::hash(values, expected, wanted) {
            Ok(found) => found,
            Err(hash::Outgrown { at }) => {
                let choice = Choice { strategy: Strategy::Sort, reason: Reason::Outgrown { at } };
                return (sort::sort(values, wanted), choice);
            }
        },
    };
    (found, choice)
}

/// A code is the position of a key, so the last of 2^32 keys has the greatest `u32`.
fn check_codes(found: usize) -> Result<(), DistinctError> {
    if found as u64 <= 1 << 32 { Ok(()) } else { Err(DistinctError::TooManyForCodes { found }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_code_is_the_greatest_u32() {
        assert_eq!(check_codes(0), Ok(()));
        assert_eq!(check_codes(1 << 32), Ok(()));
        let found = (1 << 32) + 1;
        assert_eq!(check_codes(found), Err(DistinctError::TooManyForCodes { found }));
        assert_eq!(
            check_codes(found).unwrap_err().to_string(),
            "expected at most 2^32 distinct keys to give them 32-bit codes, found 4294967297"
        );
    }
}
