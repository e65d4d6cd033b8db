//! Host threads that are there before a launch and help with it, for a process that may start none while kernels run.
//!
//! Start at [`Standby::all`].

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use crate::black_box;

/// Work that any number of host threads share.
pub(crate) trait Work: Send + Sync + 'static {
    /// Takes pieces of it until none is left.
    fn work(&self);
}

/// Host threads that wait for work.
pub(crate) struct Standby {
    waiting: Vec<Sender<Arc<dyn Work>>>,
    /// Whether each came to the end of its part.
    done: Receiver<bool>,
}

impl Standby {
    /// Starts so many.
    ///
    /// # Errors
    /// If the host has no room for one.
    pub(crate) fn start(count: usize) -> std::io::Result<Standby> {
        let (tell, done) = channel();
        let start = |number: usize| {
            let (give, take) = channel::<Arc<dyn Work>>();
            let tell = tell.clone();
            std::thread::Builder::new().name(format!("core-{number}")).spawn(move || {
                black_box::take_place();
                while let Ok(work) = take.recv() {
                    let end = catch_unwind(AssertUnwindSafe(|| work.work()));
                    // Whoever gave it wants it back whole.
                    drop(work);
                    if tell.send(end.is_ok()).is_err() {
                        break;
                    }
                }
            })?;
            Ok(give)
        };
        let waiting = (0..count).map(start).collect::<std::io::Result<_>>()?;
        Ok(Standby { waiting, done })
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.waiting.len()
    }

    /// Has the calling host thread and up to `most` others do some work; returns when none of them has it any more.
    ///
    /// # Panics
    /// If one of them did.
    pub(crate) fn all<W: Work>(&self, work: &Arc<W>, most: usize) {
        let helping: Vec<_> = self.waiting.iter().take(most).collect();
        for helper in &helping {
            helper.send(work.clone()).expect("helpers wait for work");
        }
        work.work();
        let all_well = helping.iter().fold(true, |well, _| self.done.recv().unwrap_or(false) && well);
        assert!(all_well, "a helper panicked");
    }
}
