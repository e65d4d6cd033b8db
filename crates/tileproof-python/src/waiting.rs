//! Waits for work that does not need the interpreter, so that Ctrl-C is heard and other threads of Python go on.
//!
//! It must never leave work behind that still uses what it borrows. Start at [`while_it_runs`].

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use pyo3::prelude::*;

/// How often signals are looked at.
const LOOK: Duration = Duration::from_millis(50);
/// Work that is done by then is not worth a second thread's wake-ups; the first look comes as soon.
const FIRST_LOOK: Duration = Duration::from_millis(5);

/// What `work` gives; it runs without the interpreter.
///
/// # Errors
/// The exception of a signal that came meanwhile: it is raised once the work has ended.
pub(crate) fn while_it_runs<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    py.detach(|| {
        let (done, result) = channel();
        std::thread::scope(|scope| {
            scope.spawn(move || drop(done.send(work())));
            let mut interrupted = Ok(());
            let mut look = FIRST_LOOK;
            loop {
                match result.recv_timeout(look) {
                    Ok(value) => return interrupted.map(|()| value),
                    Err(RecvTimeoutError::Disconnected) => panic!("the work panicked"),
                    Err(RecvTimeoutError::Timeout) if interrupted.is_ok() => {
                        interrupted = Python::attach(|py| py.check_signals());
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                }
                look = LOOK;
            }
        })
    })
}
