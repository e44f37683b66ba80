//! What all communicators of a process share.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use maniple_core::CommError;

use crate::cut::Limit;
use crate::ffi::{Datatype, Handle};
use crate::pulse::Pulse;

pub(crate) struct World {
    pub(crate) handle: Handle,
    pub(crate) pulse: Pulse,
    pub(crate) limit: Limit,
    /// Those used so far: few, so that looking at all is the fastest way to find one.
    datatypes: RefCell<Vec<Rc<Datatype>>>,
    /// Communicators made so far on this rank.
    pub(crate) made: Cell<u32>,
}

impl World {
    /// Collective over all ranks.
    pub(crate) fn new(handle: Handle, limit: Limit) -> Result<Self, CommError> {
        let pulse = Pulse::new(&handle)?;
        Ok(World { handle, pulse, limit, datatypes: RefCell::default(), made: Cell::new(0) })
    }

    /// The type of elements of `size` bytes.
    pub(crate) fn datatype(&self, size: usize) -> Result<Rc<Datatype>, CommError> {
        if let Some(known) = self.datatypes.borrow().iter().find(|d| d.size() == size) {
            return Ok(Rc::clone(known));
        }
        let new = Rc::new(Datatype::of(size)?);
        self.datatypes.borrow_mut().push(Rc::clone(&new));
        Ok(new)
    }
}
