//! The contract between algorithms and transports.
#![allow(unsafe_code)] // the trait is unsafe to implement: callers rely on received bytes

use std::fmt::Debug;
use std::mem::MaybeUninit;
use std::rc::Rc;

use crate::blocks::Blocks;
use crate::call::Call;
use crate::error::CommError;

/// Memory that a transport fills.
pub type Bytes = [MaybeUninit<u8>];

/// One rank's side of a transport: collectives over bytes.
///
/// Object-safe and small, so that a transport is one file and wrappers ([`Metered`](crate::Metered)) compose. Nobody but
/// [`Comm`](crate::Comm) calls it: `Comm` adds types, and has checked that roots are ranks, that there is one block per
/// rank, and that blocks lie inside their buffers (blocks to be received: without overlap).
///
/// [`Blocks`] and lengths count *elements* of `call.elem`; buffers are bytes, whole elements long and aligned for them.
///
/// # Contract
///
/// *checked*: the conformance suite (feature `conformance`) tests it; *duty*: it must hold, but a test can't show it.
///
/// 1. Every rank calls the same collectives of a communicator in the same order. (*duty* of the caller; a transport that can
///    tell reports [`CommError::Mismatch`] on every rank.)
/// 2. Counts agree pairwise: what rank a sends to b is what b expects from a. (*duty* of the caller; transports report
///    [`CommError::Counts`].)
/// 3. Zero counts, empty buffers and ranks that have nothing at all are ordinary. (*checked*)
/// 4. Counts and displacements are `usize` and may pass 2³¹. (*duty*)
/// 5. Received bytes are exactly the sender's, and nothing outside the declared blocks is written. (*checked*)
/// 6. Nothing is read before its rank entered the collective, and no buffer is touched after the call returned. (*duty*)
/// 7. Blocks arrive in rank order whatever the timing; messages between the same two ranks do not overtake. (*checked*)
/// 8. If a rank fails (panics, returns early, calls [`fail`](Communicator::fail)), every rank that waits for it gets an
///    error; none waits for ever. (*checked* where the transport can go on)
/// 9. An error leaves all send buffers as they were. (*checked*)
/// 10. Communicators made by [`split`](Communicator::split) are independent of their parent. (*checked*)
///
/// # Safety
///
/// On `Ok`, every declared byte to be received was initialised by the rank it was declared to come from, from elements of the
/// same type; a slice shown to a visitor is such elements, aligned for their type. Nothing else was written, and no pointer
/// is kept after the call returns or unwinds.
pub unsafe trait Communicator: Debug {
    /// This rank, from 0.
    fn rank(&self) -> usize;

    /// The number of ranks.
    fn size(&self) -> usize;

    /// Returns when every rank has called it.
    ///
    /// # Errors
    /// See the contract.
    fn barrier(&self, call: Call) -> Result<(), CommError>;

    /// The bytes of the root on every rank; `call.root` says which, and only it passes [`BcastBuf::Send`].
    ///
    /// # Errors
    /// See the contract.
    fn bcast(&self, call: Call, buf: BcastBuf<'_>) -> Result<(), CommError>;

    /// Every rank's `send` on every rank: that of rank r in block r of `recv`.
    ///
    /// # Errors
    /// See the contract.
    fn all_gather_v(
        &self,
        call: Call,
        send: &[u8],
        recv: &mut Bytes,
        blocks: &Blocks,
    ) -> Result<(), CommError>;

    /// Block r of `send` to rank r; what rank r sends to this one in block r of `recv`.
    ///
    /// # Errors
    /// See the contract.
    fn all_to_all_v(
        &self,
        call: Call,
        send: &[u8],
        sends: &Blocks,
        recv: &mut Bytes,
        recvs: &Blocks,
    ) -> Result<(), CommError>;

    /// `all_to_all_v` without a receive buffer and without known receive counts: `visit` is called once with one slice
    /// per source rank, in rank order. A transport in shared memory passes the peers' own memory.
    ///
    /// # Errors
    /// See the contract. `visit` was not called then, unless the error comes from another rank's visit.
    fn exchange(
        &self,
        call: Call,
        send: &[u8],
        sends: &Blocks,
        visit: &mut dyn FnMut(&[&[u8]]),
    ) -> Result<(), CommError>;

    /// Messages between some pairs of ranks. Every rank calls it, also one without partners, but work and messages depend
    /// on the number of partners, not of ranks. The k-th message from a to b meets the k-th that b expects from a.
    /// `overlap` runs once, on this rank's thread, while data may move.
    ///
    /// # Errors
    /// See the contract. A message that nobody expects, and one that nobody sends, is [`CommError::Unmatched`].
    fn exchange_with(
        &self,
        call: Call,
        sends: &[ByteSend<'_>],
        recvs: &mut [ByteRecv<'_>],
        overlap: &mut dyn FnMut(),
    ) -> Result<(), CommError>;

    /// A communicator of the ranks that gave the same `color`, ordered by `key`, then by rank; none for `None`.
    ///
    /// # Errors
    /// See the contract.
    fn split(
        &self,
        call: Call,
        color: Option<u32>,
        key: i64,
    ) -> Result<Option<Rc<dyn Communicator>>, CommError>;

    /// This rank can't take part in `call` because its own arguments are wrong. The ranks that do must not wait: they get
    /// `why` where the transport can reach them, and so does this rank, as the returned value.
    fn refuse(&self, call: Call, why: CommError) -> CommError;

    /// This rank can't go on at all. Every rank that waits for it, now or later, gets [`CommError::PeerFailed`].
    fn fail(&self, why: &str);
}

/// What a rank brings to a broadcast.
#[derive(Debug)]
pub enum BcastBuf<'a> {
    /// The root's data.
    Send(&'a [u8]),
    /// Storage of every other rank.
    Recv(&'a mut Bytes),
}

/// One message to one rank.
#[derive(Debug)]
pub struct ByteSend<'a> {
    /// Its target.
    pub to: usize,
    /// Its content.
    pub data: &'a [u8],
}

/// One message expected from one rank.
#[derive(Debug)]
pub struct ByteRecv<'a> {
    /// Its source.
    pub from: usize,
    /// Storage of its exact length.
    pub into: &'a mut Bytes,
}
