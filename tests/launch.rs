//! Where `launch` finds its ranks. This program starts itself in several environments.

use std::process::Command;

use libtest_mimic::{Arguments, Trial};

const INSIDE: &str = "MANIPLE_TEST_INSIDE";
const LAUNCHERS: [&str; 8] = [
    "OMPI_COMM_WORLD_SIZE",
    "PMI_SIZE",
    "MV2_COMM_WORLD_SIZE",
    "SLURM_STEP_NUM_TASKS",
    "MPI_LOCALNRANKS",
    "PMIX_RANK",
    "PMI_RANK",
    "PMI_ID",
];

fn main() {
    if std::env::var_os(INSIDE).is_some() {
        return match maniple::launch(|comm| Ok::<_, maniple::Error>((comm.rank(), comm.size()))) {
            Ok((rank, size)) => println!("rank {rank} of {size}"),
            Err(error) => println!("{error}"),
        };
    }
    let trial = |name: &str, test: fn()| {
        Trial::test(name, move || {
            test();
            Ok(())
        })
    };
    let tests = vec![
        trial("by_hand_ranks_are_threads", by_hand_ranks_are_threads),
        trial("a_number_of_ranks_that_is_none", a_number_of_ranks_that_is_none),
        #[cfg(not(feature = "mpi"))]
        trial("a_launcher_of_one_process_changes_nothing", a_launcher_of_one_process_changes_nothing),
        #[cfg(not(feature = "mpi"))]
        trial("many_clusters_of_threads_are_refused", many_clusters_of_threads_are_refused),
    ];
    libtest_mimic::run(&Arguments::from_args(), tests).exit();
}

/// What `launch` says in an environment without a launcher but for these variables.
fn launched(environment: &[(&str, &str)]) -> String {
    let mut program = Command::new(std::env::current_exe().expect("this program has a path"));
    for name in LAUNCHERS {
        program.env_remove(name);
    }
    program.env_remove("MANIPLE_RANKS").env(INSIDE, "1").envs(environment.iter().copied());
    let output = program.output().expect("this program starts");
    String::from_utf8(output.stdout).expect("words").trim().to_string()
}

fn by_hand_ranks_are_threads() {
    let cores = std::thread::available_parallelism().map_or(2, |n| n.get().max(2));
    assert_eq!(launched(&[]), format!("rank 0 of {cores}"));
    assert_eq!(launched(&[("MANIPLE_RANKS", "3")]), "rank 0 of 3");
    let job_script = [("SLURM_JOB_ID", "7"), ("SLURM_NTASKS", "4"), ("MANIPLE_RANKS", "3")];
    assert_eq!(launched(&job_script), "rank 0 of 3");
}

fn a_number_of_ranks_that_is_none() {
    let words = "can't start the ranks: MANIPLE_RANKS is \"0\", expected a positive number";
    assert_eq!(launched(&[("MANIPLE_RANKS", "0")]), words);
}

#[cfg(not(feature = "mpi"))]
fn a_launcher_of_one_process_changes_nothing() {
    for launcher in ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"] {
        assert_eq!(launched(&[(launcher, "1"), ("MANIPLE_RANKS", "3")]), "rank 0 of 3");
    }
}

#[cfg(not(feature = "mpi"))]
fn many_clusters_of_threads_are_refused() {
    for launcher in ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"] {
        assert_eq!(
            launched(&[(launcher, "4")]),
            "can't start the ranks: a launcher started 4 ranks, but this program is built without the feature `mpi`: \
             each would be a cluster of threads of its own"
        );
    }
}
