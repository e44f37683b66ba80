//! The contract, clause by clause.

use std::time::Duration;

use maniple_core::{Comm, Metered};
use maniple_threads::Cluster;

mod support;

fn launch(ranks: usize, clause: fn(&Comm)) {
    support::within(Duration::from_secs(60), || Cluster::new(ranks).run(clause)).unwrap();
}

maniple_core::conformance_tests!(launch, recovers; one = 1, two = 2, three = 3, seven = 7);

mod metered {
    use super::{Comm, Metered};

    fn launch(ranks: usize, clause: fn(&Comm)) {
        super::support::within(super::Duration::from_secs(60), || {
            maniple_threads::Cluster::new(ranks).run(|comm| clause(&Metered::wrap(comm).0))
        })
        .unwrap();
    }

    maniple_core::conformance_tests!(launch, recovers; three = 3);
}
