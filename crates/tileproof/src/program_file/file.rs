//! A program file as data: the program, and what is beside it to run one.
//!
//! It must never be wrong where it stands: whoever makes one has checked it. Start at [`ProgramFile`].

use std::path::{Path, PathBuf};

use tileproof_model::program::Program;
use tileproof_model::thread::{CoreCoord, Thread};

use super::api::Api;
use super::launch::LaunchLines;
use super::suppress::Suppression;
use super::tensor::{Expect, TensorData};

/// A program, its data, and what is expected of it.
#[derive(Clone)]
pub struct ProgramFile {
    /// The file.
    pub path: PathBuf,
    /// What is run.
    pub program: Program,
    /// The seed of the fills.
    pub seed: u64,
    /// Of which day the headers are that its kernels were written for; `None` is what the headers included tell.
    pub api: Option<Api>,
    /// Beside each tensor of the program.
    pub tensors: Vec<TensorData>,
    /// Beside each launch of the program.
    pub launches: Vec<LaunchLines>,
    /// What must come out.
    pub expects: Vec<Expect>,
    /// What is found and meant to be so.
    pub suppressions: Vec<Suppression>,
}

/// Why a program file is refused: one sentence, and the line.
#[derive(thiserror::Error, Clone, PartialEq, Eq, Debug)]
#[error("{}{message}", at(path, &[*line]))]
pub struct ProgramFileError {
    /// The file.
    pub path: PathBuf,
    /// The line, from 1; 0 where no line is to blame.
    pub line: usize,
    /// What is wrong, naming the field and what it may be.
    pub message: String,
}

impl ProgramFile {
    /// The threads that its kernels run on, in the order of [`Thread::ALL`].
    pub fn threads(&self) -> Vec<Thread> {
        let kernels = || self.program.launches.iter().flat_map(|launch| &launch.kernels);
        let runs = |thread: &Thread| kernels().any(|kernel| kernel.config.threads().contains(thread));
        Thread::ALL.into_iter().filter(runs).collect()
    }

    /// The cores that its kernels run on, sorted.
    pub fn cores(&self) -> Vec<CoreCoord> {
        let ranges = self.program.launches.iter().flat_map(|l| &l.kernels).flat_map(|kernel| &kernel.core_ranges);
        let mut cores: Vec<CoreCoord> = ranges.flat_map(|range| range.cores()).collect();
        cores.sort();
        cores.dedup();
        cores
    }
}

/// What stands before the message of an error in a file; 0 is a line or a column that is not known.
pub(crate) fn at(path: &Path, numbers: &[usize]) -> String {
    let numbers = numbers.iter().take_while(|number| **number > 0).map(|number| format!("{number}:"));
    format!("{}:{} ", path.display(), numbers.collect::<String>())
}
