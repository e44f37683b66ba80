//! The types of MPI's elements, and blocks counted in them.

use std::ffi::c_int;

use maniple_core::CommError;
use mpi::ffi::*;

use super::{check, int, is_finalized};

/// The type of whole elements of some size, so that counts are counts of elements.
#[derive(Debug)]
pub(crate) struct Datatype {
    pub(super) raw: MPI_Datatype,
    size: usize,
    owned: bool,
}

/// Blocks of a buffer as MPI wants them, in elements of a datatype.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Parts {
    pub(crate) counts: Vec<c_int>,
    pub(crate) displs: Vec<c_int>,
}

impl Parts {
    /// Does each part lie inside a buffer of `bytes`?
    pub(super) fn fit(&self, ranks: usize, datatype: &Datatype, bytes: usize) -> bool {
        let end =
            |(&n, &d): (&c_int, &c_int)| if n == 0 { 0 } else { (d as usize + n as usize) * datatype.size };
        let fits = |part: (&c_int, &c_int)| *part.0 >= 0 && *part.1 >= 0 && end(part) <= bytes;
        self.counts.len() == ranks
            && self.displs.len() == ranks
            && self.counts.iter().zip(&self.displs).all(fits)
    }
}

impl Datatype {
    pub(crate) fn size(&self) -> usize {
        self.size
    }

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
        if self.owned && !is_finalized() {
            // SAFETY: this value made the type.
            unsafe { MPI_Type_free(&mut self.raw) };
        }
    }
}
