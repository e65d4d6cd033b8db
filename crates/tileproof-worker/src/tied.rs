//! A process that ends when the one that it serves does, whatever it is doing.
//!
//! It must never outlive it, also where others have come to hold the ends of its streams. Start at [`tie`].

#![allow(unsafe_code)]

use std::io::{Error, Result};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

/// Ties this process to the one with number `served`, which must be its parent, and to the other end of `stream`: with either it
/// ends at once, and whatever it has started by [`crate::run`] with it.
///
/// # Errors
/// If the parent is not there any more, or the host cannot watch it.
pub fn tie(served: u32, stream: RawFd) -> Result<()> {
    // SAFETY: a number in, a descriptor of our own out.
    let parent = unsafe { libc::syscall(libc::SYS_pidfd_open, served, 0) as i32 };
    if parent < 0 {
        return Err(Error::last_os_error());
    }
    // SAFETY: the descriptor is there and nobody else's.
    let parent = unsafe { OwnedFd::from_raw_fd(parent) };
    // Only of its parent can it tell that the number is still its own.
    // SAFETY: asks for a number.
    if unsafe { libc::getppid() } as u32 != served {
        return Err(Error::other("the process that is served is gone"));
    }
    std::thread::Builder::new().name("tie".into()).stack_size(64 << 10).spawn(move || wait(&parent, stream))?;
    Ok(())
}

/// Waits until either is gone, and ends this process. It holds no lock while it does: this process forks.
fn wait(parent: &OwnedFd, stream: RawFd) {
    let waits_for = |fd, events| libc::pollfd { fd, events, revents: 0 };
    let mut waits = [waits_for(parent.as_raw_fd(), libc::POLLIN), waits_for(stream, libc::POLLRDHUP)];
    // SAFETY: as many entries as are said.
    while unsafe { libc::poll(waits.as_mut_ptr(), 2, -1) } <= 0 {}
    // SAFETY: ends this process.
    unsafe { libc::_exit(0) }
}
