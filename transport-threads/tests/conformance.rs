//! The contract, clause by clause.

use std::time::Duration;

use maniple_core::{Checked, Comm, Metered};
use maniple_threads::Cluster;

mod support;

fn launch(ranks: usize, clause: fn(&Comm)) {
    support::within(Duration::from_secs(60), || Cluster::new(ranks).run(clause)).unwrap();
}

maniple_core::conformance_tests!(launch, recovers; one = 1, two = 2, three = 3, seven = 7);

fn launch_metered(ranks: usize, clause: fn(&Comm)) {
    support::within(Duration::from_secs(60), || {
        Cluster::new(ranks).run(|comm| clause(&Metered::wrap(comm).0))
    })
    .unwrap();
}

fn launch_checked(ranks: usize, clause: fn(&Comm)) {
    support::within(Duration::from_secs(60), || Cluster::new(ranks).run(|comm| clause(&Checked::wrap(comm))))
        .unwrap();
}

mod metered {
    use super::launch_metered;

    maniple_core::conformance_tests!(launch_metered, recovers; three = 3);
}

mod checked {
    use super::launch_checked;

    maniple_core::conformance_tests!(launch_checked, recovers; two = 2, three = 3);
}
