//! Program files: TOML with the field names of ttnn's `ProgramDescriptor` family, and what is beside it to run one.
//! It must never guess what a file means: every field is known, and whatever is wrong is named with its line.
//! Start reading at [`ProgramFile::read`].

mod arithmetic;
pub(crate) mod fields;
mod launch;
mod suppress;
mod tensor;
pub(crate) mod value;
pub(crate) mod write;

use std::path::{Path, PathBuf};

use tileproof_model::arch::Arch;
use tileproof_model::program::Program;
use tileproof_model::thread::{CoreCoord, Thread};

use fields::Fields;
pub use launch::LaunchLines;
use launch::Surroundings;
pub use suppress::Suppression;
pub use tensor::{Closeness, Expect, Expected, TensorData};
use value::{Entry, Problem};

/// A program, its data, and what is expected of it.
#[derive(Clone)]
pub struct ProgramFile {
    /// The file.
    pub path: PathBuf,
    /// What is run.
    pub program: Program,
    /// The seed of the fills.
    pub seed: u64,
    /// Which generation's semantics; `None` is that of the headers included.
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

/// A generation of ttnn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Api {
    /// "0.66"
    V0_66,
    /// "0.79"
    V0_79,
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
    /// Reads a program file. `parameters` replace values of its `[params]`.
    ///
    /// # Errors
    /// If the file or a file that it names is missing, or anything in it is wrong.
    pub fn read(path: &Path, parameters: &[(String, String)]) -> Result<ProgramFile, ProgramFileError> {
        let text = read_text(path)?;
        ProgramFile::parse(path, &text, parameters)
    }

    /// The names that a program file has in its `[params]`, sorted.
    ///
    /// # Errors
    /// If the file is missing or no TOML.
    pub fn parameter_names(path: &Path) -> Result<Vec<String>, ProgramFileError> {
        let text = read_text(path)?;
        value::parameter_names(&text).map_err(|problem| at_line(path, &text, problem))
    }

    /// Reads the text of a program file that stands at `path`.
    ///
    /// # Errors
    /// As [`ProgramFile::read`].
    pub fn parse(path: &Path, text: &str, parameters: &[(String, String)]) -> Result<ProgramFile, ProgramFileError> {
        let line_of = |at: usize| line_of(text, at);
        let parsed = value::tree(text, parameters).and_then(|entries| read(path, &entries, &line_of));
        parsed.map_err(|problem| at_line(path, text, problem))
    }
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

fn read_text(path: &Path) -> Result<String, ProgramFileError> {
    std::fs::read_to_string(path).map_err(|error| ProgramFileError {
        path: path.to_path_buf(),
        line: 0,
        message: match error.kind() {
            std::io::ErrorKind::NotFound => "there is no such program file".into(),
            _ => format!("the program file cannot be read: {error}"),
        },
    })
}

/// What stands before the message of an error in a file; 0 is a line or a column that is not known.
pub(crate) fn at(path: &Path, numbers: &[usize]) -> String {
    let numbers = numbers.iter().take_while(|number| **number > 0).map(|number| format!("{number}:"));
    format!("{}:{} ", path.display(), numbers.collect::<String>())
}

fn line_of(text: &str, at: usize) -> usize {
    1 + text.as_bytes()[..at.min(text.len())].iter().filter(|b| **b == b'\n').count()
}

fn at_line(path: &Path, text: &str, problem: Problem) -> ProgramFileError {
    let line = problem.at.map_or(0, |at| line_of(text, at));
    ProgramFileError { path: path.to_path_buf(), line, message: problem.message }
}

fn read(path: &Path, entries: &[Entry], line_of: &dyn Fn(usize) -> usize) -> Result<ProgramFile, Problem> {
    if entries.iter().any(|entry| entry.key == "op") {
        return crate::op::call_file::read(path, entries, line_of);
    }
    // `op` makes another kind of file of it, and `params` is taken out before: both are fields all the same.
    const TOP: [&str; 12] =
        ["arch", "api", "seed", "tensor", "cb", "kernel", "semaphore", "launch", "expect", "suppress", "params", "op"];
    let folder = path.parent().unwrap_or(Path::new(""));
    let fields = Fields::of_entries("program".into(), None, entries, &TOP)?;
    let arch = match fields.get("arch") {
        None => Arch::Wormhole,
        Some(value) => {
            let chips = [Arch::Wormhole, Arch::Blackhole].map(|arch| (arch.name(), arch));
            fields.choice("arch", value, &chips)?
        }
    };
    let api = match fields.get("api") {
        None => None,
        Some(value) => Some(fields.choice("api", value, &[("0.66", Api::V0_66), ("0.79", Api::V0_79)])?),
    };
    let seed = match fields.get("seed") {
        None => 0,
        Some(value) => fields.integer("seed", value, 0, i64::MAX)? as u64,
    };
    let (descriptors, tensors) = tensor::tensors(fields.tables("tensor")?, arch.constants().grid, folder, line_of)?;
    let expects = tensor::expects(fields.tables("expect")?, &descriptors, folder, line_of)?;
    let suppressions = suppress::suppressions(fields.tables("suppress")?, line_of)?;
    let around = Surroundings { arch: arch.constants(), tensors: &descriptors, folder, line_of };
    let mut launches = Vec::new();
    let mut lines = Vec::new();
    match fields.get("launch") {
        None => {
            let (launch, launch_lines) = launch::launch(&fields, &around)?;
            launches.push(launch);
            lines.push(launch_lines);
        }
        Some(_) => {
            let parts = ["cb", "kernel", "semaphore"];
            if let Some(outside) = entries.iter().find(|entry| parts.contains(&entry.key.as_str())) {
                let message = format!("{} belongs into a [[launch]], because there are [[launch]] tables", outside.key);
                return Err(Problem::new(outside.key_at, message));
            }
            for (i, table) in fields.tables("launch")?.iter().enumerate() {
                let fields = Fields::new(format!("launch {i}"), table, &parts)?;
                let (launch, launch_lines) = launch::launch(&fields, &around)?;
                launches.push(launch);
                lines.push(launch_lines);
            }
        }
    }
    let program = Program { arch, tensors: descriptors, launches };
    Ok(ProgramFile { path: path.to_path_buf(), program, seed, api, tensors, launches: lines, expects, suppressions })
}
