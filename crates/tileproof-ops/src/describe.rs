//! Pieces of program descriptions that the ops share: argument lists and kernel descriptors.

use std::collections::BTreeMap;
use std::path::PathBuf;

use tileproof_kernel::model::program::{Argument, KernelConfig, KernelDescriptor, KernelSource};
use tileproof_kernel::model::thread::{CoreCoord, CoreRange};

use crate::split::CoreRows;

/// Plain words.
pub(crate) fn words(words: &[u32]) -> Vec<Argument> {
    words.iter().map(|w| Argument::Word(*w)).collect()
}

/// Accessor words of tensors.
pub(crate) fn accessors(names: &[&str]) -> Vec<Argument> {
    names.iter().map(|n| Argument::TensorAccessor((*n).to_string())).collect()
}

/// Base addresses of tensors.
pub(crate) fn addresses(names: &[&str]) -> Vec<Argument> {
    names.iter().map(|n| Argument::Address((*n).to_string())).collect()
}

/// A kernel on some cores.
pub(crate) fn kernel(
    (source, include_dirs): (&KernelSource, &[PathBuf]),
    core_ranges: &[CoreRange],
    config: KernelConfig,
    compile_time_args: Vec<Argument>,
    runtime_args: BTreeMap<CoreCoord, Vec<Argument>>,
) -> KernelDescriptor {
    KernelDescriptor {
        source: source.clone(),
        core_ranges: core_ranges.to_vec(),
        config,
        compile_time_args,
        named_compile_time_args: Vec::new(),
        defines: Vec::new(),
        include_dirs: include_dirs.to_vec(),
        runtime_args,
        common_runtime_args: Vec::new(),
    }
}

/// Runtime arguments of each core.
pub(crate) fn per_core(
    parts: &[CoreRows],
    of: impl Fn(usize, &CoreRows) -> Vec<Argument>,
) -> BTreeMap<CoreCoord, Vec<Argument>> {
    parts.iter().enumerate().map(|(index, part)| (part.core, of(index, part))).collect()
}

/// One range for each core.
pub(crate) fn ranges(parts: &[CoreRows]) -> Vec<CoreRange> {
    parts.iter().map(|p| CoreRange::single(p.core)).collect()
}

/// Rows or columns of the last tile of a dimension, 32 when it is full.
pub(crate) fn last(size: u32) -> u32 {
    (size - 1) % 32 + 1
}
