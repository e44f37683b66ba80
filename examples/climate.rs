//! Monthly means of the sea surface temperature: an n-d array grouped along its split axis, the map kept.
//!
//!     cargo run --release --example climate
//!
//! The cube (time, latitude, longitude) lies over the ranks along time, so every month of the year is on several ranks: a group
//! mean over all years reduces each rank's block first and then only moves sums and counts. Data and licence: `examples/data`.

use maniple::prelude::*;
use ndarray::{Array3, Ix3};
use ndarray_npy::read_npy;

fn main() -> maniple::Result<()> {
    let (sst, month, latitude): (Array3<f32>, Array1<u8>, Array1<f32>) =
        (read("sst"), read("sst_month"), read("sst_latitude"));
    maniple::launch(|comm| {
        let climatology = monthly_means(comm, &sst, &month)?;
        if comm.rank() == 0 {
            let alone = monthly_means(&Comm::solo(), &sst, &month)?;
            assert_eq!(climatology.mapv(f32::to_bits), alone.mapv(f32::to_bits), "the same on one rank");
            print(&climatology, &latitude);
        }
        Ok(())
    })
}

/// The mean over all years for each month and place; NaN on land.
fn monthly_means(comm: &Comm, sst: &Array3<f32>, month: &Array1<u8>) -> maniple::Result<Array3<f32>> {
    let cube = DistArrayView::from_replicated(comm, sst.view(), Axis(0))?;
    let labels = DistArrayView::from_replicated(comm, month.view(), Axis(0))?;
    if comm.rank() == 0 && comm.size() > 1 {
        eprintln!("lshape map of the cube:\n{}", cube.layout().lshape_map());
    }
    let means: DistArray<f32, Ix3> = cube.group_by(&labels).mean()?.values;
    Ok(means.gather()?)
}

fn print(climatology: &Array3<f32>, latitude: &Array1<f32>) {
    println!("mean sea surface temperature in degrees Celsius, by month over all years");
    print!("{:>9}", "latitude");
    (1..=12).for_each(|month| print!("{month:>7}"));
    println!();
    for (row, latitude) in latitude.iter().enumerate() {
        print!("{latitude:>9.2}");
        for month in climatology.outer_iter() {
            let sea: Vec<f64> =
                month.row(row).iter().filter(|t| !t.is_nan()).map(|&t| f64::from(t)).collect();
            print!("{:>7.2}", sea.iter().sum::<f64>() / sea.len() as f64 - 273.15);
        }
        println!();
    }
}

fn read<A: ndarray_npy::ReadNpyExt>(name: &str) -> A {
    let file = format!("{}/examples/data/{name}.npy", env!("CARGO_MANIFEST_DIR"));
    read_npy(&file).unwrap_or_else(|e| panic!("{file}: {e}"))
}
