//! A program file that a command runs.
//!
//! Start at [`run_file`].

use std::path::Path;

use tileproof::run_file::{RunError, RunOptions, RunResult, run_program_file};

use crate::bad_input::BadInput;

/// Runs a program file; what is wrong with the file is bad input.
pub(crate) fn run_file(program: &Path, options: &RunOptions) -> anyhow::Result<RunResult> {
    run_program_file(program, options).map_err(|error| match error {
        host if host.is_host() => anyhow::Error::new(host),
        other => refused(&other),
    })
}

/// A program that cannot be run, as bad input.
pub(crate) fn refused(error: &RunError) -> anyhow::Error {
    BadInput::found(error.to_string(), error.findings()).into()
}
