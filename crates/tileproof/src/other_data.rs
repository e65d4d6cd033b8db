//! A program file on other data than its own, kind by kind.
//!
//! It must never change what a program takes for a constant. Start at [`run_adversarial_program`].

use tileproof_model::numerics::format::DataFormat;

use crate::cpp_kernels::BuildKernels;
use crate::fill::{Fill, FillError};
use crate::op::adversarial::{Chosen, Outcome, is_padded};
use crate::op::on_kinds::run_kinds;
use crate::program_file::{ProgramFile, ProgramFileError, TensorData};
use crate::run_file::{Bench, RunError};

/// Formats that hold numbers which the host can choose.
pub(crate) fn is_chosen(format: DataFormat) -> bool {
    !matches!(Fill::Constant(1.0).words(&[1], format, 0, 0), Err(FillError::Format { .. }))
}

/// The tensors of a program that may hold other data: those that are no constants of it.
pub(crate) fn varied(file: &ProgramFile) -> Vec<String> {
    let filled = || {
        let tensors = file.program.tensors.iter().zip(&file.tensors);
        tensors.filter(|(tensor, data)| data.fill.is_some() && is_chosen(tensor.format))
    };
    let is_constant = |data: &TensorData| matches!(data.fill, Some(Fill::Constant(_)));
    let varied: Vec<String> =
        filled().filter(|(_, data)| !is_constant(data)).map(|(tensor, _)| tensor.name.clone()).collect();
    // One value beside inputs that vary is a constant of the program, as a scaler; by itself it is the data of the test.
    if varied.is_empty() { filled().map(|(tensor, _)| tensor.name.clone()).collect() } else { varied }
}

/// Runs a program on one kind of data after the other, with nothing looked for but its outputs; the worst first. Tensors of
/// integers keep their data, which may be indices.
///
/// # Errors
/// If it cannot be run, or what is expected of it goes with the data of the file alone.
pub fn run_adversarial_program(
    file: &ProgramFile,
    builder: &dyn BuildKernels,
) -> Result<(Vec<Chosen>, Vec<Outcome>), RunError> {
    let refused = |message: String| ProgramFileError { path: file.path.clone(), line: 0, message };
    if file.expects.is_empty() {
        return Err(
            refused("data: nothing is expected of any output; give one an [[expect]] with a formula".into()).into()
        );
    }
    if let Some(tensor) = file.expects_its_data() {
        let message =
            format!("data: what is expected of {tensor} goes with the data of the file; give its [[expect]] a formula");
        return Err(refused(message).into());
    }
    let names = varied(file);
    let tensors = file.program.tensors.iter().enumerate();
    let is_float = |format| matches!(format, DataFormat::Float32 | DataFormat::Float16_b | DataFormat::Bfp8_b);
    let inputs: Vec<Chosen> = tensors
        .filter(|(_, tensor)| names.contains(&tensor.name) && is_float(tensor.format))
        .map(|(stream, tensor)| Chosen {
            name: tensor.name.clone(),
            shape: tensor.shape.clone(),
            format: tensor.format,
            stream: stream as u64,
            is_padded: file.tensors[stream].padding.is_none() && is_padded(tensor),
        })
        .collect();
    if inputs.is_empty() {
        return Err(refused("data: no tensor of floats has a fill".into()).into());
    }
    let outcomes = run_kinds(&inputs, &mut |kind| {
        let other = file.clone().with_fills(&kind.fills)?;
        let bench = match Bench::padded(&other, kind.padding, builder) {
            Err(RunError::NoBound { .. }) => return Ok(None),
            bench => bench?,
        };
        if kind.is_infinite && !bench.expects_numbers()? {
            return Ok(None);
        }
        bench.run(None).map(|trial| Some((trial.status, trial.outputs)))
    })?;
    Ok((inputs, outcomes))
}
