//! The destination of a NoC read that is used before `noc_async_read_barrier`.
//!
//! The data of a read arrives some time after the call; only a barrier on the same NoC by the same RISC says that it has
//! (tt-metal `dataflow_api.h`; ISA documentation, `NoC/Ordering.md`). The bytes themselves, and a push that hands them to
//! others, come too early before it. Start reading at [`Reads::on`].

use tileproof_model::abi::barrier;
use tileproof_model::event::{Event, NocPlace, What};
use tileproof_model::finding::{Certainty, Code};
use tileproof_model::observe::Raised;
use tileproof_model::record::BufferAction;
use tileproof_model::wording::cb_name;

use super::outstanding::{Met, OfCore, Scope, Stream, Transfer};
use crate::once::Once;

/// The check.
#[derive(Default, Debug)]
pub struct Reads {
    cores: Vec<OfCore>,
    started: u64,
    once: Once,
}

impl Reads {
    pub(crate) fn launch(&mut self, cores: usize) {
        self.cores = (0..cores).map(|_| OfCore::default()).collect();
    }

    pub(crate) fn on(&mut self, event: &Event, raised: &mut Vec<Raised>) {
        let Some(core) = self.cores.get_mut(event.core) else { return };
        let met = match event.what {
            What::NocRead { noc, to, bytes, from, trid, .. } => {
                // What a read is still bringing is not there for another one either, be it on this core or elsewhere.
                let met = match from {
                    NocPlace::L1(there, offset) => {
                        self.cores.get_mut(there).and_then(|core| core.meets(offset, bytes)).map(|met| (there, met))
                    }
                    NocPlace::Dram => None,
                };
                let stream = Stream { thread: event.thread, noc, posted: false, trid };
                let transfer = Transfer { site: event.site, end: to.saturating_add(bytes), to: None };
                self.cores[event.core].add(stream, to, transfer, self.started);
                self.started += 1;
                met
            }
            What::NocBarrier { noc, kind: kind @ (barrier::READS | barrier::FULL), trid } => {
                return core.wait(event.thread, Scope { noc, kind, trid }, event.site, self.started);
            }
            // A write barrier on one id looks at a counter in which reads with that id count too
            // (ISA documentation, `NoC/Counters.md`, `NIU_MST_REQS_OUTSTANDING_ID`).
            What::NocBarrier { noc, kind: barrier::WRITES, trid: trid @ Some(_) } => {
                let scope = Scope { noc, kind: barrier::READS, trid };
                return core.wait(event.thread, scope, event.site, self.started);
            }
            _ if core.is_empty() => return,
            What::Buffer { action: BufferAction::Push, pages, at, .. } => {
                core.meets(at.offset, pages.saturating_mul(at.page_bytes)).map(|met| (event.core, met))
            }
            What::Unpack { access } => core.meets(access.offset, access.bytes).map(|met| (event.core, met)),
            What::Load { offset, bytes, .. } => core.meets(offset, bytes).map(|met| (event.core, met)),
            What::NocWrite { from, bytes, .. } => core.meets(from, bytes).map(|met| (event.core, met)),
            _ => return,
        };
        if let Some((there, read)) = met {
            self.report(event, (there, read), raised);
        }
    }

    #[cold]
    fn report(&mut self, event: &Event, (there, read): (usize, Met), raised: &mut Vec<Raised>) {
        if !self.once.first(Code::READ_IN_FLIGHT, event) {
            return;
        }
        let (does, text, cb) = match event.what {
            What::Buffer { cb, .. } => {
                (format!("{} is pushed", cb_name(cb)), "hands over pages that may not have arrived", Some(cb))
            }
            What::Unpack { access } => {
                (format!("{} is read", cb_name(access.cb)), "may read the old bytes", Some(access.cb))
            }
            What::NocWrite { .. } => ("L1 is written out".into(), "may send the old bytes", None),
            What::NocRead { .. } => ("L1 is read over the NoC".into(), "may take the old bytes", None),
            _ => ("L1 is loaded".into(), "may load the old bytes", None),
        };
        let without = read.without("noc_async_read_barrier", event.thread);
        let message = format!("{does} while a NoC read into it is in flight: {without}");
        let mut finding = Raised::at(event, Code::READ_IN_FLIGHT, message)
            .text(text)
            .label_on(there, (read.stream.thread, read.site), "the read was started here")
            .fact("noc", read.stream.noc)
            .help("call noc_async_read_barrier on the NoC of the read before this call");
        if let Some(cb) = cb {
            finding = finding.fact("cb", cb_name(cb));
        }
        if let Some(instead) = read.instead_for(event.thread) {
            finding = finding.label_on(there, (instead.thread, instead.site), instead.text.as_str());
        }
        finding.certainty = Certainty::CanHappen;
        raised.push(finding);
    }
}
