//! The communicators of this crate pass their own suite.

mod solo {
    fn launch(ranks: usize, clause: fn(&crate::Comm)) {
        assert_eq!(ranks, 1);
        clause(&crate::Comm::solo());
    }

    crate::conformance_tests!(launch, recovers; one = 1);
}

mod metered_solo {
    fn launch(_: usize, clause: fn(&crate::Comm)) {
        let (comm, meter) = crate::Metered::wrap(&crate::Comm::solo());
        clause(&comm);
        assert_eq!((meter.total().messages, meter.total().sent), (0, 0)); // one rank has nobody to send to
    }

    crate::conformance_tests!(launch, recovers; one = 1);
}

#[test]
fn one_call_checks_every_clause() {
    assert!(super::clauses().len() > 40);
    super::check(&crate::Comm::solo());
    super::check_recovery(&crate::Comm::solo());
}
