//! The contract, on the ranks of a launcher: `EXPECT_RANKS=3 mpirun -n 3 PROGRAM`; started alone it runs on one.

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
        if comm.rank() == 0 {
            println!("{} clauses hold on {} ranks", conformance::clauses().len(), comm.size());
        }
        Ok(())
    })
}
