//! A program file as data: the program, and what is beside it to run one.
//!
//! It must never be wrong where it stands: whoever makes one has checked it. Start at [`ProgramFile`].

use std::path::{Path, PathBuf};

use tileproof_model::program::Program;
use tileproof_model::thread::{CoreCoord, Thread};

use super::api::Api;
use super::launch::LaunchLines;
use super::suppress::Suppression;
use super::tensor::{Closeness, Expect, Expected, TensorData};
use crate::fill::Fill;

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

    /// The same with other data for some of the tensors that have a fill, by their names.
    ///
    /// # Errors
    /// If there is no such tensor, or it has no fill.
    pub fn with_fills(mut self, fills: &[(String, Fill)]) -> Result<ProgramFile, ProgramFileError> {
        for (name, fill) in fills {
            let tensors = self.program.tensors.iter().zip(&mut self.tensors);
            let mut filled = tensors.filter(|(_, data)| data.fill.is_some());
            let Some((tensor, data)) = filled.find(|(tensor, _)| tensor.name == *name) else {
                let tensors = self.program.tensors.iter().zip(&self.tensors).filter(|(_, data)| data.fill.is_some());
                let known: Vec<&str> = tensors.map(|(tensor, _)| tensor.name.as_str()).collect();
                let message =
                    format!("fill {name}: no such tensor has a fill; those that have are {}", known.join(", "));
                return Err(ProgramFileError { path: self.path, line: 0, message });
            };
            data.rounded = fill.rounded_file(tensor.format).map(Path::to_path_buf);
            data.fill = Some(fill.clone());
        }
        Ok(self)
    }

    /// The same on other data, which what is expected must follow.
    ///
    /// # Errors
    /// As [`ProgramFile::with_fills`], and if what is expected of a tensor goes with the data of the file alone.
    pub fn on_other_data(self, fills: &[(String, Fill)]) -> Result<ProgramFile, ProgramFileError> {
        match self.expects_its_data().filter(|_| !fills.is_empty()) {
            None => self.with_fills(fills),
            Some(tensor) => {
                let why = "goes with the data of the file; give its [[expect]] a formula";
                let message = format!("fill: what is expected of {tensor} {why}");
                Err(ProgramFileError { path: self.path, line: 0, message })
            }
        }
    }

    /// The widest tolerance, relative and absolute, of what is expected; `None` if none is of numbers.
    pub fn tolerance(&self) -> Option<(f64, f64)> {
        let all = self.expects.iter().filter_map(|expect| expect.closeness.numbers());
        all.reduce(|(rtol, atol), (other_rtol, other_atol)| (rtol.max(other_rtol), atol.max(other_atol)))
    }

    /// Has all that is expected be as close as its operations can be held to, but what must be the same bits.
    pub fn expect_derived(&mut self) {
        for expect in self.expects.iter_mut().filter(|expect| expect.closeness != Closeness::Bits) {
            expect.closeness = Closeness::Derived;
        }
    }

    /// The first tensor of which is expected what goes with no other data than those of the file.
    pub fn expects_its_data(&self) -> Option<&str> {
        let is_written = |expect: &&Expect| matches!(expect.values, Expected::Fill(_));
        let expect = self.expects.iter().find(is_written)?;
        Some(&self.program.tensors[expect.tensor].name)
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
