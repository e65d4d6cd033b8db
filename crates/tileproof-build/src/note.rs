//! Words to whoever runs the builder about the cache: that it lies elsewhere than asked, or that a part of it was damaged.
//!
//! This crate must never print: a program that uses it owns its streams. Start at [`listen`].

use std::sync::OnceLock;

static LISTENER: OnceLock<fn(&str)> = OnceLock::new();

/// Has `listener` told, in one line each, what a user should know of the cache. The first one stays; without one nothing is
/// said.
pub fn listen(listener: fn(&str)) {
    let _ = LISTENER.set(listener);
}

/// Tells the listener.
pub(crate) fn note(line: &str) {
    if let Some(listener) = LISTENER.get() {
        listener(line);
    }
}
