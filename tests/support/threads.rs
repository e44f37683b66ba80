//! Ranks as threads: any number of them, started for each body.

use std::fmt::Debug;

use maniple::prelude::*;
use maniple_threads::Cluster;
use proptest::prelude::*;
use proptest::test_runner::{Config, FileFailurePersistence, RngAlgorithm, TestRng, TestRunner};

use super::limited;

/// What `body` asserts is asserted on each rank.
pub fn on(ranks: usize, body: impl Fn(&Comm) + Sync) {
    limited(|| Cluster::new(ranks).run(body).expect("a cluster of threads"));
}

pub fn property<S>(cases: u32, inputs: impl Fn(usize) -> S, body: impl Fn(&Comm, &S::Value) + Sync)
where
    S: Strategy,
    S::Value: Clone + Debug + Send + Sync,
{
    let strategy = (1..=8_usize).prop_flat_map(|ranks| (Just(ranks), inputs(ranks)));
    let config = Config {
        cases,
        failure_persistence: Some(Box::new(FileFailurePersistence::Off)),
        ..Config::default()
    };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let outcome = limited(|| {
        TestRunner::new_with_rng(config, rng).run(&strategy, |(ranks, input)| {
            Cluster::new(ranks).run(|comm| body(comm, &input)).expect("a cluster of threads");
            Ok(())
        })
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
}
