//! The test suite of the contract.
