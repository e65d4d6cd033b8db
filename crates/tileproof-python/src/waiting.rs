//! Waits for work that does not need the interpreter, so that Ctrl-C is heard and other threads of Python go on.
//!
//! It must never leave work behind that still uses what it borrows. Start at [`while_it_runs`].

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use pyo3::prelude::*;

/// How often signals are looked at.
const LOOK: Duration = Duration::from_millis(50);
/// When they are looked at first.
const FIRST_LOOK: Duration = Duration::from_millis(5);

/// What `work` gives; it runs without the interpreter.
///
/// # Errors
/// The exception of a signal that came meanwhile: then the kernels are ended, and the exception is raised once the work has.
pub(crate) fn while_it_runs<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    until_stopped(py, |stop| tileproof::stop::until(stop.clone(), work))
}

/// The same for work that looks at the flag itself.
///
/// # Errors
/// As [`while_it_runs`].
pub(crate) fn until_stopped<T: Send>(py: Python<'_>, work: impl FnOnce(&Arc<AtomicBool>) -> T + Send) -> PyResult<T> {
    py.detach(|| {
        let (done, result) = channel();
        let stop = Arc::new(AtomicBool::new(false));
        let asked = stop.clone();
        std::thread::scope(|scope| {
            scope.spawn(move || drop(done.send(work(&asked))));
            let mut interrupted = Ok(());
            let mut look = FIRST_LOOK;
            loop {
                match result.recv_timeout(look) {
                    Ok(value) => return interrupted.map(|()| value),
                    Err(RecvTimeoutError::Disconnected) => panic!("the work panicked"),
                    Err(RecvTimeoutError::Timeout) if interrupted.is_ok() => {
                        interrupted = Python::attach(|py| py.check_signals());
                        stop.store(interrupted.is_err(), Relaxed);
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                }
                look = LOOK;
            }
        })
    })
}
