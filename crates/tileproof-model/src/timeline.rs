//! What each thread of each core did when, and what it waited for: what a recorder has seen of one run.
//!
//! It is data for pictures: it must never decide anything about a program. Times are cycles of the launch. Start at [`Timeline`].

use std::ops::Range;

use crate::arch::Arch;
use crate::kernel::SourceLocation;
use crate::layout::BufferLayout;
use crate::thread::{CoreCoord, Thread};
use crate::wording::cb_name;

/// The launches of a run, one after the other.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Timeline {
    /// The chip.
    pub arch: Arch,
    /// In order.
    pub launches: Vec<LaunchTimeline>,
}

/// One launch.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LaunchTimeline {
    /// Cycles from its start to the end of its last kernel.
    pub cycles: u64,
    /// Lines that made calls.
    pub places: Vec<CallPlace>,
    /// The cores that ran kernels.
    pub cores: Vec<CoreTimeline>,
    /// The tensors in DRAM.
    pub tensors: Vec<String>,
    /// Calls and transfers that were made beyond what is kept; totals count them.
    pub dropped: u64,
}

/// A line that made calls.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct CallPlace {
    /// Kernel.
    pub kernel: String,
    /// Line; `None` when unknown.
    pub location: Option<SourceLocation>,
}

/// One core.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CoreTimeline {
    /// Which.
    pub coord: CoreCoord,
    /// Its circular buffers.
    pub buffers: Vec<BufferLayout>,
    /// What else lies in its L1: the bytes of each, and whose they are.
    pub memory: Vec<(Range<u32>, String)>,
    /// Calls in the order in which the host ran them; those of a thread in the order of time.
    pub calls: Vec<Call>,
    /// Transfers, in the order in which they were started.
    pub transfers: Vec<Transfer>,
    /// What was written to its semaphores, in the order in which the host ran the calls.
    pub signals: Vec<Signal>,
    /// All calls of a line that did the same.
    pub totals: Vec<Total>,
    /// Bytes moved, by NoC and what is at the far end.
    pub traffic: Vec<Traffic>,
    /// Threads that could not go on when the run ended.
    pub stuck: Vec<Stuck>,
}

/// What a call did.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Doing {
    /// `cb_wait_front`.
    WaitFront,
    /// `cb_reserve_back`.
    ReserveBack,
    /// `cb_push_back`.
    Push,
    /// `cb_pop_front`.
    Pop,
    /// UNPACK fetched operands.
    Unpack,
    /// The matrix unit ran.
    Fpu,
    /// The vector unit ran.
    Sfpu,
    /// PACK packed.
    Pack,
    /// `tile_regs_acquire`.
    Acquire,
    /// `tile_regs_commit`.
    Commit,
    /// `tile_regs_wait`.
    SectionWait,
    /// `tile_regs_release`.
    Release,
    /// A unit was programmed, or started.
    Configure,
    /// A NoC read was started.
    NocRead,
    /// A NoC write was started.
    NocWrite,
    /// A semaphore was raised over the NoC.
    SemaphoreInc,
    /// A barrier on NoC reads.
    ReadBarrier,
    /// A barrier or flush of NoC writes.
    WriteBarrier,
    /// A barrier on atomics, or on everything.
    OtherBarrier,
    /// `noc_semaphore_wait`.
    SemaphoreWait,
    /// A mailbox was written or read.
    Mailbox,
    /// L1 was loaded from or stored to.
    L1,
    /// The thread ended, after what it had handed over was taken.
    End,
    /// It looked whether something had happened, or ran code of its own.
    Poll,
}

impl Doing {
    /// What a call that waits does so for; `of` as in [`Call`].
    pub fn waits_for(self, of: u32) -> String {
        match self {
            Doing::WaitFront => format!("pages in {}", cb_name(of)),
            Doing::ReserveBack => format!("room in {}", cb_name(of)),
            Doing::Unpack | Doing::Pop | Doing::End => "MATH to take operands".into(),
            Doing::Fpu | Doing::Sfpu => "operands".into(),
            Doing::Acquire => "a free Dst section".into(),
            Doing::SectionWait => "a committed Dst section".into(),
            Doing::Configure => "PACK to release Dst".into(),
            Doing::ReadBarrier => format!("reads on NoC {of}"),
            Doing::WriteBarrier => format!("writes on NoC {of}"),
            Doing::OtherBarrier => format!("transfers on NoC {of}"),
            Doing::SemaphoreWait if of == u32::MAX => "a word of L1".into(),
            Doing::SemaphoreWait => format!("semaphore {of}"),
            Doing::Mailbox => "a mailbox".into(),
            other => other.name().into(),
        }
    }

    /// The call with what it is about.
    pub fn title(self, of: u32) -> String {
        match self {
            Doing::WaitFront | Doing::ReserveBack | Doing::Push | Doing::Pop | Doing::Unpack | Doing::Pack => {
                format!("{} {}", self.name(), cb_name(of))
            }
            Doing::SemaphoreWait if of != u32::MAX => format!("{} {of}", self.name()),
            _ => self.name().into(),
        }
    }

    /// All, in order.
    pub const ALL: [Doing; 24] = [
        Doing::WaitFront,
        Doing::ReserveBack,
        Doing::Push,
        Doing::Pop,
        Doing::Unpack,
        Doing::Fpu,
        Doing::Sfpu,
        Doing::Pack,
        Doing::Acquire,
        Doing::Commit,
        Doing::SectionWait,
        Doing::Release,
        Doing::Configure,
        Doing::NocRead,
        Doing::NocWrite,
        Doing::SemaphoreInc,
        Doing::ReadBarrier,
        Doing::WriteBarrier,
        Doing::OtherBarrier,
        Doing::SemaphoreWait,
        Doing::Mailbox,
        Doing::L1,
        Doing::End,
        Doing::Poll,
    ];

    /// The call that kernels make, or a word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Doing::WaitFront => "cb_wait_front",
            Doing::ReserveBack => "cb_reserve_back",
            Doing::Push => "cb_push_back",
            Doing::Pop => "cb_pop_front",
            Doing::Unpack => "unpack",
            Doing::Fpu => "FPU",
            Doing::Sfpu => "SFPU",
            Doing::Pack => "pack",
            Doing::Acquire => "tile_regs_acquire",
            Doing::Commit => "tile_regs_commit",
            Doing::SectionWait => "tile_regs_wait",
            Doing::Release => "tile_regs_release",
            Doing::Configure => "configure",
            Doing::NocRead => "noc_async_read",
            Doing::NocWrite => "noc_async_write",
            Doing::SemaphoreInc => "noc_semaphore_inc",
            Doing::ReadBarrier => "noc_async_read_barrier",
            Doing::WriteBarrier => "noc_async_write_barrier",
            Doing::OtherBarrier => "noc_async_full_barrier",
            Doing::SemaphoreWait => "noc_semaphore_wait",
            Doing::Mailbox => "mailbox",
            Doing::L1 => "L1 access",
            Doing::End => "end",
            Doing::Poll => "own code",
        }
    }

    /// The unit that is busy with it, where that is more than the thread's own RISC.
    pub const fn unit(self) -> Option<Unit> {
        match self {
            Doing::Unpack => Some(Unit::Unpack),
            Doing::Fpu => Some(Unit::Fpu),
            Doing::Sfpu => Some(Unit::Sfpu),
            Doing::Pack => Some(Unit::Pack),
            _ => None,
        }
    }
}

/// A unit of a core.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Unit {
    /// The unpackers.
    Unpack,
    /// The matrix unit.
    Fpu,
    /// The vector unit.
    Sfpu,
    /// The packers.
    Pack,
}

impl Unit {
    /// All, in the order in which data pass them.
    pub const ALL: [Unit; 4] = [Unit::Unpack, Unit::Fpu, Unit::Sfpu, Unit::Pack];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Unit::Unpack => "unpacker",
            Unit::Fpu => "FPU",
            Unit::Sfpu => "SFPU",
            Unit::Pack => "packer",
        }
    }
}

/// A call of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Call {
    /// Thread.
    pub thread: Thread,
    /// What it did.
    pub doing: Doing,
    /// Its line, by its number in [`LaunchTimeline::places`].
    pub place: u32,
    /// The thread's clock before it.
    pub start: u64,
    /// Cycles that it waited before it could begin.
    pub waited: u32,
    /// Cycles that it took then.
    pub took: u32,
    /// The circular buffer, semaphore or NoC that it is about; `u32::MAX` for none.
    pub of: u32,
    /// Pages, bytes or the value waited for.
    pub amount: u32,
}

impl Call {
    /// When it was done.
    pub fn end(&self) -> u64 {
        self.start + u64::from(self.waited) + u64::from(self.took)
    }
}

/// What lies at the far end of a transfer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum FarEnd {
    /// A DRAM bank.
    Dram(u32),
    /// Another core of the launch.
    Core(CoreCoord),
    /// The core itself.
    Own,
    /// No core that a kernel runs on.
    Nowhere,
}

/// A NoC transfer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Transfer {
    /// Thread that started it.
    pub thread: Thread,
    /// NoC.
    pub noc: u8,
    /// It brings data here.
    pub is_read: bool,
    /// Its line.
    pub place: u32,
    /// When it was started.
    pub start: u64,
    /// Cycles until its port begins with it.
    pub queued: u32,
    /// Cycles for which it has the port.
    pub busy: u32,
    /// Cycles from its start until its last byte is there.
    pub whole: u32,
    /// Bytes.
    pub bytes: u32,
    /// The other end.
    pub far: FarEnd,
    /// The tensor in DRAM that it reaches, by its number in [`LaunchTimeline::tensors`]; `u32::MAX` for none.
    pub tensor: u32,
    /// The circular buffer at this end; `u32::MAX` for none.
    pub cb: u32,
}

/// A write to a semaphore.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Signal {
    /// When it is there.
    pub at: u64,
    /// The semaphore, by its number.
    pub semaphore: u32,
    /// It adds; else it sets.
    pub adds: bool,
    /// What.
    pub value: u32,
    /// Who wrote: a core and a thread.
    pub from: (CoreCoord, Thread),
}

/// All calls of a line that did the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Total {
    /// Thread.
    pub thread: Thread,
    /// What they did.
    pub doing: Doing,
    /// Their line.
    pub place: u32,
    /// As in [`Call`].
    pub of: u32,
    /// How many.
    pub calls: u64,
    /// Pages or bytes in all.
    pub amount: u64,
    /// Cycles waited.
    pub waited: u64,
    /// Cycles taken.
    pub took: u64,
}

/// Bytes that a thread moved over a NoC.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Traffic {
    /// Thread.
    pub thread: Thread,
    /// NoC.
    pub noc: u8,
    /// Towards this core.
    pub is_read: bool,
    /// The other end.
    pub far: FarEnd,
    /// The tensor in DRAM; `u32::MAX` for none.
    pub tensor: u32,
    /// The circular buffer at this end; `u32::MAX` for none.
    pub cb: u32,
    /// Transfers.
    pub transfers: u64,
    /// Bytes.
    pub bytes: u64,
    /// Cycles for which the port was taken.
    pub busy: u64,
    /// Cycles from starts to ends, added up.
    pub whole: u64,
}

/// A thread that could not go on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stuck {
    /// Thread.
    pub thread: Thread,
    /// Its line.
    pub place: CallPlace,
    /// Since when.
    pub since: u64,
    /// What it waits for, in words.
    pub text: String,
    /// The circular buffer that it waits for; `u32::MAX` for none.
    pub cb: u32,
    /// Who could let it go on: threads of this core, or of cores that have written the word; empty where nobody is known.
    pub by: Vec<(CoreCoord, Thread)>,
}
