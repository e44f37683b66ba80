//! Distributed n-d arrays: sort, unique, groupby and redistribution, on threads or MPI.
