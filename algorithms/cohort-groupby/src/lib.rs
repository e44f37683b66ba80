//! Distributed grouped reductions: blockwise, cohorts, owners.
