//! Reads a file, whichever kind it is: one that describes its program, or one that calls an op.
//!
//! It must never read a field itself. Start at [`ProgramFile::read`].

use std::path::Path;

use super::file::{ProgramFile, ProgramFileError};
use super::lines::Lines;
use super::parameters;
use super::program::{self, at_line};
use super::value::{self, Entry, Problem};
use crate::bounded;
use crate::op::call_file;

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
        let lines = Lines::of(text);
        let line_of = |at: usize| lines.line(at);
        let parsed = parameters::tree(text, parameters).and_then(|entries| read(path, &entries, &line_of));
        parsed.map_err(|problem| at_line(path, text, problem))
    }
}

fn read(path: &Path, entries: &[Entry], line_of: &dyn Fn(usize) -> usize) -> Result<ProgramFile, Problem> {
    let calls_an_op = entries.iter().any(|entry| entry.key == "op");
    let read = if calls_an_op { call_file::read } else { program::read };
    read(path, entries, line_of)
}

fn read_text(path: &Path) -> Result<String, ProgramFileError> {
    bounded::read_text(path).map_err(|error| ProgramFileError {
        path: path.to_path_buf(),
        line: 0,
        message: match error.kind() {
            std::io::ErrorKind::NotFound => "there is no such program file".into(),
            _ => format!("the program file cannot be read: {error}"),
        },
    })
}
