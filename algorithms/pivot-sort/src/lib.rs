//! Distributed sort with exact splitters.
#![forbid(unsafe_code)]

mod cut;
mod splitters;

pub use cut::{cut_between, cut_ties};
pub use splitters::{Splitter, find_splitters};
