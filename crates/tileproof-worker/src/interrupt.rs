//! Ctrl-C: the first one is noted, so that who waits for work can end it and say what stood; the second ends the process.
//!
//! It must never be asked for by a library, whose process is another's. Start at [`listen`].

#![allow(unsafe_code)]

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

static CAME: AtomicBool = AtomicBool::new(false);

/// From here on the first interrupt is noted.
pub fn listen() {
    // SAFETY: the handler does what handlers may, a store and a call of `signal`.
    unsafe { libc::signal(libc::SIGINT, noted as *const () as libc::sighandler_t) };
}

/// Whether one came.
pub fn came() -> bool {
    CAME.load(Relaxed)
}

/// Set once one has come.
pub fn flag() -> &'static AtomicBool {
    &CAME
}

extern "C" fn noted(signal: libc::c_int) {
    CAME.store(true, Relaxed);
    // SAFETY: a handler may call it (signal-safety(7)).
    unsafe { libc::signal(signal, libc::SIG_DFL) };
}
