//! Threads that could not go on when a launch ended, and lines of calls: what pictures of a run need beside what an observer sees.
//!
//! To be asked between launches, of the last one. Start at [`Machine::stuck`].

use tileproof_model::abi::Site;
use tileproof_model::observe::Observer;
use tileproof_model::thread::{CoreCoord, Thread};
use tileproof_model::timeline::{CallPlace, Stuck};

use crate::core::Core;
use crate::hart::Wait;
use crate::machine::Machine;

impl<O: Observer> Machine<O> {
    /// The threads of a core of the last launch that could not go on.
    pub fn stuck(&self, core: usize) -> Vec<Stuck> {
        let core = &self.engine.cores[core];
        Thread::ALL.into_iter().filter_map(|thread| core.stuck(thread)).collect()
    }

    /// The line of a call of the last launch.
    pub fn call_place(&self, core: usize, thread: Thread, site: Site) -> CallPlace {
        self.engine.cores[core].call_place(thread, site)
    }
}

impl Core {
    fn call_place(&self, thread: Thread, site: Site) -> CallPlace {
        let place = self.place(thread, site);
        CallPlace { kernel: place.kernel, location: place.location }
    }

    fn stuck(&self, thread: Thread) -> Option<Stuck> {
        let wait = self.wait_of(thread)?;
        let cb = match wait {
            Wait::CbFront { cb, .. } | Wait::CbBack { cb, .. } => cb,
            _ => u32::MAX,
        };
        let by: Vec<(CoreCoord, Thread)> = match wait {
            Wait::Semaphore { offset, .. } => self.signals.senders(offset).map(|s| (s.core, s.thread)).collect(),
            _ => self.provider_of(thread, wait).map(|thread| (self.coord, thread)).into_iter().collect(),
        };
        Some(Stuck {
            thread,
            place: self.call_place(thread, self.site_of(thread)),
            since: self.harts[thread as usize].as_ref().map_or(0, |hart| hart.clock),
            text: self.describe(wait),
            cb,
            by,
        })
    }
}
