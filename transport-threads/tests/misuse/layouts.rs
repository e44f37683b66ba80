//! Arrays that can't be: every rank gets the error, which names what differs and where.

use maniple_core::{Comm, DistArray, DistArrayView};
use ndarray::{Array, Array2, ArrayD, Axis, IxDyn, array};

use super::refused;

/// On three ranks.
#[track_caller]
fn no_array<T>(make: impl Fn(&Comm, usize) -> maniple_core::Result<T> + Sync, words: &str) {
    refused(3, |comm| (make(comm, comm.rank()).map(drop), ""), |_| words.to_string());
}

#[test]
fn from_local() {
    let two_types = |comm: &Comm, r: usize| match r {
        2 => DistArray::from_local(comm, array![1_f32], Axis(0)).map(drop),
        _ => DistArray::from_local(comm, array![1_f64], Axis(0)).map(drop),
    };
    no_array(two_types, "from_local: the ranks disagree on the element type: rank 0 has f64, rank 2 f32");
    let block = |r: usize| Array2::<u8>::zeros((r, if r == 0 { 4 } else { 5 }));
    no_array(
        |comm, r| DistArray::from_local(comm, block(r), Axis(0)),
        "from_local: the ranks disagree on the shape off the split axis: rank 0 has [.., 4], ranks 1, 2 [.., 5]",
    );
    let square = || Array2::<u8>::zeros((2, 2));
    no_array(
        |comm, r| DistArray::from_local(comm, square(), Axis(usize::from(r == 1))),
        "from_local: the ranks disagree on the split axis: rank 0 has 0, rank 1 1",
    );
    no_array(|comm, _| DistArray::from_local(comm, square(), Axis(2)), "axis 2 of an array with 2 axes");
    no_array(
        |comm, _| DistArray::from_local(comm, ndarray::arr0(1), Axis(0)),
        "axis 0 of an array with 0 axes",
    );
    let block = |r: usize| ArrayD::<u8>::zeros(IxDyn(&[2, 2][..1 + r % 2]));
    no_array(
        |comm, r| DistArray::from_local(comm, block(r), Axis(0)),
        "from_local: the ranks disagree on the number of axes: rank 0 has 1, rank 1 2",
    );
}

#[test]
fn from_replicated() {
    let whole = |n: usize| Array::from_iter(0..n as u64);
    no_array(
        |comm, r| DistArrayView::from_replicated(comm, whole(10 + r).view(), Axis(0)).map(drop),
        "from_replicated: the ranks disagree on the shape: rank 0 has [10], rank 1 [11]",
    );
    no_array(
        |comm, _| DistArrayView::from_replicated(comm, whole(10).view(), Axis(1)).map(drop),
        "axis 1 of an array with 1 axes",
    );
    let square = Array2::<u8>::zeros((2, 2));
    no_array(
        |comm, r| DistArrayView::from_replicated(comm, square.view(), Axis(r.min(1))).map(drop),
        "from_replicated: the ranks disagree on the split axis: rank 0 has 0, ranks 1, 2 1",
    );
    no_array(
        |comm, r| DistArray::replicated(comm, whole(10 - r)).map(drop),
        "replicated: the ranks disagree on the shape: rank 0 has [10], rank 1 [9]",
    );
    no_array(
        |comm, r| DistArray::from_fn(comm, 10 + r, Axis(0), |i| i).map(drop),
        "from_fn: the ranks disagree on the shape: rank 0 has [10], rank 1 [11]",
    );
}

#[test]
fn counts_that_are_no_layout() {
    let whole = Array::from_iter(0..10_u64);
    let with = |comm: &Comm, counts: &[usize]| {
        DistArrayView::from_replicated_with(comm, whole.view(), Axis(0), counts).map(drop)
    };
    no_array(|comm, _| with(comm, &[3, 3, 3]), "the counts [3, 3, 3] add up to 9, but axis 0 has 10");
    no_array(|comm, _| with(comm, &[5, 5]), "2 counts for 3 ranks");
    no_array(
        |comm, _| with(comm, &[usize::MAX, 11, 0]),
        &format!("the counts [{}, 11, 0] add up to {0}, but axis 0 has 10", usize::MAX),
    );
    no_array(
        |comm, r| with(comm, &[r, 5, 5 - r]),
        "from_replicated_with: the ranks disagree on the counts: rank 0 has [0, 5, 5], rank 1 [1, 5, 4]",
    );
}

#[test]
fn different_ways_to_make_one() {
    let make = |comm: &Comm, r: usize| match r {
        0 => DistArray::from_local(comm, array![1_u8], Axis(0)).map(drop),
        _ => DistArray::replicated(comm, array![1_u8]).map(drop),
    };
    let body = |comm: &Comm| {
        let words = make(comm, comm.rank()).unwrap_err().to_string();
        assert!(words.starts_with(
            "ranks are in different collectives: rank 0: all_gather::<u64> len 2 in from_local at "
        ));
        (
            Err(words
                .split(" in ")
                .last()
                .unwrap_or_default()
                .split(" at ")
                .next()
                .unwrap_or_default()
                .to_string()),
            "",
        )
    };
    refused(3, body, |_| "replicated".to_string());
}

#[test]
fn a_gather_to_different_roots() {
    let body = |comm: &Comm| {
        let x = DistArray::from_local(comm, array![1_u8], Axis(0)).unwrap();
        super::at!(x.gather_to(comm.rank() % 2))
    };
    refused(3, body, |at| {
        let call = |root| format!("exchange_with::<usize> len 1 root {root} in gather_to at {}", at[0]);
        let calls = format!("ranks 0, 2: {}; rank 1: {}", call(0), call(1));
        format!("ranks are in different collectives: {calls}")
    });
}
