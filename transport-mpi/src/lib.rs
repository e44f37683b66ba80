//! Ranks as MPI processes: the production transport of maniple.
