//! What loom must find: each scenario with one step of the protocol left out.
