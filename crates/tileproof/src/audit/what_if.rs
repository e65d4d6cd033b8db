//! What other settings of the compute kernels would give: each is run, none is guessed.
//!
//! Start at [`what_if`].

use tileproof_model::program::{KernelConfig, MathFidelity};
use tileproof_model::record::Status;
use tileproof_numerics::format::DataFormat;

use crate::cpp_kernels::BuildKernels;
use crate::program_file::ProgramFile;
use crate::run_file::{Bench, RunError, Trial};

/// Settings, and what a program gives with them.
#[derive(Clone, PartialEq, Debug)]
pub struct WhatIf {
    /// The settings, as a program file has them.
    pub settings: &'static str,
    /// The largest difference from what is expected, as it is and with them.
    pub max_diff: [f64; 2],
    /// Cycles, likewise.
    pub cycles: [u64; 2],
    /// Whether all outputs are as expected then.
    pub pass: bool,
}

/// Settings, and who sets them.
type Finer = (&'static str, fn(&mut ProgramFile));

/// Settings that keep more of each value.
const FINER: [Finer; 5] = [
    ("math_fidelity = \"HiFi4\"", |file| each(file, |config| config.math_fidelity = MathFidelity::HiFi4)),
    ("fp32_dest_acc_en = true", |file| each(file, |config| config.fp32_dest_acc_en = true)),
    ("math_approx_mode = false", |file| each(file, |config| config.math_approx_mode = false)),
    ("unpack_to_dest_mode = UnpackToDestFp32 for Float32 buffers", unpack_in_full),
    ("all of these", |file| {
        each(file, |config| {
            config.math_fidelity = MathFidelity::HiFi4;
            config.fp32_dest_acc_en = true;
            config.math_approx_mode = false;
        });
        unpack_in_full(file);
    }),
];

/// Sets something of all compute kernels.
pub(super) fn each(file: &mut ProgramFile, set: impl Fn(&mut tileproof_model::program::ComputeConfig)) {
    for kernel in file.program.launches.iter_mut().flat_map(|launch| &mut launch.kernels) {
        if let KernelConfig::Compute(config) = &mut kernel.config {
            set(config);
        }
    }
}

/// Buffers of 32-bit floats go to Dst in full, where Dst has 32 bits.
fn unpack_in_full(file: &mut ProgramFile) {
    for launch in &mut file.program.launches {
        let formats = launch.cbs.iter().flat_map(|cb| &cb.format_descriptors);
        let wide = formats.filter(|format| format.data_format == DataFormat::Float32);
        let mut wide: Vec<u8> = wide.map(|format| format.buffer_index).collect();
        wide.sort_unstable();
        wide.dedup();
        for kernel in &mut launch.kernels {
            if let KernelConfig::Compute(config) = &mut kernel.config
                && config.fp32_dest_acc_en
            {
                config.unpack_to_dest_fp32.clone_from(&wide);
            }
        }
    }
}

/// What its kernels are configured for, to tell two programs apart.
fn configs(file: &ProgramFile) -> String {
    let kernels = file.program.launches.iter().flat_map(|launch| &launch.kernels);
    kernels.map(|kernel| format!("{:?};", kernel.config)).collect()
}

/// The largest difference of any output.
pub(super) fn largest(trial: &Trial) -> f64 {
    trial.outputs.iter().filter_map(|output| output.max_diff).fold(0.0, f64::max)
}

/// The settings with which a program's outputs come nearer to what is expected, or pass where they do not.
pub(super) fn what_if(
    file: &ProgramFile,
    as_it_is: &Trial,
    builder: &dyn BuildKernels,
) -> Result<Vec<WhatIf>, RunError> {
    let mut found: Vec<WhatIf> = Vec::new();
    if as_it_is.status != Status::Completed || largest(as_it_is) == 0.0 {
        return Ok(found);
    }
    for (settings, set) in FINER {
        let mut finer = file.clone();
        set(&mut finer);
        if configs(&finer) == configs(file) {
            continue;
        }
        // Kernels may be written for the settings that they have.
        let trial = match Bench::new(&finer, builder) {
            Ok(bench) => bench.run(None)?,
            Err(RunError::Build { .. }) => continue,
            Err(error) => return Err(error),
        };
        let (before, after) = (largest(as_it_is), largest(&trial));
        let is_nearer = after < 0.9 * before || (trial.passes() && !as_it_is.passes());
        // All together are worth a word only where they give more than the best of them.
        let is_best = found.iter().all(|other| after < 0.9 * other.max_diff[1]) || settings != FINER[FINER.len() - 1].0;
        if trial.status == Status::Completed && is_nearer && is_best {
            let cycles = [as_it_is.cycles, trial.cycles];
            found.push(WhatIf { settings, max_diff: [before, after], cycles, pass: trial.passes() });
        }
    }
    Ok(found)
}
