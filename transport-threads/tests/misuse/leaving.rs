//! Ranks that return while others wait for them.

use maniple_core::{Comm, CommError};
use maniple_threads::Cluster;

use super::{LIMIT, at, support::within};

/// All ranks but rank 1, which has returned, are told so.
fn rank_1_leaves(leave: impl Fn(&Comm) -> Result<(), CommError> + Sync) {
    let body = |comm: &Comm| match comm.rank() {
        1 => (leave(comm), ""),
        _ => at!(comm.all_gather_v(&[1_u8])),
    };
    let outcomes = within(LIMIT, || Cluster::new(4).run(body)).unwrap();
    for rank in [0, 2, 3] {
        let (result, at) = &outcomes[rank];
        let expected =
            format!("rank 1 has returned, so this can't complete: all_gather::<usize> len 1 at {at}");
        assert_eq!(result.as_ref().unwrap_err().to_string(), expected);
    }
}

#[test]
fn at_once() {
    rank_1_leaves(|_| Ok(()));
}

#[test]
fn with_an_error_of_its_own() {
    rank_1_leaves(|_| Err(CommError::Start { why: "no file".to_string() }));
}

#[test]
fn after_the_others_have_arrived() {
    rank_1_leaves(|_| {
        std::thread::sleep(std::time::Duration::from_millis(50));
        Ok(())
    });
}

#[test]
fn the_error_of_the_program_is_that_of_the_rank_that_failed_first() {
    for _ in 0..300 {
        let run = within(LIMIT, || {
            Cluster::new(8).try_run(|comm| match comm.rank() {
                5 => Err(CommError::Start { why: "no file".to_string() }),
                _ => comm.barrier(),
            })
        });
        assert_eq!(run.unwrap_err().to_string(), "can't start the ranks: no file");
    }
}

#[test]
fn that_have_nothing_to_do_with_a_part_do_not_harm_it() {
    within(LIMIT, || {
        let run = Cluster::new(6).run(|comm| {
            let part = comm.split(Some((comm.rank() % 2) as u32), 0)?.expect("a part");
            if comm.rank() == 1 {
                return Ok(0); // the odd part can't go on, the even one can
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
            (0..100).try_for_each(|_| part.barrier())?;
            part.all_reduce_value(comm.rank(), |a, b| a + b)
        });
        let results = run.unwrap();
        for even in [0, 2, 4] {
            assert_eq!(results[even], Ok(6));
        }
        for odd in [3, 5] {
            let words = results[odd].as_ref().unwrap_err().to_string();
            assert!(words.starts_with("rank 1 has returned, so this can't complete: barrier at "), "{words}");
        }
    });
}

#[test]
fn after_the_last_collective_harm_nobody() {
    for _ in 0..200 {
        let run = within(LIMIT, || Cluster::new(5).try_run(|comm| comm.all_gather_value(comm.rank())));
        assert_eq!(run.unwrap(), vec![vec![0, 1, 2, 3, 4]; 5]);
    }
}
