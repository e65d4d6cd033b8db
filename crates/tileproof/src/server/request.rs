//! What a server is asked, as bytes.
//!
//! It must never leave an option out that changes what a run gives: [`Asked::of`] refuses those that it does not know.

use std::path::PathBuf;
use std::time::Duration;

use tileproof_model::program::KernelSource;
use tileproof_model::schedule::Schedule;

use crate::isolation::Isolation;
use crate::npy::SaveAs;
use crate::program_file::ProgramFile;
use crate::run_file::{ChosenChecks, RunOptions};
use crate::wire::{Reader, Wire, structures};

/// Options of a run that can be sent.
pub(super) struct Asked {
    checks: String,
    threads: Option<usize>,
    parameters: Vec<(String, String)>,
    schedule: String,
    explore: usize,
    cache: Option<PathBuf>,
    /// Seconds that kernels may take.
    limit: u64,
}

structures! { Asked { checks threads parameters schedule explore cache limit } }

impl Asked {
    /// Those of a run whose kernels have a process of their own; `None` if there are others among them, or if they have not.
    pub(super) fn of(options: &RunOptions) -> Option<Asked> {
        let RunOptions {
            checks,
            threads,
            save: None,
            save_as: _,
            parameters,
            fills,
            padding: None,
            schedule,
            explore,
            derived: false,
            follow: None,
            why: None,
            timeline: false,
            progress: None,
            cache,
            isolation: Some(Isolation { limit }),
        } = options
        else {
            return None;
        };
        // Data are in files.
        let is_sent = fills.is_empty();
        is_sent.then(|| Asked {
            checks: checks.to_string(),
            threads: *threads,
            parameters: parameters.clone(),
            schedule: schedule.to_string(),
            explore: *explore,
            cache: cache.clone(),
            limit: limit.as_secs(),
        })
    }

    /// The same for the library.
    pub(super) fn options(self) -> Result<RunOptions, String> {
        Ok(RunOptions {
            checks: ChosenChecks::parse(&self.checks)?,
            threads: self.threads,
            save: None,
            save_as: SaveAs::default(),
            parameters: self.parameters,
            fills: Vec::new(),
            padding: None,
            schedule: Schedule::parse(&self.schedule).map_err(|error| error.to_string())?,
            explore: self.explore,
            derived: false,
            follow: None,
            why: None,
            timeline: false,
            progress: None,
            cache: self.cache,
            isolation: Some(Isolation { limit: Duration::from_secs(self.limit) }),
        })
    }
}

/// Whether all of a program can be sent: its kernels are files, and nothing is beside its tensors but what they hold.
pub(super) fn can_be_sent(file: &ProgramFile) -> bool {
    let is_file = |source: &KernelSource| matches!(source, KernelSource::Cpp(_));
    file.program.launches.iter().flat_map(|launch| &launch.kernels).all(|kernel| is_file(&kernel.source))
        && file.tensors.iter().all(|data| data.fill.is_none() && data.rounded.is_none() && data.padding.is_none())
        && file.expects.is_empty()
        && file.suppressions.is_empty()
        && file.seed == 0
}

/// What is to be run.
pub(super) enum Work {
    /// A program whose tensors stand on a device: they come back with the result.
    Standing(Box<ProgramFile>),
    File(PathBuf),
}

impl Wire for Work {
    fn put(&self, to: &mut Vec<u8>) {
        match self {
            Work::Standing(file) => {
                0u8.put(to);
                file.put(to);
            }
            Work::File(path) => {
                1u8.put(to);
                path.put(to);
            }
        }
    }

    fn take(from: &mut Reader<'_>) -> Option<Work> {
        match u8::take(from)? {
            0 => Some(Work::Standing(Box::new(Wire::take(from)?))),
            1 => Wire::take(from).map(Work::File),
            _ => None,
        }
    }
}

/// What a server is asked.
pub(super) struct Request {
    pub(super) asked: Asked,
    pub(super) work: Work,
}

structures! { Request { asked work } }
