//! A program that is always a rank of an MPI job: it starts MPI itself instead of leaving the choice to `launch`.
//!
//!     cargo build --release --features mpi --example pure_mpi
//!     mpirun -n 4 target/release/examples/pure_mpi
//!
//! Each process makes its own part of the data and keeps its own part of the result; none ever holds the whole.

use maniple::prelude::*;

const N: usize = 1 << 20;

fn main() -> maniple::Result<()> {
    let held = maniple::mpi::run(|comm| {
        if comm.rank() == 0 {
            println!("{} ranks of {}", comm.size(), maniple::mpi::library_version());
        }
        // The numbers below N, shuffled: an odd factor permutes them.
        let x = DistArray::from_fn(comm, N, Axis(0), |i| i * 7919 % N)?;
        let sorted = x.into_sorted().run()?;

        let mine = sorted.layout().range(comm.rank());
        assert!(sorted.local().iter().copied().eq(mine.clone()), "rank {} holds {mine:?}", comm.rank());
        let sum = comm.all_reduce_value(sorted.local().sum(), |a, b| a + b)?;
        assert_eq!(sum, N * (N - 1) / 2);
        Ok::<_, maniple::Error>(mine)
    })?;
    // Behind `run` MPI has ended: this process is alone with what it returned.
    println!("held {held:?}");
    Ok(())
}
