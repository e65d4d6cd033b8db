//! What a core that runs apart from the others sends them: it is kept until the end of the epoch, and lands then, in the order of the
//! cores and of their calls (`epochs.rs`).
//!
//! A transfer takes its data when it is started and lands when all cores have gone as far as they could, so that no core sees another
//! while both run. Barriers of the sender wait for that. Start at [`Outbound::send`] and
//! [`Sendings::land`].

use std::sync::Arc;

use tileproof_model::abi::barrier;
use tileproof_model::thread::{CoreCoord, Thread};

use crate::core::{Core, SEMAPHORES};
use crate::hart::Wait;
use crate::noc::ends::{Kind, Transfer};
use crate::signals::Sent;
use crate::step::{Halt, Step};

/// Bytes that a core may send in an epoch before it waits for the end of it.
const MOST_BYTES: usize = 1 << 20;

/// The cores of a launch, by their number: what a sender must know of them.
pub(crate) struct Grid(Vec<Seen>);

/// A core as others see it.
struct Seen {
    coord: CoreCoord,
    semaphore_base: u32,
    semaphores: u32,
}

impl Grid {
    pub(crate) fn of(cores: &[Core]) -> Grid {
        let seen =
            |core: &Core| Seen { coord: core.coord, semaphore_base: core.semaphore_base, semaphores: core.semaphores };
        Grid(cores.iter().map(seen).collect())
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }

    fn at(&self, coord: CoreCoord) -> Option<usize> {
        self.0.iter().position(|core| core.coord == coord)
    }
}

/// Bytes in [`Outbound::data`], or a word.
#[derive(Clone, Copy)]
enum Load {
    Data { at: usize, bytes: u32 },
    Word(u32),
    Addition(u32),
}

/// A transfer to other cores.
struct Packet {
    /// Their numbers: a range of [`Outbound::to`].
    to: (usize, usize),
    offset: u32,
    load: Load,
    /// When its last byte arrives.
    at: u64,
    sent: Sent,
}

/// A read of another core's L1.
#[derive(Clone, Copy)]
pub(crate) struct Asked {
    pub(crate) core: usize,
    pub(crate) offset: u32,
    pub(crate) bytes: u32,
    /// Where it goes in the L1 of who asks.
    pub(crate) local: u32,
    thread: Thread,
}

/// What one core has sent in an epoch.
#[derive(Default)]
pub(crate) struct Sendings {
    packets: Vec<Packet>,
    to: Vec<usize>,
    data: Vec<u8>,
    asked: Vec<Asked>,
}

impl Sendings {
    pub(crate) fn is_empty(&self) -> bool {
        self.packets.is_empty() && self.asked.is_empty()
    }

    /// Forgets it all, and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.packets.clear();
        self.to.clear();
        self.data.clear();
        self.asked.clear();
    }

    /// The reads, in the order of their calls.
    pub(crate) fn asked(&self) -> &[Asked] {
        &self.asked
    }

    /// Shows each landing, in the order of the calls, with the number of the core that it is in.
    pub(crate) fn land(&self, mut at: impl FnMut(usize, Landing<'_>)) {
        for packet in &self.packets {
            for number in &self.to[packet.to.0..packet.to.1] {
                at(*number, Landing { packet, data: &self.data });
            }
        }
    }
}

/// A transfer that lands in one of the cores that it is for.
pub(crate) struct Landing<'a> {
    packet: &'a Packet,
    data: &'a [u8],
}

impl Landing<'_> {
    pub(crate) fn lands_in(self, core: &mut Core) {
        let Packet { offset, load, at, sent, .. } = self.packet;
        let bytes = if let Load::Data { bytes, .. } = *load { bytes } else { 4 };
        core.will_change(*offset, bytes);
        match *load {
            Load::Data { at, bytes } => core.l1.write(*offset, &self.data[at..at + bytes as usize]),
            Load::Word(word) => core.l1.write_word(*offset, word),
            Load::Addition(by) => core.l1.write_word(*offset, core.l1.read_word(*offset).wrapping_add(by)),
        }
        core.arrived(*offset, bytes, *at, *sent);
    }
}

/// What a core that runs apart sends, and whom it may reach.
pub(crate) struct Outbound {
    grid: Arc<Grid>,
    /// The number of the core.
    here: usize,
    /// The epoch that runs.
    pub(crate) epoch: u32,
    /// The earliest clock at which another core could go on when it began.
    pub(crate) others_at: u64,
    pub(crate) sendings: Sendings,
}

impl Outbound {
    /// Nothing, of core `here`.
    pub(crate) fn new(grid: Arc<Grid>, here: usize) -> Outbound {
        Outbound { grid, here, epoch: 1, others_at: u64::MAX, sendings: Sendings::default() }
    }

    /// The number of another core of the launch; `None` for one that it does not use, and for the own.
    pub(crate) fn other(&self, x: u32, y: u32) -> Option<usize> {
        self.grid.at(CoreCoord { x, y }).filter(|core| *core != self.here)
    }

    /// Whether an offset is that of a semaphore which core `number` does not have.
    pub(crate) fn misses_semaphore(&self, number: usize, offset: u32) -> bool {
        let Seen { semaphore_base, semaphores, .. } = self.grid.0[number];
        let at = offset.wrapping_sub(semaphore_base);
        at < 16 * SEMAPHORES && at.is_multiple_of(16) && semaphores >> (at / 16) & 1 == 0
    }

    fn landing(&self) -> Halt {
        Halt::Wait(Wait::Landing { epoch: self.epoch })
    }

    /// Waits for the end of the epoch where much is under way.
    pub(crate) fn has_room(&self) -> Step {
        let is_full = self.sendings.data.len() >= MOST_BYTES || self.sendings.packets.len() >= MOST_BYTES / 64;
        if is_full { Err(self.landing()) } else { Ok(()) }
    }

    /// Sends a write, a word or an addition to other cores; `data` are the bytes of a write. [`Outbound::arrives`] must follow.
    pub(crate) fn send(&mut self, call: &Transfer, to: &[usize], offset: u32, data: &[u8], sent: Sent) {
        if to.is_empty() {
            return;
        }
        let Sendings { packets, to: cores, data: all, .. } = &mut self.sendings;
        let load = match call.kind {
            Kind::InlineWrite { value } => Load::Word(value),
            Kind::Increment { value, .. } => Load::Addition(value),
            Kind::Read | Kind::Write { .. } | Kind::Multicast { .. } => {
                all.extend_from_slice(data);
                Load::Data { at: all.len() - data.len(), bytes: call.bytes }
            }
        };
        let first = cores.len();
        cores.extend_from_slice(to);
        packets.push(Packet { to: (first, cores.len()), offset, load, at: 0, sent });
    }

    /// The last byte of what was sent last arrives at cycle `at`.
    pub(crate) fn arrives(&mut self, at: u64) {
        if let Some(packet) = self.sendings.packets.last_mut() {
            packet.at = at;
        }
    }

    /// Reads from another core.
    pub(crate) fn ask(&mut self, thread: Thread, call: &Transfer, local: u32, core: usize, offset: u32) {
        self.sendings.asked.push(Asked { core, offset, bytes: call.bytes, local, thread });
    }

    /// A barrier of a thread: it waits for the end of the epoch where something of its own is under way that it is for.
    pub(crate) fn passes_barrier(&self, thread: Thread, kind: u32) -> Step {
        let Sendings { packets, asked, .. } = &self.sendings;
        let reads = || asked.iter().any(|asked| asked.thread == thread);
        let others = || packets.iter().any(|packet| packet.sent.thread == thread);
        let is_under_way = match kind {
            // Its data have left.
            barrier::WRITES_FLUSHED | barrier::POSTED_FLUSHED => false,
            barrier::READS => reads(),
            barrier::WRITES | barrier::ATOMICS => others(),
            _ => reads() || others(),
        };
        if is_under_way { Err(self.landing()) } else { Ok(()) }
    }
}
