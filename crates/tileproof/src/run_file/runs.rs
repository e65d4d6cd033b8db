//! A program file that is run once, on a schedule, or on many.
//!
//! It must never read a file of a program: that has happened. Start at [`run`].

use std::time::Instant;

use tileproof_check::order::orders::WithOrders;
use tileproof_model::finding::Code;
use tileproof_model::observe::{Observer, Unobserved};
use tileproof_model::record::RunRecord;
use tileproof_model::schedule::Schedule;

use super::compared::{Compare, Compared};
use super::diagnose::unless_no_room;
use super::error::RunError;
use super::explore::{self, Exploration, Run};
use super::loaded::Loaded;
use super::options::RunOptions;
use super::order_shows::Elements;
use super::result::RunResult;
use super::timeline::recorded;
use crate::cpp_kernels::{BuildKernels, Kernels};
use crate::device::Output;
use crate::phases::Phases;
use crate::program_file::{ProgramFile, Standing};

/// Runs a program as the options say.
pub(super) fn run(file: &ProgramFile, options: &RunOptions, builder: &dyn BuildKernels) -> Result<RunResult, RunError> {
    let result = if options.checks.observe() {
        run_observed::<tileproof_check::Checks>(file, options, builder)?
    } else {
        run_observed::<Unobserved>(file, options, builder)?
    };
    with_timeline(file, options, builder, result)
}

/// A result with the timeline of its schedule, if that is asked for.
fn with_timeline(
    file: &ProgramFile,
    options: &RunOptions,
    builder: &dyn BuildKernels,
    result: RunResult,
) -> Result<RunResult, RunError> {
    let schedule = &result.schedule;
    let timeline = options.timeline.then(|| recorded(file, options, builder, schedule)).transpose()?;
    Ok(RunResult { timeline, ..result })
}

fn run_observed<O: Observer>(
    file: &ProgramFile,
    options: &RunOptions,
    builder: &dyn BuildKernels,
) -> Result<RunResult, RunError> {
    if options.explore > 0 {
        run_explored::<O>(file, options, builder)
    } else if options.schedule.is_default() {
        run_once::<O>(file, options, builder, None)
    } else {
        run_scheduled::<O>(file, options, builder)
    }
}

/// A program on the default schedule.
fn run_once<O: Observer>(
    file: &ProgramFile,
    options: &RunOptions,
    builder: &dyn BuildKernels,
    compare: Option<Compare<'_>>,
) -> Result<RunResult, RunError> {
    let begin = Instant::now();
    let mut run = Loaded::<O>::prepare(file, options)?;
    let filled = Instant::now();
    run.compare = compare;
    if let Some(element) = &options.follow {
        run.element(element)?;
    }
    let kernels = run.build(builder)?;
    let built = Instant::now();
    let (mut result, _) = run.judge(&kernels, None, options)?;
    result.phases = Phases {
        to_pages: (filled - begin).as_secs_f64(),
        kernels: (built - filled).as_secs_f64(),
        machine: run.machine.as_secs_f64(),
        from_pages: (built.elapsed().saturating_sub(run.machine)).as_secs_f64(),
    };
    Ok(result)
}

/// A program on another schedule.
fn run_scheduled<O: Observer>(
    file: &ProgramFile,
    options: &RunOptions,
    builder: &dyn BuildKernels,
) -> Result<RunResult, RunError> {
    let quiet = RunOptions { save: None, ..options.clone() };
    let mut run = Loaded::<O>::prepare(file, &quiet)?;
    let kernels = run.build(builder)?;
    run.compares = true;
    run.device.follow(Schedule::default());
    // Of the default its outputs alone are wanted.
    let outputs = run.default_elements(&kernels)?;
    drop(run);
    follow(&mut follows::<O>(file, &options.schedule, options)?, &kernels, &outputs, &options.schedule, options)
}

/// A program that is to run on a schedule.
fn follows<'a, O: Observer>(
    file: &'a ProgramFile,
    schedule: &Schedule,
    options: &RunOptions,
) -> Result<Loaded<'a, O>, RunError> {
    let mut run = Loaded::<O>::prepare(file, options)?;
    run.compares = true;
    run.device.follow(schedule.clone());
    Ok(run)
}

/// Runs it, to be compared with what the default has left in its outputs.
fn follow<O: Observer>(
    run: &mut Loaded<'_, O>,
    kernels: &Kernels,
    outputs: &Elements,
    schedule: &Schedule,
    options: &RunOptions,
) -> Result<RunResult, RunError> {
    let (result, _) = run.judge(kernels, Some(outputs), options)?;
    Ok(RunResult { schedule: schedule.clone(), ..result })
}

/// A program on the schedules that are explored; what is saved is what the result speaks of.
fn run_explored<O: Observer>(
    file: &ProgramFile,
    options: &RunOptions,
    builder: &dyn BuildKernels,
) -> Result<RunResult, RunError> {
    let quiet = RunOptions { save: None, ..options.clone() };
    let mut run = Loaded::<WithOrders<O>>::prepare(file, &quiet)?;
    let kernels = run.build(builder)?;
    run.compares = true;
    // Followed, the default schedule counts its points.
    run.device.follow(Schedule::default());
    let (result, outputs) = run.judge(&kernels, None, &quiet)?;
    let exploration = Exploration::new(&file.threads(), &file.cores(), run.device.machine().points());
    let order = std::mem::take(&mut run.device.machine_mut().observer_mut().orders);
    drop(run);
    let run = &mut |schedule: &Schedule, asked: Option<u64>| {
        let mut run = follows::<WithOrders<O>>(file, schedule, &quiet)?;
        run.device.machine_mut().observer_mut().orders.asked = asked;
        let result = follow(&mut run, &kernels, &outputs, schedule, &quiet)?;
        Ok(Run { result, order: std::mem::take(&mut run.device.machine_mut().observer_mut().orders) })
    };
    let default = Run { result, order };
    let (explored, failed) = explore::explore(&exploration, options.explore, &default, options.progress, run)?;
    let result = RunResult { explored: Some(explored), ..failed.unwrap_or(default.result) };
    if options.save.is_some() {
        follow(&mut follows::<O>(file, &result.schedule, options)?, &kernels, &outputs, &result.schedule, options)?;
    }
    Ok(result)
}

/// Runs a program that has been read already, on the default schedule, and has its outputs compared.
///
/// # Errors
/// As [`super::run_program_file`].
pub(crate) fn run_compared(
    file: &ProgramFile,
    options: &RunOptions,
    builder: &dyn BuildKernels,
    compare: Compare<'_>,
) -> Result<RunResult, RunError> {
    let start = Instant::now();
    let run = if options.checks.observe() { run_once::<tileproof_check::Checks> } else { run_once::<Unobserved> };
    let result = run(file, options, builder, Some(compare))?;
    let result = with_timeline(file, options, builder, result)?;
    Ok(RunResult { wall_s: start.elapsed().as_secs_f64(), ..result })
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
    Ok((RunResult { schedule: options.schedule.clone(), ..result }, run.standing()))
}

/// Adds to a record why outputs are wrong, for whoever has run the program on a device of their own.
///
/// # Errors
/// As [`super::run_program_file`].
pub(crate) fn explain_wrong(
    file: &ProgramFile,
    options: &RunOptions,
    builder: &dyn BuildKernels,
    compared: &Compared,
    record: &mut RunRecord,
) -> Result<(), RunError> {
    if compared.questions.is_empty() || !options.checks.count(Code::DIGITS_LOST) {
        return Ok(());
    }
    let result = explained(file, options, builder, compared, record);
    unless_no_room(result, record)
}

fn explained(
    file: &ProgramFile,
    options: &RunOptions,
    builder: &dyn BuildKernels,
    compared: &Compared,
    record: &mut RunRecord,
) -> Result<(), RunError> {
    let compare = |_: &[Output]| Compared::default();
    let mut run = Loaded::<Unobserved>::prepare(file, options)?;
    run.compare = Some(&compare);
    if run.is_explained(&compared.outputs, record) {
        return Ok(());
    }
    let kernels = run.build(builder)?;
    let mut findings = Vec::new();
    run.look_again(&kernels, compared, (true, &options.checks), record, &mut findings)?;
    record.findings.extend(findings);
    Ok(())
}

/// Builds the kernels of a program and allocates its tensors, and runs nothing.
///
/// # Errors
/// As [`run_program_file`].
pub(crate) fn build_program(file: &ProgramFile, builder: &dyn BuildKernels) -> Result<(), RunError> {
    let options = RunOptions { threads: Some(1), ..RunOptions::default() };
    Loaded::<Unobserved>::prepare(file, &options)?.build(builder).map(|_| ())
}
