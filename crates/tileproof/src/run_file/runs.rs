//! A program file that is run once, on a schedule, or on many.
//!
//! It must never read a file of a program: that has happened. Start at [`run`].

use std::time::Instant;

use tileproof_model::observe::{Observer, Unobserved};
use tileproof_model::schedule::Schedule;

use super::error::RunError;
use super::explore::{self, Exploration};
use super::loaded::Loaded;
use super::options::RunOptions;
use super::result::RunResult;
use crate::cpp_kernels::BuildKernels;
use crate::device::Output;
use crate::program_file::{ProgramFile, Standing, TensorData};

/// Runs a program as the options say.
pub(super) fn run(file: &ProgramFile, options: &RunOptions, builder: &dyn BuildKernels) -> Result<RunResult, RunError> {
    if options.checks.observe() {
        run_observed::<tileproof_check::Checks>(file, options, builder)
    } else {
        run_observed::<Unobserved>(file, options, builder)
    }
}

fn run_observed<O: Observer>(
    file: &ProgramFile,
    options: &RunOptions,
    builder: &dyn BuildKernels,
) -> Result<RunResult, RunError> {
    if options.explore == 0 && options.schedule.is_default() {
        run_once::<O>(file, options, builder).map(|(_, result)| result)
    } else {
        run_scheduled::<O>(file, options, builder)
    }
}

/// A program on the default schedule.
fn run_once<'a, O: Observer>(
    file: &'a ProgramFile,
    options: &RunOptions,
    builder: &dyn BuildKernels,
) -> Result<(Loaded<'a, O>, RunResult), RunError> {
    let mut run = Loaded::<O>::prepare(file, options)?;
    if let Some(element) = &options.follow {
        run.element(element)?;
    }
    let kernels = run.build(builder)?;
    let (result, _) = run.judge(&kernels, None, options)?;
    Ok((run, result))
}

/// A program on another schedule, or on those that are explored; what is saved is what the result speaks of.
fn run_scheduled<O: Observer>(
    file: &ProgramFile,
    options: &RunOptions,
    builder: &dyn BuildKernels,
) -> Result<RunResult, RunError> {
    let quiet = RunOptions { save: None, ..options.clone() };
    let mut run = Loaded::<O>::prepare(file, &quiet)?;
    let kernels = run.build(builder)?;
    run.compares = true;
    // Followed, the default schedule counts its points.
    run.device.follow(Schedule::default());
    // Of the default its outputs alone are wanted where one schedule is replayed.
    let (default, outputs) = match options.explore {
        0 => (None, run.default_elements(&kernels)?),
        _ => run.judge(&kernels, None, &quiet).map(|(result, outputs)| (Some(result), outputs))?,
    };
    let exploration = Exploration::new(&file.threads(), &file.cores(), run.device.machine().points());
    drop(run);
    let follow = |schedule: &Schedule, options: &RunOptions| {
        let mut run = Loaded::<O>::prepare(file, options)?;
        run.compares = true;
        run.device.follow(schedule.clone());
        let (result, _) = run.judge(&kernels, Some(&outputs), options)?;
        Ok(RunResult { schedule: schedule.clone(), ..result })
    };
    let Some(default) = default else { return follow(&options.schedule, options) };
    let run = &mut |schedule: &Schedule| follow(schedule, &quiet);
    let (explored, failed) = explore::explore(&exploration, options.explore, &default, options.progress, run)?;
    let result = RunResult { explored: Some(explored), ..failed.unwrap_or(default) };
    if options.save.is_some() {
        follow(&result.schedule, options)?;
    }
    Ok(result)
}

/// Runs a program that has been read already, on the default schedule; the values of its outputs are beside the result.
///
/// # Errors
/// As [`super::run_program_file`].
pub(crate) fn run_program(
    file: &ProgramFile,
    options: &RunOptions,
    builder: &dyn BuildKernels,
) -> Result<(RunResult, Vec<Output>), RunError> {
    let run = if options.checks.observe() { run_read::<tileproof_check::Checks> } else { run_read::<Unobserved> };
    run(file, options, builder)
}

/// Runs a program on tensors that lie on a device already, as the options say; what each holds then is beside the result. Where
/// schedules are explored, the tensors hold what the schedule gave that the options name.
///
/// # Errors
/// As [`super::run_program_file`].
pub(crate) fn run_standing(
    file: &ProgramFile,
    options: &RunOptions,
    builder: &dyn BuildKernels,
) -> Result<(RunResult, Vec<Standing>), RunError> {
    let start = Instant::now();
    let run = if options.checks.observe() {
        run_once_standing::<tileproof_check::Checks>
    } else {
        run_once_standing::<Unobserved>
    };
    let (result, standing) = run(file, options, builder)?;
    let result = if options.explore > 0 { self::run(file, options, builder)? } else { result };
    Ok((RunResult { wall_s: start.elapsed().as_secs_f64(), ..result }, standing))
}

fn run_once_standing<O: Observer>(
    file: &ProgramFile,
    options: &RunOptions,
    builder: &dyn BuildKernels,
) -> Result<(RunResult, Vec<Standing>), RunError> {
    let mut run = Loaded::<O>::prepare(file, options)?;
    let kernels = run.build(builder)?;
    if !options.schedule.is_default() {
        run.device.follow(options.schedule.clone());
    }
    let (result, _) = run.judge(&kernels, None, options)?;
    let address = |data: &TensorData| data.standing.as_ref().map_or(0, |standing| standing.address);
    let standing = file.tensors.iter().enumerate().map(|(i, data)| run.device.standing(i, address(data))).collect();
    Ok((RunResult { schedule: options.schedule.clone(), ..result }, standing))
}

fn run_read<O: Observer>(
    file: &ProgramFile,
    options: &RunOptions,
    builder: &dyn BuildKernels,
) -> Result<(RunResult, Vec<Output>), RunError> {
    let start = Instant::now();
    let (run, result) = run_once::<O>(file, options, builder)?;
    // Of a format that holds no values there is nothing to compare.
    let outputs = file.program.tensors.iter().filter(|tensor| tensor.output);
    let outputs = outputs.filter_map(|tensor| Some((tensor.clone(), run.device.read(&tensor.name).ok()?))).collect();
    Ok((RunResult { wall_s: start.elapsed().as_secs_f64(), ..result }, outputs))
}

/// Builds the kernels of a program and allocates its tensors, and runs nothing.
///
/// # Errors
/// As [`run_program_file`].
pub(crate) fn build_program(file: &ProgramFile, builder: &dyn BuildKernels) -> Result<(), RunError> {
    let options = RunOptions { threads: Some(1), ..RunOptions::default() };
    Loaded::<Unobserved>::prepare(file, &options)?.build(builder).map(|_| ())
}
