//! The test suite of the contract, for everyone who implements [`Communicator`](crate::Communicator).
//!
//! A *clause* is a function of a [`Comm`] that works on any number of ranks and panics where the contract is broken. A transport
//! whose ranks can be started inside a test switches all of them on in one line, which makes one `#[test]` per clause and
//! number of ranks:
//!
//! ```
//! # fn main() {}
//! use maniple_core::Comm;
//!
//! maniple_core::conformance_tests!(launch, recovers; one = 1);
//!
//! fn launch(ranks: usize, clause: fn(&Comm)) {
//!     assert_eq!(ranks, 1); // a transport with more ranks runs the clause on as many
//!     clause(&Comm::solo());
//! }
//! ```
//!
//! `recovers` adds the clauses about going on after an error; leave it out for a transport that ends the program then.
//!
//! A program that a launcher such as `mpirun` starts on all ranks calls [`check`] (and [`check_recovery`]) instead.
//!
//! | module | duties of the contract |
//! |---|---|
//! | gather, to_all, neighbours | 3, 5, 7: whose bytes arrive where, for every width of element |
//! | reduce | folds in rank order, on both paths |
//! | split | 10: parts, their order, their independence |
//! | agree | errors and facts that all ranks share |
//! | walk | many small collectives of any kind in a row |
//! | recovery | 8, 9: after an error the communicator goes on. Only for transports that survive an error. |

mod agree;
mod gather;
mod into_blocks;
mod neighbours;
mod recovery;
mod reduce;
mod sample;
mod split;
#[cfg(test)]
mod tests;
mod to_all;
mod walk;

use crate::comm::Comm;

pub use walk::walk;

/// One clause of the contract.
#[derive(Clone, Copy, Debug)]
pub struct Clause {
    /// The name of its test.
    pub name: &'static str,
    /// Checks it; every rank of the communicator calls it.
    ///
    /// Panics if the transport breaks the contract.
    pub run: fn(&Comm),
}

/// The clauses that every transport obeys.
pub fn clauses() -> Vec<Clause> {
    crate::__each_clause!(list always)
}

/// The clauses about going on after an error, for transports that report a wrong call on all ranks.
pub fn recovery() -> Vec<Clause> {
    crate::__each_clause!(list recovers)
}

/// Checks every clause of [`clauses`] with the ranks of `comm`, one after the other.
///
/// # Panics
/// If the transport breaks the contract; the message begins with the name of the clause.
pub fn check(comm: &Comm) {
    clauses().iter().for_each(|clause| run(clause, comm));
}

/// As [`check`], for the clauses of [`recovery`].
///
/// # Panics
/// As [`check`].
pub fn check_recovery(comm: &Comm) {
    recovery().iter().for_each(|clause| run(clause, comm));
}

/// Says which clause it was that failed, since a launcher's output does not.
fn run(clause: &Clause, comm: &Comm) {
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| (clause.run)(comm)));
    if let Err(panic) = outcome {
        eprintln!("rank {} of {}: the clause `{}` does not hold", comm.rank(), comm.size(), clause.name);
        std::panic::resume_unwind(panic);
    }
}

/// Tests of every clause of the contract for one transport; see [the module](crate::conformance).
///
/// `launch(ranks, clause)` runs `clause: fn(&Comm)` on so many ranks and panics if any of them does.
#[macro_export]
macro_rules! conformance_tests {
    ($launch:ident; $($module:ident = $ranks:expr),+ $(,)?) => {
        $(mod $module { $crate::__each_clause!(tests always super::$launch, $ranks); })+
    };
    ($launch:ident, recovers; $($module:ident = $ranks:expr),+ $(,)?) => {
        $(mod $module {
            $crate::__each_clause!(tests always super::$launch, $ranks);
            $crate::__each_clause!(tests recovers super::$launch, $ranks);
        })+
    };
}

/// The one list of clauses: for the functions above, and for tests, which need the names when they are compiled.
#[doc(hidden)]
#[macro_export]
macro_rules! __each_clause {
    ($what:ident always $($with:tt)*) => {
        $crate::__clauses! { $what, clauses, ($($with)*);
            gather: barrier, bcast, all_gather, all_gather_v, gather, scatter;
            into_blocks: all_gather_into_gaps, all_to_all_into_gaps, empty_blocks_lie_anywhere, messages_into_part_of_a_buffer;
            to_all: all_to_all, all_to_all_v, all_to_all_v_large, overlapping_sends, exchange, exchange_keeps_alignment,
                no_elements_at_all;
            neighbours: both_neighbours, messages_do_not_overtake, messages_to_oneself, few_partners, empty_messages,
                overlap_runs_once, collect_in_any_order;
            reduce: all_reduce, all_reduce_float, reduce_scatter, scan, ex_scan, reduce_nan, reduce_nothing;
            split: colors, keys_reorder, no_color, nested, parts_are_independent, duplicates, scope_reaches_parts,
                metered_in_between;
            agree: agree_on_success, agree_on_an_error, agree_on_facts, agree_on_a_difference;
            walk: thousand_small_collectives;
        }
    };
    ($what:ident recovers $($with:tt)*) => {
        $crate::__clauses! { $what, recovery, ($($with)*);
            recovery: wrong_on_every_rank, wrong_on_one_rank, counts_that_differ, nothing_was_sent, many_errors,
                parts_survive_errors;
        }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __clauses {
    (list, $of:ident, (); $($module:ident: $($name:ident),+;)+) => {
        vec![$($(Clause { name: stringify!($name), run: $module::$name },)+)+]
    };
    (tests, $of:ident, ($launch:path, $ranks:expr); $($module:ident: $($name:ident),+;)+) => {
        $($(
            #[test]
            fn $name() {
                let all = $crate::conformance::$of();
                let clause = all.iter().find(|c| c.name == stringify!($name)).expect("the same list");
                $launch($ranks, clause.run);
            }
        )+)+
    };
}
