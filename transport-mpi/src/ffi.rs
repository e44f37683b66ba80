//! The only file that calls MPI. Safe functions over checked arguments; every return code becomes a `CommError`.
//!
//! Counts are `c_int` here and nowhere above: who calls has cut its messages to fit.
#![allow(unsafe_code)]

use std::ffi::c_int;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ptr;

use maniple_core::{Bytes, CommError};
use mpi::ffi::*;

/// An MPI communicator.
#[derive(Debug)]
pub(crate) struct Handle {
    raw: MPI_Comm,
    owned: bool,
}

/// The type of whole elements of some size, so that counts are counts of elements.
#[derive(Debug)]
pub(crate) struct Datatype {
    raw: MPI_Datatype,
    size: usize,
    owned: bool,
}

/// Blocks of a buffer as MPI wants them, in elements of a datatype.
#[derive(Debug)]
pub(crate) struct Parts {
    pub(crate) counts: Vec<c_int>,
    pub(crate) displs: Vec<c_int>,
}

impl Parts {
    /// Does each part lie inside a buffer of `bytes`?
    fn fit(&self, ranks: usize, datatype: &Datatype, bytes: usize) -> bool {
        let end =
            |(&n, &d): (&c_int, &c_int)| if n == 0 { 0 } else { (d as usize + n as usize) * datatype.size };
        let fits = |part: (&c_int, &c_int)| *part.0 >= 0 && *part.1 >= 0 && end(part) <= bytes;
        self.counts.len() == ranks
            && self.displs.len() == ranks
            && self.counts.iter().zip(&self.displs).all(fits)
    }
}

/// Initialises MPI for use by this thread. Says whether it gives the support that maniple needs, `MPI_THREAD_FUNNELED`.
pub(crate) fn init() -> Result<bool, CommError> {
    let mut provided = 0;
    let mut initialized = 0;
    // SAFETY: may be called at any time; writes the flag.
    check("MPI_Initialized", unsafe { MPI_Initialized(&mut initialized) })?;
    if initialized != 0 {
        return Err(error("MPI_Init_thread", "MPI is initialised already: one start per process".into()));
    }
    // SAFETY: first initialisation of the process; null arguments are allowed since MPI-2.
    let code =
        unsafe { MPI_Init_thread(ptr::null_mut(), ptr::null_mut(), RSMPI_THREAD_FUNNELED, &mut provided) };
    check("MPI_Init_thread", code)?;
    // SAFETY: a constant of the library.
    Ok(provided >= unsafe { RSMPI_THREAD_FUNNELED })
}

/// Ends MPI. Nothing else of this file may be called after it.
pub(crate) fn finalize() -> Result<(), CommError> {
    // SAFETY: the caller has finished with MPI, and is the thread that initialised it.
    check("MPI_Finalize", unsafe { MPI_Finalize() })
}

/// The name and version of the library.
pub(crate) fn library_version() -> String {
    // SAFETY: a constant of the library; may be called at any time.
    let longest = unsafe { RSMPI_MAX_LIBRARY_VERSION_STRING } as usize;
    let (mut text, mut len) = (vec![0_u8; longest + 1], 0);
    // SAFETY: the buffer is as long as the library may need.
    let code = unsafe { MPI_Get_library_version(text.as_mut_ptr().cast(), &mut len) };
    text.truncate(if code == 0 { len as usize } else { 0 });
    String::from_utf8_lossy(&text).trim_end_matches(['\0', '\n']).to_string()
}

impl Handle {
    /// All processes, with errors returned instead of fatal.
    pub(crate) fn world() -> Result<Self, CommError> {
        // SAFETY: a constant of the initialised library.
        let world = Handle { raw: unsafe { RSMPI_COMM_WORLD }, owned: false };
        world.return_errors()?;
        Ok(world)
    }

    fn return_errors(&self) -> Result<(), CommError> {
        // SAFETY: a valid communicator and a predefined handler.
        check("MPI_Comm_set_errhandler", unsafe { MPI_Comm_set_errhandler(self.raw, RSMPI_ERRORS_RETURN) })
    }

    pub(crate) fn rank(&self) -> Result<usize, CommError> {
        let mut rank = 0;
        // SAFETY: a valid communicator; writes the rank.
        check("MPI_Comm_rank", unsafe { MPI_Comm_rank(self.raw, &mut rank) })?;
        Ok(rank as usize)
    }

    pub(crate) fn size(&self) -> Result<usize, CommError> {
        let mut size = 0;
        // SAFETY: a valid communicator; writes the size.
        check("MPI_Comm_size", unsafe { MPI_Comm_size(self.raw, &mut size) })?;
        Ok(size as usize)
    }

    /// Ends the processes of all ranks.
    pub(crate) fn abort(&self, code: c_int) -> ! {
        // SAFETY: allowed at any time between initialisation and the end.
        unsafe { MPI_Abort(self.raw, code) };
        std::process::exit(code)
    }

    pub(crate) fn barrier(&self) -> Result<(), CommError> {
        // SAFETY: a valid communicator.
        check("MPI_Barrier", unsafe { MPI_Barrier(self.raw) })
    }

    /// The root's part in a broadcast.
    pub(crate) fn bcast_from(&self, root: c_int, data: &[u8]) -> Result<(), CommError> {
        let len = int(data.len())?;
        // SAFETY: on the root MPI only reads the `len` bytes, though it takes a mutable pointer.
        let code = unsafe { MPI_Bcast(data.as_ptr().cast_mut().cast(), len, RSMPI_UINT8_T, root, self.raw) };
        check("MPI_Bcast", code)
    }

    /// Every other rank's part in a broadcast.
    pub(crate) fn bcast_into(&self, root: c_int, into: &mut Bytes) -> Result<(), CommError> {
        let len = int(into.len())?;
        // SAFETY: MPI writes at most `len` bytes, all inside `into`.
        check("MPI_Bcast", unsafe { MPI_Bcast(into.as_mut_ptr().cast(), len, RSMPI_UINT8_T, root, self.raw) })
    }

    pub(crate) fn all_gather_v(
        &self,
        datatype: &Datatype,
        send: &[u8],
        recv: &mut Bytes,
        parts: &Parts,
    ) -> Result<(), CommError> {
        assert!(parts.fit(self.size()?, datatype, recv.len()), "parts inside the receive buffer");
        let n = int(send.len() / datatype.size)?;
        // SAFETY: `n` elements are in `send`, every part lies in `recv`, there is one part per rank, and all is borrowed
        // until the call returns. The buffers are distinct, also for MPICH when they are empty.
        let code = unsafe {
            MPI_Allgatherv(
                distinct(send).cast(),
                n,
                datatype.raw,
                distinct_mut(recv).cast(),
                parts.counts.as_ptr(),
                parts.displs.as_ptr(),
                datatype.raw,
                self.raw,
            )
        };
        check("MPI_Allgatherv", code)
    }

    pub(crate) fn all_to_all_v(
        &self,
        datatype: &Datatype,
        send: &[u8],
        sends: &Parts,
        recv: &mut Bytes,
        recvs: &Parts,
    ) -> Result<(), CommError> {
        let ranks = self.size()?;
        assert!(sends.fit(ranks, datatype, send.len()), "parts inside the send buffer");
        assert!(recvs.fit(ranks, datatype, recv.len()), "parts inside the receive buffer");
        // SAFETY: as in `all_gather_v`, for both buffers.
        let code = unsafe {
            MPI_Alltoallv(
                distinct(send).cast(),
                sends.counts.as_ptr(),
                sends.displs.as_ptr(),
                datatype.raw,
                distinct_mut(recv).cast(),
                recvs.counts.as_ptr(),
                recvs.displs.as_ptr(),
                datatype.raw,
                self.raw,
            )
        };
        check("MPI_Alltoallv", code)
    }

    /// One number from each rank for each rank.
    pub(crate) fn all_to_all_u64(&self, send: &[u64]) -> Result<Vec<u64>, CommError> {
        assert_eq!(send.len(), self.size()?, "one number per rank");
        let mut recv = vec![0_u64; send.len()];
        // SAFETY: both buffers hold one number per rank.
        let code = unsafe {
            MPI_Alltoall(
                send.as_ptr().cast(),
                1,
                RSMPI_UINT64_T,
                recv.as_mut_ptr().cast(),
                1,
                RSMPI_UINT64_T,
                self.raw,
            )
        };
        check("MPI_Alltoall", code)?;
        Ok(recv)
    }

    /// A communicator of the ranks with the same color; none for `None`.
    pub(crate) fn split(&self, color: Option<c_int>, key: c_int) -> Result<Option<Self>, CommError> {
        // SAFETY: constants of the library.
        let (mut raw, undefined) = unsafe { (RSMPI_COMM_NULL, RSMPI_UNDEFINED) };
        // SAFETY: a valid communicator; writes the new one.
        let code = unsafe { MPI_Comm_split(self.raw, color.unwrap_or(undefined), key, &mut raw) };
        check("MPI_Comm_split", code)?;
        if color.is_none() {
            return Ok(None);
        }
        let part = Handle { raw, owned: true };
        part.return_errors()?;
        Ok(Some(part))
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        let mut finalized = 0;
        // SAFETY: may be called at any time.
        unsafe { MPI_Finalized(&mut finalized) };
        if self.owned && finalized == 0 {
            // SAFETY: this handle made the communicator, and nothing uses it any more. Freeing is local enough in both
            // libraries: it does not wait for ranks that still use theirs.
            unsafe { MPI_Comm_free(&mut self.raw) };
        }
    }
}

impl Datatype {
    /// Elements of `size` bytes.
    pub(crate) fn of(size: usize) -> Result<Self, CommError> {
        // SAFETY: constants of the library.
        let basic = unsafe {
            match size {
                1 => Some(RSMPI_UINT8_T),
                2 => Some(RSMPI_UINT16_T),
                4 => Some(RSMPI_UINT32_T),
                8 => Some(RSMPI_UINT64_T),
                _ => None,
            }
        };
        if let Some(raw) = basic {
            return Ok(Datatype { raw, size, owned: false });
        }
        // SAFETY: a constant of the library.
        let mut raw = unsafe { RSMPI_DATATYPE_NULL };
        // SAFETY: writes the new type, which is committed before use.
        check("MPI_Type_contiguous", unsafe { MPI_Type_contiguous(int(size)?, RSMPI_UINT8_T, &mut raw) })?;
        // SAFETY: the type was made above.
        check("MPI_Type_commit", unsafe { MPI_Type_commit(&mut raw) })?;
        Ok(Datatype { raw, size, owned: true })
    }
}

impl Drop for Datatype {
    fn drop(&mut self) {
        let mut finalized = 0;
        // SAFETY: may be called at any time.
        unsafe { MPI_Finalized(&mut finalized) };
        if self.owned && finalized == 0 {
            // SAFETY: this value made the type.
            unsafe { MPI_Type_free(&mut self.raw) };
        }
    }
}

/// Messages under way. Their buffers stay borrowed until they have arrived.
#[derive(Debug)]
pub(crate) struct Requests<'a> {
    raw: Vec<MPI_Request>,
    /// Of each request: how many bytes must arrive, if it is a receive.
    expected: Vec<Option<usize>>,
    world: &'a Handle,
    buffers: PhantomData<&'a mut [u8]>,
}

impl<'a> Requests<'a> {
    pub(crate) fn new(world: &'a Handle) -> Self {
        Requests { raw: Vec::new(), expected: Vec::new(), world, buffers: PhantomData }
    }

    pub(crate) fn send(
        &mut self,
        comm: &Handle,
        to: c_int,
        tag: c_int,
        data: &'a [u8],
    ) -> Result<(), CommError> {
        // SAFETY: a constant of the library.
        let mut request = unsafe { RSMPI_REQUEST_NULL };
        // SAFETY: `data` stays borrowed for `'a`, and `self` waits for the message before `'a` ends.
        let code = unsafe {
            MPI_Isend(data.as_ptr().cast(), int(data.len())?, RSMPI_UINT8_T, to, tag, comm.raw, &mut request)
        };
        check("MPI_Isend", code)?;
        self.raw.push(request);
        self.expected.push(None);
        Ok(())
    }

    pub(crate) fn recv(
        &mut self,
        comm: &Handle,
        from: c_int,
        tag: c_int,
        into: &'a mut Bytes,
    ) -> Result<(), CommError> {
        // SAFETY: a constant of the library.
        let mut request = unsafe { RSMPI_REQUEST_NULL };
        let len = into.len();
        // SAFETY: `into` stays borrowed for `'a`, and `self` waits for the message before `'a` ends.
        let code = unsafe {
            MPI_Irecv(into.as_mut_ptr().cast(), int(len)?, RSMPI_UINT8_T, from, tag, comm.raw, &mut request)
        };
        check("MPI_Irecv", code)?;
        self.raw.push(request);
        self.expected.push(Some(len));
        Ok(())
    }

    /// Waits for all messages. The first receive that got less than its buffer: its number and the bytes that came.
    pub(crate) fn wait(mut self) -> Result<Option<(usize, usize)>, CommError> {
        let mut statuses = vec![MaybeUninit::<MPI_Status>::zeroed(); self.raw.len()];
        let n = int(self.raw.len())?;
        // SAFETY: `n` requests of ours, and as many statuses to write.
        let code = unsafe { MPI_Waitall(n, self.raw.as_mut_ptr(), statuses.as_mut_ptr().cast()) };
        let code = if code == 0 { 0 } else { first_error(&statuses, code) };
        self.raw.clear();
        check("MPI_Waitall", code)?;
        let receives = self.expected.iter().filter_map(|e| *e);
        let statuses = self.expected.iter().zip(&statuses).filter(|(e, _)| e.is_some()).map(|(_, s)| s);
        for (i, (expected, status)) in receives.zip(statuses).enumerate() {
            let mut count = 0;
            // SAFETY: the status was written by `MPI_Waitall`.
            check("MPI_Get_count", unsafe { MPI_Get_count(status.as_ptr(), RSMPI_UINT8_T, &mut count) })?;
            if count as usize != expected {
                return Ok(Some((i, count as usize)));
            }
        }
        Ok(None)
    }
}

/// Of a failed `MPI_Waitall`, the error of the first message that has one.
fn first_error(statuses: &[MaybeUninit<MPI_Status>], code: c_int) -> c_int {
    // SAFETY: all were zeroed, and perhaps written since; both are valid.
    let errors = statuses.iter().map(|s| unsafe { s.assume_init_ref() }.MPI_ERROR);
    errors.into_iter().find(|&e| e != 0).unwrap_or(code)
}

impl Drop for Requests<'_> {
    fn drop(&mut self) {
        if !self.raw.is_empty() {
            // Only after an error or a panic between start and wait: MPI still writes into buffers that are about to go, and no
            // message can be taken back for certain.
            eprintln!("maniple: messages are under way that nobody will receive, so the job ends");
            self.world.abort(1);
        }
    }
}

/// One word per rank that other ranks can read without its help.
#[derive(Debug)]
pub(crate) struct Window {
    raw: MPI_Win,
    mine: *mut u64,
}

impl Window {
    /// Collective over the communicator.
    pub(crate) fn new(comm: &Handle) -> Result<Self, CommError> {
        let mut mine: *mut u64 = ptr::null_mut();
        // SAFETY: constants of the library.
        let (mut raw, info) = unsafe { (RSMPI_WIN_NULL, RSMPI_INFO_NULL) };
        // SAFETY: MPI allocates the word and writes pointer and window.
        let code =
            unsafe { MPI_Win_allocate(8, 8, info, comm.raw, ptr::from_mut(&mut mine).cast(), &mut raw) };
        check("MPI_Win_allocate", code)?;
        let window = Window { raw, mine };
        window.set(0);
        // SAFETY: a valid window; the epoch lasts as long as the window.
        check("MPI_Win_lock_all", unsafe { MPI_Win_lock_all(0, raw) })?;
        comm.barrier()?;
        Ok(window)
    }

    /// Changes this rank's word.
    pub(crate) fn set(&self, word: u64) {
        // SAFETY: the library's memory, 8 bytes and aligned for them; written only here, read by peers through MPI.
        unsafe { self.mine.write_volatile(word) };
    }

    /// Another rank's word.
    pub(crate) fn get(&self, rank: c_int) -> Result<u64, CommError> {
        let mut word = 0_u64;
        // SAFETY: the local word lives until the flush, after which MPI no longer writes it.
        let code = unsafe {
            MPI_Get(ptr::from_mut(&mut word).cast(), 1, RSMPI_UINT64_T, rank, 0, 1, RSMPI_UINT64_T, self.raw)
        };
        check("MPI_Get", code)?;
        // SAFETY: inside the epoch begun in `new`.
        check("MPI_Win_flush", unsafe { MPI_Win_flush(rank, self.raw) })?;
        Ok(word)
    }

    /// Collective.
    pub(crate) fn free(mut self) -> Result<(), CommError> {
        // SAFETY: ends the epoch begun in `new`.
        check("MPI_Win_unlock_all", unsafe { MPI_Win_unlock_all(self.raw) })?;
        // SAFETY: made by `new`, not used any more.
        check("MPI_Win_free", unsafe { MPI_Win_free(&mut self.raw) })
    }
}

/// What MPI says of an error, as ours.
fn check(function: &'static str, code: c_int) -> Result<(), CommError> {
    if code == 0 {
        return Ok(());
    }
    let (mut text, mut len) = ([0_u8; 1024], 0); // MPI_MAX_ERROR_STRING is at most 512 in practice
    // SAFETY: the buffer is longer than any message.
    let told = unsafe { MPI_Error_string(code, text.as_mut_ptr().cast(), &mut len) } == 0;
    let message = if told {
        String::from_utf8_lossy(&text[..len as usize]).into_owned()
    } else {
        format!("code {code}")
    };
    Err(error(function, message))
}

fn error(function: &'static str, message: String) -> CommError {
    CommError::Transport { function, message }
}

/// A count as MPI takes it. The callers cut longer messages.
fn int(n: usize) -> Result<c_int, CommError> {
    c_int::try_from(n).map_err(|_| error("MPI", format!("{n} elements in one message")))
}

/// Two empty slices may have the same address, which MPICH takes for aliasing buffers: give each an address of its own.
fn distinct(send: &[u8]) -> *const u8 {
    static NOTHING: u64 = 0;
    if send.is_empty() { ptr::from_ref(&NOTHING).cast() } else { send.as_ptr() }
}

fn distinct_mut(recv: &mut Bytes) -> *mut MaybeUninit<u8> {
    // Never written through: only passed with counts of zero.
    if recv.is_empty() { ptr::without_provenance_mut(64) } else { recv.as_mut_ptr() }
}
