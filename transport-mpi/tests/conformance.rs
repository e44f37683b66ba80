//! The contract, on the ranks of a launcher. `ci/mpi.sh` starts it on several numbers of ranks; alone it runs on one.

use maniple_core::{CommError, conformance};

fn main() -> Result<(), CommError> {
    maniple_mpi::run(|comm| {
        let expected = std::env::var("EXPECT_RANKS").map_or(1, |n| n.parse().expect("EXPECT_RANKS is a number"));
        assert_eq!(comm.size(), expected, "the launcher of another MPI would start many programs of one rank");
        conformance::check(comm);
        // Without checks, MPI has no answer to wrong calls but to hang.
        let checked = std::env::var("MANIPLE_CHECKED").is_ok_and(|v| v == "1");
        if checked {
            conformance::check_recovery(comm);
        }
        if comm.rank() == 0 {
            let n = conformance::clauses().len() + usize::from(checked) * conformance::recovery().len();
            println!("test result: ok. {n} passed; 0 failed; on {} ranks", comm.size());
        }
        Ok(())
    })
}
