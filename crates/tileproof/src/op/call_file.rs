//! A program file that calls an op: `op = ".."`, a shape, and whatever else the call needs.
//!
//! It becomes a program like any other, with the op's reference as what is expected. Start at [`read`]; [`text`] writes
//! one.

use std::fmt::Write;
use std::path::Path;

use super::Input;
use super::call::{Call, LAYOUTS, Setting, layout_name};
use super::registry;
use super::run::{self, Source};
use crate::described::program::CALL;
use crate::dtypes::{OF_OPS, dtype_words};
use crate::fill::Fill;
use crate::program_file::ProgramFile;
use crate::program_file::fields::Fields;
use crate::program_file::value::{Entry, Kind, Problem, quoted};

/// Reads the entries of a call file.
pub(crate) fn read(path: &Path, entries: &[Entry], line_of: &dyn Fn(usize) -> usize) -> Result<ProgramFile, Problem> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let fields = Fields::of_entries("call".into(), None, entries, &CALL)?;
    let op_value = fields.require("op")?;
    let name = fields.text("op", op_value, "the name of an op, or its folder")?;
    let found = registry::find(name, folder).map_err(|error| Problem::new(op_value.at, format!("op: {error}")))?;
    let op = found.op;
    let shape_value = fields.require("shape")?;
    let sides = fields.list("shape", shape_value, "a shape, as [32, 64]")?;
    let shape: Vec<u32> = sides.iter().map(|side| fields.unsigned("shape", side, 0)).collect::<Result<_, _>>()?;
    let default = op.calls().into_iter().next();
    let (dtype, layout) = default.map_or((OF_OPS[0], LAYOUTS[0].1), |call| (call.dtype, call.layout));
    let mut call = Call::new(&shape, dtype, layout);
    if let Some(value) = fields.get("dtype") {
        call.dtype = fields.choice("dtype", value, &dtype_words(&OF_OPS))?;
    }
    if let Some(value) = fields.get("layout") {
        call.layout = fields.choice("layout", value, &LAYOUTS)?;
    }
    for entry in table(&fields, "attributes")? {
        let setting = match &entry.value.kind {
            Kind::Integer(number) => Setting::Number(*number as f64),
            Kind::Float(number) => Setting::Number(*number),
            Kind::Text(word) => Setting::Word(word.clone()),
            Kind::Boolean(flag) => Setting::Word(flag.to_string()),
            _ => return Err(Problem::new(entry.value.at, format!("attributes: {} is no number or word", entry.key))),
        };
        call.attributes.push((entry.key.clone(), setting));
    }
    let described = op.describe();
    let mut given: Vec<(String, Fill)> = Vec::new();
    for entry in table(&fields, "fill")? {
        if !described.inputs.iter().any(|input| input.name == entry.key) {
            let known: Vec<&str> = described.inputs.iter().map(|input| input.name.as_str()).collect();
            let message = format!("fill: {} is no input; the inputs are {}", entry.key, known.join(", "));
            return Err(Problem::new(entry.key_at, message));
        }
        let Kind::Text(text) = &entry.value.kind else {
            return Err(Problem::new(entry.value.at, format!("fill: {} is {}", entry.key, entry.value.shown())));
        };
        let fill = Fill::parse(text).map_err(|error| Problem::new(entry.value.at, format!("fill: {error}")))?;
        given.push((entry.key.clone(), fill.relative_to(folder)));
    }
    let grid = op.grid();
    let tolerance = |key: &str, default: f64| fields.get(key).map_or(Ok(default), |value| fields.number(key, value));
    let tolerances = (tolerance("rtol", grid.rtol)?, tolerance("atol", grid.atol)?);
    let seed = match fields.get("seed") {
        None => 0,
        Some(value) => fields.integer("seed", value, 0, i64::MAX)? as u64,
    };
    let source = Source { seed, fills: &|input| default_fill(&given, input) };
    let mut file = run::expecting(op.as_ref(), &call, &source, tolerances)
        .map_err(|error| Problem::new(shape_value.at, error.to_string()))?;
    // What is wrong with a tensor is said at the call, when the program has no lines of its own.
    if file.path.extension().is_none() {
        file.path = path.to_path_buf();
        file.tensors.iter_mut().for_each(|tensor| tensor.line = line_of(op_value.at));
    }
    Ok(file)
}

/// What an input holds that has no fill of its own.
pub(crate) const UNFILLED: Fill = Fill::Uniform { lo: -1.0, hi: 1.0 };

/// The fill that is given for an input, or that of its description, or random values.
pub fn default_fill(given: &[(String, Fill)], input: &Input<'_>) -> Fill {
    let of_call = given.iter().find(|(name, _)| name == input.name).map(|(_, fill)| fill);
    of_call.or(input.fixed).cloned().unwrap_or(UNFILLED)
}

fn table<'a>(fields: &Fields<'a>, key: &str) -> Result<&'a [Entry], Problem> {
    match fields.get(key) {
        None => Ok(&[]),
        Some(value) => match &value.kind {
            Kind::Table(entries) => Ok(entries),
            _ => Err(fields.wrong(key, value, "a table")),
        },
    }
}

/// A call as a file.
pub fn text(op: &str, call: &Call) -> String {
    let mut text = format!(
        "op = {}\nshape = {:?}\ndtype = \"{}\"\nlayout = \"{}\"\n",
        quoted(op),
        call.shape,
        call.dtype.dtype_name(),
        layout_name(call.layout)
    );
    if !call.attributes.is_empty() {
        text.push_str("\n[attributes]\n");
        for (name, value) in &call.attributes {
            let _ = match value {
                Setting::Number(number) => writeln!(text, "{name} = {number:?}"),
                Setting::Word(word) => writeln!(text, "{name} = {}", quoted(word)),
            };
        }
    }
    text
}
