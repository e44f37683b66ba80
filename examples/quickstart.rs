//! The flights that left New York in 2013, on several ranks: sort a column, find its unique keys, group by carrier and month.
//!
//!     cargo run --release --example quickstart
//!     MANIPLE_RANKS=16 cargo run --release --example quickstart
//!
//! The tables go to standard output and are the same to the byte on any number of ranks; how the data lie over the ranks, and
//! how long it took, go to standard error. The data and their licence are in `examples/data`.

use std::time::Instant;

use maniple::prelude::*;
use ndarray_npy::read_npy;

/// One element per flight.
struct Flights {
    arr_delay: Array1<f32>,
    distance: Array1<u16>,
    carrier: Array1<u8>,
    month: Array1<u8>,
}

/// What is found out about them, gathered from all ranks.
#[derive(Debug)]
struct Findings {
    sorted_delays: Array1<f32>,
    distances: Array1<u16>,
    flights_by_distance: Array1<u64>,
    by_carrier: Means,
    by_month: Means,
}

#[derive(Debug, PartialEq)]
struct Means {
    labels: Array1<u8>,
    flights: Array1<u64>,
    means: Array1<f32>,
}

fn main() -> maniple::Result<()> {
    let flights = Flights {
        arr_delay: column("arr_delay"),
        distance: column("distance"),
        carrier: column("carrier"),
        month: column("month"),
    };
    maniple::launch(|comm| {
        let begin = Instant::now();
        let found = analyse(comm, &flights)?;
        if comm.rank() == 0 {
            eprintln!("{} ranks took {:.1} ms", comm.size(), 1e3 * begin.elapsed().as_secs_f64());
            let alone = analyse(&Comm::solo(), &flights)?;
            assert!(found.is_same(&alone), "the answer does not depend on the number of ranks");
            print(&found);
        }
        Ok(())
    })
}

/// The same program for one rank and for a thousand.
fn analyse(comm: &Comm, flights: &Flights) -> maniple::Result<Findings> {
    // Uneven on purpose: ranks with three, two, one, and no share of the flights.
    let counts = uneven(flights.arr_delay.len(), comm.size());
    let delay = split(comm, &flights.arr_delay, &counts)?;
    let distance = split(comm, &flights.distance, &counts)?;
    let carrier = split(comm, &flights.carrier, &counts)?;
    let month = split(comm, &flights.month, &counts)?;
    if comm.rank() == 0 && comm.size() > 1 {
        eprintln!("flights on each rank: {:?}", delay.layout().counts());
    }

    let sorted = delay.sort().run()?;
    let unique = distance.unique().counts().run()?;
    let by_carrier = delay.group_by(&carrier).skip_nan().mean()?;
    let by_month = delay.group_by(&month).skip_nan().mean()?;

    Ok(Findings {
        sorted_delays: sorted.gather()?,
        distances: unique.values.gather()?,
        flights_by_distance: unique.counts.expect("asked for").gather()?,
        by_carrier: Means::gather(by_carrier)?,
        by_month: Means::gather(by_month)?,
    })
}

/// This rank's part of a column that every rank has read: a view, no copy.
fn split<'a, T: Element>(
    comm: &Comm,
    whole: &'a Array1<T>,
    counts: &[usize],
) -> maniple::Result<DistArrayView<'a, T, Ix1>> {
    Ok(DistArrayView::from_replicated_with(comm, whole.view(), Axis(0), counts)?)
}

fn uneven(n: usize, ranks: usize) -> Vec<usize> {
    let weight = |rank: usize| 3 - rank % 4;
    let total: usize = (0..ranks).map(weight).sum();
    let mut counts: Vec<usize> = (0..ranks).map(|rank| n * weight(rank) / total).collect();
    counts[0] += n - counts.iter().sum::<usize>();
    counts
}

impl Means {
    fn gather(groups: maniple::Groups<u8, DistArray<f32, Ix1>>) -> maniple::Result<Self> {
        let (labels, flights) = (groups.labels.gather()?, groups.counts.gather()?);
        Ok(Means { labels, flights, means: groups.values.gather()? })
    }
}

impl Findings {
    /// To the last bit; a delay that is not known (NaN) equals itself here.
    fn is_same(&self, other: &Findings) -> bool {
        let bits = |f: &Findings| f.sorted_delays.mapv(f32::to_bits);
        bits(self) == bits(other)
            && self.distances == other.distances
            && self.flights_by_distance == other.flights_by_distance
            && self.by_carrier == other.by_carrier
            && self.by_month == other.by_month
    }
}

fn print(found: &Findings) {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let sorted = &found.sorted_delays;
    let known = sorted.iter().take_while(|delay| !delay.is_nan()).count();
    println!("{} flights left New York in 2013; of {} the delay at arrival is known.", sorted.len(), known);
    println!(
        "The earliest were {} min, the latest {} min late; the median is {} min.",
        sorted[0],
        sorted[known - 1],
        sorted[known / 2]
    );

    println!(
        "\n{} distances, from {} to {} miles; the most frequent:",
        found.distances.len(),
        found.distances[0],
        found.distances[found.distances.len() - 1]
    );
    println!("{:>12} {:>10}", "miles", "flights");
    let mut frequent: Vec<_> = found.flights_by_distance.iter().zip(&found.distances).collect();
    frequent.sort_by(|a, b| b.cmp(a));
    for (flights, miles) in frequent.into_iter().take(5) {
        println!("{miles:>12} {flights:>10}");
    }

    println!("\nmean delay at arrival by carrier");
    table(&found.by_carrier, |code| carriers()[usize::from(code)].clone());
    println!("\nmean delay at arrival by month");
    table(&found.by_month, |month| MONTHS[usize::from(month) - 1].to_string());
}

fn table(groups: &Means, name: impl Fn(u8) -> String) {
    println!("{:<28} {:>10} {:>8}", "", "flights", "min");
    for ((&label, flights), mean) in groups.labels.iter().zip(&groups.flights).zip(&groups.means) {
        println!("{:<28} {flights:>10} {mean:>8.2}", name(label));
    }
}

fn column<T: ndarray_npy::ReadableElement>(name: &str) -> Array1<T> {
    let file = format!("{}/examples/data/{name}.npy", env!("CARGO_MANIFEST_DIR"));
    read_npy(&file).unwrap_or_else(|e| panic!("{file}: {e}"))
}

fn carriers() -> Vec<String> {
    let lines = include_str!("data/carriers.txt").lines();
    lines.map(|line| line.split('\t').nth(2).expect("code, abbreviation, name").to_string()).collect()
}
