#!/bin/bash
# A job script for SLURM: the quickstart on 2 nodes, 8 ranks on each. Submit it with `sbatch examples/slurm.sh`.
#
# Ranks times cores per rank fill a node: 8 x 16 is right for 128 cores. One rank per NUMA domain is a good first choice:
# its block then lies in the memory that is next to its cores. More ranks mean more messages, fewer ranks more work for rayon
# inside each.
#SBATCH --job-name=maniple
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=8
#SBATCH --cpus-per-task=16
#SBATCH --time=00:10:00
set -euo pipefail

# The modules that the program was built with; what they are called differs from site to site. For building, on a login node:
#     module load gcc openmpi llvm
#     export LIBCLANG_PATH=$(llvm-config --libdir)     # if bindgen does not find libclang
#     cargo build --release --features mpi --example quickstart
module load gcc openmpi

# Threads that a rank may start inside its own block: as many as it has cores, or ranks would crowd each other out.
export RAYON_NUM_THREADS=$SLURM_CPUS_PER_TASK

# --cpu-bind=cores     keeps each rank on its own cores, and its threads with it.
# --cpus-per-task      is not taken over from the job by srun, since SLURM 22.05.
# --mpi=pmix           how ranks find each other: `srun --mpi=list` shows what there is. Without a fitting one the program says
#                      that the launcher started 16 ranks but MPI knows 1, and ends.
srun --mpi=pmix --cpu-bind=cores --cpus-per-task="$SLURM_CPUS_PER_TASK" target/release/examples/quickstart
