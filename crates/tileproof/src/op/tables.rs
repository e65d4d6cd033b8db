//! Reads the tables of `op.toml`: tensors, attributes, conditions, circular buffers, kernels, reference and grid.
//!
//! Every name in an expression is looked up here, so that none is unknown later. Start at [`tensors`].

use std::path::Path;

use tileproof_model::arch::Arch;
use tileproof_model::numerics::format::DataFormat;
use tileproof_model::program::Layout;

use super::call::{LAYOUTS, Setting};
use super::data::Data;
use super::expression::Expression;
use super::names::{Names, expression};
use super::spec::{
    ArgumentSpec, AttributeSpec, CbSpec, ConditionSpec, Grid, KernelSpec, ProbeSpec, Role, Step, TensorSpec,
};
use crate::described::op as described;
use crate::described::program::COMPUTE;
use crate::dtypes::{OF_OPS, dtype_words};
use crate::fill::Fill;
use crate::program_file::fields::Fields;
use crate::program_file::kernel;
use crate::program_file::value::{Entry, Kind, Problem, Value};

/// The line of a byte.
type LineOf<'a> = &'a dyn Fn(usize) -> usize;

/// A number that may be negative.
fn float(fields: &Fields<'_>, key: &str, value: &Value) -> Result<f64, Problem> {
    match &value.kind {
        Kind::Integer(number) => Ok(*number as f64),
        Kind::Float(number) if number.is_finite() => Ok(*number),
        _ => Err(fields.wrong(key, value, "a finite number")),
    }
}

fn choices<T: Copy>(
    fields: &Fields<'_>,
    key: &str,
    known: &[(&str, T)],
    usual: impl Into<Vec<T>>,
) -> Result<Vec<T>, Problem> {
    let Some(value) = fields.get(key) else { return Ok(usual.into()) };
    let names: Vec<String> = known.iter().map(|(name, _)| format!("\"{name}\"")).collect();
    let list = fields.list(key, value, &format!("a list of {}", names.join(", ")))?;
    if list.is_empty() {
        return Err(fields.wrong(key, value, &format!("at least one of {}", names.join(", "))));
    }
    list.iter().map(|value| fields.choice(key, value, known)).collect()
}

pub(crate) fn attributes(
    fields: &Fields<'_>,
    names: &mut Names,
    line_of: LineOf<'_>,
) -> Result<Vec<AttributeSpec>, Problem> {
    let mut attributes = Vec::new();
    for table in fields.tables("attribute")? {
        let fields = Fields::new("attribute", table, &described::ATTRIBUTE)?;
        let name = names.add(&fields, false)?;
        let integer = match fields.get("type") {
            None => false,
            Some(value) => fields.choice("type", value, &[("float", false), ("integer", true)])?,
        };
        let bound = |key: &str, open: f64| fields.get(key).map_or(Ok(open), |value| float(&fields, key, value));
        let (min, max) = (bound("min", f64::NEG_INFINITY)?, bound("max", f64::INFINITY)?);
        let value = fields.require("default")?;
        let default = float(&fields, "default", value)?;
        if !(min..=max).contains(&default) {
            return Err(fields.wrong("default", value, &format!("a number from {min} to {max}, as min and max say")));
        }
        if integer && default.fract() != 0.0 {
            return Err(fields.wrong("default", value, "a whole number, as type says"));
        }
        attributes.push(AttributeSpec { name, integer, default, min, max, line: line_of(table.at) });
    }
    Ok(attributes)
}

pub(crate) fn tensors(
    fields: &Fields<'_>,
    key: &str,
    first: Option<&TensorSpec>,
    names: &mut Names,
    folder: &Path,
    line_of: LineOf<'_>,
) -> Result<Vec<TensorSpec>, Problem> {
    let mut tensors: Vec<TensorSpec> = Vec::new();
    for table in fields.tables(key)? {
        let fields = Fields::new(key, table, if key == "input" { &described::INPUT } else { &described::OUTPUT })?;
        let shape = match fields.get("shape") {
            None => None,
            Some(value) if key == "input" && tensors.is_empty() => {
                let message = format!("{}: the first input has the shape of the call; say ranks instead", fields.what);
                return Err(Problem::new(value.at, message));
            }
            Some(value) => {
                let sides = fields.list("shape", value, "a list of dimensions, as [1, 1, 1, \"x.w\"]")?;
                let sides = sides.iter().map(|side| names.number(&fields, "shape", side, false));
                Some(sides.collect::<Result<Vec<_>, _>>()?)
            }
        };
        let name = names.add(&fields, true)?;
        let fill = match fields.get("fill") {
            None => None,
            Some(value) => {
                let text = fields.text("fill", value, "a fill, as \"uniform:0,1\"")?;
                let problem = |error| Problem::new(value.at, format!("{}: {error}", fields.what));
                Some(Fill::parse(text).map_err(problem)?.relative_to(folder))
            }
        };
        // A tensor that does not say what it is made of is made as the first one is.
        let first = first.or(tensors.first());
        let (dtypes, layouts) =
            first.map_or((&[DataFormat::Float16_b][..], &[Layout::Tile][..]), |first| (&first.dtypes, &first.layouts));
        tensors.push(TensorSpec {
            name,
            shape,
            dtypes: choices(&fields, "dtypes", &dtype_words(&OF_OPS), dtypes)?,
            layouts: choices(&fields, "layouts", &LAYOUTS, layouts)?,
            fill,
            line: line_of(table.at),
        });
    }
    Ok(tensors)
}

pub(crate) fn conditions(
    fields: &Fields<'_>,
    names: &Names,
    line_of: LineOf<'_>,
) -> Result<Vec<ConditionSpec>, Problem> {
    let mut conditions = Vec::new();
    for table in fields.tables("condition")? {
        let fields = Fields::new("condition", table, &described::CONDITION)?;
        let that = names.number(&fields, "that", fields.require("that")?, false)?;
        let value = fields.require("message")?;
        let message = fields.text("message", value, "a sentence")?.to_string();
        // What stands in braces must be known too.
        for (open, _) in message.match_indices('{') {
            let inner = &message[open + 1..];
            let Some(close) = inner.find('}') else {
                return Err(Problem::new(value.at + 1 + open, "condition: message: { without }"));
            };
            let kind = Kind::Text(inner[..close].to_string());
            let inner = Value { kind, at: value.at + 1 + open, from_parameter: false };
            names.number(&fields, "message", &inner, false)?;
        }
        let probe = |key: &str| fields.get(key).map(|value| probe(key, value, names)).transpose();
        conditions.push(ConditionSpec {
            that,
            message,
            inside: probe("inside")?,
            outside: probe("outside")?,
            line: line_of(table.at),
        });
    }
    Ok(conditions)
}

/// What a probe changes: shapes of inputs, numbers of attributes.
fn probe(key: &str, value: &Value, names: &Names) -> Result<ProbeSpec, Problem> {
    let known: Vec<&str> = names.tensors.iter().chain(&names.attributes).map(String::as_str).collect();
    let fields = Fields::named(format!("condition: {key}"), value, &known)?;
    let mut probe = ProbeSpec::default();
    for name in &names.tensors {
        if let Some(value) = fields.get(name) {
            probe.shapes.push((name.clone(), shape(&fields, name, value)?));
        }
    }
    for name in &names.attributes {
        if let Some(value) = fields.get(name) {
            probe.attributes.push((name.clone(), Setting::Number(float(&fields, name, value)?)));
        }
    }
    Ok(probe)
}

fn shape(fields: &Fields<'_>, key: &str, value: &Value) -> Result<Vec<u32>, Problem> {
    let sides = fields.list(key, value, "a shape, as [32, 64]")?;
    sides.iter().map(|side| fields.unsigned(key, side, 0)).collect()
}

pub(crate) fn work(fields: &Fields<'_>, names: &Names) -> Result<(Option<Expression>, Option<u32>), Problem> {
    let Some(table) = fields.get("work") else { return Ok((None, None)) };
    let fields = Fields::new("work", table, &described::WORK)?;
    let units = fields.get("units").map(|value| names.number(&fields, "units", value, false)).transpose()?;
    let cores = fields.get("cores").map(|value| fields.unsigned("cores", value, 1)).transpose()?;
    Ok((units, cores))
}

pub(crate) fn cbs(fields: &Fields<'_>, names: &Names, arch: Arch, line_of: LineOf<'_>) -> Result<Vec<CbSpec>, Problem> {
    let last = i64::from(arch.constants().circular_buffers) - 1;
    let mut cbs: Vec<CbSpec> = Vec::new();
    for table in fields.tables("cb")? {
        let fields = Fields::new("cb", table, &described::BUFFER)?;
        let value = fields.require("index")?;
        let index = fields.integer("index", value, 0, last)? as u8;
        if let Some(other) = cbs.iter().find(|cb| cb.index == index) {
            let message = format!("cb: index {index} is there twice; the first is at line {}", other.line);
            return Err(Problem::new(value.at, message));
        }
        let of = match fields.get("of") {
            None => None,
            Some(value) => {
                let name = fields.text("of", value, "the name of a tensor")?;
                Some(names.has_tensor(&fields, "of", value.at, name)?)
            }
        };
        let dtype =
            fields.get("dtype").map(|value| fields.choice("dtype", value, &dtype_words(&OF_OPS))).transpose()?;
        if of.is_none() && dtype.is_none() {
            let message = format!("cb {index}: give of, the tensor whose pages it holds, or dtype");
            return Err(Problem::new(fields.at, message));
        }
        let content = match (fields.get("content"), &of) {
            (Some(value), _) => fields.text("content", value, "a few words")?.to_string(),
            (None, Some(of)) => of.clone(),
            (None, None) => String::new(),
        };
        let pages = names.number(&fields, "pages", fields.require("pages")?, false)?;
        let optional =
            |key: &str, core| fields.get(key).map(|value| names.number(&fields, key, value, core)).transpose();
        let (page_size, moves) = (optional("page_size", false)?, optional("moves", true)?);
        cbs.push(CbSpec { index, content, of, dtype, pages, page_size, moves, line: line_of(table.at) });
    }
    Ok(cbs)
}

pub(crate) fn kernels(
    fields: &Fields<'_>,
    names: &Names,
    folder: &Path,
    arch: Arch,
    line_of: LineOf<'_>,
) -> Result<Vec<KernelSpec>, Problem> {
    let mut kernels: Vec<KernelSpec> = Vec::new();
    for table in fields.tables("kernel")? {
        let mut fields = Fields::new("kernel", table, &described::KERNEL)?;
        let value = fields.require("role")?;
        let roles = [Role::Reader, Role::Compute, Role::Writer].map(|role| (role.name(), role));
        let role = fields.choice("role", value, &roles)?;
        fields.what = format!("kernel \"{}\"", role.name());
        if let Some(other) = kernels.iter().find(|kernel| kernel.role == role) {
            let message =
                format!("there are two kernels with role {}; the first is at line {}", role.name(), other.line);
            return Err(Problem::new(value.at, message));
        }
        let value = fields.require("file")?;
        let file = fields.text("file", value, "a C++ file")?;
        if !folder.join(file).is_file() {
            let message = format!("{}: there is no file {}", fields.what, folder.join(file).display());
            return Err(Problem::new(value.at, message));
        }
        let mut defines = Vec::new();
        for pair in fields.list_or_empty("defines", "a list of [\"NAME\", \"value\"]")? {
            let expected = "a list of [\"NAME\", \"value\"]";
            let [name, value] = fields.list("defines", pair, expected)? else {
                return Err(fields.wrong("defines", pair, expected));
            };
            defines.push((
                fields.text("defines", name, expected)?.into(),
                fields.text("defines", value, expected)?.into(),
            ));
        }
        let compute = match fields.get("compute") {
            Some(value) if role != Role::Compute => {
                return Err(Problem::new(value.at, format!("{}: compute is for the compute kernel", fields.what)));
            }
            Some(value) => compute(&fields, value, arch)?,
            None => Vec::new(),
        };
        kernels.push(KernelSpec {
            role,
            file: file.into(),
            compile_time_args: arguments(&fields, "compile_time_args", names, false)?,
            runtime_args: arguments(&fields, "runtime_args", names, true)?,
            defines,
            compute,
            line: line_of(table.at),
        });
    }
    Ok(kernels)
}

/// Options of the compute kernel as TOML, once they are what program files take.
fn compute(of: &Fields<'_>, value: &Value, arch: Arch) -> Result<Vec<(String, String)>, Problem> {
    let fields = Fields::new(format!("{}: compute", of.what), value, &COMPUTE)?;
    kernel::compute(&fields, arch.constants())?;
    let mut options = Vec::new();
    for key in COMPUTE.names() {
        if let Some(value) = fields.get(key) {
            let text = match &value.kind {
                Kind::Array(list) => format!("[{}]", list.iter().map(Value::shown).collect::<Vec<_>>().join(", ")),
                _ => value.shown(),
            };
            options.push((key.to_string(), text));
        }
    }
    Ok(options)
}

fn arguments(fields: &Fields<'_>, key: &str, names: &Names, with_core: bool) -> Result<Vec<ArgumentSpec>, Problem> {
    let mut arguments = Vec::new();
    for value in fields.list_or_empty(key, "a list of arguments, as [\"address(x)\", \"count\"]")? {
        let text = if let Kind::Text(text) = &value.kind { text.trim() } else { "" };
        let inner = |function: &str| Some(text.strip_prefix(function)?.strip_suffix(')')?.trim());
        arguments.push(if let Some(name) = inner("accessor(") {
            ArgumentSpec::Accessor(names.has_tensor(fields, key, value.at, name)?)
        } else if let Some(name) = inner("address(") {
            ArgumentSpec::Address(names.has_tensor(fields, key, value.at, name)?)
        } else if let Some(number) = inner("bits(") {
            let moved = Value { kind: Kind::Text(number.into()), at: value.at + "bits(".len(), from_parameter: false };
            ArgumentSpec::Bits(names.number(fields, key, &moved, with_core)?)
        } else {
            ArgumentSpec::Word(names.number(fields, key, value, with_core)?)
        });
    }
    Ok(arguments)
}

/// The steps of the reference; `known` are the inputs and attributes.
pub(crate) fn reference(steps: &[Entry], mut known: Vec<String>) -> Result<Vec<Step>, Problem> {
    let mut read: Vec<Step> = Vec::new();
    for entry in steps {
        let fields = Fields::none("reference".into(), entry.key_at);
        let is_known = |name: &str| known.iter().any(|k| k == name);
        let value = expression(&fields, &entry.key, &entry.value, &is_known, &|| known.join(", "))?;
        if read.iter().any(|step| step.name == entry.key) {
            return Err(Problem::new(entry.key_at, format!("reference: {} is there twice", entry.key)));
        }
        read.push(Step { name: entry.key.clone(), value });
        known.push(entry.key.clone());
    }
    Ok(read)
}

pub(crate) fn grid(fields: &Fields<'_>) -> Result<Grid, Problem> {
    let mut grid = Grid { shapes: Vec::new(), data: Data::ALL.to_vec(), rtol: 1e-2, atol: 1e-2 };
    let Some(table) = fields.get("grid") else { return Ok(grid) };
    let fields = Fields::new("grid", table, &described::GRID)?;
    for value in fields.list_or_empty("shapes", "a list of shapes, as [[32, 64]]")? {
        grid.shapes.push(shape(&fields, "shapes", value)?);
    }
    if let Some(value) = fields.get("data") {
        let known = Data::ALL.map(|data| (data.name(), data));
        grid.data.clear();
        for value in fields.list("data", value, "a list of kinds of data")? {
            let data = fields.choice("data", value, &known)?;
            if grid.data.contains(&data) {
                return Err(Problem::new(value.at, format!("grid: data: {} is there twice", data.name())));
            }
            grid.data.push(data);
        }
    }
    for (key, tolerance) in [("rtol", &mut grid.rtol), ("atol", &mut grid.atol)] {
        if let Some(value) = fields.get(key) {
            *tolerance = fields.number(key, value)?;
        }
    }
    Ok(grid)
}
