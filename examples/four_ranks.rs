//! The program of the README: each rank brings its own rows.
//!
//!     MANIPLE_RANKS=4 cargo run --example four_ranks

use maniple::prelude::*;

fn main() -> maniple::Result<()> {
    maniple::launch(|comm| {
        let mine = Array1::from_iter((0..2 * comm.rank()).map(|i| (7 * i + comm.rank()) % 5));
        let x = DistArray::from_local(comm, mine, Axis(0))?; // each rank's own rows: any length, zero too
        let sorted = x.sort().run()?; // lies as x does
        let unique = x.unique().counts().run()?; // lies evenly over the ranks

        comm.in_order(|| {
            let (values, counts) = (unique.values.local(), unique.counts.as_ref().unwrap().local());
            println!(
                "rank {}: {} sorted {}, unique {values} x {counts}",
                comm.rank(),
                x.local(),
                sorted.local()
            );
        })?;

        let sum: u64 = unique.counts.expect("asked for").gather()?.sum();
        assert_eq!(sum as usize, x.layout().len());
        Ok(())
    })
}
