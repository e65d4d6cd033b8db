//! Findings repeat: one for each call site of a core is enough.
//!
//! It must never be asked on the way of a right kernel, only where something is wrong. Start reading at [`Once`].

use std::collections::BTreeSet;

use tileproof_model::abi::Site;
use tileproof_model::event::Event;
use tileproof_model::finding::Code;
use tileproof_model::thread::Thread;

/// What has been reported.
#[derive(Default, Debug)]
pub(crate) struct Once(BTreeSet<(Code, usize, Thread, Site)>);

impl Once {
    /// True the first time that a code is asked for at the place of an event.
    pub(crate) fn first(&mut self, code: Code, event: &Event) -> bool {
        self.0.insert((code, event.core, event.thread, event.site))
    }
}
