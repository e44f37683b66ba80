//! Distributed sort with exact splitters.
