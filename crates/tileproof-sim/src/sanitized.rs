//! What the thread sanitizer is told of fibers, in builds for it (`--cfg tileproof_tsan`); in others nothing.
//!
//! It keeps the calls that a host thread is in, and would take those of a fiber for its host thread's: each switch would leave
//! calls there that never end. Names and arguments are those of LLVM's `sanitizer/tsan_interface.h`. Start at [`Seen`].

#![allow(unsafe_code)]

#[cfg(tileproof_tsan)]
use std::ffi::{c_uint, c_void};

#[cfg(tileproof_tsan)]
unsafe extern "C" {
    fn __tsan_get_current_fiber() -> *mut c_void;
    fn __tsan_create_fiber(flags: c_uint) -> *mut c_void;
    fn __tsan_switch_to_fiber(fiber: *mut c_void, flags: c_uint);
    fn __tsan_destroy_fiber(fiber: *mut c_void);
}

/// A fiber as the sanitizer sees it.
#[cfg(tileproof_tsan)]
pub(crate) struct Seen(*mut c_void);

#[cfg(tileproof_tsan)]
impl Seen {
    pub(crate) fn new() -> Seen {
        // SAFETY: the sanitizer's runtime is linked with such a build; no flag is known.
        Seen(unsafe { __tsan_create_fiber(0) })
    }

    /// Runs `turn`, which begins and ends on the stack of the host thread, as calls of the fiber.
    pub(crate) fn during<T>(&self, turn: impl FnOnce() -> T) -> T {
        // SAFETY: a fiber of this host thread that is not destroyed, and then the one that ran before; a switch puts what was
        // before it in order with what comes behind it. A turn does not unwind: what a kernel panics with is its result.
        unsafe {
            let before = __tsan_get_current_fiber();
            __tsan_switch_to_fiber(self.0, 0);
            let result = turn();
            __tsan_switch_to_fiber(before, 0);
            result
        }
    }
}

#[cfg(tileproof_tsan)]
impl Drop for Seen {
    fn drop(&mut self) {
        // SAFETY: made by `new`, and not running: a turn borrows it.
        unsafe { __tsan_destroy_fiber(self.0) };
    }
}

/// A fiber as the sanitizer sees it: not at all.
#[cfg(not(tileproof_tsan))]
pub(crate) struct Seen;

#[cfg(not(tileproof_tsan))]
impl Seen {
    pub(crate) fn new() -> Seen {
        Seen
    }

    /// Runs `turn`.
    #[inline(always)]
    pub(crate) fn during<T>(&self, turn: impl FnOnce() -> T) -> T {
        turn()
    }
}
