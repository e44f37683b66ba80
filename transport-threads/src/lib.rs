//! Ranks as threads of one process: the default transport, and a simulated cluster that finds the mistakes of distributed
//! programs.
//!
//! [`Cluster::run`] starts one thread per rank. Every collective compares the calls of all ranks before anything moves, so
//! that what would hang or corrupt memory on a real cluster is an error here, on every rank, that names each rank's call
//! and line:
//!
//! | mistake | error |
//! |---|---|
//! | ranks in different collectives, or with other types, lengths, roots | [`Mismatch`](maniple_core::CommError::Mismatch) |
//! | counts that don't match pairwise | [`Counts`](maniple_core::CommError::Counts) |
//! | a message that nobody expects, or nobody sends | [`Unmatched`](maniple_core::CommError::Unmatched) |
//! | blocks outside their buffer | [`Blocks`](maniple_core::CommError::Blocks) |
//! | a collective inside a visit of the same communicator | [`Reentrant`](maniple_core::CommError::Reentrant) |
//! | a rank that returned early | [`Returned`](maniple_core::CommError::Returned) |
//! | a rank that panicked | [`PeerFailed`](maniple_core::CommError::PeerFailed) |
//! | ranks that wait for each other in a ring | [`Deadlock`](maniple_core::CommError::Deadlock), at once |
//! | a rank that is stuck elsewhere | [`Stalled`](maniple_core::CommError::Stalled), after a while |

mod board;
mod cluster;
mod communicator;
mod group;
mod judge;
mod lent;
mod rendezvous;
mod stall;
mod sync;

pub use cluster::Cluster;
