//! The unsigned integers whose distinct values are found.

pub use crate::Key as Word;
