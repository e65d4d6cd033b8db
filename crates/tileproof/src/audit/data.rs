//! Other data for the inputs of a program, from small changes to large ones.
//!
//! It must never change what a program takes for a constant where advice is given. Start at [`others`].

use tileproof_numerics::format::DataFormat;

use super::audited::Audited;
use crate::fill::Fill;
use crate::program_file::ProgramFile;

/// Other data for some inputs.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Data {
    /// What each is filled with.
    pub(super) fills: Vec<(String, Fill)>,
    /// They are there to tell mutants apart from what changes nothing, and are no advice.
    pub(super) tells_apart: bool,
}

impl Data {
    /// A program on these data; what is expected of it stays as it was.
    pub(super) fn file(&self, file: &ProgramFile) -> ProgramFile {
        let mut file = file.clone();
        for (name, fill) in &self.fills {
            if let Some(i) = file.program.tensors.iter().position(|tensor| tensor.name == *name) {
                file.tensors[i].fill = Some(fill.clone());
                file.tensors[i].rounded = None;
            }
        }
        file
    }
}

/// Other data for a program.
pub(super) fn others(audited: &dyn Audited) -> Vec<Data> {
    let inputs = audited.inputs();
    let all = |fill: &Fill| inputs.iter().map(|name| (name.clone(), fill.clone())).collect::<Vec<_>>();
    let mut fills: Vec<Vec<(String, Fill)>> = Vec::new();
    let small = [Fill::Constant(1.0), Fill::Constant(0.5), Fill::Uniform { lo: 0.0, hi: 1.0 }];
    for name in &inputs {
        fills.extend(small.iter().map(|fill| vec![(name.clone(), fill.clone())]));
    }
    for (number, _) in inputs.iter().enumerate().filter(|_| inputs.len() > 1) {
        let mut one_apart = all(&Fill::Constant(1.0));
        one_apart[number].1 = Fill::Constant(0.5);
        fills.push(one_apart);
    }
    let whole =
        [Fill::Uniform { lo: -1.0, hi: 1.0 }, Fill::Uniform { lo: 0.5, hi: 1.5 }, Fill::Ramp { lo: -1.0, hi: 1.0 }];
    fills.extend(whole.iter().map(all));
    fills.retain(|fills| !fills.is_empty());
    let advised = fills.into_iter().map(|fills| Data { fills, tells_apart: false });
    telling_apart(audited.file()).into_iter().chain(advised).collect()
}

/// Data on which what is a constant of the program, as a scaler, varies too: where nothing changes then, nothing can.
fn telling_apart(file: &ProgramFile) -> Vec<Data> {
    let filled = file.program.tensors.iter().zip(&file.tensors).filter(|(tensor, data)| {
        data.fill.is_some() && matches!(tensor.format, DataFormat::Float32 | DataFormat::Float16_b)
    });
    let names: Vec<&String> = filled.clone().map(|(tensor, _)| &tensor.name).collect();
    let varied = filled.filter(|(_, data)| !matches!(data.fill, Some(Fill::Constant(_))));
    let varied: Vec<&String> = varied.map(|(tensor, _)| &tensor.name).collect();
    let of = |names: &[&String], lo: f64, hi: f64| Data {
        fills: names.iter().map(|name| ((*name).clone(), Fill::Uniform { lo, hi })).collect(),
        tells_apart: true,
    };
    let data = [of(&varied, -1.0, 1.0), of(&varied, 8.0, 12.0), of(&names, 0.5, 1.5)];
    data.into_iter().filter(|data| !data.fills.is_empty()).collect()
}
