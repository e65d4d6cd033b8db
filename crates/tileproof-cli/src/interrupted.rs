//! Ctrl-C: work that hears of it ends by itself, other work is left behind with the process, and what stood is said.
//!
//! It must never let work that was left behind say anything: commands ask [`stop::is_interrupted`] before they do. Start at
//! [`or_left`].

use std::panic::resume_unwind;
use std::sync::Mutex;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use tileproof::stop;

use crate::outcome::Outcome;

/// How often is looked whether an interrupt came.
const LOOK: Duration = Duration::from_millis(20);
/// How long work that was interrupted has to end by itself.
const PATIENCE: Duration = Duration::from_millis(500);
/// As much stack as a process begins with.
const STACK: usize = 8 << 20;

/// What stands of the work so far, in a line.
static STANDING: Mutex<String> = Mutex::new(String::new());

/// Says what stands from here on, should an interrupt come.
pub(crate) fn stands(text: impl Into<String>) {
    if let Ok(mut standing) = STANDING.lock() {
        *standing = text.into();
    }
}

/// What stands, for whoever is told of an interrupt; empty if the work has said it itself.
pub(crate) fn standing() -> String {
    STANDING.lock().map(|mut standing| std::mem::take(&mut *standing)).unwrap_or_default()
}

/// Does work that Ctrl-C ends in good order: kernels in processes of their own end with it; what runs in this process is left
/// behind, since files are written beside the old ones until they are whole.
pub(crate) fn or_left(work: impl FnOnce() -> anyhow::Result<Outcome> + Send + 'static) -> anyhow::Result<Outcome> {
    stop::on_interrupt();
    stands("it had not ended: there is no verdict\n");
    let (ends, ended) = mpsc::channel::<()>();
    let worker = thread::Builder::new().stack_size(STACK).spawn(move || {
        let result = work();
        drop(ends);
        result
    })?;
    let mut since: Option<Instant> = None;
    while ended.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
        if stop::is_interrupted() && since.get_or_insert_with(Instant::now).elapsed() > PATIENCE {
            return Ok(Outcome::Found);
        }
    }
    worker.join().unwrap_or_else(|panic| resume_unwind(panic))
}
