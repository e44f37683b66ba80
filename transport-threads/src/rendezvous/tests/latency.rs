//! What a generation costs. Run with `--release -- --nocapture latency` to read the table.

use super::*;

/// The median over a few runs of the time of one empty generation.
fn of_a_generation(size: usize, rounds: u32) -> Duration {
    let run = || {
        let place = place(size, Patience::for_ranks(size));
        let begin = on_ranks(&place, |mut seat| {
            seat.arrive(0, accept).unwrap().enter().unwrap().finish(None);
            let begin = Instant::now();
            for _ in 0..rounds {
                seat.arrive(0, accept).unwrap().enter().unwrap().finish(None);
            }
            begin.elapsed()
        });
        begin.into_iter().max().unwrap() / rounds
    };
    let mut times: Vec<_> = (0..5).map(|_| run()).collect();
    times.sort();
    times[times.len() / 2]
}

#[test]
fn latency_grows_no_faster_than_the_number_of_ranks() {
    within_a_minute("latency", || {
        let times = [(1, 20_000), (2, 5000), (8, 500), (64, 60), (1024, 4)].map(|(size, rounds)| {
            let time = of_a_generation(size, rounds);
            eprintln!("{size:5} ranks: {time:9.2?} a generation");
            time
        });
        // 16 times as many ranks: linear is 16, quadratic 256. The rest is room for a busy machine.
        assert!(times[4] < times[3] * 100, "1024 ranks {:?}, 64 ranks {:?}", times[4], times[3]);
    });
}
