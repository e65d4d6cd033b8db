//! What is said of a race: which of the kinds that have a code of their own it is, both ends, and what would order them.
//!
//! Start at [`Races::tell`].

use tileproof_model::abi::Site;
use tileproof_model::event::{Event, What};
use tileproof_model::finding::{Certainty, Code};
use tileproof_model::layout::Owner;
use tileproof_model::observe::{Raised, Raises};
use tileproof_model::thread::Thread;
use tileproof_model::wording::cb_name;

use super::edges::Signalled;
use super::races::{Call, Later, Memory, Races, actor_of, thread_of};
use super::shadow::{Access, Act, Met};
use super::transfers::{End, Kind, Scope};

impl Races {
    /// Says that something comes too early for what was there before it, unless another check has said why.
    #[cold]
    pub(super) fn tell(&mut self, event: &Event, later: Later, memory: Memory, met: Met, raised: &mut Raises) -> bool {
        let first = met.first;
        let me = actor_of(event.core, event.thread);
        let owner = &self.actors[first.actor as usize];
        let has_waited = owner.known.has(first.at) || owner.known.has(first.or);
        let is_told = self.actors[me].known.has(first.issued);
        let writes = matches!(later, Later::Pop(_)) || matches!(later, Later::Touch(act) if act.is_write());
        let mut finding = match first.act {
            Act::ReadLands if !has_waited => self.in_flight(event, later, memory, &met),
            Act::WriteTakes if !has_waited && writes => self.leaving(event, later, memory, &met),
            Act::WriteLands if is_told && !writes => self.not_landed(event, me, later, memory, &met),
            Act::Pack => {
                self.unpushed(event, memory, &met).unwrap_or_else(|| self.unordered(event, later, memory, &met))
            }
            _ => self.unordered(event, later, memory, &met),
        };
        // What another check says of either call is why nothing orders them.
        let (there, thread) = thread_of(first.actor);
        let calls = [(event.core, event.thread, event.site), (there, thread, first.site)];
        if finding.code == Code::UNORDERED && calls.iter().any(|call| self.spoken.contains(call)) {
            return false;
        }
        finding.certainty = Certainty::CanHappen;
        raised.push_first(finding);
        true
    }

    /// TP0501: the destination of a read before its barrier.
    fn in_flight(&self, event: &Event, later: Later, memory: Memory, met: &Met) -> Raised {
        let first = &met.first;
        let (there, thread) = thread_of(first.actor);
        let (does, text) = match later {
            Later::Push(cb) => (format!("{} is pushed", cb_name(cb)), "hands over pages that may not have arrived"),
            Later::Touch(Act::Unpack) => (format!("{} is read", self.cb_or_l1(memory, met)), "may read the old bytes"),
            Later::Touch(Act::WriteTakes) => ("L1 is written out".into(), "may send the old bytes"),
            Later::Touch(Act::ReadTakes) => ("L1 is read over the NoC".into(), "may take the old bytes"),
            Later::Touch(Act::Load) => ("L1 is loaded".into(), "may load the old bytes"),
            Later::Touch(act) => {
                (format!("{} is {}", self.bytes(memory, met), does(act)), "may be overwritten by the read")
            }
            Later::Pop(cb) => (format!("{} is popped", cb_name(cb)), "frees pages that a read still fills"),
        };
        let without = self.without(first, event.thread, "noc_async_read_barrier");
        let message = format!("{does} while a NoC read into it is in flight: {without}");
        let mut finding = Raised::at(event, Code::READ_IN_FLIGHT, message)
            .text(text)
            .label_on(there, (thread, first.site), "the read was started here")
            .fact("noc", self.noc(first))
            .help("call noc_async_read_barrier on the NoC of the read before this call");
        if let Some(cb) = self.cb(memory, met) {
            finding = finding.fact("cb", cb_name(cb));
        }
        self.with_instead(finding, event, first)
    }

    /// TP0502: the source of a write before it has left.
    fn leaving(&self, event: &Event, later: Later, memory: Memory, met: &Met) -> Raised {
        let first = &met.first;
        let (there, thread) = thread_of(first.actor);
        let (does, text) = match later {
            Later::Pop(cb) => (format!("{} is popped", cb_name(cb)), "frees pages that are still being sent"),
            Later::Touch(Act::Pack) => {
                (format!("{} is packed to", self.cb_or_l1(memory, met)), "may change what is sent")
            }
            Later::Touch(Act::ReadLands) => ("L1 is read into".into(), "may change what is sent"),
            Later::Touch(Act::WriteLands) => ("L1 is written to over the NoC".into(), "may change what is sent"),
            _ => ("L1 is stored to".to_string(), "may change what is sent"),
        };
        let without = self.without(first, event.thread, "noc_async_writes_flushed or write barrier");
        let message = format!("{does} while a NoC write may still be reading it: {without}");
        let mut finding = Raised::at(event, Code::WRITE_IN_FLIGHT, message)
            .text(text)
            .label_on(there, (thread, first.site), "the write was started here")
            .fact("noc", self.noc(first))
            .help("call noc_async_writes_flushed or noc_async_write_barrier on the NoC of the write before this call");
        if matches!(self.kind(first), Some(Kind { end: End::Source { posted: true }, .. })) {
            finding = finding.remark("the write is posted: noc_async_posted_writes_flushed waits for it");
        }
        self.with_instead(finding, event, first)
    }

    /// TP0506: whoever reads was told of a write before it is there. TP0510: nobody else has a part in it.
    fn not_landed(&self, event: &Event, me: usize, later: Later, memory: Memory, met: &Met) -> Raised {
        let first = &met.first;
        let (there, thread) = thread_of(first.actor);
        if let Some(signal) = self.signal(me, first) {
            return self.told_early(event, later, (memory, met), signal);
        }
        let bytes = self.bytes(memory, met);
        let does = match later {
            Later::Push(cb) => format!("{} is pushed", cb_name(cb)),
            Later::Pop(cb) => format!("{} is popped", cb_name(cb)),
            Later::Touch(act) => format!("{bytes} is {}", does(act)),
        };
        let is_multicast = matches!(self.kind(first), Some(Kind { end: End::Landing { multicast: true, .. }, .. }));
        let write = match (there == event.core, is_multicast) {
            (true, true) => "the own copy of a multicast",
            (true, false) => "a NoC write to its own core",
            _ => "a NoC write",
        };
        let text = match later {
            Later::Push(_) => "hands over pages that may not have arrived",
            _ => "may see the old bytes",
        };
        let message = format!("{does} while nothing says that {write} has landed there");
        let finding = Raised::at(event, Code::WRITE_NOT_LANDED, message)
            .text(text)
            .label_on(there, (thread, first.site), "the write was started here")
            .fact("noc", self.noc(first))
            .help(
                "call noc_async_write_barrier on the NoC of the write before this call: a flush says that data have left, not \
                 that they have landed",
            );
        self.with_instead(finding, event, first)
    }

    /// A signal came before the data that it announces.
    fn told_early(&self, event: &Event, later: Later, (memory, met): (Memory, &Met), signal: Signalled) -> Raised {
        let first = &met.first;
        let (there, thread) = thread_of(signal.actor);
        let how = if signal.adds { "raised" } else { "set" };
        let is_dram = matches!(memory, Memory::Dram(_));
        let to = if is_dram { "DRAM" } else { "that core" };
        let message = format!(
            "semaphore of a core is {how} while a NoC write to {to} is in flight: it may be seen before the data"
        );
        let noc = self.noc(first);
        let used = match later {
            Later::Push(cb) => format!("{} is pushed here, on the strength of that semaphore", cb_name(cb)),
            Later::Pop(cb) => format!("{} is popped here, on the strength of that semaphore", cb_name(cb)),
            Later::Touch(act) => {
                format!("{} is {} here, on the strength of that semaphore", self.bytes(memory, met), does(act))
            }
        };
        let mut finding = Raised::of(there, (thread, signal.site), Code::CREDIT_BEFORE_DATA, message)
            .fact("cycle", event.cycle)
            .text("may arrive first")
            .label_on(there, (thread, first.site), "the write was started here")
            .label_on(event.core, (event.thread, event.site), used)
            .fact("noc", noc)
            .help(if is_dram {
                "call noc_async_write_barrier before this call: a flush says that data have left, not that they have landed"
            } else {
                "call noc_async_write_barrier, or noc_async_writes_flushed on the same NoC, before this call"
            });
        if signal.noc != noc {
            let has_left = self.actors[first.actor as usize].transfers.has_left(first.at);
            finding = finding.remark(format!(
                "the write {} NoC {noc} and the semaphore goes over NoC {}: nothing orders two NoCs",
                if has_left { "was flushed on" } else { "goes over" },
                signal.noc
            ));
        }
        finding
    }

    /// TP0505: UNPACK reads a page of the buffer that it asks for, and not what lies behind its end, and the pack is not known to be over.
    fn unpushed(&self, event: &Event, memory: Memory, met: &Met) -> Option<Raised> {
        let What::Unpack { access } = event.what else { return None };
        let cb = self.cb(memory, met).filter(|cb| *cb == access.cb).map(cb_name)?;
        let (there, thread) = thread_of(met.first.actor);
        let tile = access.tile;
        let message =
            format!("tile {tile} of {cb} is read, and PACK has packed to it without a push: nothing orders the two");
        let finding = Raised::at(event, Code::UNPACK_UNORDERED, message)
            .text("may read the old tile, the new one, or both")
            .label_on(there, (thread, met.first.site), "packed here, and not pushed since")
            .fact("cb", cb)
            .fact("tile", tile)
            .help("pop the page, reserve it, pack, push, and wait for it again");
        Some(finding)
    }

    /// TP0511: nothing orders the two at all.
    fn unordered(&self, event: &Event, later: Later, memory: Memory, met: &Met) -> Raised {
        let first = &met.first;
        let (there, thread) = thread_of(first.actor);
        let bytes = self.bytes(memory, met);
        let who = |core: usize, thread: Thread| {
            if there == event.core && thread != event.thread {
                thread.to_string()
            } else {
                format!("{thread} of core {}", self.layout.cores[core].coord)
            }
        };
        let (before, after) = (
            did(first.act),
            match later {
                Later::Push(_) => "pushed",
                Later::Pop(_) => "popped",
                Later::Touch(act) => does(act),
            },
        );
        let writes = matches!(later, Later::Touch(act) if act.is_write());
        let outcome = match (first.act.is_write(), writes) {
            (true, false) if matches!(later, Later::Push(_)) => "it may be written over before it is used",
            (true, true) => "whichever comes last stays",
            (false, true) => "it may overwrite what is still to be read",
            _ => "it may read what was there before",
        };
        let message = format!(
            "{bytes} is {after} by {}, and {} {before}: nothing orders the two, so that {outcome}",
            who(event.core, event.thread),
            if thread == event.thread && there == event.core { "the same thread".into() } else { who(there, thread) },
        );
        let label = match first.act.is_write() {
            true => "the other access: it may come later than this",
            false => "still reads there, for all that is known",
        };
        let mut finding = Raised::at(event, Code::UNORDERED, message)
            .text(outcome)
            .label_on(there, (thread, first.site), label)
            .fact("bytes", &bytes)
            .fact("other", thread);
        finding = finding.help(if there != event.core {
            if writes && !first.act.is_write() || matches!(later, Later::Push(_)) {
                "let the other core say when there is room, by a semaphore that it raises after its reserve or pop, and wait \
                 for that before this call"
            } else {
                "let the other core raise a semaphore behind its access, with the barrier before it, and wait for that before \
                 this call"
            }
        } else if thread == event.thread {
            "wait for the first of the two with its barrier before the second"
        } else {
            "give each thread its own bytes, or hand them over: a push and cb_wait_front, a pop and cb_reserve_back, or a \
             semaphore"
        });
        finding
    }

    /// What stands against `call`, which waits for such transfers, as the end of a sentence.
    fn without(&self, first: &Access, by: Thread, call: &str) -> String {
        let (_, thread) = thread_of(first.actor);
        if self.actors[first.actor as usize].transfers.instead(first.at).is_some() || self.in_vain(first, by).is_some()
        {
            format!("no {call} that waits for it came between")
        } else if self.any_waits(first) {
            format!("no {call} of {thread} came between")
        } else {
            format!("no {call} came between")
        }
    }

    /// Whether another thread of the core has such a barrier.
    fn any_waits(&self, first: &Access) -> bool {
        let (core, _) = thread_of(first.actor);
        let others = Thread::ALL.into_iter().map(|thread| actor_of(core, thread));
        others.filter(|actor| *actor != first.actor as usize).any(|actor| self.waits_for(actor, first).is_some())
    }

    /// A barrier of a thread that would wait for a transfer, were it its own.
    fn waits_for(&self, actor: usize, first: &Access) -> Option<Site> {
        let kind = self.kind(first)?;
        let waited = self.actors.get(actor)?.transfers.waited.iter();
        waited
            .filter(|waited| Scope { noc: kind.noc, ..waited.scope }.covers(kind).is_ok())
            .map(|waited| waited.site)
            .next_back()
    }

    /// A barrier of the thread that comes too early, which waits for what it has started alone.
    fn in_vain(&self, first: &Access, by: Thread) -> Option<Site> {
        let (core, thread) = thread_of(first.actor);
        if thread == by { None } else { self.waits_for(actor_of(core, by), first) }
    }

    fn with_instead(&self, finding: Raised, event: &Event, first: &Access) -> Raised {
        let (there, thread) = thread_of(first.actor);
        if let Some((site, why)) = self.actors[first.actor as usize].transfers.instead(first.at) {
            return finding.label_on(there, (thread, site), why);
        }
        match self.in_vain(first, event.thread).filter(|_| there == event.core) {
            Some(site) => {
                let why = format!("this barrier waits for what {} started, not for what {thread} did", event.thread);
                finding.label(Some((event.thread, site)), why)
            }
            None => finding,
        }
    }

    fn kind(&self, first: &Access) -> Option<Kind> {
        self.actors[first.actor as usize].transfers.kind_of(first.at)
    }

    fn noc(&self, first: &Access) -> u8 {
        self.kind(first).map_or(0, |kind| kind.noc)
    }

    /// The signal of the thread that started a transfer, as far as a thread, or another of its core, has seen one.
    fn signal(&self, me: usize, first: &Access) -> Option<Signalled> {
        let (core, thread) = thread_of(me as u32);
        let own = std::iter::once(thread).chain(Thread::ALL);
        let seen = own.filter_map(|thread| self.actors.get(actor_of(core, thread)));
        let mut signals = seen.flat_map(|actor| actor.told.iter().filter(|signal| signal.actor == first.actor));
        signals.next().copied()
    }

    fn cb(&self, memory: Memory, met: &Met) -> Option<u32> {
        let Memory::L1(core) = memory else { return None };
        match self.layout.cores[core].owner(met.offset) {
            Owner::Buffer { cb, .. } => Some(cb),
            _ => None,
        }
    }

    fn cb_or_l1(&self, memory: Memory, met: &Met) -> String {
        self.cb(memory, met).map_or("L1".into(), cb_name)
    }

    /// The bytes that both touch, by whose they are.
    fn bytes(&self, memory: Memory, met: &Met) -> String {
        match memory {
            Memory::L1(core) => self.layout.cores[core].owner(met.offset).to_string(),
            Memory::Dram(bank) => self.layout.in_dram(bank, met.offset).to_string(),
        }
    }

    /// TP0503: a kernel returns while something of its own is under way.
    pub(super) fn returned(&mut self, event: &Event, me: usize, raised: &mut Raises) {
        let actor = &self.actors[me];
        let Some((site, kind)) = actor.transfers.left(&actor.known) else { return };
        let call: Call = (event.core, event.thread, site);
        if self.spoken.contains(&call) {
            return;
        }
        let is_addition = matches!(kind.end, End::Addition { .. });
        let (what, text, help) = if is_addition {
            (
                "semaphore increment",
                "last increment",
                "call noc_async_atomic_barrier before the kernel returns: a write barrier does not wait for atomics",
            )
        } else {
            ("NoC write", "last write", "call noc_async_write_barrier before the kernel returns")
        };
        let message =
            format!("the kernel ends while a {what} of its own is outstanding: whoever runs next may come before it");
        let mut finding = Raised::at(event, Code::WRITE_AT_END, message).text(text).fact("noc", kind.noc).help(help);
        finding.site = site;
        finding.certainty = Certainty::CanHappen;
        raised.push(finding);
    }
}

/// What is done to bytes.
fn does(act: Act) -> &'static str {
    match act {
        Act::Load => "loaded",
        Act::Store => "stored to",
        Act::Unpack => "unpacked",
        Act::Pack => "packed to",
        Act::ReadLands => "read into",
        Act::ReadTakes => "read over the NoC",
        Act::WriteTakes => "sent",
        Act::WriteLands => "written to over the NoC",
    }
}

/// What was done to them.
fn did(act: Act) -> &'static str {
    match act {
        Act::Load => "loads it",
        Act::Store => "stores to it",
        Act::Unpack => "unpacks it",
        Act::Pack => "packs to it",
        Act::ReadLands => "reads into it",
        Act::ReadTakes => "reads it over the NoC",
        Act::WriteTakes => "sends it",
        Act::WriteLands => "writes to it over the NoC",
    }
}
