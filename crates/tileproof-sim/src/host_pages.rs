//! Pages of the host's memory: large data in few large ones, which are sooner made and sooner found than many small ones.

#![allow(unsafe_code)]

/// A page of the host.
const HOST_PAGE: usize = 4096;
/// Bytes from which on the host is asked for huge pages: some of its largest.
const WORTH_HUGE: usize = 8 << 20;

/// Asks the host for huge pages for memory that nobody has touched yet, if it is large; where it has none all is as it was.
pub fn ask_for_huge_pages<T>(memory: &mut [T]) {
    let bytes = size_of_val(memory);
    if bytes < WORTH_HUGE {
        return;
    }
    let at = memory.as_mut_ptr() as usize;
    let (first, past) = (at.next_multiple_of(HOST_PAGE), (at + bytes) / HOST_PAGE * HOST_PAGE);
    // SAFETY: whole pages among those of the slice; how large they are changes nothing that is in them.
    unsafe { libc::madvise(first as *mut libc::c_void, past - first, libc::MADV_HUGEPAGE) };
}
