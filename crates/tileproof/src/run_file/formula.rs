//! What a formula of `[[expect]]` gives: float64, on the data that the tensors of the program hold before it runs.
//!
//! It must never see what a run leaves behind. Start at [`fill`].

use crate::elements;
use crate::fill::{Fill, FillError};
use crate::op::expression::Expression;
use crate::op::tensor::{Tensor, evaluate};
use crate::program_file::ProgramFile;

/// What is expected of a tensor, as data of it.
pub(super) fn fill(file: &ProgramFile, tensor: usize, formula: &Expression) -> Result<Fill, FillError> {
    let mut known = Vec::new();
    for (name, _) in formula.names() {
        let Some(number) = file.program.tensors.iter().position(|tensor| tensor.name == name) else { continue };
        let Some(fill) = &file.tensors[number].fill else { continue };
        if known.iter().any(|(other, _)| *other == name) {
            continue;
        }
        let of = &file.program.tensors[number];
        let words = fill.words(&of.shape, of.format, file.seed, number as u64)?;
        let shape = of.shape.iter().map(|side| *side as usize).collect();
        known.push((
            name,
            Tensor { shape, values: words.iter().map(|word| elements::value(of.format, *word)).collect() },
        ));
    }
    let lookup = |name: &str| known.iter().find(|(known, _)| *known == name).map(|(_, tensor)| tensor.clone());
    let value = evaluate(formula, &lookup).map_err(FillError::Formula)?;
    let of = &file.program.tensors[tensor];
    if value.shape.is_empty() {
        return Ok(Fill::Constant(value.values[0]));
    }
    // Leading dimensions of 1 mean nothing.
    let plain = |sides: &[u64]| sides.iter().copied().skip_while(|side| *side == 1).collect::<Vec<u64>>();
    let found: Vec<u64> = value.shape.iter().map(|side| *side as u64).collect();
    let wanted: Vec<u64> = of.shape.iter().map(|side| u64::from(*side)).collect();
    if plain(&found) != plain(&wanted) {
        let message = format!("\"{}\" has shape {found:?}, {} has {wanted:?}", formula.text, of.name);
        return Err(FillError::Formula(message));
    }
    Ok(Fill::Values(value.values.into()))
}
