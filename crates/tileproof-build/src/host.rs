//! What the host alone can give or say: files that lie in memory, and who runs this process.
//!
//! Such a file must never get a name that others can open. Start at [`memory_file`].

#![allow(unsafe_code)]

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::FromRawFd;

/// A file of these bytes, which is gone when it is closed.
pub(crate) fn memory_file(bytes: &[u8]) -> io::Result<File> {
    // SAFETY: the name is a C string; the descriptor that comes back is ours.
    let descriptor = unsafe { libc::memfd_create(c"tileproof-kernel".as_ptr(), libc::MFD_CLOEXEC) };
    if descriptor < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the descriptor was made just now and has no other owner.
    let mut file = unsafe { File::from_raw_fd(descriptor) };
    file.write_all(bytes)?;
    Ok(file)
}

/// The user that this process acts for.
pub(crate) fn user() -> u32 {
    // SAFETY: it takes nothing and cannot fail.
    unsafe { libc::geteuid() }
}
