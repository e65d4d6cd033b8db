//! One of a core's five threads: its kernel, fiber, clock, and what it waits for.

use tileproof_model::abi::{CbInterface, Site, barrier};
use tileproof_model::kernel::SharedKernel;
use tileproof_model::thread::Thread;

use crate::fiber::{Fiber, Suspender};

/// What a thread waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Wait {
    /// Pages to read.
    CbFront { cb: u32, pages: u32 },
    /// Pages to write.
    CbBack { cb: u32, pages: u32 },
    /// UNPACK: the matrix unit has not begun with the tile handed over before.
    SrcTaken { a: bool, b: bool },
    /// MATH: operands.
    SrcValid { a: bool, b: bool },
    /// MATH: a free Dst section.
    DstFree,
    /// PACK: a committed Dst section.
    DstCommitted,
    /// MATH at a start-up: PACK still holds a section.
    DstDrained,
    /// An L1 word.
    Semaphore { offset: u32, how: u32, value: u32 },
    /// A word that a thread of the core sends.
    MailboxWord { from: Thread, to: Thread },
    /// That somebody takes one of the words that `from` has sent.
    MailboxRoom { from: Thread },
}

pub(crate) enum State {
    /// Can go on at its clock.
    Ready,
    /// Cannot go on.
    Blocked(Wait),
    /// The kernel returned, or was ended.
    Finished,
}

/// Outstanding transfers of one thread on one NoC.
#[derive(Clone, Copy, Default)]
pub(crate) struct Transfers {
    /// When the port is free again.
    pub(crate) port_free_at: u64,
    /// When the last read has landed.
    pub(crate) reads_at: u64,
    /// When the last write is acknowledged.
    pub(crate) writes_at: u64,
    /// When the data of the last write has left L1.
    pub(crate) flushed_at: u64,
    /// The same of posted writes, which nobody acknowledges.
    pub(crate) posted_at: u64,
    /// When the last atomic is acknowledged.
    pub(crate) atomics_at: u64,
    /// Latencies are drawn from it when a schedule says so; 0 leaves them as they are.
    pub(crate) latencies: u64,
    /// The transaction ids of the reads and of the writes to come.
    pub(crate) trids: [u8; 2],
    /// By transaction id.
    pub(crate) by_trid: [OfTrid; TRIDS],
}

/// Transaction ids of a NoC (tt-metal `noc_parameters.h`, `NOC_MAX_TRANSACTION_ID`).
pub(crate) const TRIDS: usize = 16;

/// The transfers of one transaction id.
#[derive(Clone, Copy, Default)]
pub(crate) struct OfTrid {
    /// When the last of them is over, reads and writes alike.
    pub(crate) done_at: u64,
    /// When the data of the last write has left L1.
    pub(crate) flushed_at: u64,
}

impl Transfers {
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

pub(crate) struct Hart {
    pub(crate) kernel: SharedKernel,
    /// (compile-time, runtime, common) arguments, until the kernel begins.
    pub(crate) arguments: Option<[Vec<u32>; 3]>,
    /// Made when the kernel begins, on the host thread that runs its core; taken out while it runs.
    pub(crate) fiber: Option<Fiber>,
    /// How code on the fiber suspends it; null until it has run.
    pub(crate) suspender: Suspender,
    pub(crate) state: State,
    /// Local time in cycles.
    pub(crate) clock: u64,
    /// Site and name of the last call.
    pub(crate) site: Site,
    /// This thread's copies of the circular buffers' pointers.
    pub(crate) cbs: Vec<CbInterface>,
    /// Runtime arguments: own, common.
    pub(crate) argument_counts: [u32; 2],
    pub(crate) transfers: [Transfers; 2],
    /// Calls that only looked, since it made one that changed something or gave a turn.
    pub(crate) looks: u32,
    /// The word of L1 that it loaded last through a pointer, while checks are on.
    pub(crate) looked_at: Option<u32>,
}

impl Hart {
    pub(crate) fn is_finished(&self) -> bool {
        matches!(self.state, State::Finished)
    }
}
