//! Other data for the inputs of a program, from small changes to large ones.
//!
//! It must never change what a program takes for a constant. Start at [`others`].

use tileproof_numerics::format::DataFormat;

use super::audited::{Audited, Other};
use crate::fill::Fill;
use crate::program_file::ProgramFile;

/// Other data for some inputs.
pub(super) type Data = Vec<(String, Fill)>;

/// A program on other data; what is expected of it stays as it was where nobody but the program itself knows it. `None` if it does
/// not take them.
pub(super) fn program(audited: &dyn Audited, data: &Data) -> Option<(ProgramFile, bool)> {
    match audited.with(data) {
        Other::Refused => None,
        Other::Program(file) => Some((*file, true)),
        Other::Itself => Some((audited.file().clone().with_fills(data).ok()?, false)),
    }
}

/// Data that a test could have, from one input to all of them.
pub(super) fn others(audited: &dyn Audited) -> Vec<Data> {
    let inputs = audited.inputs();
    let mut data: Vec<Data> = Vec::new();
    let small = [Fill::Constant(1.0), Fill::Constant(0.5), Fill::Uniform { lo: 0.0, hi: 1.0 }];
    for name in &inputs {
        data.extend(small.iter().map(|fill| vec![(name.clone(), fill.clone())]));
    }
    for number in (0..inputs.len()).filter(|_| inputs.len() > 1) {
        let mut one_apart = all(&inputs, &Fill::Constant(1.0));
        one_apart[number].1 = Fill::Constant(0.5);
        data.push(one_apart);
    }
    let (both, above) = (Fill::Uniform { lo: -1.0, hi: 1.0 }, Fill::Uniform { lo: 0.5, hi: 1.5 });
    data.extend([both, above, Fill::Ramp { lo: -1.0, hi: 1.0 }].iter().map(|fill| all(&inputs, fill)));
    data.retain(|fills| !fills.is_empty());
    data
}

/// Data on which whatever can show in an output does: random ones around 0, far from it, and above it.
pub(super) fn telling(audited: &dyn Audited) -> Vec<Data> {
    let inputs = audited.inputs();
    let file = audited.file();
    let is_integer = |name: &String| {
        let tensor = file.program.tensors.iter().find(|tensor| tensor.name == *name);
        tensor.is_some_and(|tensor| {
            !matches!(
                tensor.format,
                DataFormat::Float32 | DataFormat::Float16_b | DataFormat::Bfp8_b | DataFormat::Bfp4_b
            )
        })
    };
    let of = |lo: f64, hi: f64| -> Data {
        // Whole numbers of more than one value, which every integer format holds.
        let fill = |name: &String| {
            if is_integer(name) { Fill::Uniform { lo: 0.0, hi: 100.0 } } else { Fill::Uniform { lo, hi } }
        };
        inputs.iter().map(|name| (name.clone(), fill(name))).collect()
    };
    if inputs.is_empty() { Vec::new() } else { vec![of(-1.0, 1.0), of(8.0, 12.0), of(0.5, 1.5)] }
}

fn all(inputs: &[String], fill: &Fill) -> Data {
    inputs.iter().map(|name| (name.clone(), fill.clone())).collect()
}
