//! Was this process started by an MPI launcher?

/// The number of ranks that the launcher of this process says it has started, if there is one.
///
/// Known are Open MPI, MPICH and its relatives (Intel MPI, Cray MPICH, MVAPICH), and PMIx and PMI under SLURM.
pub fn ranks_of_launcher() -> Option<usize> {
    const SIZES: [&str; 4] = ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS", "MV2_COMM_WORLD_SIZE"];
    const SIGNS: [&str; 3] = ["PMIX_RANK", "PMI_RANK", "PMI_ID"];
    let number = |name: &str| std::env::var(name).ok()?.trim().parse().ok();
    let size = SIZES.iter().find_map(|name| number(name));
    size.or_else(|| {
        SIGNS.iter().any(|sign| std::env::var_os(sign).is_some()).then(|| number("SLURM_NTASKS").unwrap_or(1))
    })
}
