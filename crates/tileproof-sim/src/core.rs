//! A Tensix core: L1, circular buffers, threads and the compute engine.

use std::collections::BTreeMap;

use tileproof_model::abi::CbInterface;
use tileproof_model::arch::Arch;
use tileproof_model::program::ComputeConfig;
use tileproof_model::thread::{CoreCoord, Thread};

use crate::arrivals::Arrivals;
use crate::buffer::{self, CircularBuffer};
use crate::hart::{Hart, State, Wait};
use crate::l1::L1Window;
use crate::mailboxes::Mailboxes;
use crate::signals::{Sent, Signals};
use crate::tensix::Tensix;

/// Semaphore `id` lies at the start of the kernel configuration ring, 16 bytes each.
pub(crate) const SEMAPHORES: u32 = 16;

/// Runtime arguments of a kernel, own and common (tt-metal `kernel.hpp`, `max_runtime_args`).
pub(crate) const MAX_ARGUMENTS: usize = 341;
/// Runtime arguments of a thread lie after the semaphores, own ones first.
const ARGUMENT_BYTES: u32 = 2048;

pub(crate) struct Core {
    pub(crate) arch: Arch,
    pub(crate) coord: CoreCoord,
    /// Its place among the cores of the engine in this launch.
    pub(crate) index: usize,
    pub(crate) l1: L1Window,
    pub(crate) cbs: Vec<Option<CircularBuffer>>,
    /// Where those lie that are configured: index, offset and bytes, in order.
    pub(crate) cb_places: Vec<(u32, u32, u32)>,
    /// By [`Thread`]; `None` where no kernel runs.
    pub(crate) harts: [Option<Hart>; 5],
    pub(crate) tensix: Tensix,
    pub(crate) mailboxes: Mailboxes,
    pub(crate) config: ComputeConfig,
    /// Offset of semaphore 0 in L1.
    pub(crate) semaphore_base: u32,
    /// Those that the launch has on this core: a bit each.
    pub(crate) semaphores: u32,
    /// When words that may be semaphores got their values.
    pub(crate) arrivals: Arrivals,
    /// When the last transfer of another thread got to this L1.
    pub(crate) reached_at: u64,
    /// Where it runs apart, epochs whose transfers have landed.
    pub(crate) landed: u32,
    /// Who wrote those words.
    pub(crate) signals: Signals,
    /// L1 between the circular buffers and the tensors, while there are buffers.
    pub(crate) free: Option<FreeL1>,
    /// L1 or Dst hold something that a launch must find: of an earlier launch, or of a tensor.
    pub(crate) is_used: bool,
    /// Something has read a datum that is as undefined memory is filled: UNPACK or a thread, for an observer, or the packer, which
    /// added to it.
    pub(crate) reads_undefined: bool,
    /// The pages of outputs in L1, from offset to end.
    pub(crate) outputs: BTreeMap<u32, u32>,
}

/// L1 that nothing owns in this launch.
pub(crate) struct FreeL1 {
    /// It begins where the last circular buffer ends, and ends where the tensors in L1 begin.
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// The last circular buffer.
    pub(crate) cb: u32,
}

impl Core {
    /// A core on which nothing has run, whose undefined memory is filled with a byte.
    ///
    /// # Errors
    /// If the host has no memory for its L1.
    pub(crate) fn new(arch: Arch, coord: CoreCoord, poison: u8) -> std::io::Result<Core> {
        let constants = arch.constants();
        Ok(Core {
            arch,
            coord,
            index: 0,
            l1: L1Window::new(constants.l1_bytes, poison)?,
            cbs: Vec::new(),
            cb_places: Vec::new(),
            harts: [const { None }; 5],
            tensix: Tensix::default(),
            mailboxes: Mailboxes::default(),
            config: ComputeConfig::default(),
            semaphore_base: constants.kernel_config_base,
            semaphores: 0,
            arrivals: Arrivals::default(),
            landed: 0,
            reached_at: 0,
            signals: Signals::default(),
            free: None,
            is_used: false,
            reads_undefined: false,
            outputs: BTreeMap::new(),
        })
    }

    /// What a launch finds: no kernels, no circular buffers, no semaphores; memory as it is.
    pub(crate) fn begin_launch(&mut self) {
        self.harts = [const { None }; 5];
        self.arrivals.clear();
        self.reached_at = 0;
        self.landed = 0;
        self.reads_undefined = false;
        self.semaphores = 0;
        self.signals.clear();
        self.cbs = (0..self.arch.constants().circular_buffers).map(|_| None).collect();
        self.cb_places.clear();
        self.tensix.reset();
        self.mailboxes = Mailboxes::default();
    }

    /// A thread's own pointers into the circular buffers, as it begins. Compute threads count in units of 16 bytes, and what is
    /// no whole unit is lost (tt-metal `circular_buffer_constants.h`, `CIRCULAR_BUFFER_COMPUTE_ADDR_SHIFT`).
    pub(crate) fn interfaces(&self, thread: Thread) -> Vec<CbInterface> {
        let base = self.l1.base();
        let whole = |bytes: u32| if thread.is_data_movement() { bytes } else { bytes & !0xf };
        let nowhere = |cb: usize| base + buffer::nowhere(cb as u32);
        let interface = |(index, cb): (usize, &Option<CircularBuffer>)| match cb {
            None => CbInterface { fifo_rd_ptr: nowhere(index), fifo_wr_ptr: nowhere(index), ..CbInterface::default() },
            Some(cb) => CbInterface {
                fifo_size: whole(cb.size),
                fifo_limit: base + cb.base + whole(cb.size),
                fifo_page_size: whole(cb.page_size),
                fifo_num_pages: cb.num_pages,
                fifo_rd_ptr: base + cb.base,
                fifo_wr_ptr: base + cb.base,
                fifo_wr_tile_ptr: 0,
                data_format: cb.format as u32,
            },
        };
        self.cbs.iter().enumerate().map(interface).collect()
    }

    /// Offset in L1 of a thread's runtime arguments.
    pub(crate) fn argument_offset(&self, thread: Thread, common: bool) -> u32 {
        let slot = 2 * thread as u32 + u32::from(common);
        self.semaphore_base + 16 * SEMAPHORES + slot * ARGUMENT_BYTES
    }

    /// Whether the arguments of a thread lie at an offset.
    pub(crate) fn is_argument(&self, offset: u32) -> bool {
        let first = self.argument_offset(Thread::ALL[0], false);
        (first..first + 2 * Thread::ALL.len() as u32 * ARGUMENT_BYTES).contains(&offset)
    }

    /// Whether an offset in L1 is that of a semaphore.
    pub(crate) fn is_semaphore(&self, offset: u32) -> bool {
        offset.checked_sub(self.semaphore_base).is_some_and(|at| at < 16 * SEMAPHORES && at.is_multiple_of(16))
    }

    /// The semaphore at an offset in L1, if the launch does not have it on this core.
    pub(crate) fn semaphore_missing(&self, offset: u32) -> Option<u32> {
        let id = (offset.wrapping_sub(self.semaphore_base)) / 16;
        (self.is_semaphore(offset) && self.semaphores >> id & 1 == 0).then_some(id)
    }

    /// Whether a word of L1 holds what undefined memory is filled with, as far as is known of words that are no semaphores.
    pub(crate) fn is_undefined(&self, offset: u32) -> bool {
        let is_known = self.is_semaphore(offset) || self.arrivals.knows(offset);
        !is_known && self.l1.read_word(offset) == u32::from_ne_bytes([self.l1.poison(); 4])
    }

    /// The thread's state; the caller knows that it has a kernel.
    #[inline]
    pub(crate) fn hart(&mut self, thread: Thread) -> &mut Hart {
        self.harts[thread as usize].as_mut().expect("thread has a kernel")
    }

    /// When what a thread waits for from cycle `from` on is there, or `None`.
    #[inline]
    pub(crate) fn ready_at(&self, wait: Wait, from: u64) -> Option<u64> {
        match wait {
            Wait::CbFront { cb, pages } => self.cbs[cb as usize].as_ref()?.front_ready_at(pages),
            Wait::CbBack { cb, pages } => self.cbs[cb as usize].as_ref()?.back_ready_at(pages),
            Wait::SrcTaken { a, b } => {
                let a = if a { self.tensix.src_a.taken_at()? } else { 0 };
                let b = if b { self.tensix.src_b.taken_at()? } else { 0 };
                Some(a.max(b))
            }
            Wait::SrcValid { a, b } => {
                let a = if a { self.tensix.src_a.front()?.ready_at } else { 0 };
                let b = if b { self.tensix.src_b.front()?.ready_at } else { 0 };
                Some(a.max(b))
            }
            Wait::DstFree => self.tensix.math_pack.free_at(),
            Wait::DstCommitted => self.tensix.math_pack.committed_at(),
            Wait::DstDrained => self.tensix.math_pack.drained_at(),
            Wait::MailboxWord { from, to } => self.mailboxes.word_at(from, to),
            Wait::MailboxRoom { from } => self.mailboxes.room_at(from),
            Wait::Semaphore { offset, how, value } => {
                let now = self.l1.read_word(offset);
                let met = if how == tileproof_model::abi::compare::EQUAL { now == value } else { now >= value };
                met.then(|| self.arrivals.met_at(offset, now, (how, value), from))
            }
            Wait::Landing { epoch } => (self.landed >= epoch).then_some(0),
        }
    }

    /// Something is about to be written at `offset`, or added to what is there.
    #[inline]
    pub(crate) fn will_change(&mut self, offset: u32, bytes: u32) {
        if bytes == 4 {
            self.arrivals.will_change(offset, self.l1.read_word(offset));
        }
    }

    /// Something was written at `offset`, or added to what is there: whoever waits for it sees it from cycle `at` on.
    pub(crate) fn arrived(&mut self, offset: u32, bytes: u32, at: u64, sent: Sent) {
        self.reached_at = self.reached_at.max(at);
        if bytes == 4 {
            let value = self.l1.read_word(offset);
            match sent.added {
                0 => self.arrivals.stored(offset, value, at),
                _ => self.arrivals.added(offset, value, at),
            }
            self.signals.wrote(offset, self.is_semaphore(offset), value, sent);
        }
    }

    /// The clock at which a thread could go on now.
    pub(crate) fn can_go_on(&self, thread: Thread) -> Option<u64> {
        let hart = self.harts[thread as usize].as_ref()?;
        match hart.state {
            State::Ready => Some(hart.clock),
            State::Blocked(wait) => self.ready_at(wait, hart.clock).map(|at| at.max(hart.clock)),
            State::Finished => None,
        }
    }

    /// Lets threads go on whose wait has ended, and picks the next to run: the earliest clock, then the order of
    /// [`Thread::ALL`].
    pub(crate) fn next_thread(&mut self) -> Option<Thread> {
        let mut best: Option<(u64, Thread)> = None;
        for thread in Thread::ALL {
            let Some(hart) = &self.harts[thread as usize] else { continue };
            let clock = match hart.state {
                State::Ready => hart.clock,
                State::Finished => continue,
                State::Blocked(wait) => {
                    let clock = hart.clock;
                    let Some(at) = self.ready_at(wait, clock) else { continue };
                    let hart = self.hart(thread);
                    hart.state = State::Ready;
                    hart.clock = clock.max(at);
                    hart.clock
                }
            };
            if best.is_none_or(|(earliest, _)| clock < earliest) {
                best = Some((clock, thread));
            }
        }
        best.map(|(_, thread)| thread)
    }

    /// True if the launch runs a kernel on it.
    pub(crate) fn has_kernels(&self) -> bool {
        self.harts.iter().any(Option::is_some)
    }

    /// True if a kernel has not ended.
    pub(crate) fn is_busy(&self) -> bool {
        self.harts.iter().flatten().any(|h| !h.is_finished())
    }

    /// Latest clock of the core's threads.
    pub(crate) fn clock(&self) -> u64 {
        self.harts.iter().flatten().map(|h| h.clock).max().unwrap_or(0)
    }
}
