//! The source of a NoC write that is given back or overwritten before the write has left L1.
//!
//! A write reads its source some time after the call; `noc_async_writes_flushed` says that it has, and
//! `noc_async_write_barrier` that it has arrived too (tt-metal `dataflow_api.h`). Until then the page must not be popped, nor
//! its bytes stored to. Start reading at [`Writes::on`].

use std::collections::{BTreeMap, BTreeSet};

use tileproof_model::abi::{Site, barrier};
use tileproof_model::event::{Event, NocPlace, What};
use tileproof_model::finding::{Certainty, Code};
use tileproof_model::observe::Raised;
use tileproof_model::record::BufferAction;
use tileproof_model::thread::Thread;
use tileproof_model::wording::cb_name;

use super::arrivals::Arrivals;
use super::outstanding::{Met, OfCore, Scope, Stream, Transfer};
use crate::by_core::BUFFERS;
use crate::once::Once;

/// Writes to a core that have not been shown to be there, by number and call.
#[derive(Clone, Copy, Debug)]
struct Unseen {
    first: (u64, Site),
    last: (u64, Site),
    /// They have left L1: what goes the same way now comes behind them.
    is_flushed: bool,
}

impl Unseen {
    /// What is left when those before a number are known to be there.
    fn after(self, number: u64) -> Option<Unseen> {
        match (self.first.0 < number, self.last.0 < number) {
            (_, true) => None,
            (true, false) => Some(Unseen { first: self.last, ..self }),
            (false, false) => Some(self),
        }
    }
}

/// By the core that they go to, and whether by multicast.
type UnseenTo = BTreeMap<(usize, bool), Unseen>;

/// The check.
#[derive(Default, Debug)]
pub struct Writes {
    cores: Vec<OfCore>,
    /// By core and buffer, the thread that pushed last.
    pushed: Vec<[Option<Thread>; BUFFERS]>,
    /// By core that sends.
    unseen: Vec<BTreeMap<Stream, UnseenTo>>,
    arrivals: Arrivals,
    /// Words that a thread has waited for, by core and offset.
    awaited: BTreeSet<(usize, u32)>,
    started: u64,
    once: Once,
}

impl Writes {
    pub(crate) fn launch(&mut self, cores: usize) {
        self.cores = (0..cores).map(|_| OfCore::default()).collect();
        self.pushed = vec![[None; BUFFERS]; cores];
        self.unseen = vec![BTreeMap::new(); cores];
    }

    pub(crate) fn on(&mut self, event: &Event, raised: &mut Vec<Raised>) {
        let Some(core) = self.cores.get_mut(event.core) else { return };
        for (channel, number) in self.arrivals.on(event, self.started) {
            let is_of = |stream: &Stream| {
                (stream.thread, stream.noc, stream.posted) == (event.thread, channel.noc, channel.posted)
            };
            core.arrived(is_of, channel.to, number);
            for (_, unseen) in self.unseen[event.core].iter_mut().filter(|(stream, _)| is_of(stream)) {
                if let Some(writes) = unseen.remove(&channel.to).and_then(|writes| writes.after(number)) {
                    unseen.insert(channel.to, writes);
                }
            }
        }
        let met = match event.what {
            What::NocWrite { noc, from, bytes, to, posted, multicast, trid, .. } => {
                let stream = Stream { thread: event.thread, noc, posted, trid };
                return self.starts(event, stream, multicast, (from, bytes), to);
            }
            What::NocBarrier { noc, kind, trid } => return self.waits(event, Scope { noc, kind, trid }),
            What::SemaphoreInc { noc, to: NocPlace::L1(there, _) } => {
                return self.announces(event, noc, there, false, raised);
            }
            What::InlineWrite { noc, to: NocPlace::L1(there, offset), is_semaphore } => {
                // Any other word may be data like what goes before it.
                if is_semaphore || self.awaited.contains(&(there, offset)) {
                    self.announces(event, noc, there, true, raised);
                }
                return;
            }
            What::SemaphoreWait { offset } => {
                self.awaited.insert((event.core, offset));
                return;
            }
            What::Buffer { action: BufferAction::Push, cb, .. } => {
                if let Some(pushed) = self.pushed[event.core].get_mut(cb as usize) {
                    *pushed = Some(event.thread);
                }
                return;
            }
            _ if core.is_empty() => return,
            What::Buffer { action: BufferAction::Pop, cb, pages, at } => {
                // Pages that others give back to the very thread that sends them: it fills them anew itself, and must have
                // waited by then.
                let producer = self.pushed[event.core].get(cb as usize).copied().flatten();
                let is_given_up = |sender| sender == event.thread || producer != Some(sender);
                core.meets_of(is_given_up, at.offset, pages.saturating_mul(at.page_bytes))
            }
            What::Pack { access, .. } => core.meets(access.offset, access.bytes),
            What::Store { offset, bytes, .. } => core.meets(offset, bytes),
            What::NocRead { to, bytes, .. } => core.meets(to, bytes),
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

    fn starts(&mut self, event: &Event, stream: Stream, multicast: bool, (from, bytes): (u32, u32), to: NocPlace) {
        let (site, number) = (event.site, self.started);
        self.started += 1;
        let to = match to {
            NocPlace::L1(there, _) => Some((there, multicast)),
            NocPlace::Dram => None,
        };
        self.cores[event.core].add(stream, from, Transfer { site, end: from.saturating_add(bytes), to }, number);
        if let Some(to) = to.filter(|(there, _)| *there != event.core) {
            let unseen = self.unseen[event.core].entry(stream).or_default().entry(to);
            let this = (number, site);
            let writes = unseen.or_insert(Unseen { first: this, last: this, is_flushed: false });
            let first = if writes.is_flushed { this } else { writes.first };
            *writes = Unseen { first, last: this, is_flushed: false };
        }
    }

    fn waits(&mut self, event: &Event, scope: Scope) {
        // A read barrier on one id looks at a counter in which writes with that id count too
        // (ISA documentation, `NoC/Counters.md`, `NIU_MST_REQS_OUTSTANDING_ID`).
        let scope = match scope {
            Scope { kind: barrier::READS, trid: Some(_), .. } => Scope { kind: barrier::WRITES, ..scope },
            _ => scope,
        };
        let kind = scope.kind;
        if matches!(kind, barrier::READS | barrier::ATOMICS) {
            return;
        }
        self.cores[event.core].wait(event.thread, scope, event.site, self.started);
        let of_thread = self.unseen[event.core].iter_mut().filter(|(stream, _)| stream.thread == event.thread);
        for (stream, unseen) in of_thread.filter(|(stream, _)| stream.is_ended_by(scope).is_ok()) {
            // Nobody acknowledges a posted write: that it has left is all that can be known.
            if !stream.posted && matches!(kind, barrier::WRITES | barrier::FULL) {
                unseen.clear();
            } else {
                unseen.values_mut().for_each(|write| write.is_flushed = true);
            }
        }
    }

    /// A semaphore of another core is raised, or set by a write: what was written to that core before must be there, or on the
    /// same way. Writes of one NoC and virtual channel keep their order, and multicasts have a channel of their own (tt-metal
    /// documentation, `data_movement/ordering.rst`).
    fn announces(&mut self, event: &Event, noc: u8, there: usize, is_write: bool, raised: &mut Vec<Raised>) {
        let of_thread = self.unseen[event.core].iter().filter(|(stream, _)| stream.thread == event.thread);
        let to_there = of_thread.flat_map(|(stream, unseen)| {
            let writes = unseen.range((there, false)..=(there, true));
            let is_behind = move |multicast: bool| is_write && !multicast;
            writes.map(move |(to, write)| (write.first.0, *stream, *write, write.is_flushed || is_behind(to.1)))
        });
        let early = to_there.filter(|(_, stream, _, is_behind)| !(*is_behind && stream.noc == noc));
        if let Some((_, stream, write, _)) = early.min_by_key(|(number, ..)| *number) {
            self.report_credit(event, noc, (stream, write), raised);
        }
    }

    #[cold]
    fn report(&mut self, event: &Event, write: Met, raised: &mut Vec<Raised>) {
        if !self.once.first(Code::WRITE_IN_FLIGHT, event) {
            return;
        }
        let (does, text) = match event.what {
            What::Buffer { cb, .. } => (format!("{} is popped", cb_name(cb)), "frees pages that are still being sent"),
            What::Pack { access, .. } => (format!("{} is packed to", cb_name(access.cb)), "may change what is sent"),
            What::NocRead { .. } => ("L1 is read into".into(), "may change what is sent"),
            _ => ("L1 is stored to".to_string(), "may change what is sent"),
        };
        let without = write.without("noc_async_writes_flushed or write barrier", event.thread);
        let message = format!("{does} while a NoC write may still be reading it: {without}");
        let mut finding = Raised::at(event, Code::WRITE_IN_FLIGHT, message)
            .text(text)
            .label(Some((write.stream.thread, write.site)), "the write was started here")
            .fact("noc", write.stream.noc)
            .help("call noc_async_writes_flushed or noc_async_write_barrier on the NoC of the write before this call");
        if write.stream.posted {
            finding = finding.remark("the write is posted: noc_async_posted_writes_flushed waits for it");
        }
        if let Some(instead) = write.instead_for(event.thread) {
            finding = finding.label(Some((instead.thread, instead.site)), instead.text.as_str());
        }
        finding.certainty = Certainty::CanHappen;
        raised.push(finding);
    }

    #[cold]
    fn report_credit(&mut self, event: &Event, noc: u8, (stream, write): (Stream, Unseen), raised: &mut Vec<Raised>) {
        if !self.once.first(Code::CREDIT_BEFORE_DATA, event) {
            return;
        }
        let does = if matches!(event.what, What::InlineWrite { .. }) { "set" } else { "raised" };
        let message = format!(
            "semaphore of a core is {does} while a NoC write to that core is in flight: it may be seen before the data"
        );
        let mut finding = Raised::at(event, Code::CREDIT_BEFORE_DATA, message)
            .text("may arrive first")
            .label(Some((stream.thread, write.first.1)), "the write was started here")
            .fact("noc", stream.noc)
            .help("call noc_async_write_barrier, or noc_async_writes_flushed on the same NoC, before this call");
        if write.is_flushed {
            finding = finding.remark(format!(
                "the write was flushed on NoC {} and the semaphore goes over NoC {noc}: nothing orders two NoCs",
                stream.noc
            ));
        }
        finding.certainty = Certainty::CanHappen;
        raised.push(finding);
    }

    #[cold]
    fn report_end(&mut self, event: &Event, write: Met, raised: &mut Vec<Raised>) {
        if !self.once.first(Code::WRITE_AT_END, event) {
            return;
        }
        let message =
            "the kernel ends while a NoC write of its own is outstanding: whoever runs next may come before it";
        let mut finding = Raised::at(event, Code::WRITE_AT_END, message.into())
            .text("last write")
            .fact("noc", write.stream.noc)
            .help("call noc_async_write_barrier before the kernel returns");
        finding.site = write.site;
        finding.certainty = Certainty::CanHappen;
        raised.push(finding);
    }
}
