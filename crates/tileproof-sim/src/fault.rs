//! A fault of a kernel as data: what a signal told of it, in words, and where in the kernel it was.
//!
//! Nothing here may handle a signal. Start at [`Fault`].

#![allow(unsafe_code)]

use tileproof_model::abi::Site;
use tileproof_model::kernel::{Kernel, SourceLocation};

use crate::l1;
use crate::refused::HostCall;

/// An access this near the stack pointer in memory that is not mapped is a stack that ran over.
const NEAR_STACK: u64 = 1 << 16;

/// A fault, as the signal told it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Fault {
    pub(crate) signal: i32,
    /// The address that was accessed; `None` where the processor does not say, since no memory can have it.
    pub(crate) address: Option<u64>,
    /// The instruction.
    pub(crate) pc: u64,
    /// The stack pointer.
    pub(crate) stack: u64,
    /// Of a call into the host that was refused: its number and arguments.
    pub(crate) call: Option<HostCall>,
}

/// Where a kernel was whose basic block began at `block`, if it has begun one since its last call, at `call`: its own instruction; where
/// it had called a library, the call behind those whose return address is among the words of the stack; else the block. `None` in
/// the machine, whose callers are known better.
pub fn site_of(kernel: &dyn Kernel, pc: u64, [block, call]: [Site; 2], words: &[u64]) -> Option<Site> {
    let block = Some(block).filter(|block| kernel.contains(block.0));
    if kernel.contains(pc) {
        return Some(Site(pc.saturating_add(1))).filter(|own| locate(kernel, *own).is_some()).or(block);
    }
    if program().contains(&pc) {
        return None;
    }
    let call = Some(call).filter(|call| kernel.contains(call.0));
    let last = match (block, call) {
        (Some(block), Some(call)) if in_block(block.0).contains(&call.0) => call,
        (Some(block), _) => block,
        (None, call) => call?,
    };
    // Words may be left from calls that are over: the first behind what was last is the next. What has no line is the runtime's.
    let behind = words.iter().filter(|word| **word != last.0 && in_block(last.0).contains(word));
    let next = behind.filter(|word| locate(kernel, Site(**word)).is_some()).min();
    next.map(|next| Site(*next)).or(block)
}

/// Bytes of code that a basic block has at most, as far as it matters.
const BLOCK: u64 = 4096;

/// Addresses that may be of a basic block. Where it begins may be what a kernel wrote.
fn in_block(begins: u64) -> std::ops::Range<u64> {
    begins..begins.saturating_add(BLOCK)
}

/// The code of this program.
pub(crate) fn program() -> std::ops::Range<u64> {
    unsafe extern "C" {
        static __executable_start: u8;
        static etext: u8;
    }
    (&raw const __executable_start).addr() as u64..(&raw const etext).addr() as u64
}

impl Fault {
    /// Whether it asked the host for something that no kernel is given.
    pub(crate) fn is_refusal(&self) -> bool {
        self.call.is_some()
    }

    /// The address of an access that was none of memory.
    pub(crate) fn reached(&self) -> Option<u64> {
        self.address.filter(|_| matches!(self.signal, libc::SIGSEGV | libc::SIGBUS))
    }

    /// What happened, in words for a report.
    pub(crate) fn describe(&self) -> String {
        if let Some(call) = &self.call {
            return call.describe();
        }
        match self.signal {
            libc::SIGABRT => "it was aborted, by the host's library".into(),
            libc::SIGTRAP => "it ran into a breakpoint".into(),
            libc::SIGFPE => "integer division by zero".into(),
            libc::SIGILL => "it ran into code that must not be reached".into(),
            _ => match self.address {
                None => {
                    "it went to an address that no memory can have, as when the frames of its stack are written over"
                        .into()
                }
                Some(address) if address.abs_diff(self.stack) < NEAR_STACK => "its stack ran over".into(),
                Some(address) if address < l1::WINDOW_BYTES as u64 => format!(
                    "access to address {address:#x}, an offset in L1 without its core: kernels get addresses that they can use from runtime arguments, get_write_ptr and get_read_ptr"
                ),
                Some(address) => format!("access to address {address:#x}, which belongs to no memory of the core"),
            },
        }
    }
}

/// The source place of a site in a kernel's own code, also of a copy that another process has had; `None` of any other.
pub fn locate(kernel: &dyn Kernel, site: Site) -> Option<SourceLocation> {
    let is_own = kernel.contains(site.0.checked_sub(1)?);
    // SAFETY: of an address in a kernel's code, the address behind it is a site that the kernel can be asked for.
    is_own.then(|| unsafe { kernel.locate(site) })?
}
