//! Findings that the machine makes itself, put together where the fact is known.

#![allow(unsafe_code)]

use tileproof_model::abi::Site;
use tileproof_model::finding::{Code, Finding, Label, Place};
use tileproof_model::observe::Raises;
use tileproof_model::thread::Thread;
use tileproof_model::wording::cb_name;

use crate::black_box;
use crate::buffer::buffer_nowhere;
use crate::core::Core;

/// Collects findings and notes; what the same call does again is not told again.
#[derive(Default)]
pub(crate) struct Sink {
    /// What observers raise, and what was told.
    pub(crate) raises: Raises,
    pub(crate) findings: Vec<Finding>,
    pub(crate) notes: Vec<Finding>,
}

impl Sink {
    /// Adds what the machine found at a call of a core, unless that call raised it before.
    pub(crate) fn raise(&mut self, core: usize, site: Site, finding: Finding) {
        if self.raises.is_new(finding.code, core, (finding.primary.thread, site), &finding.message) {
            black_box::keep(&finding);
            self.findings.push(finding);
        }
    }

    /// The same for what right kernels do too.
    pub(crate) fn note(&mut self, core: usize, site: Site, note: Finding) {
        if self.raises.is_new(note.code, core, (note.primary.thread, site), &note.message) {
            self.notes.push(note);
        }
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
        sink.raise(self.index, site, finding);
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
