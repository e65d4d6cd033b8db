//! Faults of a kernel: a bad access, a division by zero or a stack that ran over end the fiber, not the process.
//!
//! A signal on a fiber's stack is turned into that fiber's result; a signal anywhere else goes to whoever handled it before.
//! Nothing here may allocate or lock while it handles a signal. Start at [`arm`].

#![allow(unsafe_code)]

use std::cell::{Cell, RefCell};
use std::mem::MaybeUninit;
use std::sync::OnceLock;

use corosensei::trap::CoroutineTrapHandler;

use tileproof_model::abi::Site;
use tileproof_model::kernel::Kernel;

use crate::black_box::{self, ASKS_WHERE, WORDS};
use crate::fault::{Fault, program};
use crate::refused::HostCall;

/// How a kernel ended.
#[derive(Debug)]
pub(crate) enum End {
    /// It returned.
    Returned,
    /// The machine ended it.
    Killed,
    /// It panicked; text and place.
    Panicked { message: String, file: String, line: u32 },
    /// A signal ended it; its frames were given up.
    Faulted(Fault),
}

/// Signals that end the fiber on whose stack they came.
const SIGNALS: [i32; 6] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGTRAP, libc::SIGSYS];
/// Signals that whoever watches the process is told of, and that do what they do anyway.
const TOLD: [i32; 2] = [libc::SIGABRT, ASKS_WHERE];
/// Stack for handling signals, of host threads that have none as large: a fiber's own may have run over.
const SIGNAL_STACK: usize = 64 * 1024;

thread_local! {
    /// The fiber that runs on this host thread.
    static ARMED: Cell<Option<CoroutineTrapHandler<End>>> = const { Cell::new(None) };
    static HAS_SIGNAL_STACK: Cell<bool> = const { Cell::new(false) };
    static STACK: RefCell<Option<SignalStack>> = const { RefCell::new(None) };
    /// Where the thread that has a turn keeps its last call, and its kernel.
    static TURN: Cell<Option<(*const Site, *const dyn Kernel)>> = const { Cell::new(None) };
    /// The top of the stack that a signal came on.
    static TOP: [Cell<u64>; WORDS] = const { [const { Cell::new(0) }; WORDS] };
}

/// A stack for signals that a host thread has of us while it lives.
struct SignalStack {
    memory: Vec<u8>,
    /// The one that it had before: whoever gave it takes it back when the thread ends.
    before: libc::stack_t,
}

impl Drop for SignalStack {
    fn drop(&mut self) {
        // SAFETY: `stack_t` is plain data. The memory is ours still, so that the kernel may be told of it; what was there before
        // is given back only where nobody has put another in its place since.
        unsafe {
            let mut now: libc::stack_t = MaybeUninit::zeroed().assume_init();
            libc::sigaltstack(std::ptr::null(), &mut now);
            if now.ss_sp == self.memory.as_mut_ptr().cast() {
                libc::sigaltstack(&self.before, std::ptr::null_mut());
            }
        }
    }
}

/// What handled each signal before.
static PREVIOUS: OnceLock<[libc::sigaction; SIGNALS.len()]> = OnceLock::new();

/// The fiber about to run; the one that ran before is returned, to be armed again when this one is done.
#[inline]
pub(crate) fn arm(handler: Option<CoroutineTrapHandler<End>>) -> Option<CoroutineTrapHandler<End>> {
    if handler.is_some() {
        PREVIOUS.get_or_init(install);
        if !HAS_SIGNAL_STACK.get() {
            provide_stack();
        }
    }
    ARMED.replace(handler)
}

/// Says where the thread that is about to have a turn keeps its last call, and its kernel: both must stay until another has one.
#[inline]
pub(crate) fn has_turn(turn: Option<(*const Site, *const dyn Kernel)>) {
    TURN.set(turn);
}

/// The words on top of the stack when the last fault of this host thread came.
pub(crate) fn words_of_stack() -> Vec<u64> {
    TOP.with(|top| top.iter().map(Cell::get).collect())
}

/// Has all signals handled that a process may get that is watched.
pub(crate) fn install_all() {
    PREVIOUS.get_or_init(install);
    for signal in TOLD {
        install_one(signal);
    }
}

fn install() -> [libc::sigaction; SIGNALS.len()] {
    SIGNALS.map(install_one)
}

fn install_one(signal: i32) -> libc::sigaction {
    // SAFETY: `sigaction` is plain data for which zero is a value; the handler has the signature that SA_SIGINFO
    // asks for and touches nothing that a signal must not.
    unsafe {
        let mut action: libc::sigaction = MaybeUninit::zeroed().assume_init();
        action.sa_sigaction = on_signal as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        libc::sigemptyset(&mut action.sa_mask);
        let mut previous: libc::sigaction = MaybeUninit::zeroed().assume_init();
        libc::sigaction(signal, &action, &mut previous);
        previous
    }
}

/// Gives this host thread a stack for signals, unless it has one that is large enough.
fn provide_stack() {
    HAS_SIGNAL_STACK.set(true);
    // SAFETY: `stack_t` is plain data; the memory given lives as long as the thread.
    unsafe {
        let mut old: libc::stack_t = MaybeUninit::zeroed().assume_init();
        libc::sigaltstack(std::ptr::null(), &mut old);
        if old.ss_flags & libc::SS_DISABLE == 0 && old.ss_size >= SIGNAL_STACK {
            return;
        }
        let mut stack = SignalStack { memory: vec![0; SIGNAL_STACK], before: old };
        let new = libc::stack_t { ss_sp: stack.memory.as_mut_ptr().cast(), ss_flags: 0, ss_size: SIGNAL_STACK };
        libc::sigaltstack(&new, std::ptr::null_mut());
        STACK.with_borrow_mut(|kept| *kept = Some(stack));
    }
}

extern "C" fn on_signal(signal: i32, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: the kernel hands valid pointers to a handler with SA_SIGINFO.
    let (address, context) = unsafe { ((*info).si_addr() as u64, &mut *context.cast::<libc::ucontext_t>()) };
    let (pc, stack) = registers(context);
    // Behind the instruction in these two.
    let pc = if matches!(signal, libc::SIGSYS | libc::SIGTRAP) { pc.wrapping_sub(1) } else { pc };
    keep_top(stack);
    let turn = TURN.get();
    // SAFETY: what was named for the thread that has its turn.
    let site = turn.map_or(Site::default(), |(last, _)| unsafe { last.read() });
    let call = (signal == libc::SIGSYS).then(|| HostCall::of(context));
    if call.is_some_and(|call| turn.is_none() || call.is_of_the_allocator()) {
        // The machine does without what its box refuses.
        refuse(context);
        return;
    }
    // SAFETY: as above. From the processor itself the signal has an address only if memory can have it.
    let has_address = unsafe { (*info).si_code } != SI_KERNEL;
    let fault = Fault { signal, address: has_address.then_some(address), pc, stack, call };
    TOP.with(|top| black_box::interrupted(&fault, site, top));
    if signal == ASKS_WHERE {
        return;
    }
    // SAFETY: the kernel that was named; to be asked for its addresses it takes no lock.
    let in_kernel = turn.is_some_and(|(_, kernel)| unsafe { (*kernel).contains(pc) });
    // A library that was interrupted may hold locks that the machine needs. Where somebody watches, the process ends.
    let may_hold_locks = black_box::is_watched() && !in_kernel && !program().contains(&pc);
    let armed = if signal == libc::SIGABRT || may_hold_locks { None } else { ARMED.take() };
    if let Some(handler) = armed.filter(|h| h.stack_ptr_in_bounds(stack as usize)) {
        // SAFETY: the fiber runs on this host thread now (it is armed) and the signal came while its stack was in use; its
        // registers are set as told. What its frames held is given up: kernels keep nothing outside the fiber but
        // through calls of the machine.
        unsafe { divert(context, handler, fault) };
        return;
    }
    // Not a fiber's: let the one before handle it, when the instruction is tried again. Abort ends the process by itself.
    let index = SIGNALS.iter().position(|s| *s == signal);
    if let Some((index, previous)) = index.zip(PREVIOUS.get()) {
        // SAFETY: `previous` is what `sigaction` gave.
        unsafe { libc::sigaction(signal, &previous[index], std::ptr::null_mut()) };
    }
    if call.is_some() {
        // A refused call would come back instead of being tried again: this one ends the process.
        // SAFETY: the process ends.
        unsafe { libc::_exit(1) };
    }
}

/// Keeps the words on top of a stack, as many as are there.
fn keep_top(stack: u64) {
    let bytes = size_of::<[u64; WORDS]>();
    // In pieces of a page, of which those that are mapped come over.
    let first = (PAGE - stack as usize % PAGE).min(bytes);
    let piece = |at: usize, bytes| libc::iovec { iov_base: at as *mut libc::c_void, iov_len: bytes };
    let from = [piece(stack as usize, first), piece((stack as usize).wrapping_add(first), bytes - first)];
    TOP.with(|top| {
        top.iter().for_each(|word| word.set(0));
        let to = piece(top.as_ptr().addr(), bytes);
        // SAFETY: the host copies what it can into the cells, which are so many bytes, and tells instead of raising a signal where it
        // cannot.
        unsafe { libc::process_vm_readv(libc::getpid(), &to, 1, from.as_ptr(), 2, 0) };
    });
}

/// Where a signal comes from that tells of no address (Linux `asm-generic/siginfo.h`).
const SI_KERNEL: i32 = 0x80;
/// A page of the host.
const PAGE: usize = 4096;

/// Bits of the control word of floating-point arithmetic that say how it computes; the others say what has happened (Intel SDM,
/// volume 1, "MXCSR").
#[cfg(target_arch = "x86_64")]
const CONTROLS: u32 = 0xffc0;

/// How the host computes with floats: rounding, and what becomes of the smallest.
#[cfg(target_arch = "x86_64")]
pub(crate) fn float_control() -> u32 {
    let mut word = 0u32;
    // SAFETY: stores the control word to a word of ours.
    unsafe { std::arch::asm!("stmxcsr [{}]", in(reg) &raw mut word, options(nostack, preserves_flags)) };
    word & CONTROLS
}

/// Has the host compute so again.
#[cfg(target_arch = "x86_64")]
pub(crate) fn set_float_control(control: u32) {
    // SAFETY: loads the control word that a function of this program had before, in which no exception is on.
    unsafe { std::arch::asm!("ldmxcsr [{}]", in(reg) &raw const control, options(nostack, preserves_flags, readonly)) };
}

/// Not looked at on this architecture.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn float_control() -> u32 {
    0
}

/// Not looked at on this architecture.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn set_float_control(_: u32) {}

#[cfg(target_arch = "x86_64")]
fn registers(context: &libc::ucontext_t) -> (u64, u64) {
    let registers = &context.uc_mcontext.gregs;
    (registers[libc::REG_RIP as usize] as u64, registers[libc::REG_RSP as usize] as u64)
}

/// Has a call into the host that was refused come back with an error.
#[cfg(target_arch = "x86_64")]
fn refuse(context: &mut libc::ucontext_t) {
    context.uc_mcontext.gregs[libc::REG_RAX as usize] = -i64::from(libc::EACCES);
}

/// Has a call into the host that was refused come back with an error.
#[cfg(target_arch = "aarch64")]
fn refuse(context: &mut libc::ucontext_t) {
    context.uc_mcontext.regs[0] = -i64::from(libc::EACCES) as u64;
}

#[cfg(target_arch = "aarch64")]
fn registers(context: &libc::ucontext_t) -> (u64, u64) {
    (context.uc_mcontext.pc, context.uc_mcontext.sp)
}

/// Makes the interrupted fiber return `fault`.
///
/// # Safety
/// `handler` is the fiber that was interrupted in `context`.
#[cfg(target_arch = "x86_64")]
unsafe fn divert(context: &mut libc::ucontext_t, handler: CoroutineTrapHandler<End>, fault: Fault) {
    // SAFETY: the caller's promise.
    let new = unsafe { handler.setup_trap_handler(move || End::Faulted(fault)) };
    let registers = &mut context.uc_mcontext.gregs;
    registers[libc::REG_RIP as usize] = new.rip as i64;
    registers[libc::REG_RSP as usize] = new.rsp as i64;
    registers[libc::REG_RBP as usize] = new.rbp as i64;
    registers[libc::REG_RDI as usize] = new.rdi as i64;
    registers[libc::REG_RSI as usize] = new.rsi as i64;
}

/// Makes the interrupted fiber return `fault`.
///
/// # Safety
/// `handler` is the fiber that was interrupted in `context`.
#[cfg(target_arch = "aarch64")]
unsafe fn divert(context: &mut libc::ucontext_t, handler: CoroutineTrapHandler<End>, fault: Fault) {
    // SAFETY: the caller's promise.
    let new = unsafe { handler.setup_trap_handler(move || End::Faulted(fault)) };
    let registers = &mut context.uc_mcontext;
    registers.pc = new.pc;
    registers.sp = new.sp;
    registers.regs[0] = new.x0;
    registers.regs[1] = new.x1;
    registers.regs[29] = new.x29;
    registers.regs[30] = new.lr;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signal_stack() -> libc::stack_t {
        // SAFETY: plain data, which the kernel fills.
        unsafe {
            let mut now: libc::stack_t = MaybeUninit::zeroed().assume_init();
            libc::sigaltstack(std::ptr::null(), &mut now);
            now
        }
    }

    #[test]
    fn a_thread_has_the_signal_stack_back_that_it_had_before() {
        std::thread::spawn(|| {
            let before = signal_stack();
            provide_stack();
            let ours = signal_stack();
            assert!(ours.ss_size >= SIGNAL_STACK && ours.ss_flags & libc::SS_DISABLE == 0);
            STACK.with_borrow_mut(|kept| kept.take());
            let after = signal_stack();
            assert_eq!((after.ss_sp, after.ss_flags), (before.ss_sp, before.ss_flags));
        })
        .join()
        .unwrap();
    }
}
