//! LayerNorm from arguments to verdict: inputs, reference, run, comparison.
//!
//! [`forward`] and [`backward`] have a file each, with their requests; what they share is here: errors, verdicts of outputs,
//! the result, and saving.

mod backward;
mod backward_given;
pub mod forward;
mod forward_given;
mod given_kernels;

use std::path::Path;

use tileproof_model::arch::Arch;
use tileproof_model::finding::Finding;
use tileproof_model::numerics::format::DataFormat;
use tileproof_model::program::{Layout, MemoryConfig, TensorDescriptor};
use tileproof_model::record::RunRecord;
use tileproof_ops::{layernorm_bw, layernorm_fused_rm};

pub use backward::{BackwardRequest, backward};
pub use backward_given::{BackwardHost, backward_given};
pub use forward::{ForwardRequest, forward, forward_with};
pub use forward_given::{ForwardHost, forward_given};
pub use given_kernels::{GivenKernels, backward_specimen, backward_with};

use crate::device::DeviceError;
use crate::fill::{Fill, FillError};
use crate::npy::{self, NpyError, SaveAs};
use crate::output::OutputResult;
use crate::refused;
use crate::tensor_findings::{nowhere, rounded};

/// Why a request cannot be carried out: the user's input, or this host.
#[derive(thiserror::Error, Debug)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum LayerNormError {
    #[error(transparent)]
    Argument(#[from] layernorm_bw::ArgumentError),
    #[error(transparent)]
    ForwardArgument(layernorm_fused_rm::ArgumentError),
    #[error("{tensor}: {source}")]
    Fill { tensor: &'static str, source: FillError },
    #[error("{name} {value}: must be a finite number, 0 or above")]
    Tolerance { name: &'static str, value: f64 },
    #[error(transparent)]
    Device(#[from] DeviceError),
    #[error("saving {name}: {source}")]
    Save { name: String, source: NpyError },
    #[error("cannot create the folder {folder}: {source}")]
    Folder { folder: String, source: std::io::Error },
}

impl LayerNormError {
    /// Whether this host is the reason, not the request.
    pub fn is_host(&self) -> bool {
        matches!(self, LayerNormError::Device(error) if error.is_host())
    }

    /// The same as data: one finding for each place in a kernel that cannot be built; none if no file has a part in it.
    pub fn findings(&self) -> Vec<Finding> {
        match self {
            LayerNormError::Device(DeviceError::Build(error)) => refused::kernels(error, &[]),
            _ => Vec::new(),
        }
    }
}

/// What came of a request.
#[derive(Debug)]
pub struct LayerNormResult {
    /// Name of the op.
    pub op: &'static str,
    /// Shape of x.
    pub shape: Vec<u32>,
    /// Chip.
    pub arch: Arch,
    /// Format.
    pub format: DataFormat,
    /// `l1` or `block`.
    pub path: &'static str,
    /// Cores used.
    pub cores: u32,
    /// Host seconds from tensors in to tensors out.
    pub wall_s: f64,
    /// Outputs; empty when the run did not complete.
    pub outputs: Vec<OutputResult>,
    /// The run.
    pub record: RunRecord,
}

impl LayerNormResult {
    /// Completed, nothing found, all outputs within tolerance.
    pub fn pass(&self) -> bool {
        self.record.is_clean() && self.outputs.iter().all(|o| o.pass)
    }
}

/// A note for each input whose file was rounded to the format of the call.
fn rounded_inputs(format: DataFormat, inputs: &[(&str, &Fill)]) -> Vec<Finding> {
    let note = |(name, fill): &(&str, &Fill)| {
        let file = fill.rounded_file(format)?;
        Some(rounded(name, file, nowhere()))
    };
    inputs.iter().filter_map(note).collect()
}

/// Refuses tolerances that are not numbers of 0 or above.
fn check_tolerances(rtol: f64, atol: f64) -> Result<(), LayerNormError> {
    for (name, value) in [("rtol", rtol), ("atol", atol)] {
        if !value.is_finite() || value < 0.0 {
            return Err(LayerNormError::Tolerance { name, value });
        }
    }
    Ok(())
}

/// One output against its reference, element by element.
fn verdict(
    (name, shape): (&str, &[u32]),
    format: DataFormat,
    values: &[f32],
    reference: &[f64],
    tolerances: (f64, f64),
) -> OutputResult {
    let tensor = TensorDescriptor {
        name: name.to_string(),
        shape: shape.to_vec(),
        format,
        layout: Layout::RowMajor,
        memory: MemoryConfig::Dram,
        output: true,
    };
    OutputResult::beside(&tensor, values, reference, tolerances)
}

/// Writes an output to a folder as `name.npy`.
fn save(
    (folder, save_as): (&Path, SaveAs),
    name: &str,
    shape: &[u32],
    format: DataFormat,
    values: &[f32],
) -> Result<(), LayerNormError> {
    std::fs::create_dir_all(folder)
        .map_err(|source| LayerNormError::Folder { folder: folder.display().to_string(), source })?;
    let word = |value: &f32| match format {
        DataFormat::Float16_b => value.to_bits() >> 16,
        _ => value.to_bits(),
    };
    let words: Vec<u32> = values.iter().map(word).collect();
    npy::save_elements(&folder.join(format!("{name}.npy")), shape, format, &words, save_as)
        .map_err(|source| LayerNormError::Save { name: name.to_string(), source })
}
