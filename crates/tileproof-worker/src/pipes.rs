//! The pipes between a worker and whoever watches it, and what comes out of them, bounded.

#![allow(unsafe_code)]

use std::io::{Error, ErrorKind, Read, Result};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

/// Bytes of a stream that are kept; of what comes after, the number alone.
const KEPT: usize = 1 << 20;

/// Both ends of a pipe that no other program inherits: where it is read, where it is written.
pub(crate) fn pipe() -> Result<(OwnedFd, OwnedFd)> {
    let mut ends = [0; 2];
    // SAFETY: there is room for two descriptors, which are nobody else's when they come.
    unsafe {
        match libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) {
            0 => Ok((OwnedFd::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1]))),
            _ => Err(Error::last_os_error()),
        }
    }
}

/// What comes out of a pipe.
pub(crate) struct Stream {
    from: std::fs::File,
    pub(crate) bytes: Vec<u8>,
    /// Bytes that were not kept.
    pub(crate) dropped: u64,
    most: usize,
    pub(crate) is_over: bool,
}

impl Stream {
    /// What a stream of text says, as much as is kept.
    pub(crate) fn text(from: OwnedFd) -> Stream {
        Stream::new(from, KEPT)
    }

    /// An answer, whole if it is no longer than `most` bytes.
    pub(crate) fn answer(from: OwnedFd, most: usize) -> Stream {
        Stream::new(from, most)
    }

    fn new(from: OwnedFd, most: usize) -> Stream {
        // SAFETY: flags of a descriptor that is ours. Whoever reads must never wait.
        unsafe { libc::fcntl(from.as_raw_fd(), libc::F_SETFL, libc::O_NONBLOCK) };
        Stream { from: from.into(), bytes: Vec::new(), dropped: 0, most, is_over: false }
    }

    /// For `poll`; -1 when nothing more comes.
    pub(crate) fn descriptor(&self) -> RawFd {
        if self.is_over { -1 } else { self.from.as_raw_fd() }
    }

    /// Takes what is there now, a bounded piece of it.
    pub(crate) fn take(&mut self) {
        let mut piece = [0; 1 << 16];
        for _ in 0..16 {
            match self.from.read(&mut piece) {
                Ok(0) => self.is_over = true,
                Ok(read) => {
                    let kept = read.min(self.most.saturating_sub(self.bytes.len()));
                    self.bytes.extend_from_slice(&piece[..kept]);
                    self.dropped += (read - kept) as u64;
                    continue;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => self.is_over = error.kind() != ErrorKind::WouldBlock,
            }
            return;
        }
    }
}
