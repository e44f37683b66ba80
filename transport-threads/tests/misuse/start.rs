//! Clusters that can't be.

use std::process::Command;

use maniple_core::CommError;
use maniple_threads::Cluster;

#[test]
fn no_ranks() {
    let error = Cluster::new(0).run(|_| ()).unwrap_err();
    assert_eq!(error.to_string(), "can't start the ranks: a cluster of 0 ranks");
    let error = Cluster::new(0).try_run(|comm| comm.barrier()).unwrap_err();
    assert_eq!(error.to_string(), "can't start the ranks: a cluster of 0 ranks");
}

#[test]
fn no_memory_for_a_thread() {
    let error = Cluster::new(3).stack_size(1 << 60).run(|comm| comm.barrier()).unwrap_err();
    assert!(error.to_string().starts_with("can't start the ranks: no thread for rank 0 of 3: "), "{error}");
}

/// The size of the cluster that the environment asks for. Run below with several environments.
#[test]
fn size_from_the_environment() {
    match Cluster::from_env() {
        Ok(cluster) => {
            println!("so many ranks: {}", cluster.size());
            let ranks = cluster.try_run(|comm| comm.all_reduce_value(1_usize, |a, b| a + b));
            assert_eq!(ranks, Ok(vec![cluster.size(); cluster.size()]));
        }
        Err(error) => println!("an error: {error}"),
    }
}

fn with_ranks(value: Option<&str>) -> String {
    let mut program = Command::new(std::env::current_exe().unwrap());
    program.args(["--exact", "start::size_from_the_environment", "--nocapture"]);
    match value {
        Some(value) => program.env("MANIPLE_RANKS", value),
        None => program.env_remove("MANIPLE_RANKS"),
    };
    let output = program.output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_environment_decides() {
    for (value, ranks) in [("1", 1), ("5", 5), (" 3 ", 3)] {
        let said = with_ranks(Some(value));
        assert!(said.contains(&format!("so many ranks: {ranks}\n")), "{said}");
    }
    let cores = std::thread::available_parallelism().map_or(2, |n| n.get().max(2));
    assert!(with_ranks(None).contains(&format!("so many ranks: {cores}\n")));
    for value in ["0", "", "-2", "two", "3.0", "99999999999999999999999"] {
        let why = format!("MANIPLE_RANKS is {value:?}, expected a positive number");
        let expected = format!("an error: {}\n", CommError::Start { why });
        let said = with_ranks(Some(value));
        assert!(said.contains(&expected), "{said}");
    }
}
