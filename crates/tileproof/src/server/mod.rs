//! A small process beside this one in which programs run whose kernels are to have a process of their own.
//!
//! Those are forks, and a fork of a large process is slow to make and slow to end: a server is started once, from nothing, and has
//! little. What a program gives must never depend on where it runs. Start at [`Servers::run`]; `serve.rs` is the other side.

mod pool;
mod request;
mod serve;

use std::path::Path;

pub use pool::Servers;
pub use serve::serve;

use crate::program_file::{ProgramFile, Standing};
use crate::run_file::{RunOptions, RunResult};
use request::{Asked, Request, Work, can_be_sent};

/// Bytes of tensors up to which they are sent: above, the run takes longer than any fork.
const MOST: usize = 32 << 20;

/// What a server says once it listens: whatever else was started says something else.
const READY: [u8; 8] = *b"serving\n";

/// What came of a program, or why it cannot be run.
type Ran<T> = Result<T, String>;

impl Servers {
    /// Runs a program whose tensors stand on a device. `None` if it has to be run in this process.
    pub(crate) fn run(&self, file: &ProgramFile, options: &RunOptions) -> Option<Ran<(RunResult, Vec<Standing>)>> {
        let bytes: usize =
            file.tensors.iter().flat_map(|data| &data.standing).map(|standing| standing.pages.len()).sum();
        if bytes > MOST || !can_be_sent(file) {
            return None;
        }
        self.ask(&Request { asked: Asked::of(options)?, work: Work::Standing(Box::new(file.clone())) })
    }

    /// Runs a program file, as [`crate::run_file::run_program_file`] does. `None` likewise.
    pub fn run_file(&self, path: &Path, options: &RunOptions) -> Option<Ran<RunResult>> {
        self.ask(&Request { asked: Asked::of(options)?, work: Work::File(path.to_path_buf()) })
    }
}
