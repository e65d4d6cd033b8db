//! Barriers: on all transfers of a kind, or on those of one transaction id.

use tileproof_model::abi::barrier;
use tileproof_model::event::What;
use tileproof_model::observe::Observer;

use crate::engine::Engine;
use crate::noc::outstanding::{TRIDS, Transfers};
use crate::step::{Caller, Step};

impl<O: Observer> Engine<O> {
    fn outstanding(&mut self, by: Caller, noc: u8) -> &mut Transfers {
        &mut self.cores[by.core].hart(by.thread).transfers[usize::from(noc)]
    }

    /// Waits for all transfers of a kind ([`tileproof_model::abi::barrier`]).
    pub(crate) fn noc_barrier(&mut self, by: Caller, noc: u8, kind: u32) -> Step<What> {
        if !self.deliveries.pending.is_empty() {
            self.land_at_barrier(by, noc, kind);
        }
        self.waits_for_others(by, kind)?;
        let until = self.outstanding(by, noc).done_at(kind);
        self.pass_barrier(by, until);
        Ok(What::NocBarrier { noc, kind, trid: None })
    }

    /// Waits for the transfers of one transaction id.
    pub(crate) fn noc_trid_barrier(&mut self, by: Caller, noc: u8, kind: u32, trid: u32) -> Step<What> {
        if !self.deliveries.pending.is_empty() {
            self.land_at_trid(by, noc, kind, trid);
        }
        self.waits_for_others(by, kind_of_trid(kind))?;
        let until = self.outstanding(by, noc).trid_done_at(kind, trid);
        self.pass_barrier(by, until);
        Ok(trid_barrier(noc, kind, trid))
    }

    /// A core that runs apart waits until what it has sent to others has landed.
    fn waits_for_others(&self, by: Caller, kind: u32) -> Step {
        self.outbound.as_ref().map_or(Ok(()), |outbound| outbound.passes_barrier(by.thread, kind))
    }

    fn pass_barrier(&mut self, by: Caller, until: u64) {
        let hart = self.cores[by.core].hart(by.thread);
        hart.wait_until(until);
        hart.spend(|cycles| cycles.barrier);
    }

    /// Whether nothing of a transaction id is outstanding by now: a poll that finds this is as good as a barrier.
    pub(crate) fn noc_trid_poll(&mut self, by: Caller, noc: u8, kind: u32, trid: u32) -> bool {
        let now = self.cores[by.core].hart(by.thread).clock;
        // What is sent to a core that runs apart has not landed, late as it may be: the poll is made again in the next epoch.
        let is_away = self.waits_for_others(by, kind_of_trid(kind)).is_err();
        let done = !is_away && self.outstanding(by, noc).trid_done_at(kind, trid) <= now;
        self.observe(by, What::Polled);
        if done {
            self.land_at_trid(by, noc, kind, trid);
            self.observe(by, trid_barrier(noc, kind, trid));
        }
        done
    }

    /// Sets the transaction id of the reads or the writes to come: four bits of the packet's tag (tt-metal `noc_parameters.h`).
    pub(crate) fn noc_set_trid(&mut self, by: Caller, noc: u8, is_write: bool, trid: u32) {
        self.outstanding(by, noc).trids[usize::from(is_write)] = trid as u8 % TRIDS as u8;
    }

    /// The transaction id that a thread's reads, or writes, carry.
    #[inline]
    pub(crate) fn trid(&self, by: Caller, noc: u8, is_write: bool) -> u8 {
        let hart = self.cores[by.core].harts[by.thread as usize].as_ref();
        hart.map_or(0, |hart| hart.transfers[usize::from(noc)].trids[usize::from(is_write)])
    }
}

/// One counter holds reads and writes of an id alike, another the writes whose data has not left.
fn kind_of_trid(kind: u32) -> u32 {
    if kind == barrier::WRITES_FLUSHED { kind } else { barrier::FULL }
}

fn trid_barrier(noc: u8, kind: u32, trid: u32) -> What {
    What::NocBarrier { noc, kind, trid: Some(trid as u8 % TRIDS as u8) }
}
