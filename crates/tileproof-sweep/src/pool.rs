//! Several workers on the cells that are left.
//!
//! It must never hold an outcome back: each is handed over as soon as it is there. Start at [`run`].

use std::ffi::OsString;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::channel;

use crate::SweepError;
use crate::apart::Worker;
use crate::cell::{Cell, Outcome};
use crate::spec::Spec;

/// Carries out the cells `pending` of a sweep in `workers` processes that `command` starts; `done` is told of each.
///
/// # Errors
/// If no worker can be started, if `stop` is set, or what `done` gives.
pub fn run(
    spec: &Spec,
    (cells, pending): (&[Cell], &[usize]),
    (command, workers): (&[OsString], usize),
    stop: &AtomicBool,
    done: &mut dyn FnMut(usize, Outcome) -> Result<(), SweepError>,
) -> Result<(), SweepError> {
    let next = AtomicUsize::new(0);
    let (tell, told) = channel();
    let result = std::thread::scope(|scope| {
        for _ in 0..workers.min(pending.len()) {
            let (tell, next) = (tell.clone(), &next);
            scope.spawn(move || {
                let mut worker = Worker::new(command.to_vec(), spec.folder.clone(), spec.limits);
                while let Some(at) = pending.get(next.fetch_add(1, Relaxed)) {
                    let outcome = worker.run(&cells[*at], stop);
                    let is_over = outcome.is_err();
                    if tell.send((*at, outcome)).is_err() || is_over {
                        break;
                    }
                }
            });
        }
        drop(tell);
        let mut first = Ok(());
        for (at, outcome) in told {
            let kept = outcome.and_then(|outcome| done(at, outcome));
            if kept.is_err() && first.is_ok() {
                first = kept;
                next.store(pending.len(), Relaxed);
            }
        }
        first
    });
    if stop.load(Relaxed) && result.is_ok() { Err(SweepError::Stopped) } else { result }
}
