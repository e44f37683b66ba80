//! Values that may cross from one rank to another, and the only casts between them and bytes.
#![allow(unsafe_code)] // received bytes become values here, and nowhere else

use std::any::TypeId;
use std::fmt;
use std::mem::MaybeUninit;

/// A plain value without padding, whose bytes mean the same on every rank that runs this program.
///
/// Implemented for every [`bytemuck::NoUninit`] type: `bool`, `char`, all integers and floats, arrays of them, `half` and
/// `num-complex` numbers with their `bytemuck` features, and structs that derive `NoUninit`.
pub trait Element: bytemuck::NoUninit + Send + Sync {}

impl<T: bytemuck::NoUninit + Send + Sync> Element for T {}

/// Name, size and identity of an element type: what a transport compares between ranks.
#[derive(Clone, Copy)]
pub struct ElemSig {
    name: &'static str,
    size: usize,
    align: usize,
    id: TypeId,
}

impl ElemSig {
    /// The signature of `T`.
    pub fn of<T: Element>() -> Self {
        const { assert!(size_of::<T>() > 0, "an element has at least one byte") };
        ElemSig {
            name: std::any::type_name::<T>(),
            size: size_of::<T>(),
            align: align_of::<T>(),
            id: TypeId::of::<T>(),
        }
    }

    /// The type's name as the compiler gives it.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Bytes of one element; never zero.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Alignment of one element.
    pub fn align(&self) -> usize {
        self.align
    }
}

impl PartialEq for ElemSig {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for ElemSig {}

impl fmt::Debug for ElemSig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// The bytes of `values`.
pub(crate) fn bytes_of<T: Element>(values: &[T]) -> &[u8] {
    bytemuck::must_cast_slice(values)
}

/// The bytes of storage that a peer is going to fill.
pub(crate) fn bytes_to_fill<T: Element>(values: &mut [MaybeUninit<T>]) -> &mut [MaybeUninit<u8>] {
    let len = size_of_val(values);
    // SAFETY: the same memory, seen as bytes: `MaybeUninit<u8>` has no alignment and no validity to respect. Through the
    // result a caller could store anything, so only the transport gets it, which promises to store a peer's `T`s.
    unsafe { std::slice::from_raw_parts_mut(values.as_mut_ptr().cast(), len) }
}

/// Initialised storage as storage to fill; used only to hand it to a transport, which never stores uninitialised bytes.
pub(crate) fn overwrite<T: Element>(values: &mut [T]) -> &mut [MaybeUninit<T>] {
    // SAFETY: same layout. The slice reaches only `Communicator` methods, which write initialised bytes or nothing.
    unsafe { &mut *(std::ptr::from_mut(values) as *mut [MaybeUninit<T>]) }
}

/// A peer's block as values.
///
/// # Safety
/// `bytes` are whole elements that some rank sent as `&[T]`, with this very `T`, and lie aligned for it: what
/// `Communicator::exchange` promises of the slices it shows.
pub(crate) unsafe fn values_of<T: Element>(bytes: &[u8]) -> &[T] {
    debug_assert!(bytes.len().is_multiple_of(size_of::<T>()));
    debug_assert!(bytes.is_empty() || bytes.as_ptr().cast::<T>().is_aligned());
    if bytes.is_empty() {
        return &[]; // an empty block may come with any pointer
    }
    // SAFETY: by this function's contract the bytes are a valid, aligned `[T]` of that length.
    unsafe { std::slice::from_raw_parts(bytes.as_ptr().cast(), bytes.len() / size_of::<T>()) }
}
