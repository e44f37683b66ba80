//! Redistribution and balancing of arrays with any layout.
