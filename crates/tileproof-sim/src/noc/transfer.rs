//! A transfer, from the call that starts it to the moment when it arrives.
//!
//! Reads, writes, multicasts, words and additions go the same way: both ends are found in memory, what went before lands if it
//! must, the data move or are held back, and the thread's port is taken for as long as that lasts. Start at
//! [`Engine::transfer`].

use tileproof_model::observe::Observer;

use crate::cost::{Costs, Way};
use crate::engine::Engine;
use crate::noc::address::{self, Target};
use crate::noc::ends::{Ends, Far, Kind, Transfer};
use crate::noc::pending::Started;
use crate::noc::traffic::Route;
use crate::step::{Caller, Step};

impl<O: Observer> Engine<O> {
    /// A kernel starts a transfer.
    #[inline]
    pub(crate) fn transfer(&mut self, by: Caller, call: Transfer) -> Step {
        if !O::ACTIVE
            && self.deliveries.are_plain()
            && matches!(call.kind, Kind::Read | Kind::Write { .. })
            && let Some((bank, address)) = self.dram.target(call.far)
        {
            return self.transfer_of_dram(by, &call, bank, address);
        }
        if self.deliveries.traffic.is_some() {
            self.takes_its_turn(by, &call)?;
        }
        let ends = self.ends(by, &call)?;
        self.has_room(&ends)?;
        self.land_before(by, &call);
        let is_same = O::ACTIVE && self.writes_the_same(by, &call, &ends);
        let started = Started { by, call, ends, trid: self.trid(by, call.noc, !call.is_read()), is_same };
        // A write that is held back moves when it lands; whether it can move shows now.
        let is_late = self.deliveries.holds_back(&call);
        if call.is_read() || !is_late {
            self.deliver(&started)?;
        } else {
            self.check_dram(&started)?;
        }
        let at = self.take_port(by, &started.call, started.way(), self.route(&started));
        if call.beyond_a_packet(self.arch.constants().noc.max_burst) {
            self.beyond_a_packet(by, call.bytes);
        }
        self.show_started(&started);
        if is_late {
            self.hold(started, at);
        } else {
            self.arrive(&started, at);
        }
        Ok(())
    }

    /// The shortest way of a page between DRAM and L1, of which there are many: nobody is shown it and nothing keeps it.
    #[inline]
    fn transfer_of_dram(&mut self, by: Caller, call: &Transfer, bank: u32, address: u64) -> Step {
        let (what, way) = match call.kind {
            Kind::Read => ("destination of a NoC read", Way::ReadDram(bank)),
            _ => ("source of a NoC write", Way::WriteDram(bank)),
        };
        let local = self.local_end(by, call, what)?;
        self.deliver_dram(by, call, local, (bank, address))?;
        self.take_port(by, call, way, None);
        if call.beyond_a_packet(self.arch.constants().noc.max_burst) {
            self.beyond_a_packet(by, call.bytes);
        }
        Ok(())
    }

    /// Whether a write brings what its destination holds, for observers: two that do are in no conflict.
    fn writes_the_same(&self, by: Caller, call: &Transfer, ends: &Ends) -> bool {
        if !matches!(call.kind, Kind::Write { .. }) {
            return false;
        }
        let here = &self.cores[by.core].l1;
        here.with(ends.local, call.bytes, |data| match ends.far {
            Far::Dram { bank, address } => self.dram.holds(self.claimant.as_ref(), bank, address, data),
            Far::L1 { core, offset } => self.cores[core].l1.with(offset, call.bytes, |there| data == there),
            Far::Away { .. } | Far::Cores(_) => false,
        })
    }

    /// Both ends of a transfer in memory.
    #[inline]
    fn ends(&mut self, by: Caller, call: &Transfer) -> Step<Ends> {
        match call.kind {
            Kind::Read => {
                let local = self.local_end(by, call, "destination of a NoC read")?;
                let far = self.far_end(by, call, "source of a NoC read", "source of a NoC read in L1")?;
                Ok(Ends { local, far })
            }
            Kind::Write { .. } => {
                let local = self.local_end(by, call, "source of a NoC write")?;
                let far = self.far_end(by, call, "destination of a NoC write", "destination of a NoC write in L1")?;
                Ok(Ends { local, far })
            }
            Kind::Multicast { .. } => self.multicast_ends(by, call),
            Kind::InlineWrite { .. } => self.word_end(by, call, "destination of an inline write"),
            Kind::Increment { .. } => {
                let ends = self.word_end(by, call, "destination of a semaphore increment")?;
                match ends.far {
                    Far::L1 { core, offset } => self.uses_semaphore(by, core, offset),
                    Far::Away { core, offset } => self.uses_semaphore_away(core, offset)?,
                    Far::Dram { .. } | Far::Cores(_) => {}
                }
                Ok(ends)
            }
        }
    }

    /// The end in the L1 of the caller's core.
    #[inline]
    fn local_end(&mut self, by: Caller, call: &Transfer, what: &str) -> Step<u32> {
        let l1 = &self.cores[by.core].l1;
        let offset = l1.offset(call.local);
        if call.bytes == 0 || !l1.contains(offset, call.bytes) {
            return Err(self.bad_transfer(by, what, u64::from(offset), call.bytes));
        }
        Ok(offset)
    }

    #[inline]
    fn far_end(&mut self, by: Caller, call: &Transfer, what: &str, in_l1: &str) -> Step<Far> {
        match address::decode(self.arch, call.far) {
            Some(Target::Dram { bank, address }) => Ok(Far::Dram { bank, address }),
            Some(Target::L1 { x, y, address }) => {
                // All cores have as much L1.
                let l1 = &self.cores[by.core].l1;
                let offset = l1.offset(address);
                let is_in = l1.contains(offset, call.bytes);
                let Some(far) = self.in_l1(x, y, offset) else {
                    return Err(self.bad_transfer(by, what, u64::from(address), call.bytes));
                };
                if is_in { Ok(far) } else { Err(self.bad_transfer(by, in_l1, u64::from(offset), call.bytes)) }
            }
            None => Err(self.bad_transfer(by, what, call.far, call.bytes)),
        }
    }

    /// The word of L1 that a word is written or added to. DRAM takes none (tt-metal `noc_inline_dw_write`).
    fn word_end(&mut self, by: Caller, call: &Transfer, what: &str) -> Step<Ends> {
        let target = match address::decode(self.arch, call.far) {
            Some(Target::L1 { x, y, address }) => {
                let offset = self.cores[by.core].l1.offset(address);
                self.in_l1(x, y, offset).map(|far| (far, offset))
            }
            _ => None,
        };
        let Some((far, offset)) = target else {
            return Err(self.bad_transfer(by, what, call.far, call.bytes));
        };
        if !offset.is_multiple_of(4) || !self.cores[by.core].l1.contains(offset, call.bytes) {
            return Err(self.bad_transfer(by, what, u64::from(offset), call.bytes));
        }
        Ok(Ends { local: 0, far })
    }

    /// An offset in the L1 of the core at logical (x, y), if the launch uses that.
    #[inline]
    fn in_l1(&self, x: u32, y: u32, offset: u32) -> Option<Far> {
        if let Some(core) = self.core_at(x, y) {
            return Some(Far::L1 { core, offset });
        }
        let core = self.outbound.as_ref()?.other(x, y)?;
        Some(Far::Away { core, offset })
    }

    /// Waits where a core has sent much to others in this epoch.
    #[inline]
    fn has_room(&self, ends: &Ends) -> Step {
        let is_away = match &ends.far {
            Far::Dram { .. } | Far::L1 { .. } => false,
            Far::Away { .. } => true,
            Far::Cores(reached) => !reached.away.is_empty(),
        };
        match &self.outbound {
            Some(outbound) if is_away => outbound.has_room(),
            _ => Ok(()),
        }
    }

    /// As for a core that runs together with this one; what is wrong is said when all do.
    fn uses_semaphore_away(&mut self, core: usize, offset: u32) -> Step {
        let is_missing = self.outbound.as_ref().is_some_and(|outbound| outbound.misses_semaphore(core, offset));
        if is_missing { Err(self.give_up()) } else { Ok(()) }
    }

    /// Finds out whether a write that is held back will be able to move.
    fn check_dram(&mut self, started: &Started) -> Step {
        match started.ends.far {
            Far::Dram { bank, address } if !self.dram.has(bank, address, started.call.bytes) => {
                Err(self.bad_dram_transfer(started.by, &started.call, bank, address))
            }
            _ => Ok(()),
        }
    }

    /// Takes the thread's time and its port; when the last byte arrives.
    #[inline]
    fn take_port(&mut self, by: Caller, call: &Transfer, way: Way, route: Option<Route>) -> u64 {
        let hart = self.cores[by.core].hart(by.thread);
        let carried = hart.cycles.transfer(call.bytes, way);
        hart.clock += carried.issue;
        let transfers = &mut hart.transfers[usize::from(call.noc)];
        let carriage = match (&mut self.deliveries.traffic, route) {
            (Some(traffic), Some(route)) => transfers.carry_among(hart.cycles, hart.clock, carried, traffic, &route),
            _ => transfers.carry(hart.cycles, hart.clock, carried),
        };
        let done = carriage.lands;
        if O::TIMES {
            self.observer.carried_over(by.core, by.thread, carriage);
        }
        match call.kind {
            Kind::Read => transfers.reads(done),
            Kind::Write { posted: true } => transfers.posted_writes(),
            Kind::Write { posted: false } | Kind::Multicast { .. } => transfers.writes(done),
            Kind::InlineWrite { .. } => transfers.inline_writes(done),
            Kind::Increment { posted: false, .. } => transfers.atomics(done),
            Kind::Increment { posted: true, .. } => {}
        }
        done
    }
}

impl Started {
    fn way(&self) -> Way {
        match (self.call.kind, &self.ends.far) {
            (Kind::Multicast { .. }, _) => Way::Multicast,
            (Kind::Read, Far::Dram { bank, .. }) => Way::ReadDram(*bank),
            (Kind::Read, _) => Way::ReadL1,
            (_, Far::Dram { bank, .. }) => Way::WriteDram(*bank),
            _ => Way::WriteL1,
        }
    }
}
