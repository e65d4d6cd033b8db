//! What a run leaves for whoever watches it from another process: where each host thread is, and what ended it.
//!
//! A kernel may take its process down, and then the memory that is shared here is all that is left. The record of a run must never
//! depend on it, but for the end that the watcher asks for. Start at [`BlackBox`].

#![allow(unsafe_code)]

use std::cell::Cell;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering::Relaxed};

use tileproof_model::abi::Site;
use tileproof_model::finding::Finding;
use tileproof_model::thread::{CoreCoord, Thread};

use crate::fault::Fault;
use crate::kept::Kept;
use crate::refused::{self, HostCall};

/// Host threads that can be told apart.
pub(crate) const SLOTS: usize = 64;
/// Words of the stack that are kept of a signal.
pub(crate) const WORDS: usize = 512;
/// Set in [`Slot::who`] while a kernel has a turn.
const HAS_TURN: u64 = 1 << 63;

/// Where a host thread is.
struct Slot {
    /// Its number for the host; 0 while nobody has the slot.
    host_thread: AtomicU32,
    /// The core and thread that had the last turn, and whether it lasts.
    who: AtomicU64,
    /// Turns so far.
    turns: AtomicU64,
    /// The call that the turn began behind.
    site: AtomicU64,
    /// Where in the kernel's code its last basic block began; 0 until the turn has seen one.
    block: AtomicU64,
}

/// A signal that came while a kernel had its turn.
struct Signal {
    /// Its number; 0 for none.
    number: AtomicU32,
    slot: AtomicU32,
    pc: AtomicU64,
    stack: AtomicU64,
    /// The address that was accessed, and whether there is one.
    address: AtomicU64,
    has_address: AtomicU32,
    site: AtomicU64,
    words: [AtomicU64; WORDS],
    /// The call into the host that it refuses.
    call: [AtomicU64; refused::WORDS],
}

impl Signal {
    fn fault(&self, signal: i32) -> Fault {
        let call = || HostCall::from_words(std::array::from_fn(|at| self.call[at].load(Relaxed)));
        Fault {
            signal,
            address: (self.has_address.load(Relaxed) != 0).then(|| self.address.load(Relaxed)),
            pc: self.pc.load(Relaxed),
            stack: self.stack.load(Relaxed),
            call: (signal == libc::SIGSYS).then(call),
        }
    }
}

/// The shared memory.
struct Shared {
    /// Seconds after which the run is to end, set when they are over; 0 before.
    stop: AtomicU32,
    launch: AtomicU32,
    slots: [Slot; SLOTS],
    signal: Signal,
    /// What was found so far.
    kept: Kept,
}

/// What this process is watched through; null where nobody watches.
static WATCHED: AtomicPtr<Shared> = AtomicPtr::new(ptr::null_mut());

/// How findings become bytes.
type ToBytes = fn(&Finding) -> Vec<u8>;

/// How this process writes down what it finds; set before it is watched.
static TO_BYTES: OnceLock<ToBytes> = OnceLock::new();

thread_local! {
    static SLOT: Cell<Option<&'static Slot>> = const { Cell::new(None) };
    /// Where kernels keep their last basic block in a process that nobody watches.
    static BLOCK: AtomicU64 = const { AtomicU64::new(0) };
}

/// The thread of a core that had the last turn on a host thread.
#[derive(Clone, Debug)]
pub struct Last {
    /// Number of the launch in its program.
    pub launch: usize,
    /// Its core.
    pub core: CoreCoord,
    /// The thread.
    pub thread: Thread,
    /// Whether its turn lasts.
    pub has_turn: bool,
    /// Turns on that host thread so far.
    pub turns: u64,
    /// The host thread.
    pub host_thread: i32,
    /// Its last call as far as it is known.
    pub site: Site,
    /// Where in its code its last basic block began; 0 if it has not said.
    pub block: Site,
    /// What interrupted it.
    pub signal: Option<Interrupted>,
}

/// A signal and the stack under it.
#[derive(Clone, Debug)]
pub struct Interrupted {
    /// Number of the signal.
    pub signal: i32,
    /// The instruction.
    pub pc: u64,
    /// What it was, in words.
    pub what: String,
    /// Whether the host refused what the kernel tried.
    pub is_refusal: bool,
    /// Words of the stack, from the top: among them are return addresses.
    pub words: Vec<u64>,
}

/// Memory that a run and its watcher share.
pub struct BlackBox(&'static Shared);

impl Drop for BlackBox {
    fn drop(&mut self) {
        let memory = ptr::from_ref(self.0).cast_mut();
        // In the process that is watched a handler of signals may use it until the end.
        if WATCHED.load(Relaxed) != memory {
            // SAFETY: the mapping that `new` made, whole; references into it do not outlive `self`, since nothing but the watched
            // process takes any beyond a call.
            unsafe { libc::munmap(memory.cast(), size_of::<Shared>()) };
        }
    }
}

impl BlackBox {
    /// Shared memory for a process to come. It takes memory only as it is written to.
    ///
    /// # Errors
    /// If the host has none.
    pub fn new() -> std::io::Result<BlackBox> {
        let bytes = size_of::<Shared>();
        // SAFETY: a new mapping at an address of the host's choice.
        let memory = unsafe {
            libc::mmap(
                ptr::null_mut(),
                bytes,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        if memory == libc::MAP_FAILED {
            return Err(std::io::Error::last_os_error());
        }
        // SAFETY: the mapping is zeroed, aligned to a page, large enough, and unmapped no sooner than this is dropped; all fields
        // are atomics, for which zero is a value.
        Ok(BlackBox(unsafe { &*memory.cast::<Shared>() }))
    }

    /// Runs of this process tell it where they are from here on, and what they find; the calling host thread takes its place.
    pub fn watch_this_process(&self, to_bytes: fn(&Finding) -> Vec<u8>) {
        TO_BYTES.get_or_init(|| to_bytes);
        WATCHED.store(ptr::from_ref(self.0).cast_mut(), Relaxed);
        take_place();
    }

    /// Says which launch of the program is about to begin.
    pub fn begins(&self, launch: usize) {
        self.0.launch.store(launch as u32, Relaxed);
    }

    /// What was found so far: the launch, and the finding's bytes. Whoever wrote there may have written anything.
    pub fn kept(&self) -> Vec<(usize, Vec<u8>)> {
        self.0.kept.all()
    }

    /// Forgets where a host thread was when it was asked before; what ends a process stays.
    pub fn forgets_where(&self) {
        let _ = self.0.signal.number.compare_exchange(ASKS_WHERE as u32, 0, Relaxed, Relaxed);
    }

    /// Asks the run to end, since it has taken so many seconds.
    pub fn ask_to_end(&self, seconds: u32) {
        self.0.stop.store(seconds.max(1), Relaxed);
    }

    /// Where the host threads are that have run a kernel, whoever was interrupted first.
    pub fn last(&self) -> Vec<Last> {
        let signal = &self.0.signal;
        let number = signal.number.load(Relaxed) as i32;
        let of = |(index, slot): (usize, &Slot)| {
            let who = slot.who.load(Relaxed);
            let thread = Thread::ALL.get((who >> 32 & 0xff) as usize)?;
            let is_interrupted = number != 0 && signal.slot.load(Relaxed) as usize == index;
            let interrupted = is_interrupted.then(|| Interrupted {
                signal: number,
                pc: signal.pc.load(Relaxed),
                what: signal.fault(number).describe(),
                is_refusal: number == libc::SIGSYS,
                words: signal.words.iter().map(|word| word.load(Relaxed)).collect(),
            });
            (who != 0).then(|| Last {
                launch: self.0.launch.load(Relaxed) as usize,
                core: CoreCoord { x: (who & 0xffff) as u32, y: (who >> 16 & 0xffff) as u32 },
                thread: *thread,
                has_turn: who & HAS_TURN != 0,
                turns: slot.turns.load(Relaxed),
                host_thread: slot.host_thread.load(Relaxed) as i32,
                site: Site(if is_interrupted { signal.site.load(Relaxed) } else { slot.site.load(Relaxed) }),
                block: Site(slot.block.load(Relaxed)),
                signal: interrupted,
            })
        };
        let mut last: Vec<Last> = self.0.slots.iter().enumerate().filter_map(of).collect();
        last.sort_by_key(|last| (last.signal.is_none(), !last.has_turn));
        last
    }
}

/// The calling host thread takes the next free place, where this process is watched.
pub(crate) fn take_place() {
    // SAFETY: null, or the memory of a [`BlackBox`], which is never unmapped.
    let Some(shared) = (unsafe { WATCHED.load(Relaxed).as_ref() }) else { return };
    // SAFETY: a call without arguments that only tells.
    let number = unsafe { libc::syscall(libc::SYS_gettid) } as u32;
    let free = shared.slots.iter().find(|slot| slot.host_thread.compare_exchange(0, number, Relaxed, Relaxed).is_ok());
    SLOT.set(free);
}

/// Where kernels that run on this host thread are to keep their last basic block.
pub(crate) fn block_cell() -> *mut u64 {
    SLOT.get().map_or_else(|| BLOCK.with(AtomicU64::as_ptr), |slot| slot.block.as_ptr())
}

/// The last basic block of the kernel that has a turn.
pub(crate) fn block() -> Site {
    Site(SLOT.get().map_or_else(|| BLOCK.with(|block| block.load(Relaxed)), |slot| slot.block.load(Relaxed)))
}

/// A thread of a core begins a turn.
#[inline]
pub(crate) fn begins_turn(core: CoreCoord, thread: Thread, site: Site) {
    BLOCK.with(|block| block.store(0, Relaxed));
    if let Some(slot) = SLOT.get() {
        // One more, so that no thread is told from thread 0 of core (0,0).
        let who = u64::from(core.x) | u64::from(core.y) << 16 | (thread as u64) << 32 | 1 << 40;
        slot.site.store(site.0, Relaxed);
        slot.block.store(0, Relaxed);
        slot.turns.store(slot.turns.load(Relaxed).wrapping_add(1), Relaxed);
        slot.who.store(who | HAS_TURN, Relaxed);
    }
}

/// Its turn is over.
#[inline]
pub(crate) fn ends_turn() {
    if let Some(slot) = SLOT.get() {
        slot.who.store(slot.who.load(Relaxed) & !HAS_TURN, Relaxed);
    }
}

/// The seconds that are over, if the run is to end.
#[inline]
pub(crate) fn is_asked_to_end() -> Option<u32> {
    // SAFETY: as in `take_place`.
    let shared = unsafe { WATCHED.load(Relaxed).as_ref() }?;
    let seconds = shared.stop.load(Relaxed);
    (seconds != 0).then_some(seconds)
}

/// Keeps a finding for whoever watches this process.
pub(crate) fn keep(finding: &Finding) {
    let Some(to_bytes) = SLOT.get().and(TO_BYTES.get()) else { return };
    // SAFETY: as in `take_place`.
    let Some(shared) = (unsafe { WATCHED.load(Relaxed).as_ref() }) else { return };
    shared.kept.add(shared.launch.load(Relaxed), &to_bytes(finding));
}

/// How much is kept, for [`forget_from`].
pub(crate) fn kept() -> usize {
    // SAFETY: as in `take_place`.
    unsafe { WATCHED.load(Relaxed).as_ref() }.map_or(0, |shared| shared.kept.length())
}

/// Forgets what was found since so much was kept: it is found again, or was not so.
pub(crate) fn forget_from(length: usize) {
    // SAFETY: as in `take_place`.
    if let Some(shared) = unsafe { WATCHED.load(Relaxed).as_ref() } {
        shared.kept.cut(length);
    }
}

/// Whether somebody watches this process.
pub(crate) fn is_watched() -> bool {
    SLOT.get().is_some()
}

/// Keeps what a signal interrupted, from its handler. The first that a process ends by counts; one that only asks where it is does
/// not.
pub(crate) fn interrupted(fault: &Fault, site: Site, words: &[Cell<u64>; WORDS]) {
    // SAFETY: as in `take_place`.
    let Some(shared) = (unsafe { WATCHED.load(Relaxed).as_ref() }) else { return };
    let Some(slot) = SLOT.get() else { return };
    let index = (ptr::from_ref(slot).addr() - shared.slots.as_ptr().addr()) / size_of::<Slot>();
    let before = shared.signal.number.load(Relaxed) as i32;
    if before != 0 && before != ASKS_WHERE {
        return;
    }
    shared.signal.slot.store(index as u32, Relaxed);
    shared.signal.pc.store(fault.pc, Relaxed);
    shared.signal.stack.store(fault.stack, Relaxed);
    shared.signal.address.store(fault.address.unwrap_or(0), Relaxed);
    shared.signal.has_address.store(fault.address.is_some().into(), Relaxed);
    shared.signal.site.store(site.0, Relaxed);
    for (to, from) in shared.signal.words.iter().zip(words) {
        to.store(from.get(), Relaxed);
    }
    for (to, word) in shared.signal.call.iter().zip(fault.call.map_or([0; refused::WORDS], |call| call.to_words())) {
        to.store(word, Relaxed);
    }
    shared.signal.number.store(fault.signal as u32, Relaxed);
}

/// The signal that asks a host thread where it is.
pub const ASKS_WHERE: i32 = libc::SIGALRM;
