//! Ranks as threads of one process: the default transport of maniple and its simulated cluster.
