//! The contract, on the ranks of a launcher: `EXPECT_RANKS=3 mpirun -n 3 PROGRAM`; started alone it runs on one.
//!
//! With `MANIPLE_CHECKED=1` a wrong call does not end the job, so the clauses about going on after it are checked too.

use maniple_core::{CommError, conformance};

fn main() -> Result<(), CommError> {
    maniple_mpi::run(|comm| {
        let expected =
            std::env::var("EXPECT_RANKS").map_or(1, |n| n.parse().expect("EXPECT_RANKS is a number"));
        assert_eq!(
            comm.size(),
            expected,
            "the launcher of another MPI would start many programs of one rank"
        );
        conformance::check(comm);
        let mut clauses = conformance::clauses().len();
        if std::env::var("MANIPLE_CHECKED").is_ok_and(|value| value == "1") {
            conformance::check_recovery(comm);
            clauses += conformance::recovery().len();
        }
        if comm.rank() == 0 {
            println!("{clauses} clauses hold on {} ranks", comm.size());
        }
        Ok(())
    })
}
