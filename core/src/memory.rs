//! The one place that allocates large buffers.
//!
//! Fresh pages are dear: writing a result into new 4 KiB pages costs about three times a warm copy, into new huge pages less
//! than twice. So large buffers ask the kernel for huge pages, and nothing is zeroed before it is received into.
#![allow(unsafe_code)] // madvise

/// From this size on a buffer asks for huge pages; below it, the kernel could not use one anyway.
const HUGE: usize = 4 << 20;

/// An empty vector with room for `n` elements, in huge pages if it is large and the system has them.
///
/// # Panics
/// As [`Vec::with_capacity`].
pub fn with_capacity<T>(n: usize) -> Vec<T> {
    let buffer: Vec<T> = Vec::with_capacity(n);
    if n.saturating_mul(size_of::<T>()) >= HUGE {
        advise_huge(buffer.as_ptr().cast(), buffer.capacity() * size_of::<T>());
    }
    buffer
}

#[cfg(all(target_os = "linux", not(miri)))]
fn advise_huge(begin: *const u8, len: usize) {
    const PAGE: usize = 4096;
    let skip = begin.align_offset(PAGE);
    let whole_pages = len.saturating_sub(skip) & !(PAGE - 1);
    if whole_pages > 0 {
        // SAFETY: the range is inside one live allocation of ours, and MADV_HUGEPAGE changes no content. It is advice: that
        // a kernel refuses it is no error.
        unsafe { libc::madvise(begin.add(skip).cast_mut().cast(), whole_pages, libc::MADV_HUGEPAGE) };
    }
}

#[cfg(not(all(target_os = "linux", not(miri))))]
fn advise_huge(_: *const u8, _: usize) {}

#[cfg(test)]
mod tests {
    #[test]
    fn a_large_buffer_is_an_ordinary_vector() {
        let n = super::HUGE / 8 + 1;
        let mut v = super::with_capacity::<u64>(n);
        v.extend(0..n as u64);
        assert_eq!((v.len(), v[n - 1]), (n, n as u64 - 1));
        assert!(v.capacity() >= n);
    }
}
