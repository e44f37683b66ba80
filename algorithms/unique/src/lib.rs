//! Distributed sorted unique with counts and inverse.
