//! What would make a program faster: changes of its settings, each of which is run; none is guessed.
//!
//! Start at [`would_help`].

use std::path::Path;

use tileproof_build::Builder;
use tileproof_model::program::MathFidelity;
use tileproof_model::record::Status;

use super::what_if::{WhatIf, each, largest};
use crate::cpp_kernels::built_by;
use crate::program_file::ProgramFile;
use crate::run_file::{Bench, RunError, RunOptions};

/// A change is worth a word from here on: part of the cycles that are left.
const WORTH: f64 = 0.99;

/// Changes, and who makes them.
type Change = (&'static str, fn(&mut ProgramFile));

const CHANGES: [Change; 4] = [
    ("circular buffers twice as deep", |file| deeper(file, 2)),
    ("circular buffers four times as deep", |file| deeper(file, 4)),
    ("math_fidelity = \"HiFi2\"", |file| each(file, |config| config.math_fidelity = MathFidelity::HiFi2)),
    ("math_fidelity = \"LoFi\"", |file| each(file, |config| config.math_fidelity = MathFidelity::LoFi)),
];

/// All buffers that have memory of their own.
fn deeper(file: &mut ProgramFile, times: u32) {
    let cbs = file.program.launches.iter_mut().flat_map(|launch| &mut launch.cbs);
    for cb in cbs.filter(|cb| cb.tensor.is_none()) {
        cb.total_size = cb.total_size.saturating_mul(times);
    }
}

/// The changes with which a program takes fewer cycles, and what its outputs are then. None of a program that does not complete as it
/// is, and none with which it does not.
///
/// # Errors
/// As [`crate::run_file::run_program_file`].
pub fn would_help(path: &Path, options: &RunOptions) -> Result<Vec<WhatIf>, RunError> {
    let builder = Builder::new(options.cache.clone()).map_err(|source| RunError::Build {
        path: path.to_path_buf(),
        source: source.into(),
        places: Vec::new(),
    })?;
    let builder = built_by(builder, options.isolation);
    let file = ProgramFile::read(path, &options.parameters)?;
    let as_it_is = Bench::new(&file, &*builder)?.run(None)?;
    let mut found: Vec<WhatIf> = Vec::new();
    if as_it_is.status != Status::Completed {
        return Ok(found);
    }
    for (settings, change) in CHANGES {
        let mut other = file.clone();
        change(&mut other);
        // What does not fit, or is written for the settings that it has, is no answer.
        let Ok(trial) = Bench::new(&other, &*builder).and_then(|bench| bench.run(None)) else { continue };
        let least = found.iter().map(|known| known.cycles[1]).min().unwrap_or(as_it_is.cycles);
        let is_deeper = settings.starts_with("circular");
        let than = if is_deeper { least } else { as_it_is.cycles };
        if trial.status == Status::Completed && (trial.cycles as f64) < WORTH * than as f64 {
            found.push(WhatIf {
                settings: settings.into(),
                max_diff: [largest(&as_it_is), largest(&trial)],
                cycles: [as_it_is.cycles, trial.cycles],
                pass: trial.passes(),
            });
        }
    }
    found.sort_by_key(|what| what.cycles[1]);
    Ok(found)
}
