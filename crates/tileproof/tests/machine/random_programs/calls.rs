//! Calls of a random program, and the kernel that carries them out.
//!
//! Each call of a program has a line of its own, which stays its line where another call is left out: so what a report names can be
//! told. A call must do what the call of its name does in C++ and nothing more. Start at [`Call`].

#![allow(unsafe_code)]

use std::sync::Arc;

use tileproof_model::abi::{Abi, Site, bank, barrier, compare, noc_address};
use tileproof_model::arch::Arch;
use tileproof_model::kernel::{Kernel, KernelArgs, SharedKernel, SourceLocation};

/// Bytes of a page.
pub(crate) const PAGE: u32 = 2048;
/// The buffer that is memory alone: the places of a core, one page each.
pub(crate) const PLACES: u32 = 30;
/// The same for words that are sent: one for each semaphore, core and value, as the one before may still be on its way.
pub(crate) const WORDS: u32 = 31;
/// Bytes of the words of a semaphore.
pub(crate) const WORDS_BYTES: u32 = 16 * 16 * 9;

/// A tensor in DRAM.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Tensor {
    In,
    Mid,
    Out,
}

/// What a barrier waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Barrier {
    Reads,
    Writes,
    Flushed,
    PostedFlushed,
    Atomics,
    Full,
    /// Reads of a transaction id.
    ReadsOf(u32),
    /// Writes of a transaction id.
    WritesOf(u32),
}

/// A call, with its numbers. Cores are named by their number in the program, semaphores by their id.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Call {
    /// A page of a tensor to a place.
    Read(Tensor, u32, u32),
    /// A place to a page of a tensor.
    Write(Tensor, u32, u32),
    /// The place of a core to a place of this one.
    Get(u32, u32, u32),
    /// A place to a place of a core.
    Send(u32, u32, u32),
    /// The same, posted.
    Post(u32, u32, u32),
    /// A place to the same place of all other cores.
    Multicast(u32),
    /// The same, this core among them: from one place to another.
    MulticastToAll(u32, u32),
    Wait(Barrier),
    /// The transaction id of reads, or of writes, from here on.
    IdOfReads(u32),
    IdOfWrites(u32),
    /// Raises a semaphore of a core.
    Raise(u32, u32),
    /// Sets a semaphore of a core to a value: by a word that goes with its request, or by one that this core has in L1.
    SetInline(u32, u32, u32),
    SetBySending(u32, u32, u32),
    /// Sets a semaphore of all other cores, from a word of this one's.
    SetByMulticast(u32, u32),
    /// Sets a semaphore of its own core.
    Set(u32, u32),
    /// Stores to it through a pointer.
    Store(u32, u32),
    /// Waits until a semaphore is at least this.
    AtLeast(u32, u32),
    /// Waits until it is this.
    Equals(u32, u32),
    /// Looks at it through a pointer until it is at least this.
    Poll(u32, u32),
    /// Looks at it once.
    Look(u32),
    /// A place to another, through pointers; the last word is read back.
    Copy(u32, u32),
    Reserve(u32, u32),
    Push(u32, u32),
    Front(u32, u32),
    Pop(u32, u32),
    /// To a page of the ring of a buffer a page of the input.
    Fill(u32, u32, u32),
    /// From a page of the ring of a buffer to a page of the output.
    Drain(u32, u32, u32),
}

impl Call {
    /// Whether it is there for the order alone.
    pub(crate) fn orders(self) -> bool {
        match self {
            Call::Wait(_)
            | Call::Raise(..)
            | Call::SetInline(..)
            | Call::SetBySending(..)
            | Call::SetByMulticast(..)
            | Call::Set(..)
            | Call::Store(..)
            | Call::AtLeast(..)
            | Call::Equals(..)
            | Call::Poll(..)
            | Call::Reserve(..)
            | Call::Push(..)
            | Call::Front(..)
            | Call::Pop(..) => true,
            Call::Read(..)
            | Call::Write(..)
            | Call::Get(..)
            | Call::Send(..)
            | Call::Post(..)
            | Call::Multicast(_)
            | Call::MulticastToAll(..)
            | Call::IdOfReads(_)
            | Call::IdOfWrites(_)
            | Call::Look(_)
            | Call::Copy(..)
            | Call::Fill(..)
            | Call::Drain(..) => false,
        }
    }
}

/// A call on its line, over a NoC.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Step {
    pub(crate) noc: u32,
    pub(crate) call: Call,
    pub(crate) line: u32,
}

/// By core, the steps of NCRISC and of BRISC.
pub(crate) type Steps = Vec<[Vec<Step>; 2]>;

/// Where the cores lie: columns, one row or more of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grid {
    pub(crate) arch: Arch,
    pub(crate) columns: u32,
    pub(crate) cores: u32,
}

impl Grid {
    pub(crate) fn coordinates(self, core: u32) -> (u32, u32) {
        (core % self.columns, core / self.columns)
    }

    fn node(self, core: u32) -> u64 {
        let (x, y) = self.coordinates(core);
        let (x, y) = self.arch.constants().noc.of_core(x, y);
        u64::from(x) << noc_address::X_SHIFT | u64::from(y) << noc_address::Y_SHIFT
    }

    /// All cores, as a NoC goes through them.
    fn all(self, noc: u32) -> u64 {
        let (first, last) = (self.node(0), self.node(self.cores - 1));
        let (start, end) = if noc == 0 { (first, last) } else { (last, first) };
        start << noc_address::START_SHIFT | end
    }
}

/// Carries out the steps of one thread of each core.
pub(crate) struct Interpreter {
    pub(crate) name: &'static str,
    pub(crate) thread: usize,
    pub(crate) steps: Arc<Steps>,
    pub(crate) grid: Grid,
}

impl Interpreter {
    pub(crate) fn shared(self) -> SharedKernel {
        Arc::new(self)
    }
}

impl Kernel for Interpreter {
    fn name(&self) -> &str {
        self.name
    }

    fn run(&self, abi: &'static Abi, args: &KernelArgs<'_>) {
        let core = args.runtime[3];
        for step in &self.steps[core as usize][self.thread] {
            let at = At { abi, args, grid: self.grid, site: Site(step.line.into()), noc: step.noc };
            at.carry_out(step.call);
        }
    }

    unsafe fn locate(&self, site: Site) -> Option<SourceLocation> {
        // A site is the line.
        Some(SourceLocation { file: self.name.into(), line: site.0 as u32, column: 1 })
    }
}

/// A step of a core.
struct At<'a> {
    abi: &'static Abi,
    args: &'a KernelArgs<'a>,
    grid: Grid,
    site: Site,
    noc: u32,
}

impl At<'_> {
    fn place(&self, index: u32) -> u32 {
        self.ring(PLACES) + PAGE * index
    }

    /// A word that holds a value, to be sent to a core, or to all of them where that is none.
    fn word(&self, semaphore: u32, value: u32, to: Option<u32>) -> u32 {
        self.ring(WORDS) + WORDS_BYTES * semaphore + 16 * (16 * to.unwrap_or(8) + value)
    }

    fn carry_out(&self, call: Call) {
        match call {
            Call::Read(tensor, page, to) => self.read(self.page(tensor, page), self.place(to)),
            Call::Write(tensor, page, from) => self.write(self.place(from), self.page(tensor, page), 0),
            Call::Get(core, from, to) => self.read(self.l1(core, self.place(from)), self.place(to)),
            Call::Send(core, from, to) => self.write(self.place(from), self.l1(core, self.place(to)), 0),
            Call::Post(core, from, to) => self.write(self.place(from), self.l1(core, self.place(to)), 1),
            Call::Multicast(at) => self.multicast(self.place(at), self.place(at), PAGE, 0),
            Call::MulticastToAll(from, to) => self.multicast(self.place(from), self.place(to), PAGE, 1),
            Call::Wait(barrier) => self.barrier(barrier),
            Call::IdOfReads(id) => (self.abi.noc_set_trid)(self.site, self.noc, 0, id),
            Call::IdOfWrites(id) => (self.abi.noc_set_trid)(self.site, self.noc, 1, id),
            Call::Reserve(cb, pages) => (self.abi.cb_reserve_back)(self.site, cb, pages),
            Call::Push(cb, pages) => (self.abi.cb_push_back)(self.site, cb, pages),
            Call::Front(cb, pages) => (self.abi.cb_wait_front)(self.site, cb, pages),
            Call::Pop(cb, pages) => (self.abi.cb_pop_front)(self.site, cb, pages),
            Call::Fill(cb, at, page) => self.read(self.page(Tensor::In, page), self.ring(cb) + PAGE * at),
            Call::Drain(cb, at, page) => self.write(self.ring(cb) + PAGE * at, self.page(Tensor::Out, page), 0),
            Call::Copy(from, to) => self.copy(self.place(from), self.place(to)),
            _ => self.signal(call),
        }
    }

    fn signal(&self, call: Call) {
        let semaphore = |id: u32| (self.abi.semaphore_address)(self.site, id);
        match call {
            Call::Raise(core, id) => {
                (self.abi.noc_semaphore_inc)(self.site, self.noc, self.l1(core, semaphore(id)), 1);
            }
            Call::SetInline(core, id, value) => {
                (self.abi.noc_inline_write)(self.site, self.noc, value, self.l1(core, semaphore(id)));
            }
            Call::SetBySending(core, id, value) => {
                let from = self.word(id, value, Some(core));
                self.store(from, value);
                (self.abi.noc_write)(self.site, self.noc, from, self.l1(core, semaphore(id)), 4, 0);
            }
            Call::SetByMulticast(id, value) => {
                let from = self.word(id, value, None);
                self.store(from, value);
                self.multicast(from, semaphore(id), 4, 0);
            }
            Call::Set(id, value) => (self.abi.semaphore_set)(self.site, semaphore(id), value),
            Call::Store(id, value) => self.store(semaphore(id), value),
            Call::AtLeast(id, value) => {
                (self.abi.semaphore_wait)(self.site, semaphore(id), compare::AT_LEAST, value);
            }
            Call::Equals(id, value) => (self.abi.semaphore_wait)(self.site, semaphore(id), compare::EQUAL, value),
            Call::Look(id) => {
                self.load(semaphore(id));
            }
            Call::Poll(id, value) => {
                (self.abi.l1_invalidate)(self.site);
                while self.load(semaphore(id)) < value {
                    (self.abi.l1_invalidate)(self.site);
                }
            }
            _ => {}
        }
    }

    fn page(&self, tensor: Tensor, page: u32) -> u64 {
        let banks = (self.abi.bank_count)(bank::DRAM);
        let start = self.args.runtime[tensor as usize] + page / banks * PAGE;
        (self.abi.bank_address)(self.site, bank::DRAM, page % banks, self.noc) + u64::from(start)
    }

    fn l1(&self, core: u32, address: u32) -> u64 {
        self.grid.node(core) | u64::from(address & tileproof_model::abi::l1::OFFSET_MASK)
    }

    fn read(&self, from: u64, to: u32) {
        (self.abi.noc_read)(self.site, self.noc, from, to, PAGE);
    }

    fn write(&self, from: u32, to: u64, posted: u32) {
        (self.abi.noc_write)(self.site, self.noc, from, to, PAGE, posted);
    }

    fn multicast(&self, from: u32, to: u32, bytes: u32, loopback: u32) {
        let to = self.grid.all(self.noc) | u64::from(to & tileproof_model::abi::l1::OFFSET_MASK);
        let dests = self.grid.cores - 1 + loopback;
        (self.abi.noc_multicast)(self.site, self.noc, from, to, bytes, dests, loopback);
    }

    fn barrier(&self, barrier: Barrier) {
        let wait = |kind| (self.abi.noc_barrier)(self.site, self.noc, kind);
        let wait_of = |kind, id| (self.abi.noc_trid_barrier)(self.site, self.noc, kind, id);
        match barrier {
            Barrier::Reads => wait(barrier::READS),
            Barrier::Writes => wait(barrier::WRITES),
            Barrier::Flushed => wait(barrier::WRITES_FLUSHED),
            Barrier::PostedFlushed => wait(barrier::POSTED_FLUSHED),
            Barrier::Atomics => wait(barrier::ATOMICS),
            Barrier::Full => wait(barrier::FULL),
            Barrier::ReadsOf(id) => wait_of(barrier::READS, id),
            Barrier::WritesOf(id) => wait_of(barrier::WRITES, id),
        }
    }

    /// Where a buffer begins.
    fn ring(&self, cb: u32) -> u32 {
        let interface = (self.abi.cb_interface)(self.site, cb);
        assert!(!interface.is_null(), "buffer {cb}");
        // SAFETY: not null, it is the machine's interface of the calling thread, which lives while the kernel runs.
        let (end, bytes) = unsafe { ((*interface).fifo_limit, (*interface).fifo_size) };
        assert!(bytes > 0, "buffer {cb}");
        end - bytes
    }

    fn load(&self, address: u32) -> u32 {
        let mut word = 0;
        // SAFETY: one writable word.
        unsafe { (self.abi.l1_load)(self.site, address, &raw mut word, 1) };
        word
    }

    fn store(&self, address: u32, word: u32) {
        // SAFETY: one readable word.
        unsafe { (self.abi.l1_store)(self.site, address, &raw const word, 1) };
    }

    fn copy(&self, from: u32, to: u32) {
        let mut words = [0; PAGE as usize / 4];
        let count = words.len() as u32;
        // SAFETY: so many words, writable and then readable.
        unsafe {
            (self.abi.l1_load)(self.site, from, words.as_mut_ptr(), count);
            (self.abi.l1_store)(self.site, to, words.as_ptr(), count);
        }
        self.load(to + PAGE - 4);
    }
}
