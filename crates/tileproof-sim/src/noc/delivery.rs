//! When the data of a transfer move.
//!
//! Between its issue and its barrier a read may land at any time, and a write may take its data at any time (tt-metal
//! `dataflow_api.h`: `noc_async_read_barrier`, `noc_async_writes_flushed`). By default both happen at the issue; when a
//! schedule says so, at the last moment: at the barrier, before the next transfer that must not overtake it, when the kernel
//! ends, or when nothing else can happen. Which are held back is said in `pending.rs`. Start at [`Engine::deliver`] and
//! [`Engine::hold`].

use tileproof_model::abi::barrier;
use tileproof_model::observe::Observer;
use tileproof_model::thread::Thread;

use crate::dram::Access;
use crate::engine::Engine;
use crate::noc::ends::{Far, Kind, Transfer};
use crate::noc::outstanding::TRIDS;
use crate::noc::pending::{Pending, Started};
use crate::signals::Sent;
use crate::step::{Caller, Step};

impl<O: Observer> Engine<O> {
    /// Moves the data of a transfer.
    #[inline]
    pub(crate) fn deliver(&mut self, started: &Started) -> Step {
        let Started { by, call, ends, .. } = started;
        match (&ends.far, call.kind) {
            (Far::Dram { bank, address }, _) => self.deliver_dram(*by, call, ends.local, (*bank, *address)),
            (Far::L1 { core, offset }, Kind::Read) => {
                let (here, there) = (&self.cores[by.core].l1, &self.cores[*core].l1);
                there.copy_to(*offset, here, ends.local, call.bytes);
                Ok(())
            }
            (Far::L1 { core, offset }, Kind::InlineWrite { value }) => {
                self.cores[*core].will_change(*offset, 4);
                self.cores[*core].l1.write_word(*offset, value);
                Ok(())
            }
            (Far::L1 { core, offset }, Kind::Increment { value, .. }) => {
                self.cores[*core].will_change(*offset, 4);
                let l1 = &self.cores[*core].l1;
                l1.write_word(*offset, l1.read_word(*offset).wrapping_add(value));
                Ok(())
            }
            (Far::L1 { core, offset }, _) => {
                self.cores[*core].will_change(*offset, call.bytes);
                let (here, there) = (&self.cores[by.core].l1, &self.cores[*core].l1);
                here.copy_to(ends.local, there, *offset, call.bytes);
                Ok(())
            }
            (Far::Away { core, offset }, Kind::Read) => {
                if let Some(outbound) = &mut self.outbound {
                    outbound.ask(by.thread, call, ends.local, *core, *offset);
                }
                Ok(())
            }
            (Far::Away { core, offset }, _) => {
                self.send_away(started, &[*core], *offset);
                Ok(())
            }
            (Far::Cores(reached), _) => {
                self.send_away(started, &reached.away, reached.offset);
                for core in &reached.running {
                    self.cores[*core].will_change(reached.offset, call.bytes);
                }
                let here = &self.cores[by.core].l1;
                // The sender last: its own copy may change the source.
                let others = reached.running.iter().filter(|core| **core != by.core);
                let own = reached.running.iter().filter(|core| **core == by.core);
                for core in others.chain(own) {
                    here.copy_to(ends.local, &self.cores[*core].l1, reached.offset, call.bytes);
                }
                Ok(())
            }
        }
    }

    /// Sends to cores that run apart from the caller's.
    fn send_away(&mut self, started: &Started, to: &[usize], offset: u32) {
        let Started { by, call, ends, .. } = started;
        let Engine { cores, outbound: Some(outbound), .. } = self else { return };
        let core = &cores[by.core];
        let sent = Sent { core: core.coord, thread: by.thread, site: by.site, added: call.added() };
        core.l1.with(ends.local, call.bytes, |data| outbound.send(call, to, offset, data, sent));
    }

    #[inline]
    pub(crate) fn deliver_dram(
        &mut self,
        by: Caller,
        call: &Transfer,
        local: u32,
        (bank, address): (u32, u64),
    ) -> Step {
        let Engine { dram, cores, claimant, .. } = self;
        let l1 = &cores[by.core].l1;
        let mut at = local;
        let access = if call.is_read() {
            dram.read(claimant.as_mut(), bank, address, call.bytes, |piece| {
                l1.write(at, piece);
                at += piece.len() as u32;
            })
        } else {
            dram.write(by.core, claimant.as_mut(), bank, address, call.bytes, |piece| {
                l1.read(at, piece);
                at += piece.len() as u32;
            })
        };
        match access {
            Access::Done => Ok(()),
            Access::Conflict => Err(self.give_up()),
            Access::Nowhere => Err(self.bad_dram_transfer(by, call, bank, address)),
        }
    }

    /// Holds a transfer back. A read brings what is there now, and until it lands its destination is undefined; a write takes
    /// what its source holds when it lands.
    pub(crate) fn hold(&mut self, started: Started, at: u64) {
        let mut data = Vec::new();
        if started.call.is_read() {
            let (l1, offset) = (&self.cores[started.by.core].l1, started.ends.local);
            data.resize(started.call.bytes as usize, 0);
            l1.read(offset, &mut data);
            l1.undefine(offset, started.call.bytes);
        }
        self.deliveries.pending.push(Pending { started, at, data });
    }

    /// Whoever waits for the words that a transfer has reached sees them from cycle `at` on.
    #[inline]
    pub(crate) fn arrive(&mut self, started: &Started, at: u64) {
        let Started { by, call, ends, .. } = started;
        if call.is_read() {
            return;
        }
        let sent = Sent { core: self.cores[by.core].coord, thread: by.thread, site: by.site, added: call.added() };
        match &ends.far {
            Far::Dram { .. } => {}
            Far::L1 { core, offset } => self.cores[*core].arrived(*offset, call.bytes, at, sent),
            Far::Away { .. } => self.arrives_away(at),
            Far::Cores(reached) => {
                if !reached.away.is_empty() {
                    self.arrives_away(at);
                }
                for core in &reached.running {
                    self.cores[*core].arrived(reached.offset, call.bytes, at, sent);
                }
            }
        }
    }

    fn arrives_away(&mut self, at: u64) {
        if let Some(outbound) = &mut self.outbound {
            outbound.arrives(at);
        }
    }

    /// What a transfer must not overtake lands: reads and words go the same way as the writes before them (ISA documentation,
    /// `NoC/Ordering.md`).
    #[inline]
    pub(crate) fn land_before(&mut self, by: Caller, call: &Transfer) {
        if !self.deliveries.pending.is_empty() && !matches!(call.kind, Kind::Write { .. } | Kind::Multicast { .. }) {
            self.land(|pending| pending.is_of(by, call.noc) && !pending.is_read());
        }
    }

    /// What a barrier waits for lands.
    pub(crate) fn land_at_barrier(&mut self, by: Caller, noc: u8, kind: u32) {
        let (reads, writes, posted) = match kind {
            barrier::READS => (true, false, false),
            barrier::WRITES | barrier::WRITES_FLUSHED => (false, true, false),
            barrier::POSTED_FLUSHED => (false, false, true),
            barrier::ATOMICS => (false, false, false),
            _ => (true, true, true),
        };
        self.land(|pending| {
            let meant = match (pending.is_read(), pending.started.call.is_posted()) {
                (true, _) => reads,
                (false, false) => writes,
                (false, true) => posted,
            };
            meant && pending.is_of(by, noc)
        });
    }

    /// What a barrier on a transaction id waits for lands: its reads and writes, or the data of its writes.
    pub(crate) fn land_at_trid(&mut self, by: Caller, noc: u8, kind: u32, trid: u32) {
        let flushed = kind == barrier::WRITES_FLUSHED;
        self.land(|pending| {
            let is_of = pending.is_of(by, noc) && u32::from(pending.started.trid) == trid % TRIDS as u32;
            is_of && !(flushed && pending.is_read())
        });
    }

    /// A kernel has returned: what it left outstanding lands some time.
    pub(crate) fn land_all_of(&mut self, core: usize, thread: Thread) {
        self.land(|pending| (pending.started.by.core, pending.started.by.thread) == (core, thread));
    }

    /// Everything lands; false if nothing was under way.
    pub(crate) fn land_all(&mut self) -> bool {
        self.land(|_| true)
    }

    /// Lands the transfers that are meant, in the order of their issue.
    fn land(&mut self, is_meant: impl Fn(&Pending) -> bool) -> bool {
        if self.deliveries.pending.is_empty() {
            return false;
        }
        let pending = std::mem::take(&mut self.deliveries.pending);
        let (landing, rest): (Vec<Pending>, Vec<Pending>) = pending.into_iter().partition(is_meant);
        self.deliveries.pending = rest;
        let any = !landing.is_empty();
        for Pending { started, at, data } in landing {
            if started.call.is_read() {
                self.cores[started.by.core].l1.write(started.ends.local, &data);
            } else {
                let delivered = self.deliver(&started);
                debug_assert!(delivered.is_ok(), "both ends were found in memory when it was held back");
                self.arrive(&started, at);
            }
        }
        any
    }
}
