//! Ranks as MPI processes: the production transport of maniple.
//!
//! This crate will implement [`maniple_core::Communicator`] over MPI, so that a program that ran on threads runs under `mpirun`
//! unchanged. It is a member of the workspace but not a default member: building it needs an MPI installation and libclang,
//! which nothing else here does. It has no code yet.
#![deny(unsafe_code)]
