//! Faults of a kernel: a bad access, a division by zero or a stack that ran over end the fiber, not the process.
//!
//! A signal on a fiber's stack is turned into that fiber's result; a signal anywhere else goes to whoever handled it before.
//! Nothing here may allocate or lock while it handles a signal. Start at [`arm`].

#![allow(unsafe_code)]

use std::cell::{Cell, RefCell};
use std::mem::MaybeUninit;
use std::sync::OnceLock;

use corosensei::trap::CoroutineTrapHandler;

use crate::l1;

/// A fault, as the signal told it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Fault {
    signal: i32,
    /// The address that was accessed.
    address: u64,
    /// The instruction.
    pub(crate) pc: u64,
    /// The stack pointer.
    stack: u64,
}

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

const SIGNALS: [i32; 4] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL];
/// Stack for handling signals, of host threads that have none: a fiber's own may have run over.
const SIGNAL_STACK: usize = 64 * 1024;
/// An access this near the stack pointer in memory that is not mapped is a stack that ran over.
const NEAR_STACK: u64 = 1 << 16;

thread_local! {
    /// The fiber that runs on this host thread.
    static ARMED: Cell<Option<CoroutineTrapHandler<End>>> = const { Cell::new(None) };
    static HAS_SIGNAL_STACK: Cell<bool> = const { Cell::new(false) };
    static STACK: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// What handled each signal before.
static PREVIOUS: OnceLock<[libc::sigaction; SIGNALS.len()]> = OnceLock::new();

/// The fiber about to run; the one that ran before is returned, to be armed again when this one is done.
pub(crate) fn arm(handler: Option<CoroutineTrapHandler<End>>) -> Option<CoroutineTrapHandler<End>> {
    if handler.is_some() {
        PREVIOUS.get_or_init(install);
        if !HAS_SIGNAL_STACK.get() {
            provide_stack();
        }
    }
    ARMED.replace(handler)
}

fn install() -> [libc::sigaction; SIGNALS.len()] {
    SIGNALS.map(|signal| {
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
    })
}

/// Gives this host thread a stack for signals, unless it has one.
fn provide_stack() {
    HAS_SIGNAL_STACK.set(true);
    // SAFETY: `stack_t` is plain data; the memory given lives as long as the thread.
    unsafe {
        let mut old: libc::stack_t = MaybeUninit::zeroed().assume_init();
        libc::sigaltstack(std::ptr::null(), &mut old);
        if old.ss_flags & libc::SS_DISABLE == 0 {
            return;
        }
        STACK.with_borrow_mut(|memory| {
            memory.resize(SIGNAL_STACK, 0);
            let new = libc::stack_t { ss_sp: memory.as_mut_ptr().cast(), ss_flags: 0, ss_size: SIGNAL_STACK };
            libc::sigaltstack(&new, std::ptr::null_mut());
        });
    }
}

extern "C" fn on_signal(signal: i32, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: the kernel hands valid pointers to a handler with SA_SIGINFO.
    let (address, context) = unsafe { ((*info).si_addr() as u64, &mut *context.cast::<libc::ucontext_t>()) };
    let (pc, stack) = registers(context);
    let armed = ARMED.take();
    if let Some(handler) = armed.filter(|h| h.stack_ptr_in_bounds(stack as usize)) {
        let fault = Fault { signal, address, pc, stack };
        // SAFETY: the fiber runs on this host thread now (it is armed) and the signal came while its stack was in use; its
        // registers are set as told. What its frames held is given up: kernels keep nothing outside the fiber but
        // through calls of the machine.
        unsafe { divert(context, handler, fault) };
        return;
    }
    // Not a fiber's: let the one before handle it, when the instruction is tried again.
    let index = SIGNALS.iter().position(|s| *s == signal).unwrap_or(0);
    if let Some(previous) = PREVIOUS.get() {
        // SAFETY: `previous` is what `sigaction` gave.
        unsafe { libc::sigaction(signal, &previous[index], std::ptr::null_mut()) };
    }
}

#[cfg(target_arch = "x86_64")]
fn registers(context: &libc::ucontext_t) -> (u64, u64) {
    let registers = &context.uc_mcontext.gregs;
    (registers[libc::REG_RIP as usize] as u64, registers[libc::REG_RSP as usize] as u64)
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

impl Fault {
    /// The address of an access that was none of memory.
    pub(crate) fn reached(&self) -> Option<u64> {
        matches!(self.signal, libc::SIGSEGV | libc::SIGBUS).then_some(self.address)
    }

    /// What happened, in words for a report.
    pub(crate) fn describe(&self) -> String {
        match self.signal {
            libc::SIGFPE => "integer division by zero".into(),
            libc::SIGILL => "it ran into code that must not be reached".into(),
            _ if self.address.abs_diff(self.stack) < NEAR_STACK => "its stack ran over".into(),
            _ if self.address < l1::WINDOW_BYTES as u64 => format!(
                "access to address {:#x}, an offset in L1 without its core: kernels get addresses that they can use from runtime arguments, get_write_ptr and get_read_ptr",
                self.address
            ),
            _ => format!("access to address {:#x}, which belongs to no memory of the core", self.address),
        }
    }
}
