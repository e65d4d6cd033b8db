//! Transfers that land as late as they may.
//!
//! Between its issue and its barrier a read may land at any time, and a write may take its data at any time (tt-metal
//! `dataflow_api.h`: `noc_async_read_barrier`, `noc_async_writes_flushed`). By default both happen at the issue; here, when a
//! schedule says so, at the last moment: at the barrier, before the next transfer that must not overtake it, when the kernel
//! ends, or when nothing else can happen. Start at [`Engine::read_late`] and [`Engine::write_late`].

use tileproof_model::abi::{Site, barrier};
use tileproof_model::observe::Observer;
use tileproof_model::thread::Thread;

use crate::doors::Step;
use crate::dram::POISON;
use crate::hart::TRIDS;
use crate::machine::Engine;
use crate::multicast::Multicast;
use crate::noc::{self, Target};
use crate::signals::Sent;

/// A transfer that is under way.
pub(crate) struct Pending {
    by: Issue,
    what: Landing,
}

/// Who issued a transfer, and how.
#[derive(Clone, Copy)]
struct Issue {
    core: usize,
    thread: Thread,
    site: Site,
    noc: u32,
    /// A write that no barrier of ordinary writes waits for.
    posted: bool,
    /// Its transaction id.
    trid: u8,
}

enum Landing {
    /// Data of a read, for the L1 of its own core.
    Read { to: u32, data: Vec<u8> },
    /// A write from L1 to the L1 of a core; its last byte arrives at a cycle.
    L1 { from: u32, bytes: u32, core: usize, to: u32, at: u64 },
    /// A write from L1 to DRAM, and the data that it took at its issue.
    Dram { from: u32, to: u64, data: Vec<u8> },
}

impl Pending {
    fn is_of(&self, core: usize, thread: Thread, noc: u32) -> bool {
        (self.by.core, self.by.thread, self.by.noc & 1) == (core, thread, noc & 1)
    }

    fn is_read(&self) -> bool {
        matches!(self.what, Landing::Read { .. })
    }
}

impl<O: Observer> Engine<O> {
    /// As [`Engine::noc_read`]: until it lands its destination is undefined.
    #[allow(clippy::too_many_arguments, reason = "those of the C++ call, and who makes it")]
    pub(crate) fn read_late(
        &mut self,
        core: usize,
        thread: Thread,
        site: Site,
        noc: u32,
        from: u64,
        to: u32,
        bytes: u32,
    ) -> Step {
        // A read does not overtake the writes before it on its way (ISA documentation, `NoC/Ordering.md`).
        self.land(|pending| pending.is_of(core, thread, noc) && !pending.is_read());
        let step = self.noc_read(core, thread, site, noc, from, to, bytes);
        let late = self.explorer.as_ref().is_some_and(|explorer| explorer.late_reads);
        if late && matches!(step, Step::Done) {
            let l1 = &self.cores[core].l1;
            let to = l1.offset(to);
            let mut data = vec![0; bytes as usize];
            l1.read(to, &mut data);
            l1.fill(to, bytes, POISON);
            let trid = self.trid(core, thread, noc, false);
            self.hold(Issue { core, thread, site, noc, posted: false, trid }, Landing::Read { to, data });
        }
        step
    }

    /// As [`Engine::noc_write`]: its data are those that its source holds when it lands.
    #[allow(clippy::too_many_arguments, reason = "those of the C++ call, and who makes it")]
    pub(crate) fn write_late(
        &mut self,
        core: usize,
        thread: Thread,
        site: Site,
        noc: u32,
        from: u32,
        to: u64,
        bytes: u32,
        posted: bool,
    ) -> Step {
        if !self.explorer.as_ref().is_some_and(|explorer| explorer.late_writes) {
            return self.noc_write(core, thread, site, noc, from, to, bytes, posted);
        }
        let target = match noc::decode(self.arch, to) {
            Some(Target::L1 { x, y, address }) => self.core_at(x, y).map(|other| (other, address)),
            _ => None,
        };
        let before = target.and_then(|(other, address)| self.l1_bytes(other, address, bytes));
        let step = self.noc_write(core, thread, site, noc, from, to, bytes, posted);
        if matches!(step, Step::Done) {
            let by = Issue { core, thread, site, noc, posted, trid: self.trid(core, thread, noc, true) };
            let from = self.cores[core].l1.offset(from);
            match (target, before) {
                (Some((other, _)), Some((to, before))) => self.take_back(by, (from, bytes), other, to, &before),
                _ => {
                    let mut data = vec![0; bytes as usize];
                    self.cores[core].l1.read(from, &mut data);
                    self.hold(by, Landing::Dram { from, to, data });
                }
            }
        }
        step
    }

    /// As [`Engine::noc_multicast`], with the data that its source holds when it lands.
    pub(crate) fn multicast_late(&mut self, core: usize, thread: Thread, site: Site, call: Multicast) -> Step {
        if !self.explorer.as_ref().is_some_and(|explorer| explorer.late_writes) {
            return self.noc_multicast(core, thread, site, call);
        }
        let reached = self.reached(core, call);
        let reached = reached.map_or_else(Vec::new, |to| {
            let bytes = |other| (other, self.l1_bytes(other, to.address, call.bytes));
            to.running.into_iter().map(bytes).collect()
        });
        let step = self.noc_multicast(core, thread, site, call);
        if matches!(step, Step::Done) {
            let trid = self.trid(core, thread, call.noc, true);
            let by = Issue { core, thread, site, noc: call.noc, posted: false, trid };
            let from = self.cores[core].l1.offset(call.from);
            for (other, before) in reached {
                if let Some((to, before)) = before {
                    self.take_back(by, (from, call.bytes), other, to, &before);
                }
            }
        }
        step
    }

    /// The bytes of a core's L1 at an address, and their offset.
    fn l1_bytes(&self, core: usize, address: u32, bytes: u32) -> Option<(u32, Vec<u8>)> {
        let l1 = &self.cores[core].l1;
        let offset = l1.offset(address);
        let mut data = l1.contains(offset, bytes).then(|| vec![0; bytes as usize])?;
        l1.read(offset, &mut data);
        Some((offset, data))
    }

    /// Takes back what a write has put into L1: it is under way.
    fn take_back(&mut self, by: Issue, (from, bytes): (u32, u32), other: usize, to: u32, before: &[u8]) {
        self.cores[other].l1.write(to, before);
        let transfers = &self.cores[by.core].hart(by.thread).transfers[by.noc as usize & 1];
        let at = if by.posted { transfers.posted_at } else { transfers.writes_at };
        self.hold(by, Landing::L1 { from, bytes, core: other, to, at });
    }

    fn hold(&mut self, by: Issue, what: Landing) {
        if let Some(explorer) = &mut self.explorer {
            explorer.pending.push(Pending { by, what });
        }
    }

    /// What a barrier waits for lands.
    pub(crate) fn land_at_barrier(&mut self, core: usize, thread: Thread, noc: u32, kind: u32) {
        let (reads, writes, posted) = match kind {
            barrier::READS => (true, false, false),
            barrier::WRITES | barrier::WRITES_FLUSHED => (false, true, false),
            barrier::POSTED_FLUSHED => (false, false, true),
            barrier::ATOMICS => (false, false, false),
            _ => (true, true, true),
        };
        self.land(|pending| {
            let meant = match (pending.is_read(), pending.by.posted) {
                (true, _) => reads,
                (false, false) => writes,
                (false, true) => posted,
            };
            meant && pending.is_of(core, thread, noc)
        });
    }

    /// What a barrier on a transaction id waits for lands: its reads and writes, or the data of its writes.
    pub(crate) fn land_at_trid(&mut self, core: usize, thread: Thread, noc: u32, kind: u32, trid: u32) {
        let flushed = kind == barrier::WRITES_FLUSHED;
        self.land(|pending| {
            let is_of = pending.is_of(core, thread, noc) && u32::from(pending.by.trid) == trid % TRIDS as u32;
            is_of && !(flushed && pending.is_read())
        });
    }

    /// A word follows that must not overtake the writes before it: it goes the same way.
    pub(crate) fn land_writes_of(&mut self, core: usize, thread: Thread, noc: u32) {
        self.land(|pending| pending.is_of(core, thread, noc) && !pending.is_read());
    }

    /// A kernel has returned: what it left outstanding lands some time.
    pub(crate) fn land_all_of(&mut self, core: usize, thread: Thread) {
        self.land(|pending| (pending.by.core, pending.by.thread) == (core, thread));
    }

    /// Everything lands; false if nothing was under way.
    pub(crate) fn land_all(&mut self) -> bool {
        self.land(|_| true)
    }

    /// Lands the transfers that are meant, in the order of their issue.
    fn land(&mut self, is_meant: impl Fn(&Pending) -> bool) -> bool {
        let Some(explorer) = &mut self.explorer else { return false };
        let (landing, rest): (Vec<Pending>, Vec<Pending>) =
            std::mem::take(&mut explorer.pending).into_iter().partition(is_meant);
        explorer.pending = rest;
        let any = !landing.is_empty();
        for Pending { by: Issue { core, thread, site, .. }, what } in landing {
            match what {
                Landing::Read { to, data } => self.cores[core].l1.write(to, &data),
                Landing::L1 { from, bytes, core: other, to, at } => {
                    let mut data = vec![0; bytes as usize];
                    self.cores[core].l1.read(from, &mut data);
                    self.cores[other].l1.write(to, &data);
                    let sent = Sent { core: self.cores[core].coord, thread, site, added: 0 };
                    self.cores[other].arrived(to, bytes, at, sent);
                }
                Landing::Dram { from, to, data } => self.write_again(core, from, to, &data),
            }
        }
        any
    }

    /// A write to DRAM whose source has changed since its issue takes what is there now.
    fn write_again(&mut self, core: usize, from: u32, to: u64, issued: &[u8]) {
        let l1 = &self.cores[core].l1;
        let mut data = vec![0; issued.len()];
        l1.read(from, &mut data);
        if data == issued {
            return;
        }
        if let Some(Target::Dram { bank, address }) = noc::decode(self.arch, to) {
            let mut at = 0;
            self.dram.write(None, bank, address, issued.len() as u32, |piece| {
                let end = at + piece.len();
                piece.copy_from_slice(&data[at..end]);
                at = end;
            });
        }
    }
}
