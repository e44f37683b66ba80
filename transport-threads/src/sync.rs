//! The synchronisation types of this crate: those of `std`, or loom's where a model explores the interleavings.
//!
//! No other file names `std::sync`, `std::cell::UnsafeCell` or `loom`, so what the models prove is the code that ships.

/// Whether this build explores interleavings.
pub(crate) const MODELLED: bool = cfg!(all(test, loom));

// Shared ownership is not part of the protocol, and loom's `Arc` lacks what `std`'s has.
pub(crate) use std::sync::{Arc, PoisonError};

#[cfg(not(all(test, loom)))]
pub(crate) use native::*;

#[cfg(all(test, loom))]
pub(crate) use modelled::*;

#[cfg(not(all(test, loom)))]
mod native {
    pub(crate) use std::hint::spin_loop;
    pub(crate) use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
    pub(crate) use std::sync::{Condvar, Mutex, MutexGuard};
    pub(crate) use std::thread::yield_now;

    /// Whether a model has failed, and its threads are only unwound: then nobody may wait for a peer any more.
    pub(crate) const fn refuted() -> bool {
        false
    }

    /// `std`'s cell behind loom's interface, where each access says whether it reads or writes.
    #[derive(Debug, Default)]
    pub(crate) struct UnsafeCell<T>(std::cell::UnsafeCell<T>);

    impl<T> UnsafeCell<T> {
        pub(crate) const fn new(value: T) -> Self {
            Self(std::cell::UnsafeCell::new(value))
        }

        /// Runs `read` on the content, which nobody may write meanwhile.
        pub(crate) fn with<R>(&self, read: impl FnOnce(*const T) -> R) -> R {
            read(self.0.get())
        }

        /// Runs `write` on the content, which nobody else may touch meanwhile.
        pub(crate) fn with_mut<R>(&self, write: impl FnOnce(*mut T) -> R) -> R {
            write(self.0.get())
        }
    }
}

#[cfg(all(test, loom))]
mod modelled {
    pub(crate) use loom::cell::UnsafeCell;
    pub(crate) use loom::hint::spin_loop;
    pub(crate) use loom::sync::atomic::{AtomicBool, AtomicU64, Ordering};
    pub(crate) use loom::sync::{Condvar, Mutex, MutexGuard};
    pub(crate) use loom::thread::yield_now;
    pub(crate) use loom::{model, thread};

    pub(crate) fn refuted() -> bool {
        thread::panicking()
    }
}

/// Locks `mutex` whether or not a thread panicked while it held it: what this crate keeps under a lock is replaced
/// whole, so there is no half-made state to fear.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
