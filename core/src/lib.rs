//! Communicator, layouts and distributed arrays of maniple.
