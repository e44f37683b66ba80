//! Each to each: all_to_all, all_to_all_v, exchange.
#![allow(unsafe_code)] // received storage becomes a vector's elements; a peer's bytes become values

use crate::blocks::Blocks;
use crate::call::{Call, Op};
use crate::communicator::Bytes;
use crate::element::{Element, bytes_of, bytes_to_fill, overwrite, values_of};
use crate::error::CommError;
use crate::memory;

use super::Comm;

impl Comm {
    /// Part r of `values` to rank r; the parts that rank r sent here, in rank order. All parts on all ranks are equally long.
    ///
    /// # Errors
    /// See [`Comm`]; the length must be a multiple of the number of ranks.
    #[track_caller]
    pub fn all_to_all<T: Element>(&self, values: &[T]) -> Result<Vec<T>, CommError> {
        let mut call = self.call_of::<T>(Op::AllToAll);
        let (n, p) = (values.len(), self.size());
        call.len = Some(n);
        self.unless(call, self.check_len(call, "values", n.next_multiple_of(p), n))?;
        let blocks = Blocks::packed(vec![n / p; p]);
        receive(n, |recv| self.transport().all_to_all_v(call, bytes_of(values), &blocks, recv, &blocks))
    }

    /// Block r of `values` to rank r; what came from each rank, in rank order, and where it begins.
    ///
    /// # Communication
    /// Two collectives: the counts, then the elements, straight into the result.
    ///
    /// # Errors
    /// See [`Comm`].
    #[track_caller]
    pub fn all_to_all_v<T: Element>(
        &self,
        values: &[T],
        blocks: &Blocks,
    ) -> Result<(Vec<T>, Blocks), CommError> {
        let call = self.call_of::<T>(Op::AllToAllV);
        let counts_call = {
            let mut call = self.call_of::<usize>(Op::AllToAll);
            call.len = Some(self.size());
            call
        };
        self.unless(counts_call, self.check_sends(call, blocks, values.len()))?;
        let recvs = Blocks::packed(self.all_to_all(blocks.counts())?);
        let all = receive(recvs.total(), |recv| {
            self.transport().all_to_all_v(call, bytes_of(values), blocks, recv, &recvs)
        })?;
        Ok((all, recvs))
    }

    /// [`all_to_all_v`](Comm::all_to_all_v) into `recv`, with known counts. What lies between the blocks of `recv` stays
    /// as it is.
    ///
    /// # Communication
    /// One collective.
    ///
    /// # Errors
    /// See [`Comm`]; among them [`CommError::Counts`] where two ranks expect different counts.
    #[track_caller]
    pub fn all_to_all_v_into<T: Element>(
        &self,
        values: &[T],
        sends: &Blocks,
        recv: &mut [T],
        recvs: &Blocks,
    ) -> Result<(), CommError> {
        let call = self.call_of::<T>(Op::AllToAllV);
        let checked = self
            .check_sends(call, sends, values.len())
            .and_then(|()| self.check_recvs(call, recvs, recv.len()));
        self.unless(call, checked)?;
        self.transport().all_to_all_v(call, bytes_of(values), sends, bytes_to_fill(overwrite(recv)), recvs)
    }

    /// Block r of `values` to rank r, without a receive buffer: `visit` gets one slice per source rank, in rank order.
    ///
    /// On threads the slices are the peers' own memory, so that nothing is copied at all; under MPI they are the receive
    /// buffer. Blocks may overlap: `Blocks::whole` shows every rank's values to every rank. `visit` must not call a
    /// collective of this communicator.
    ///
    /// # Communication
    /// One collective on threads; under MPI the counts, then the elements.
    ///
    /// # Errors
    /// See [`Comm`]. If `visit` panics, the panic goes on here after the peers have been told.
    ///
    /// ```
    /// use maniple_core::Blocks;
    /// # let comm = maniple_core::Comm::solo();
    /// let total = comm.exchange(&[1, 2, 3], &Blocks::whole(3, comm.size()), |parts: &[&[i32]]| {
    ///     parts.iter().flat_map(|part| part.iter()).sum::<i32>()
    /// })?;
    /// assert_eq!(total, 6 * comm.size() as i32);
    /// # Ok::<(), maniple_core::CommError>(())
    /// ```
    #[track_caller]
    pub fn exchange<T: Element, R>(
        &self,
        values: &[T],
        blocks: &Blocks,
        visit: impl FnOnce(&[&[T]]) -> R,
    ) -> Result<R, CommError> {
        self.visit(self.call_of::<T>(Op::Exchange), values, blocks, visit)
    }

    pub(super) fn visit<T: Element, R>(
        &self,
        call: Call,
        values: &[T],
        blocks: &Blocks,
        visit: impl FnOnce(&[&[T]]) -> R,
    ) -> Result<R, CommError> {
        self.unless(call, self.check_sends(call, blocks, values.len()))?;
        let (mut visit, mut result) = (Some(visit), None);
        self.transport().exchange(call, bytes_of(values), blocks, &mut |parts| {
            // SAFETY: a transport shows whole, aligned elements that a peer passed to this method with the same `T`.
            let parts: Vec<&[T]> = parts.iter().map(|part| unsafe { values_of(part) }).collect();
            let visit = visit.take().expect("a transport visits once");
            result = Some(visit(&parts));
        })?;
        Ok(result.expect("a transport visits before it reports success"))
    }
}

/// `n` elements in fresh storage that `fill` receives.
pub(super) fn receive<T: Element>(
    n: usize,
    fill: impl FnOnce(&mut Bytes) -> Result<(), CommError>,
) -> Result<Vec<T>, CommError> {
    let mut values = memory::with_capacity(n);
    fill(bytes_to_fill(&mut values.spare_capacity_mut()[..n]))?;
    assume_received(&mut values, n);
    Ok(values)
}

/// Called after a collective that was to fill the first `n` elements of `values` has succeeded.
pub(super) fn assume_received<T: Element>(values: &mut Vec<T>, n: usize) {
    // SAFETY: packed blocks of `n` elements in all were declared, and a transport that returns `Ok` has initialised every
    // declared byte from elements of the same type. The callers pass the very vector and length that they declared.
    unsafe { values.set_len(n) };
}
