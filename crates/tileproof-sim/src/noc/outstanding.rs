//! What a thread has outstanding on a NoC: when its port is free again, and when what its barriers wait for is there.

use tileproof_model::abi::barrier;
use tileproof_model::arch::Arch;
use tileproof_model::cycles::Cycles;
use tileproof_model::mixed::mixed;
use tileproof_model::observe::Carriage;

use crate::cost::Carried;
use crate::noc::traffic::{Route, Traffic};

/// Outstanding transfers of one thread on one NoC.
#[derive(Clone, Copy, Default)]
pub(crate) struct Transfers {
    /// When the port is free again.
    port_free_at: u64,
    /// When each bank of DRAM is done with this thread's transfers.
    banks: [u64; BANKS],
    /// When the last read has landed.
    reads_at: u64,
    /// When the last write is acknowledged.
    writes_at: u64,
    /// When the data of the last write has left L1.
    flushed_at: u64,
    /// The same of posted writes, which nobody acknowledges.
    posted_at: u64,
    /// When the last atomic is acknowledged.
    atomics_at: u64,
    /// Latencies are drawn from it when a schedule says so; 0 leaves them as they are.
    pub(crate) latencies: u64,
    /// The transaction ids of the reads and of the writes to come.
    pub(crate) trids: [u8; 2],
    /// By transaction id.
    by_trid: [OfTrid; TRIDS],
}

/// Transaction ids of a NoC (tt-metal `noc_parameters.h`, `NOC_MAX_TRANSACTION_ID`).
pub(crate) const TRIDS: usize = 16;

/// DRAM banks of the chip that has the most.
const BANKS: usize = Arch::MOST_DRAM_BANKS as usize;

/// The transfers of one transaction id.
#[derive(Clone, Copy, Default)]
struct OfTrid {
    /// When the last of them is over, reads and writes alike.
    done_at: u64,
    /// When the data of the last write has left L1.
    flushed_at: u64,
}

impl Transfers {
    /// Puts a transfer on the port, and on its bank, as if no other core used that.
    #[inline]
    pub(crate) fn carry(&mut self, cycles: &Cycles, now: u64, carried: Carried) -> Carriage {
        let port_from = self.port_free_at.max(now);
        self.port_free_at = port_from + carried.port;
        let (mut from, mut busy) = (port_from, carried.port);
        if let Some((bank, takes)) = carried.bank
            && let Some(free_at) = self.banks.get_mut(bank as usize)
        {
            from = from.max(*free_at);
            *free_at = from + takes;
            busy = busy.max(takes);
        }
        let mut whole = busy + carried.latency;
        if self.latencies != 0 {
            whole = self.drawn(whole, cycles.near_latency_tenths);
        }
        Carriage { start: now, port: (from, from + carried.port), lands: from + whole }
    }

    /// Puts a transfer on its way among those of others.
    #[cold]
    #[inline(never)]
    pub(crate) fn carry_among(
        &mut self,
        cycles: &Cycles,
        now: u64,
        carried: Carried,
        traffic: &mut Traffic,
        route: &Route,
    ) -> Carriage {
        let from = if route.is_answer { now } else { self.port_free_at.max(now) };
        let mut carriage = traffic.carry(now, from, carried, route);
        let (begins, ends) = carriage.port;
        if !route.is_answer {
            self.port_free_at = ends;
        }
        if self.latencies != 0 {
            carriage.lands = begins + self.drawn(carriage.lands - begins, cycles.near_latency_tenths);
        }
        carriage
    }

    /// When the data of the last write have left, where transfers wait for each other.
    pub(crate) fn sent_at(&self) -> u64 {
        self.port_free_at
    }

    /// A latency other than the usual one. Between cores of one row or column it is `near` tenths of what it is elsewhere; what other
    /// traffic adds has no limit, four times is taken.
    #[cold]
    fn drawn(&mut self, usual: u64, near: u64) -> u64 {
        self.latencies = mixed(self.latencies) | 1;
        let tenths = if self.latencies & 2 == 0 { near } else { near + (self.latencies >> 32) % (41 - near) };
        usual * tenths / 10
    }

    /// When a barrier on all of a kind goes through.
    pub(crate) fn done_at(&self, kind: u32) -> u64 {
        match kind {
            barrier::READS => self.reads_at,
            barrier::WRITES => self.writes_at,
            barrier::WRITES_FLUSHED => self.flushed_at,
            barrier::ATOMICS => self.atomics_at,
            // Posted writes have a counter of their own (tt-metal `dataflow_api.h`, `noc_async_posted_writes_flushed`).
            barrier::POSTED_FLUSHED => self.posted_at,
            _ => self.reads_at.max(self.writes_at).max(self.atomics_at).max(self.posted_at),
        }
    }

    /// A read that lands at `done`.
    pub(crate) fn reads(&mut self, done: u64) {
        self.reads_at = self.reads_at.max(done);
        let of = &mut self.by_trid[usize::from(self.trids[0])];
        of.done_at = of.done_at.max(done);
    }

    /// A write that is acknowledged at `done`, and whose data was the last on the port.
    pub(crate) fn writes(&mut self, done: u64) {
        self.flushed_at = self.flushed_at.max(self.port_free_at);
        self.writes_at = self.writes_at.max(done);
        let of = &mut self.by_trid[usize::from(self.trids[1])];
        of.done_at = of.done_at.max(done);
        of.flushed_at = of.flushed_at.max(self.port_free_at);
    }

    /// A word that travels in its request, acknowledged at `done`.
    pub(crate) fn inline_writes(&mut self, done: u64) {
        self.writes_at = self.writes_at.max(done);
        self.untagged(done);
    }

    /// An atomic that is acknowledged at `done`.
    pub(crate) fn atomics(&mut self, done: u64) {
        self.atomics_at = self.atomics_at.max(done);
        self.untagged(done);
    }

    /// The id is set in a command buffer, and inline writes and atomics have another one than writes and multicasts
    /// (tt-metal `dataflow_api.h`, `write_at_cmd_buf` and `write_cmd_buf`), in which kernels set none.
    fn untagged(&mut self, done: u64) {
        self.by_trid[0].done_at = self.by_trid[0].done_at.max(done);
    }

    /// A write that nobody acknowledges; the count of those of its id whose data has not left holds it all the same.
    pub(crate) fn posted_writes(&mut self) {
        self.posted_at = self.posted_at.max(self.port_free_at);
        let of = &mut self.by_trid[usize::from(self.trids[1])];
        of.flushed_at = of.flushed_at.max(self.port_free_at);
    }

    /// When a barrier on one transaction id goes through. One counter an id holds reads, writes and atomics that are not
    /// answered, another the writes whose data has not left (ISA documentation, `NoC/Counters.md`).
    pub(crate) fn trid_done_at(&self, kind: u32, trid: u32) -> u64 {
        let of = &self.by_trid[trid as usize % TRIDS];
        if kind == barrier::WRITES_FLUSHED { of.flushed_at } else { of.done_at }
    }
}
