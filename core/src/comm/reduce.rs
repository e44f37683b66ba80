//! Reductions and scans, written once over the collectives that move bytes.
//!
//! Everything folds in rank order: `((x0 · x1) · x2) · ..`, element by element. So a result depends on the number of ranks
//! (if the operation is not associative, as a float sum is not) but never on timing or transport, and is the same on
//! every rank. Short vectors are gathered and folded by everyone; long ones are cut into one segment per rank, so that each
//! element is folded once and `2n` elements move per rank, not `size · n`.

use std::hash::{DefaultHasher, Hash, Hasher};

use crate::blocks::Blocks;
use crate::call::{Call, Op};
use crate::element::Element;
use crate::error::CommError;
use crate::memory;

use super::Comm;

/// Gathering everything and folding it everywhere costs one collective, segments cost two: up to this many received bytes the
/// first is faster.
const GATHER_UP_TO: usize = 64 << 10;

impl Comm {
    /// The element-wise fold of every rank's `values`, in rank order, on every rank. All give the same number.
    ///
    /// # Communication
    /// At most 64 KiB in all: one all-gather. Else an exchange of segments and an all-gather of their folds: `2n` elements
    /// received per rank.
    ///
    /// # Errors
    /// See [`Comm`].
    ///
    /// ```
    /// # let comm = maniple_core::Comm::solo();
    /// let most = comm.all_reduce(&[comm.rank(), 7], std::cmp::max)?;
    /// assert_eq!(most, [comm.size() - 1, 7]);
    /// # Ok::<(), maniple_core::CommError>(())
    /// ```
    #[track_caller]
    pub fn all_reduce<T: Element>(&self, values: &[T], op: impl Fn(T, T) -> T) -> Result<Vec<T>, CommError> {
        let _scope = self.scope("all_reduce");
        if self.is_short(values) {
            let all = self.all_gather(values)?;
            return Ok(fold(rows(&all, values.len()), op));
        }
        let segments = Blocks::even(values.len(), self.size());
        let mine =
            self.visit(self.same_len(values), values, &segments, |parts| fold(parts.iter().copied(), op))?;
        let mut all = memory::with_capacity(values.len());
        all.extend_from_slice(values); // written before it is received into: cheap next to the fold
        self.all_gather_v_into(&mine, &mut all, &segments)?;
        Ok(all)
    }

    /// The fold of every rank's value, in rank order, on every rank.
    ///
    /// # Errors
    /// See [`Comm`].
    #[track_caller]
    pub fn all_reduce_value<T: Element>(&self, value: T, op: impl Fn(T, T) -> T) -> Result<T, CommError> {
        Ok(self.all_reduce(&[value], op)?[0])
    }

    /// As [`all_reduce`](Comm::all_reduce), but rank r gets only block r of the result. All ranks give the same blocks.
    ///
    /// # Communication
    /// One exchange.
    ///
    /// # Errors
    /// See [`Comm`].
    #[track_caller]
    pub fn reduce_scatter<T: Element>(
        &self,
        values: &[T],
        blocks: &Blocks,
        op: impl Fn(T, T) -> T,
    ) -> Result<Vec<T>, CommError> {
        let _scope = self.scope("reduce_scatter");
        let mut call = self.same_len(values);
        call.args = Some(digest(blocks));
        self.visit(call, values, blocks, |parts| fold(parts.iter().copied(), op))
    }

    /// Inclusive scan: the fold of the values of ranks `0..=rank`.
    ///
    /// # Communication
    /// At most 64 KiB in all: one all-gather. Else two exchanges of segments, `2n` elements received per rank.
    ///
    /// # Errors
    /// See [`Comm`].
    #[track_caller]
    pub fn scan<T: Element>(&self, values: &[T], op: impl Fn(T, T) -> T) -> Result<Vec<T>, CommError> {
        let _scope = self.scope("scan");
        let before = self.ex_scan(values, &op)?;
        Ok(match before {
            None => values.to_vec(),
            Some(before) => before.into_iter().zip(values).map(|(a, &b)| op(a, b)).collect(),
        })
    }

    /// Exclusive scan: the fold of the values of the ranks below this one; `None` on rank 0.
    ///
    /// # Communication
    /// As [`scan`](Comm::scan).
    ///
    /// # Errors
    /// See [`Comm`].
    ///
    /// ```
    /// # let comm = maniple_core::Comm::solo();
    /// let first_index = comm.ex_scan(&[5_usize], |a, b| a + b)?.map_or(0, |sum| sum[0]);
    /// assert_eq!(first_index, 5 * comm.rank());
    /// # Ok::<(), maniple_core::CommError>(())
    /// ```
    #[track_caller]
    pub fn ex_scan<T: Element>(
        &self,
        values: &[T],
        op: impl Fn(T, T) -> T,
    ) -> Result<Option<Vec<T>>, CommError> {
        let _scope = self.scope("ex_scan");
        if self.is_short(values) {
            let all = self.all_gather(values)?;
            let below = rows(&all, values.len()).take(self.rank());
            return Ok((self.rank() > 0).then(|| fold(below, op)));
        }
        // This rank scans its segment for all ranks: row r of the result is what rank r needs of it.
        let segments = Blocks::even(values.len(), self.size());
        let prefixes: Vec<T> = self.visit(self.same_len(values), values, &segments, |parts| {
            let mut sum = parts[0].to_vec();
            let mut prefixes = sum.clone(); // fills the row of rank 0, which has no rank below it
            for part in &parts[1..] {
                prefixes.extend_from_slice(&sum);
                combine(&mut sum, part, &op);
            }
            prefixes
        })?;
        let rows = Blocks::even(prefixes.len(), self.size());
        let (mine, _) = self.all_to_all_v(&prefixes, &rows)?;
        Ok((self.rank() > 0).then_some(mine))
    }

    fn is_short<T: Element>(&self, values: &[T]) -> bool {
        size_of_val(values).saturating_mul(self.size()) <= GATHER_UP_TO
    }

    /// An exchange for which all ranks must have the same number of values.
    #[track_caller]
    fn same_len<T: Element>(&self, values: &[T]) -> Call {
        let mut call = self.call_of::<T>(Op::Exchange);
        call.len = Some(values.len());
        call
    }
}

/// The rows, one per rank, of what an all-gather of `n` elements each gave.
fn rows<T: Element>(all: &[T], n: usize) -> impl Iterator<Item = &[T]> {
    all.chunks_exact(n.max(1))
}

/// `((x0 · x1) · x2) · ..` of equally long rows.
fn fold<'a, T: Element>(rows: impl IntoIterator<Item = &'a [T]>, op: impl Fn(T, T) -> T) -> Vec<T> {
    let mut rows = rows.into_iter();
    let mut result = rows.next().map(<[T]>::to_vec).unwrap_or_default();
    rows.for_each(|row| combine(&mut result, row, &op));
    result
}

fn combine<T: Element>(acc: &mut [T], row: &[T], op: impl Fn(T, T) -> T) {
    assert_eq!(acc.len(), row.len(), "all ranks reduce the same number of values");
    acc.iter_mut().zip(row).for_each(|(a, &b)| *a = op(*a, b));
}

/// The same number on every rank for the same blocks.
fn digest(blocks: &Blocks) -> u64 {
    let mut hasher = DefaultHasher::new();
    blocks.hash(&mut hasher);
    hasher.finish()
}
