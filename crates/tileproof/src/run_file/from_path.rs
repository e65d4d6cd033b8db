//! Runs the program file that is at a path.
//!
//! It must never add anything to the run but the reading of the file. Start at [`run_program_file`].

use std::path::Path;
use std::time::Instant;

use tileproof_build::Builder;

use super::error::RunError;
use super::options::RunOptions;
use super::result::RunResult;
use super::runs;
use crate::cpp_kernels::{BuildKernels, built_by};
use crate::program_file::ProgramFile;

/// Runs a program file.
///
/// # Errors
/// If the program cannot be run or its outputs cannot be saved. What is wrong with a program that runs is in the result.
pub fn run_program_file(path: &Path, options: &RunOptions) -> Result<RunResult, RunError> {
    let builder = Builder::new(options.cache.clone()).map_err(|source| RunError::Build {
        path: path.to_path_buf(),
        source: source.into(),
        places: Vec::new(),
    })?;
    run_program_file_with(path, options, &*built_by(builder, options.isolation))
}

/// Runs a program file with kernels that `builder` builds.
///
/// # Errors
/// If the program cannot be run or its outputs cannot be saved. What is wrong with a program that runs is in the result.
pub fn run_program_file_with(
    path: &Path,
    options: &RunOptions,
    builder: &dyn BuildKernels,
) -> Result<RunResult, RunError> {
    let start = Instant::now();
    let mut file = ProgramFile::read(path, &options.parameters)?.on_other_data(&options.fills)?;
    if options.derived {
        file.expect_derived();
    }
    let result = runs::run(&file, options, builder)?;
    Ok(RunResult { wall_s: start.elapsed().as_secs_f64(), ..result })
}
