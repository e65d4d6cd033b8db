//! The tensors of a call: their names, shapes, formats and memory.
//!
//! It must never change their order: addresses follow it. Start at [`Tensors`].

use tileproof_kernel::model::numerics::format::DataFormat;
use tileproof_kernel::model::program::{MemoryConfig, TensorDescriptor};

use super::validate::{Argument, Arguments};
use crate::memory::Memory;

/// Names of the program's tensors.
#[allow(missing_docs, reason = "the names are the documentation")]
pub struct Tensors;

#[allow(missing_docs, reason = "the names are the documentation")]
impl Tensors {
    pub const X: &'static str = "x";
    pub const GAMMA: &'static str = "gamma";
    pub const BETA: &'static str = "beta";
    pub const Y: &'static str = "y";
    pub const MEAN: &'static str = "mean";
    pub const RSTD: &'static str = "rstd";
}

/// The tensors that a call has, valid arguments given.
pub(super) fn tensors(arguments: &Arguments) -> Vec<TensorDescriptor> {
    let tensor = |name: &str, shape: &[u32], format, memory: Memory, output| TensorDescriptor {
        name: name.into(),
        shape: shape.to_vec(),
        format,
        layout: arguments.layout,
        memory: memory.config().unwrap_or(MemoryConfig::Dram),
        output,
    };
    let input = |name, of: &Argument| tensor(name, &of.shape, of.format, of.memory, false);
    let output = |name, shape: &[u32], format| tensor(name, shape, format, arguments.output_memory, true);
    let shape = &arguments.x.shape;
    let mut tensors = vec![input(Tensors::X, &arguments.x)];
    for (name, row) in [(Tensors::GAMMA, &arguments.gamma), (Tensors::BETA, &arguments.beta)] {
        if let Some(row) = row {
            tensors.push(input(name, row));
        }
    }
    tensors.push(output(Tensors::Y, shape, arguments.output_format));
    if arguments.statistics {
        let mut per_row = shape.clone();
        *per_row.last_mut().expect("a valid shape has dimensions") = 1;
        tensors.push(output(Tensors::MEAN, &per_row, DataFormat::Float32));
        tensors.push(output(Tensors::RSTD, &per_row, DataFormat::Float32));
    }
    tensors
}
