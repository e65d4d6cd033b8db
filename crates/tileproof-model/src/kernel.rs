//! What the machine runs: a kernel, in Rust or loaded from C++.

use std::sync::Arc;

use crate::abi::{Abi, Site};
use crate::thread::Thread;

/// A place in a source file.
#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct SourceLocation {
    /// Path as the compiler saw it.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1; 0 when unknown.
    pub column: u32,
}

/// What a kernel is started with.
pub struct KernelArgs<'a> {
    /// Which of the five threads runs it.
    pub thread: Thread,
    /// Compile-time arguments, tensor accessors expanded.
    pub compile_time: &'a [u32],
    /// Runtime arguments of this core.
    pub runtime: &'a [u32],
    /// Runtime arguments common to all cores.
    pub common: &'a [u32],
}

/// A kernel that a fiber can run. It may be run on many cores and threads at once.
pub trait Kernel: Send + Sync {
    /// The name that reports give it: its source file, or its Rust name.
    fn name(&self) -> &str;

    /// Runs to the end on the calling fiber. Waiting happens inside `abi`.
    fn run(&self, abi: &'static Abi, args: &KernelArgs<'_>);

    /// Has it ready to run on each of these threads at once, so that nothing has to be opened when it is run.
    ///
    /// # Errors
    /// If it cannot be loaded.
    fn load(&self, threads: &[Thread]) -> Result<(), String> {
        let _ = threads;
        Ok(())
    }

    /// Where in the source a call was made, or `None` when that is unknown.
    ///
    /// # Safety
    /// `site` must come from a call that this kernel made.
    #[allow(unsafe_code, reason = "a site is an address that only its kernel can interpret")]
    unsafe fn locate(&self, site: Site) -> Option<SourceLocation>;

    /// True if `address` lies in the kernel's own code. The address after such an instruction is then a site that
    /// [`Kernel::locate`] can be asked for.
    fn contains(&self, address: u64) -> bool {
        let _ = address;
        false
    }
}

/// A kernel, shared.
pub type SharedKernel = Arc<dyn Kernel>;
