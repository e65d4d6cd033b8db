//! Reads a file that describes its program, from its entries.
//!
//! It must never know of ops: a file that calls one is another kind of file. Start at [`read`].

use std::path::Path;

use tileproof_model::arch::Arch;
use tileproof_model::program::Program;

use super::api::Api;
use super::arguments::Surroundings;
use super::fields::Fields;
use super::file::{ProgramFile, ProgramFileError};
use super::launch;
use super::lines::Lines;
use super::value::{Entry, Kind, Problem};
use super::{parameters, suppress, tensor};
use crate::described::program as described;

impl ProgramFile {
    /// Reads the text of a file at `path` that describes its program.
    pub(crate) fn described(path: &Path, text: &str) -> Result<ProgramFile, ProgramFileError> {
        let lines = Lines::of(text);
        let line_of = |at: usize| lines.line(at);
        let parsed = parameters::tree(text, &[]).and_then(|entries| read(path, &entries, &line_of));
        parsed.map_err(|problem| at_line(path, text, problem))
    }
}

/// Reads the entries of a file that describes its program.
pub(super) fn read(path: &Path, entries: &[Entry], line_of: &dyn Fn(usize) -> usize) -> Result<ProgramFile, Problem> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let fields = Fields::of_entries("program".into(), None, entries, &described::PROGRAM)?;
    let arch = match fields.get("arch") {
        None => Arch::DEFAULT,
        Some(value) => {
            let chips = Arch::ALL.map(|arch| (arch.name(), arch));
            fields.choice("arch", value, &chips)?
        }
    };
    let api = match fields.get("api") {
        None => None,
        Some(value) => {
            let text = if let Kind::Text(text) = &value.kind { text.as_str() } else { "" };
            Some(Api::parse(text).ok_or_else(|| fields.wrong("api", value, Api::CHOICES))?)
        }
    };
    let seed = match fields.get("seed") {
        None => 0,
        Some(value) => fields.integer("seed", value, 0, i64::MAX)? as u64,
    };
    let (descriptors, tensors) = tensor::tensors(fields.tables("tensor")?, arch.constants().grid, folder, line_of)?;
    let expects = tensor::expects(fields.tables("expect")?, (&descriptors, &tensors), folder, line_of)?;
    let suppressions = suppress::suppressions(fields.tables("suppress")?, line_of)?;
    let names = descriptors.iter().map(|tensor| tensor.name.as_str()).collect();
    let around = Surroundings { arch: arch.constants(), tensors: &descriptors, names: &names, folder, line_of };
    let mut launches = Vec::new();
    let mut lines = Vec::new();
    match fields.get("launch") {
        None => {
            let (launch, launch_lines) = launch::launch(&fields, &around)?;
            launches.push(launch);
            lines.push(launch_lines);
        }
        Some(_) => {
            if let Some(outside) = entries.iter().find(|entry| described::LAUNCH.field(&entry.key).is_some()) {
                let message = format!("{} belongs into a [[launch]], because there are [[launch]] tables", outside.key);
                return Err(Problem::new(outside.key_at, message));
            }
            for (i, table) in fields.tables("launch")?.iter().enumerate() {
                let fields = Fields::new(format!("launch {i}"), table, &described::LAUNCH)?;
                let (launch, launch_lines) = launch::launch(&fields, &around)?;
                launches.push(launch);
                lines.push(launch_lines);
            }
        }
    }
    let program = Program { arch, tensors: descriptors, launches };
    Ok(ProgramFile { path: path.to_path_buf(), program, seed, api, tensors, launches: lines, expects, suppressions })
}

pub(super) fn at_line(path: &Path, text: &str, problem: Problem) -> ProgramFileError {
    let line = problem.at.map_or(0, |at| Lines::of(text).line(at));
    ProgramFileError { path: path.to_path_buf(), line, message: problem.message }
}
