//! Faults that people reported about other communication libraries, as small inputs with right answers.

use std::time::Duration;

use maniple_core::{Blocks, Comm, CommError};
use maniple_threads::Cluster;
use ndarray::{Array, array, s};

mod support;

fn on<R: Send>(ranks: usize, body: impl Fn(&Comm) -> Result<R, CommError> + Sync) -> Vec<R> {
    support::within(Duration::from_secs(5), || Cluster::new(ranks).try_run(body))
        .expect("every rank succeeds")
}

/// Values that say who sent them to whom.
fn values(me: usize, counts: &[usize]) -> Vec<usize> {
    let of = |(to, &count): (usize, &usize)| (0..count).map(move |k| 100 * me + 10 * to + k);
    counts.iter().enumerate().flat_map(of).collect()
}

/// In libraries with a largest message, the path for larger ones is seldom tested. Here there is none.
#[test]
fn parts_of_every_length() {
    let counts = [vec![0, 7, 1], vec![3, 0, 0], vec![2, 5, 4]];
    let received = on(3, |comm| {
        let mine = &counts[comm.rank()];
        Ok(comm.all_to_all_v(&values(comm.rank(), mine), &Blocks::packed(mine.clone()))?.0)
    });
    assert_eq!(received[0], [100, 101, 102, 200, 201]);
    assert_eq!(received[1], [10, 11, 12, 13, 14, 15, 16, 210, 211, 212, 213, 214]);
    assert_eq!(received[2], [20, 220, 221, 222, 223]);
}

/// A rank that has nothing for itself returned early while the others waited.
#[test]
fn nothing_for_oneself() {
    let counts = [vec![0, 2, 1], vec![2, 0, 0], vec![1, 0, 3]];
    let received = on(3, |comm| {
        let (me, blocks) = (comm.rank(), Blocks::packed(counts[comm.rank()].clone()));
        let mine: Vec<usize> = (0..3).flat_map(|to| vec![10 * me + to; counts[me][to]]).collect();
        let mut received = vec![99; mine.len()];
        comm.all_to_all_v_into(&mine, &blocks, &mut received, &blocks)?;
        Ok(received)
    });
    assert_eq!(received, [vec![10, 10, 20], vec![1, 1], vec![2, 22, 22, 22]]);
}

/// A rank that receives nothing ended the loop over messages.
#[test]
fn nothing_to_receive() {
    let counts = [vec![1, 2, 0], vec![3, 0, 0], vec![2, 2, 0]];
    let received = on(3, |comm| {
        let mine = &counts[comm.rank()];
        Ok(comm.all_to_all_v(&values(comm.rank(), mine), &Blocks::packed(mine.clone()))?.0)
    });
    assert_eq!(received, [vec![0, 100, 101, 102, 200, 201], vec![10, 11, 210, 211], vec![]]);
}

/// The one-process substitute ignored the displacement.
#[test]
fn a_displacement_on_one_rank() {
    let body = |comm: &Comm| {
        let mut recv = [-1; 4];
        comm.all_gather_v_into(&[7, 8], &mut recv, &Blocks::new(vec![2], vec![1]).expect("a block"))?;
        Ok(recv)
    };
    assert_eq!(on(1, body), [[-1, 7, 8, -1]]);
    assert_eq!(body(&Comm::solo()), Ok([-1, 7, 8, -1]));
}

/// A strided view was sent as if its memory were contiguous. Here a column has to be copied out, or it is no slice.
#[test]
fn columns() {
    let all = on(2, |comm| {
        let whole = Array::from_iter(0..12).into_shape_with_order((3, 4)).expect("12 elements");
        let column = whole.slice(s![.., 1 + 2 * comm.rank()]);
        assert!(column.as_slice().is_none());
        comm.all_gather(column.to_vec().as_slice())
    });
    assert_eq!(all, vec![[1, 5, 9, 3, 7, 11]; 2]);
}

/// Counts are wanted in elements, not in rows.
#[test]
fn a_matrix_by_rows() {
    let rows = Blocks::packed(vec![3, 2]);
    let blocks = Blocks::packed(rows.counts().iter().map(|n| 3 * n).collect());
    assert_eq!((blocks.counts(), blocks.displs()), (&[9, 6][..], &[0, 9][..]));
    let parts = on(2, |comm| {
        let whole = Array::from_iter(0..15).into_shape_with_order((5, 3)).expect("15 elements");
        let mine = comm.scatter_v(0, whole.as_slice().expect("rows in a row"), &blocks)?;
        Ok(Array::from_shape_vec((rows.count(comm.rank()), 3), mine).expect("whole rows"))
    });
    assert_eq!(parts[1], array![[9, 10, 11], [12, 13, 14]]);
}

/// A minimum over ranks depended on who holds the NaN.
#[test]
fn a_nan_on_any_rank() {
    let values = [1.0, f64::NAN, 3.0, 4.0];
    let propagate = |less: fn(&f64, &f64) -> bool| {
        move |a: f64, b: f64| if a.is_nan() || !b.is_nan() && less(&a, &b) { a } else { b }
    };
    for turn in 0..4 {
        let found = on(4, |comm| {
            let mine = values[(comm.rank() + turn) % 4];
            Ok([
                comm.all_reduce_value(mine, propagate(f64::lt))?,
                comm.all_reduce_value(mine, propagate(f64::gt))?,
                comm.all_reduce_value(mine, f64::min)?,
                comm.all_reduce_value(mine, f64::max)?,
            ])
        });
        for [min, max, nanmin, nanmax] in found {
            assert!(min.is_nan() && max.is_nan());
            assert_eq!([nanmin, nanmax], [1.0, 4.0]);
        }
    }
}

/// Each count fits 32 bits, the displacements do not; and the blocks are still compared with their buffer.
#[test]
fn displacements_beyond_32_bits() {
    let blocks = Blocks::packed(vec![1_000_000_000; 4]);
    assert_eq!(blocks.displs(), [0, 1_000_000_000, 2_000_000_000, 3_000_000_000]);
    let error = on(4, |comm| Ok(comm.exchange(&[0_u8; 4], &blocks, |_| ()).unwrap_err().to_string()));
    let expected =
        "rank 0: block 0 ends at 1000000000, past the 4 elements of the buffer: exchange::<u8> at ";
    assert!(error.iter().all(|words| words.starts_with(expected)));
}
