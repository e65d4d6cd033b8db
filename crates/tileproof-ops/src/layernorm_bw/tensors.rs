//! The tensors of a call: their names, shapes, formats and memory.
//!
//! It must never change their order: addresses follow it. Start at [`Tensors`].

use tileproof_kernel::model::numerics::format::DataFormat;
use tileproof_kernel::model::program::{Layout, MemoryConfig, TensorDescriptor};

use super::validate::Arguments;

/// Names of the program's tensors.
#[allow(missing_docs, reason = "the names are the documentation")]
pub struct Tensors;

#[allow(missing_docs, reason = "the names are the documentation")]
impl Tensors {
    pub const X: &'static str = "x";
    pub const GAMMA: &'static str = "gamma";
    pub const MEAN: &'static str = "mean";
    pub const RSTD: &'static str = "rstd";
    pub const DY: &'static str = "dy";
    pub const DX: &'static str = "dx";
    pub const DGAMMA: &'static str = "dgamma";
    pub const DBETA: &'static str = "dbeta";
    pub(super) const PARTIAL_DGAMMA: &'static str = "partial_dgamma";
    pub(super) const PARTIAL_DBETA: &'static str = "partial_dbeta";
}

/// A tensor of a call.
fn tensor(arguments: &Arguments, name: &str, shape: Vec<u32>, format: DataFormat) -> TensorDescriptor {
    let memory = MemoryConfig::Dram;
    TensorDescriptor { name: name.into(), shape, format, layout: arguments.layout, memory, output: false }
}

fn per_feature(arguments: &Arguments) -> Vec<u32> {
    vec![1, 1, 1, arguments.shape[3]]
}

/// The tensors that a call gives, valid arguments given.
pub(super) fn outputs(arguments: &Arguments) -> Vec<TensorDescriptor> {
    let output = |name, shape| TensorDescriptor {
        memory: arguments.output_memory.config().unwrap_or(MemoryConfig::Dram),
        output: true,
        ..tensor(arguments, name, shape, arguments.format)
    };
    vec![
        output(Tensors::DX, arguments.shape.clone()),
        output(Tensors::DGAMMA, per_feature(arguments)),
        output(Tensors::DBETA, per_feature(arguments)),
    ]
}

/// All tensors of the program, with so many rows and tile columns of partial sums.
pub(super) fn tensors(arguments: &Arguments, partial_rows: u32, wt: u32) -> Vec<TensorDescriptor> {
    let shape = &arguments.shape;
    let per_row = vec![shape[0], shape[1], shape[2], 1];
    let (format, fp32) = (arguments.format, DataFormat::Float32);
    let of = |name, shape: &[u32], format| tensor(arguments, name, shape.to_vec(), format);
    // A page a row, not a tile for 32 of them: no two cores write to one page, so that they need no order.
    let partial = |name| TensorDescriptor { layout: Layout::RowMajor, ..of(name, &[partial_rows, 32 * wt], fp32) };
    let mut tensors = vec![
        of(Tensors::X, shape, format),
        of(Tensors::GAMMA, &per_feature(arguments), format),
        of(Tensors::MEAN, &per_row, fp32),
        of(Tensors::RSTD, &per_row, fp32),
        of(Tensors::DY, shape, format),
        partial(Tensors::PARTIAL_DGAMMA),
        partial(Tensors::PARTIAL_DBETA),
    ];
    // Addresses follow the order: dx has always been in front of the partial sums.
    let mut outputs = outputs(arguments).into_iter();
    tensors.splice(5..5, outputs.next());
    tensors.extend(outputs);
    tensors
}
