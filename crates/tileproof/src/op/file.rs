//! Reads `op.toml`: the description of an op in a folder of its user.
//!
//! It must never accept a field or a name that nobody knows: what is wrong is named with its line and column. What is
//! merely missing is for gate 1 to say. Start at [`UserOp::read`]; `tables.rs` reads the single tables.

use std::path::{Path, PathBuf};

use tileproof_model::arch::Arch;

use super::expression::Expression;
use super::names::Names;
use super::spec::{AttributeSpec, CbSpec, ConditionSpec, Grid, KernelSpec, Step, TensorSpec, is_name};
use super::tables;
use crate::bounded::read_text;
use crate::described::op::OP;
use crate::program_file::at;
use crate::program_file::fields::Fields;
use crate::program_file::lines::Lines;
use crate::program_file::parameters;
use crate::program_file::value::{Entry, Kind, Problem};

/// An op that a folder describes.
#[derive(Clone, Debug)]
pub struct UserOp {
    /// The file.
    pub path: PathBuf,
    /// Its folder.
    pub folder: PathBuf,
    /// Name.
    pub name: String,
    /// What it computes; empty if nothing is said.
    pub summary: String,
    /// Chip.
    pub arch: Arch,
    /// Fewest and most dimensions of the first input.
    pub ranks: (u32, u32),
    /// Inputs; the first has the shape of the call.
    pub inputs: Vec<TensorSpec>,
    /// Outputs.
    pub outputs: Vec<TensorSpec>,
    /// Attributes.
    pub attributes: Vec<AttributeSpec>,
    /// Conditions beside those that follow from the fields above.
    pub conditions: Vec<ConditionSpec>,
    /// Circular buffers.
    pub cbs: Vec<CbSpec>,
    /// Pieces of work, which are divided over cores; pages of the first output if nothing is said.
    pub units: Option<Expression>,
    /// Cores at most.
    pub cores: Option<u32>,
    /// Kernels.
    pub kernels: Vec<KernelSpec>,
    /// Steps of the reference.
    pub reference: Vec<Step>,
    /// Shapes, data and tolerances of the proof.
    pub grid: Grid,
}

/// Why `op.toml` is refused: one sentence, and the place.
#[derive(thiserror::Error, Clone, PartialEq, Eq, Debug)]
#[error("{}{message}", at(path, &[*line, *column]))]
pub struct OpFileError {
    /// The file.
    pub path: PathBuf,
    /// The line, from 1; 0 where no line is to blame.
    pub line: usize,
    /// The column, from 1; 0 where no line is to blame.
    pub column: usize,
    /// What is wrong, naming the field and what it may be.
    pub message: String,
}

impl UserOp {
    /// The file that describes the op in a folder.
    pub const FILE: &'static str = "op.toml";

    /// Reads the description in `folder`.
    ///
    /// # Errors
    /// If it cannot be read, or anything in it is wrong.
    pub fn read(folder: &Path) -> Result<UserOp, OpFileError> {
        UserOp::read_file(&folder.join(UserOp::FILE), folder)
    }

    /// Reads a description or a configuration; kernels are looked for in `folder`.
    ///
    /// # Errors
    /// As [`UserOp::read`].
    pub fn read_file(path: &Path, folder: &Path) -> Result<UserOp, OpFileError> {
        let text = read_text(path).map_err(|error| OpFileError {
            path: path.to_path_buf(),
            line: 0,
            column: 0,
            message: format!("the description cannot be read: {error}"),
        })?;
        UserOp::parse(path, folder, &text)
    }

    /// Reads the text of a description that stands at `path`.
    ///
    /// # Errors
    /// As [`UserOp::read`].
    pub fn parse(path: &Path, folder: &Path, text: &str) -> Result<UserOp, OpFileError> {
        UserOp::parse_named(path, folder, text, None)
    }

    /// The same for a text that need not say the name, because `name` is it.
    ///
    /// # Errors
    /// As [`UserOp::read`], and if the text says another name.
    pub(super) fn parse_named(
        path: &Path,
        folder: &Path,
        text: &str,
        name: Option<&str>,
    ) -> Result<UserOp, OpFileError> {
        let parsed = parameters::tree(text, &[]).and_then(|entries| read(path, folder, text, &entries, name));
        parsed.map_err(|problem| {
            let Some(at) = problem.at else {
                return OpFileError { path: path.to_path_buf(), line: 0, column: 0, message: problem.message };
            };
            let before = &text.as_bytes()[..at.min(text.len())];
            let line_start = before.iter().rposition(|b| *b == b'\n').map_or(0, |i| i + 1);
            OpFileError {
                path: path.to_path_buf(),
                line: 1 + before.iter().filter(|b| **b == b'\n').count(),
                column: 1 + before.len() - line_start,
                message: problem.message,
            }
        })
    }
}

fn read(
    path: &Path,
    folder: &Path,
    text: &str,
    entries: &[Entry],
    given_name: Option<&str>,
) -> Result<UserOp, Problem> {
    let fields = Fields::of_entries("op".into(), None, entries, &OP)?;
    let lines = Lines::of(text);
    let line_of = |at: usize| lines.line(at);
    let name = name(&fields, given_name)?;
    let summary = match fields.get("summary") {
        None => String::new(),
        Some(value) => fields.text("summary", value, "a sentence")?.to_string(),
    };
    let arch = match fields.get("arch") {
        None => Arch::DEFAULT,
        Some(value) => {
            let chips = Arch::ALL.map(|arch| (arch.name(), arch));
            fields.choice("arch", value, &chips)?
        }
    };
    let ranks = ranks(&fields)?;
    let mut names = Names::default();
    let attributes = tables::attributes(&fields, &mut names, &line_of)?;
    let inputs = tables::tensors(&fields, "input", None, &mut names, folder, &line_of)?;
    let outputs = tables::tensors(&fields, "output", inputs.first(), &mut names, folder, &line_of)?;
    let conditions = tables::conditions(&fields, &names, &line_of)?;
    let (units, cores) = tables::work(&fields, &names)?;
    let cbs = tables::cbs(&fields, &names, arch, &line_of)?;
    let kernels = tables::kernels(&fields, &names, folder, arch, &line_of)?;
    let reference = match fields.get("reference") {
        None => Vec::new(),
        Some(value) => match &value.kind {
            Kind::Table(steps) => {
                let inputs = inputs.iter().map(|input| input.name.clone());
                let known = inputs.chain(attributes.iter().map(|attribute| attribute.name.clone()));
                tables::reference(steps, known.collect())?
            }
            _ => return Err(fields.wrong("reference", value, "a table of names and expressions")),
        },
    };
    let grid = tables::grid(&fields)?;
    Ok(UserOp {
        path: path.to_path_buf(),
        folder: folder.to_path_buf(),
        name,
        summary,
        arch,
        ranks,
        inputs,
        outputs,
        attributes,
        conditions,
        cbs,
        units,
        cores,
        kernels,
        reference,
        grid,
    })
}

/// The op's name, which the command line may say too.
fn name(fields: &Fields<'_>, given_name: Option<&str>) -> Result<String, Problem> {
    let (value, given) = match (fields.get("name"), given_name) {
        (None, Some(name)) => return Ok(name.to_string()),
        (value, given) => (value.map_or_else(|| fields.require("name"), Ok)?, given),
    };
    let name = fields.text("name", value, "letters, digits and _")?.to_string();
    if !is_name(&name) {
        return Err(fields.wrong("name", value, "letters, digits and _, a letter first"));
    }
    if let Some(given) = given.filter(|given| *given != name) {
        return Err(Problem::new(value.at, format!("name is {name}, and the command line says {given}")));
    }
    Ok(name)
}

/// The fewest and the most dimensions.
fn ranks(fields: &Fields<'_>) -> Result<(u32, u32), Problem> {
    const EXPECTED: &str = "the fewest and the most dimensions, as [2, 4]";
    let Some(value) = fields.get("ranks") else { return Ok((2, 4)) };
    let [least, most] = fields.list("ranks", value, EXPECTED)? else {
        return Err(fields.wrong("ranks", value, EXPECTED));
    };
    let bound = |value| fields.integer("ranks", value, 1, 8).map(|rank| rank as u32);
    let ranks = (bound(least)?, bound(most)?);
    if ranks.0 > ranks.1 { Err(fields.wrong("ranks", value, EXPECTED)) } else { Ok(ranks) }
}
