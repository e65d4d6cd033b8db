//! What is run: tensors, circular buffers, kernels and semaphores, under the names of ttnn's `ProgramDescriptor` family.
//!
//! A program only describes. [`tensor`] says how tensors lie in memory; [`launch`] what runs on them.

pub mod launch;
pub mod tensor;

pub use launch::{
    Argument, CbDescriptor, CbFormatDescriptor, ComputeConfig, DataMovementConfig, KernelConfig, KernelDescriptor,
    KernelSource, Launch, MathFidelity, NocMode, SemaphoreDescriptor,
};
pub use tensor::{Layout, MemoryConfig, PageGrid, Sharding, TensorDescriptor};

use crate::arch::Arch;

/// A whole program: tensors, and the launches that run on them in order on one device.
#[derive(Clone)]
pub struct Program {
    /// Chip.
    pub arch: Arch,
    /// Tensors, allocated in this order.
    pub tensors: Vec<TensorDescriptor>,
    /// Launches, run in this order; state left behind on the device is real.
    pub launches: Vec<Launch>,
}
