//! Was this process started by an MPI launcher?

/// The number of ranks that the launcher of this process says it has started, if there is one.
///
/// Known are Open MPI, MPICH and its relatives (Intel MPI, Cray MPICH, MVAPICH), and SLURM's `srun`, with or without an interface to
/// MPI. A job script that SLURM runs by itself was started by no launcher.
pub fn ranks_of_launcher() -> Option<usize> {
    ranks(|name| std::env::var(name).ok())
}

/// In order of trust: the launcher nearest to the process first, since `mpirun` is often started by `srun`.
const SIZES: [&str; 5] =
    ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS", "MPI_LOCALNRANKS"];

/// What only a started rank has, beside launchers that do not tell the size.
const SIGNS: [&str; 3] = ["PMIX_RANK", "PMI_RANK", "PMI_ID"];

fn ranks(variable: impl Fn(&str) -> Option<String>) -> Option<usize> {
    let size = SIZES.iter().find_map(|name| variable(name)?.trim().parse().ok());
    size.or_else(|| SIGNS.iter().any(|sign| variable(sign).is_some()).then_some(1))
}

#[cfg(test)]
mod tests {
    fn ranks(environment: &[(&str, &str)]) -> Option<usize> {
        super::ranks(|name| environment.iter().find(|(n, _)| *n == name).map(|(_, text)| text.to_string()))
    }

    #[test]
    fn launchers_tell_their_ranks() {
        assert_eq!(ranks(&[("OMPI_COMM_WORLD_SIZE", "4"), ("OMPI_COMM_WORLD_RANK", "0")]), Some(4));
        assert_eq!(ranks(&[("PMI_RANK", "2"), ("PMI_SIZE", "3"), ("MPI_LOCALNRANKS", "1")]), Some(3));
        assert_eq!(
            ranks(&[("SLURM_NTASKS", "8"), ("SLURM_STEP_NUM_TASKS", "2"), ("PMIX_RANK", "1")]),
            Some(2)
        );
        assert_eq!(ranks(&[("PMIX_RANK", "0")]), Some(1));
    }

    #[test]
    fn the_nearest_launcher_counts() {
        assert_eq!(ranks(&[("SLURM_STEP_NUM_TASKS", "2"), ("OMPI_COMM_WORLD_SIZE", "16")]), Some(16));
    }

    #[test]
    fn a_job_script_is_no_rank() {
        assert_eq!(ranks(&[]), None);
        assert_eq!(ranks(&[("SLURM_JOB_ID", "7"), ("SLURM_NTASKS", "8"), ("SLURM_PROCID", "0")]), None);
        assert_eq!(
            ranks(&[("SLURM_JOB_ID", "7"), ("SLURM_STEP_NUM_TASKS", "1")]),
            Some(1),
            "a step of one task"
        );
    }
}
