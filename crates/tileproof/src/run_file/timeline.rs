//! The timeline of a program: it is run again with a recorder, which changes neither what it gives nor its cycles.
//!
//! A run of its own, so that whoever asks for no timeline pays nothing. Start at [`recorded`].

use tileproof_check::recorder::Recorder;
use tileproof_model::program::Program;
use tileproof_model::record::Status;
use tileproof_model::schedule::Schedule;
use tileproof_model::timeline::Timeline;

use super::error::RunError;
use super::loaded::Loaded;
use super::options::RunOptions;
use crate::apart;
use crate::cpp_kernels::{BuildKernels, Kernels};
use crate::device::Device;
use crate::program_file::ProgramFile;

/// What each thread of a program does when, on a schedule; or why that cannot be said.
///
/// # Errors
/// As [`super::run_program_file`].
pub(crate) fn recorded(
    file: &ProgramFile,
    options: &RunOptions,
    builder: &dyn BuildKernels,
    schedule: &Schedule,
) -> Result<Result<Timeline, String>, RunError> {
    // Cores on several host threads would have a recorder each.
    let one = RunOptions { threads: Some(1), save: None, ..options.clone() };
    let mut run = Loaded::<Recorder>::prepare(file, &one)?;
    let kernels = run.build(builder)?;
    if !schedule.is_default() {
        run.device.follow(schedule.clone());
    }
    // What a recorder has seen does not leave the process that it ran in.
    apart::timeline::<RunError>(&file.program, &kernels, |kernels| {
        run.device.record(&file.program, kernels).map_err(|source| run.cannot_launch(source))
    })
}

impl Device<Recorder> {
    /// Runs the launches of a program in this process, and takes what was recorded of each.
    fn record(&mut self, program: &Program, kernels: &Kernels) -> Result<Timeline, tileproof_sim::LaunchError> {
        let mut timeline = Timeline { arch: program.arch, launches: Vec::new() };
        for (launch, kernels) in program.launches.iter().zip(&kernels.launches) {
            let machine = self.machine_mut();
            let outcome = machine.launch(launch, kernels)?;
            let recorder = std::mem::take(machine.observer_mut());
            let place_of = |core, thread, site| machine.call_place(core, thread, site);
            timeline.launches.push(recorder.launch_timeline(outcome.cycles, place_of, |core| machine.stuck(core)));
            if outcome.status != Status::Completed {
                break;
            }
        }
        Ok(timeline)
    }
}
