//! One to all, all to one, one to each, all to all of the same: bcast, gather, scatter, all_gather.

use crate::blocks::Blocks;
use crate::call::{Call, Op};
use crate::communicator::BcastBuf;
use crate::element::{Element, bytes_of, bytes_to_fill, overwrite};
use crate::error::CommError;
use crate::memory;

use super::neighbours::{RecvFrom, SendTo};
use super::{Comm, to_all::receive};

impl Comm {
    /// The root's `values` on every rank. The slice has the same length everywhere.
    ///
    /// # Errors
    /// See [`Comm`].
    #[track_caller]
    pub fn bcast<T: Element>(&self, root: usize, values: &mut [T]) -> Result<(), CommError> {
        let mut call = self.call_of::<T>(Op::Bcast);
        (call.len, call.root) = (Some(values.len()), Some(root));
        self.unless(call, self.check_rank(call, root))?;
        let buf = match self.rank() == root {
            true => BcastBuf::Send(bytes_of(values)),
            false => BcastBuf::Recv(bytes_to_fill(overwrite(values))),
        };
        self.transport().bcast(call, buf)
    }

    /// The root's value on every rank.
    ///
    /// # Errors
    /// See [`Comm`].
    #[track_caller]
    pub fn bcast_value<T: Element>(&self, root: usize, value: T) -> Result<T, CommError> {
        let mut value = [value];
        self.bcast(root, &mut value)?;
        Ok(value[0])
    }

    /// Every rank's `values`, in rank order, on every rank. All ranks give the same number.
    ///
    /// # Communication
    /// One collective; each rank receives `size · n` elements.
    ///
    /// # Errors
    /// See [`Comm`].
    ///
    /// ```
    /// # let comm = maniple_core::Comm::solo();
    /// assert_eq!(comm.all_gather(&[1, 2])?, [1, 2]);
    /// # Ok::<(), maniple_core::CommError>(())
    /// ```
    #[track_caller]
    pub fn all_gather<T: Element>(&self, values: &[T]) -> Result<Vec<T>, CommError> {
        let mut call = self.call_of::<T>(Op::AllGather);
        call.len = Some(values.len());
        let blocks = Blocks::packed(vec![values.len(); self.size()]);
        receive(blocks.total(), |recv| self.transport().all_gather_v(call, bytes_of(values), recv, &blocks))
    }

    /// Every rank's value, in rank order, on every rank.
    ///
    /// # Errors
    /// See [`Comm`].
    #[track_caller]
    pub fn all_gather_value<T: Element>(&self, value: T) -> Result<Vec<T>, CommError> {
        self.all_gather(&[value])
    }

    /// Every rank's `values`, of any length, in rank order, on every rank, and where each rank's begin.
    ///
    /// # Communication
    /// Two collectives: the counts, then the elements.
    ///
    /// # Errors
    /// See [`Comm`].
    #[track_caller]
    pub fn all_gather_v<T: Element>(&self, values: &[T]) -> Result<(Vec<T>, Blocks), CommError> {
        let blocks = Blocks::packed(self.all_gather_value(values.len())?);
        let call = self.call_of::<T>(Op::AllGatherV);
        let all = receive(blocks.total(), |recv| {
            self.transport().all_gather_v(call, bytes_of(values), recv, &blocks)
        })?;
        Ok((all, blocks))
    }

    /// [`all_gather_v`](Comm::all_gather_v) with counts that are known on every rank, into `recv`; what lies between the
    /// blocks stays as it is.
    ///
    /// # Errors
    /// See [`Comm`].
    #[track_caller]
    pub fn all_gather_v_into<T: Element>(
        &self,
        values: &[T],
        recv: &mut [T],
        blocks: &Blocks,
    ) -> Result<(), CommError> {
        let call = self.call_of::<T>(Op::AllGatherV);
        let checked = self.check_recvs(call, blocks, recv.len());
        self.unless(call, checked)?;
        self.transport().all_gather_v(call, bytes_of(values), bytes_to_fill(overwrite(recv)), blocks)
    }

    /// Every rank's `values` on the root, in rank order; `None` elsewhere. All ranks give the same number.
    ///
    /// # Errors
    /// See [`Comm`].
    #[track_caller]
    pub fn gather<T: Element>(&self, root: usize, values: &[T]) -> Result<Option<Vec<T>>, CommError> {
        let mut call = self.call_of::<T>(Op::ExchangeWith);
        (call.len, call.root) = (Some(values.len()), Some(root));
        self.gather_counts(call, root, values, &vec![values.len(); self.size()])
    }

    /// Every rank's `values`, of any length, on the root, and where each rank's begin; `None` elsewhere.
    ///
    /// # Communication
    /// Two exchanges with the root: counts, then elements.
    ///
    /// # Errors
    /// See [`Comm`].
    #[track_caller]
    pub fn gather_v<T: Element>(
        &self,
        root: usize,
        values: &[T],
    ) -> Result<Option<(Vec<T>, Blocks)>, CommError> {
        let counts = self.gather(root, &[values.len()])?.unwrap_or_default();
        let mut call = self.call_of::<T>(Op::ExchangeWith);
        call.root = Some(root);
        let all = self.gather_counts(call, root, values, &counts)?;
        Ok(all.map(|all| (all, Blocks::packed(counts))))
    }

    /// `counts` are the root's.
    fn gather_counts<T: Element>(
        &self,
        call: Call,
        root: usize,
        values: &[T],
        counts: &[usize],
    ) -> Result<Option<Vec<T>>, CommError> {
        let is_root = self.rank() == root;
        let sources: Vec<_> = counts.iter().copied().enumerate().filter(|_| is_root).collect();
        let all = self.collect(call, &[SendTo::new(root, values)], &sources, || ())?;
        Ok(is_root.then_some(all))
    }

    /// Part r of the root's `values` to rank r; the parts are equally long. Only the root's argument counts.
    ///
    /// # Errors
    /// See [`Comm`]; the length must be a multiple of the number of ranks.
    #[track_caller]
    pub fn scatter<T: Element>(&self, root: usize, values: &[T]) -> Result<Vec<T>, CommError> {
        let mut call = self.call_of::<T>(Op::Bcast);
        call.root = Some(root);
        let (n, p) = (values.len(), self.size());
        let divisible = if self.rank() == root {
            self.check_len(call, "values", n.next_multiple_of(p), n)
        } else {
            Ok(())
        };
        self.unless(call, self.check_rank(call, root).and(divisible))?;
        self.scatter_v(root, values, &Blocks::packed(vec![n / p; p]))
    }

    /// Block r of the root's `values` to rank r. Only the root's arguments count.
    ///
    /// # Communication
    /// A broadcast of the counts, then one message from the root to each rank.
    ///
    /// # Errors
    /// See [`Comm`].
    #[track_caller]
    pub fn scatter_v<T: Element>(
        &self,
        root: usize,
        values: &[T],
        blocks: &Blocks,
    ) -> Result<Vec<T>, CommError> {
        let mut call = self.call_of::<T>(Op::ExchangeWith);
        call.root = Some(root);
        let is_root = self.rank() == root;
        let fit = if is_root { self.check_sends(call, blocks, values.len()) } else { Ok(()) };
        let mut counts = match (is_root, &fit) {
            (true, Ok(())) => blocks.counts().to_vec(),
            _ => vec![0; self.size()],
        };
        let mut counts_call = self.call_of::<usize>(Op::Bcast);
        (counts_call.len, counts_call.root) = (Some(counts.len()), Some(root));
        self.unless(counts_call, self.check_rank(call, root).and(fit))?;
        self.bcast(root, &mut counts)?;
        let sends: Vec<_> = match is_root {
            true => (0..self.size()).map(|r| SendTo::new(r, blocks.part(r, values))).collect(),
            false => Vec::new(),
        };
        self.collect(call, &sends, &[(root, counts[self.rank()])], || ())
    }

    /// Receives messages one after the other into fresh storage: `sources` are rank and count, in that order.
    ///
    /// The general form of everything that gathers from some ranks: redistribution, gather, scatter.
    ///
    /// # Errors
    /// See [`Comm`].
    #[track_caller]
    pub fn collect_from<T: Element>(
        &self,
        sends: &[SendTo<'_, T>],
        sources: &[(usize, usize)],
    ) -> Result<Vec<T>, CommError> {
        self.collect(self.call_of::<T>(Op::ExchangeWith), sends, sources, || ())
    }

    pub(super) fn collect<T: Element>(
        &self,
        call: Call,
        sends: &[SendTo<'_, T>],
        sources: &[(usize, usize)],
        overlap: impl FnOnce(),
    ) -> Result<Vec<T>, CommError> {
        let total = sources.iter().map(|s| s.1).sum();
        let mut all: Vec<T> = memory::with_capacity(total);
        let mut rest = &mut all.spare_capacity_mut()[..total];
        let mut recvs = Vec::with_capacity(sources.len());
        for &(from, count) in sources {
            let (into, behind) = rest.split_at_mut(count);
            recvs.push(RecvFrom::uninit(from, into));
            rest = behind;
        }
        self.neighbours(call, sends, recvs, overlap)?;
        super::to_all::assume_received(&mut all, total);
        Ok(all)
    }
}
