//! Findings that the machine makes itself, put together where the fact is known.

#![allow(unsafe_code)]

use std::collections::BTreeSet;

use tileproof_model::abi::Site;
use tileproof_model::finding::{Code, Finding, Label, Place};
use tileproof_model::observe::Observer;
use tileproof_model::thread::{CoreCoord, Thread};
use tileproof_model::wording::cb_name;

use crate::buffer::buffer_nowhere;
use crate::core::{Core, SEMAPHORES};
use crate::machine::Engine;

/// Collects findings; the same one at the same site of a core is kept once.
#[derive(Default)]
pub(crate) struct Sink {
    raised: BTreeSet<(Code, CoreCoord, Thread, Site, String)>,
    pub(crate) findings: Vec<Finding>,
}

impl Sink {
    /// Adds the finding unless the site raised it before.
    pub(crate) fn raise(&mut self, site: Site, finding: Finding) {
        let key = (finding.code, finding.primary.core, finding.primary.thread, site, finding.message.clone());
        if self.raised.insert(key) {
            self.findings.push(finding);
        }
    }
}

impl<O: Observer> Engine<O> {
    /// A thread uses a word of L1 of core `of`: says so if that is a semaphore which the launch does not have there. The word
    /// is there all the same, with what an earlier program left in it, and the run goes on.
    pub(crate) fn uses_semaphore(&mut self, by: (usize, Thread), site: Site, of: usize, address: u32) {
        let core = &self.cores[of];
        if let Some(id) = core.semaphore_missing(core.l1.offset(address)) {
            self.no_such_semaphore(by, site, of, id);
        }
    }

    /// A thread asks for a semaphore that core `of` does not have.
    #[cold]
    pub(crate) fn no_such_semaphore(&mut self, (core, thread): (usize, Thread), site: Site, of: usize, id: u32) {
        let message = match id {
            SEMAPHORES.. => format!("semaphore {id} does not exist: a core has {SEMAPHORES}"),
            _ if of == core => format!("semaphore {id} was not configured on this core"),
            _ => format!("semaphore {id} was not configured on core {}", self.cores[of].coord),
        };
        let mut finding = self.cores[core].finding(Code::NO_SUCH_SEMAPHORE, thread, site, message);
        finding.primary_text = "uses what an earlier program left".into();
        finding.facts.insert("semaphore".into(), id.to_string());
        finding.help = Some("give the program a semaphore with this id whose core ranges hold that core".into());
        self.sink.raise(site, finding);
    }
}

impl Core {
    /// The circular buffer that this core does not have, and whose pointers hold an address in its L1 window, or an offset.
    pub(crate) fn unconfigured_at(&self, address: u64) -> Option<u32> {
        let offset = address.checked_sub(self.l1.base().into()).unwrap_or(address);
        let cb = buffer_nowhere(u32::try_from(offset).ok()?)?;
        matches!(self.cbs.get(cb as usize), Some(None)).then_some(cb)
    }

    /// A thread uses a circular buffer that this core does not have.
    #[cold]
    pub(crate) fn no_such_buffer(&self, sink: &mut Sink, thread: Thread, site: Site, cb: u32) {
        let message =
            format!("{thread} uses {}, which is not configured on this core: nobody can push to it", cb_name(cb));
        let mut finding = self.finding(Code::NO_SUCH_BUFFER, thread, site, message);
        finding.facts.insert("cb".into(), cb_name(cb));
        finding.help = Some("add a circular buffer with this index to the program, for this core".into());
        sink.raise(site, finding);
    }

    /// The source place of a call that a thread of this core made.
    pub(crate) fn place(&self, thread: Thread, site: Site) -> Place {
        let hart = self.harts[thread as usize].as_ref();
        let location = hart.filter(|_| site != Site::default()).and_then(|hart| {
            // SAFETY: sites are kept with the thread that made the call, and a thread runs one kernel in a launch.
            unsafe { hart.kernel.locate(site) }
        });
        let kernel = hart.map_or_else(String::new, |h| h.kernel.name().to_string());
        Place { location, kernel, core: self.coord, thread }
    }

    /// A finding at a call of a thread of this core.
    pub(crate) fn finding(&self, code: Code, thread: Thread, site: Site, message: String) -> Finding {
        Finding::new(code, self.place(thread, site), message)
    }

    /// A label at a call of a thread of this core.
    pub(crate) fn label(&self, thread: Thread, site: Site, text: impl Into<String>) -> Label {
        Label { place: self.place(thread, site), text: text.into() }
    }
}
