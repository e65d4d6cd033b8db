//! One of a core's five threads: its kernel, fiber, clock, and what it waits for.

use tileproof_model::abi::{CbInterface, Site};
use tileproof_model::cycles::Cycles;
use tileproof_model::kernel::SharedKernel;
use tileproof_model::thread::Thread;

use crate::buffer::Standing;
use crate::fiber::{Fiber, Suspender};
use crate::looked_for::LookedFor;
use crate::noc::outstanding::Transfers;

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
    /// Of a core that runs apart: that what it has sent to others in an epoch has landed.
    Landing { epoch: u32 },
}

pub(crate) enum State {
    /// Can go on at its clock.
    Ready,
    /// Cannot go on.
    Blocked(Wait),
    /// The kernel returned, or was ended.
    Finished,
}

pub(crate) struct Hart {
    pub(crate) kernel: SharedKernel,
    /// (compile-time, runtime, common) arguments, until the kernel begins.
    pub(crate) arguments: Option<[Vec<u32>; 3]>,
    /// Made when the kernel begins, on the host thread that runs its core; taken out while it runs.
    pub(crate) fiber: Option<Box<Fiber>>,
    /// How code on the fiber suspends it; null until it has run.
    pub(crate) suspender: Suspender,
    pub(crate) state: State,
    /// Local time in cycles.
    pub(crate) clock: u64,
    /// What operations cost on the chip.
    pub(crate) cycles: &'static Cycles,
    /// Where it went on after the last wait.
    pub(crate) went_on: u64,
    /// Site and name of the last call.
    pub(crate) site: Site,
    /// This thread's copies of the circular buffers' pointers.
    pub(crate) cbs: Vec<CbInterface>,
    /// Runtime arguments: own, common.
    pub(crate) argument_counts: [u32; 2],
    /// Where it stood in the buffer of its last call on one, before that call: for observers. It is kept here, as what a call hands back
    /// is copied whenever it is handed on, whether anybody looks or not.
    pub(crate) stood: Standing,
    pub(crate) transfers: [Transfers; 2],
    /// Calls that only looked, since it made one that changed something or gave a turn.
    pub(crate) looks: u32,
    /// The word of L1 that the kernel has loaded last in this turn.
    pub(crate) looked_for: LookedFor,
}

impl Hart {
    /// Goes on by what something costs.
    #[inline]
    pub(crate) fn spend(&mut self, cost: impl FnOnce(&Cycles) -> u64) {
        self.clock += cost(self.cycles);
    }

    /// Goes on at `at`, or now where that is later.
    #[inline]
    pub(crate) fn wait_until(&mut self, at: u64) {
        self.clock = self.clock.max(at);
        self.went_on = self.clock;
    }

    pub(crate) fn is_finished(&self) -> bool {
        matches!(self.state, State::Finished)
    }
}
