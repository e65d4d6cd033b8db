//! The source of a NoC write that is given back or overwritten before the write has left L1.
//!
//! A write reads its source some time after the call; `noc_async_writes_flushed` says that it has, and
//! `noc_async_write_barrier` that it has arrived too (tt-metal `dataflow_api.h`). Until then the page must not be popped, nor
//! its bytes stored to. Start reading at [`Writes::on`].

use tileproof_model::abi::barrier;
use tileproof_model::event::{Event, NocPlace, What};
use tileproof_model::finding::{Certainty, Code};
use tileproof_model::observe::Raised;
use tileproof_model::record::BufferAction;

use super::{Outstanding, Transfer};
use crate::buffers::name;
use crate::once::Once;

/// The check.
#[derive(Default, Debug)]
pub struct Writes {
    cores: Vec<Outstanding>,
    once: Once,
}

impl Writes {
    pub(crate) fn launch(&mut self, cores: usize) {
        self.cores = (0..cores).map(|_| Outstanding::default()).collect();
    }

    pub(crate) fn on(&mut self, event: &Event, raised: &mut Vec<Raised>) {
        let Some(core) = self.cores.get_mut(event.core) else { return };
        let met = match event.what {
            What::NocWrite { noc, from, bytes, to, .. } => {
                let there = match to {
                    NocPlace::L1(there, _) if there != event.core => Some(there),
                    _ => None,
                };
                return core.add((event.thread, event.site), noc, (from, bytes), there);
            }
            What::NocBarrier { noc, kind: barrier::WRITES | barrier::WRITES_FLUSHED | barrier::FULL } => {
                return core.wait(event.thread, noc, event.site);
            }
            _ if core.0.is_empty() => return,
            What::Buffer { action: BufferAction::Pop, pages, at, .. } => {
                core.meets(at.offset, pages.saturating_mul(at.page_bytes))
            }
            What::Pack { access, .. } => core.meets(access.offset, access.bytes),
            What::Store { offset, bytes, .. } => core.meets(offset, bytes),
            What::NocRead { to, bytes, .. } => core.meets(to, bytes),
            What::SemaphoreInc { to: NocPlace::L1(there, _) } => {
                let write = core.0.iter().find(|t| t.thread == event.thread && t.core == Some(there)).copied();
                if let Some(write) = write {
                    self.report_credit(event, write, raised);
                }
                return;
            }
            What::Returned => {
                if let Some(write) = core.of(event.thread) {
                    self.report_end(event, write, raised);
                }
                return;
            }
            _ => return,
        };
        if let Some(write) = met {
            self.report(event, write, raised);
        }
    }

    #[cold]
    fn report(&mut self, event: &Event, write: Transfer, raised: &mut Vec<Raised>) {
        if !self.once.first(Code::WRITE_IN_FLIGHT, event) {
            return;
        }
        let (does, text) = match event.what {
            What::Buffer { cb, .. } => (format!("{} is popped", name(cb)), "frees pages that are still being sent"),
            What::Pack { access, .. } => (format!("{} is packed to", name(access.cb)), "may change what is sent"),
            What::NocRead { .. } => ("L1 is read into".into(), "may change what is sent"),
            _ => ("L1 is stored to".to_string(), "may change what is sent"),
        };
        let message = format!(
            "{does} while a NoC write may still be reading it: no noc_async_writes_flushed or write barrier came between"
        );
        let mut finding = Raised::at(event, Code::WRITE_IN_FLIGHT, message)
            .text(text)
            .label(Some((write.thread, write.site)), "the write was started here")
            .fact("noc", write.noc)
            .help("call noc_async_writes_flushed or noc_async_write_barrier on the NoC of the write before this call");
        if let Some(site) = write.elsewhere {
            finding = finding
                .label(Some((write.thread, site)), format!("this barrier waits for NoC {} alone", 1 - write.noc));
        }
        finding.certainty = Certainty::CanHappen;
        raised.push(finding);
    }

    #[cold]
    fn report_credit(&mut self, event: &Event, write: Transfer, raised: &mut Vec<Raised>) {
        if !self.once.first(Code::CREDIT_BEFORE_DATA, event) {
            return;
        }
        let message =
            "semaphore of a core is raised while a NoC write to that core is in flight: it may be seen before the data";
        let mut finding = Raised::at(event, Code::CREDIT_BEFORE_DATA, message.into())
            .text("may arrive first")
            .label(Some((write.thread, write.site)), "the write was started here")
            .fact("noc", write.noc)
            .help("call noc_async_write_barrier, or noc_async_writes_flushed on the same NoC, before this call");
        finding.certainty = Certainty::CanHappen;
        raised.push(finding);
    }

    #[cold]
    fn report_end(&mut self, event: &Event, write: Transfer, raised: &mut Vec<Raised>) {
        if !self.once.first(Code::WRITE_AT_END, event) {
            return;
        }
        let message =
            "the kernel ends while a NoC write of its own is outstanding: whoever runs next may come before it";
        let mut finding = Raised::at(event, Code::WRITE_AT_END, message.into())
            .text("last write")
            .fact("noc", write.noc)
            .help("call noc_async_write_barrier before the kernel returns");
        finding.site = write.site;
        finding.certainty = Certainty::CanHappen;
        raised.push(finding);
    }
}
