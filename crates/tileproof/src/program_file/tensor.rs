//! Reads `[[tensor]]` and `[[expect]]`.
//! It must never invent data: a tensor without a fill is undefined. Start reading at [`tensors`].

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tileproof_model::program::{Layout, MemoryConfig, Sharding, TensorDescriptor};
use tileproof_model::thread::CoreCoord;

use super::fields::Fields;
use super::parameters::listed;
use super::value::{Kind, Problem, Value};
use crate::described::program as described;
use crate::dtypes::{OF_TENSORS, dtype_words};
use crate::fill::Fill;
use crate::op::expression::Expression;
use crate::op::names::expression;

/// What a program file says about a tensor beside its descriptor.
#[derive(Clone, PartialEq, Debug)]
pub struct TensorData {
    /// What it holds before the run; `None` is undefined.
    pub fill: Option<Fill>,
    /// The file whose values were rounded for that.
    pub rounded: Option<PathBuf>,
    /// Where it lies and what it holds there, if it was on the device before the program: then there is no fill.
    pub standing: Option<Arc<Standing>>,
    /// What its tile padding holds before the run; `None` is undefined.
    pub padding: Option<f64>,
    /// Where it lies, if it is not to be placed next to the others.
    pub address: Option<u32>,
    /// Pages that hold nothing although it has a fill: the first and the last of each run of them.
    pub undefined_pages: Vec<(u32, u32)>,
    /// Saved and shown as a result.
    pub output: bool,
    /// Not every page must be written.
    pub scratch: bool,
    /// Line of its table.
    pub line: usize,
}

/// A tensor that lies on a device already.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Standing {
    /// Its address.
    pub address: u32,
    /// The bytes of its pages, one after the other.
    pub pages: Vec<u8>,
    /// Which of them hold something, a bit each; of a tensor in L1 the bytes say it.
    pub defined: Option<Vec<u64>>,
}

impl Standing {
    /// Whether anything wrote to it.
    pub fn holds_something(&self) -> bool {
        match &self.defined {
            Some(defined) => defined.iter().any(|word| *word != 0),
            None => self.pages.iter().any(|byte| *byte != 0xff),
        }
    }
}

impl TensorData {
    /// Runs of pages that hold nothing before the launches, of a tensor in DRAM that something fills.
    pub fn empty_pages(&self, tensor: &TensorDescriptor) -> Vec<(u32, u32)> {
        match self.standing.as_ref().and_then(|standing| standing.defined.as_ref()) {
            Some(defined) => runs_of_undefined(tensor.pages(), defined),
            None => self.undefined_pages.clone(),
        }
    }
}

/// Runs of pages that nobody has written.
fn runs_of_undefined(pages: u32, defined: &[u64]) -> Vec<(u32, u32)> {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for page in (0..pages).filter(|page| defined[*page as usize / 64] >> (page % 64) & 1 == 0) {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == page => *last = page,
            _ => runs.push((page, page)),
        }
    }
    runs
}

/// A result that must come out.
#[derive(Clone, PartialEq, Debug)]
pub struct Expect {
    /// The tensor, by its place in the program.
    pub tensor: usize,
    /// The sums over the rows of that tensor, as a tensor of their own, where the host of an op makes them and they are what is expected.
    pub sums: Option<Box<TensorDescriptor>>,
    /// What it is compared with.
    pub values: Expected,
    /// How close it must be.
    pub closeness: Closeness,
    /// Line of its table.
    pub line: usize,
}

/// What a result is compared with.
#[derive(Clone, PartialEq, Debug)]
pub enum Expected {
    /// Data of the tensor itself.
    Fill(Fill),
    /// What a formula gives of the data that tensors are filled with, in float64.
    Formula(Expression),
    /// The values of another tensor, by its place: those that it was filled with, or what the run left in one without a fill.
    SameAs(usize),
}

impl Expected {
    /// A name that no other has.
    pub(crate) fn identity(&self) -> String {
        match self {
            Expected::Fill(fill) => fill.identity(),
            other => format!("{other:?}"),
        }
    }
}

/// How close a result must be to what is expected.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Closeness {
    /// The same bits.
    Bits,
    /// Off by no more than what its operations may lose, by their formats and units.
    Derived,
    /// |out - expected| <= atol + rtol |expected|.
    Within {
        /// Relative tolerance.
        rtol: f64,
        /// Absolute tolerance.
        atol: f64,
    },
}

impl Closeness {
    /// What an element may be off by, in parts of what is expected and beside that; zeros where no numbers say so.
    pub(crate) fn within(self) -> (f64, f64) {
        match self {
            Closeness::Within { rtol, atol } => (rtol, atol),
            Closeness::Bits | Closeness::Derived => (0.0, 0.0),
        }
    }
}

impl Closeness {
    /// The relative and the absolute tolerance, where it is of numbers.
    pub fn numbers(self) -> Option<(f64, f64)> {
        match self {
            Closeness::Within { rtol, atol } => Some((rtol, atol)),
            Closeness::Bits | Closeness::Derived => None,
        }
    }
}

impl From<(f64, f64)> for Closeness {
    /// Of a relative and an absolute tolerance.
    fn from((rtol, atol): (f64, f64)) -> Closeness {
        Closeness::Within { rtol, atol }
    }
}

/// Bytes that a tensor may have; a DRAM bank of the model ends at 1 GiB.
const MAX_TENSOR_BYTES: u64 = 12 << 30;

/// Reads the tensors.
pub(crate) fn tensors(
    tables: &[Value],
    grid: (u32, u32),
    folder: &Path,
    line_of: &dyn Fn(usize) -> usize,
) -> Result<(Vec<TensorDescriptor>, Vec<TensorData>), Problem> {
    let mut descriptors: Vec<TensorDescriptor> = Vec::new();
    let mut data: Vec<TensorData> = Vec::new();
    let mut named: BTreeMap<String, usize> = BTreeMap::new();
    for table in tables {
        let fields = Fields::new("tensor", table, &described::TENSOR)?;
        let (descriptor, datum) = tensor(&fields, grid, folder, line_of)?;
        if let Some(line) = named.insert(descriptor.name.clone(), datum.line) {
            let at = fields.require("name")?.at;
            let message = format!("two tensors are named \"{}\"; the first is at line {line}", descriptor.name);
            return Err(Problem::new(at, message));
        }
        descriptors.push(descriptor);
        data.push(datum);
    }
    Ok((descriptors, data))
}

/// What tile padding holds.
fn padding(fields: &Fields<'_>) -> Result<Option<f64>, Problem> {
    let Some(value) = fields.get("padding") else { return Ok(None) };
    match &value.kind {
        Kind::Text(text) if text == "zero" => Ok(Some(0.0)),
        Kind::Text(text) if text == "undefined" => Ok(None),
        Kind::Integer(_) | Kind::Float(_) => fields.number("padding", value).map(Some),
        _ => Err(fields.wrong("padding", value, "\"undefined\", \"zero\" or a number")),
    }
}

fn tensor(
    fields: &Fields<'_>,
    grid: (u32, u32),
    folder: &Path,
    line_of: &dyn Fn(usize) -> usize,
) -> Result<(TensorDescriptor, TensorData), Problem> {
    const NAME: &str = "letters, digits, _, - and .";
    let name_value = fields.require("name")?;
    let name = fields.text("name", name_value, NAME)?;
    // The name is also the name of the file that the tensor is saved as.
    if name.starts_with('.') || !name.chars().all(|c| c.is_alphanumeric() || "_-.".contains(c)) {
        return Err(fields.wrong("name", name_value, NAME));
    }
    let shape = shape(fields)?;
    let dtype = fields.require("dtype")?;
    let format = fields.choice("dtype", dtype, &dtype_words(&OF_TENSORS))?;
    let layout_value = fields.require("layout")?;
    let layout = fields.choice("layout", layout_value, &[("tile", Layout::Tile), ("row_major", Layout::RowMajor)])?;
    // ttnn refuses it too: 16 datums of a tile share an exponent.
    if format.is_block_float() && layout == Layout::RowMajor {
        let message = format!("{}: {} tensors have layout \"tile\"", fields.what, dtype.shown());
        return Err(Problem::new(layout_value.at, message));
    }
    let memory = match fields.get("memory") {
        None => MemoryConfig::Dram,
        Some(value) if matches!(value.kind, Kind::Table(_)) => {
            MemoryConfig::Sharded(sharded(fields, value, grid, &shape, layout)?)
        }
        Some(value) if fields.choice("memory", value, &[("dram", true), ("l1", false)])? => MemoryConfig::Dram,
        Some(_) => MemoryConfig::L1,
    };
    let output = fields.flag("output")?;
    let scratch = fields.flag("scratch")?;
    let fill = fields.get("fill").map(|value| fill(fields, value, folder)).transpose()?;
    let padding = padding(fields)?;
    // "Every page must be written" is what `output` means to the machine.
    let descriptor =
        TensorDescriptor { name: name.to_string(), shape, format, layout, memory, output: output && !scratch };
    let rounded = fill.as_ref().and_then(|fill| fill.rounded_file(format)).map(Path::to_path_buf);
    let address = fields.get("address").map(|value| fields.unsigned("address", value, 0)).transpose()?;
    let undefined_pages = undefined_pages(fields, &descriptor, fill.is_some())?;
    let line = fields.line(line_of);
    Ok((
        descriptor,
        TensorData { fill, rounded, standing: None, padding, address, undefined_pages, output, scratch, line },
    ))
}

/// Pages of a filled tensor that hold nothing. Of L1 the bytes say it.
fn undefined_pages(
    fields: &Fields<'_>,
    tensor: &TensorDescriptor,
    is_filled: bool,
) -> Result<Vec<(u32, u32)>, Problem> {
    const KEY: &str = "undefined_pages";
    const EXPECTED: &str = "a list of [first, last]";
    let Some(value) = fields.get(KEY) else { return Ok(Vec::new()) };
    if !is_filled || tensor.memory != MemoryConfig::Dram {
        let message = format!("{}: {KEY}: goes with a fill, of a tensor in DRAM", fields.what);
        return Err(Problem::new(value.at, message));
    }
    let mut pages = Vec::new();
    for pair in fields.list(KEY, value, EXPECTED)? {
        let [first, last] = fields.list(KEY, pair, EXPECTED)? else { return Err(fields.wrong(KEY, pair, EXPECTED)) };
        let (first, last) = (fields.unsigned(KEY, first, 0)?, fields.unsigned(KEY, last, 0)?);
        if first > last || last >= tensor.pages() {
            let message =
                format!("{}: {KEY}: [{first}, {last}]: there are pages 0 to {}", fields.what, tensor.pages() - 1);
            return Err(Problem::new(pair.at, message));
        }
        pages.push((first, last));
    }
    Ok(pages)
}

fn shape(fields: &Fields<'_>) -> Result<Vec<u32>, Problem> {
    const EXPECTED: &str = "1 to 8 dimensions, as [4, 32, 32]";
    let value = fields.require("shape")?;
    let dimensions = fields.list("shape", value, EXPECTED)?;
    if !(1..=8).contains(&dimensions.len()) {
        return Err(fields.wrong("shape", value, EXPECTED));
    }
    let shape: Vec<u32> = dimensions.iter().map(|d| fields.unsigned("shape", d, 1)).collect::<Result<_, _>>()?;
    let padded = |(i, d): (usize, &u32)| {
        let d = u128::from(*d);
        if i + 2 >= shape.len() { d.next_multiple_of(32) } else { d }
    };
    let elements = shape.iter().enumerate().map(padded).try_fold(4u128, |n, d| n.checked_mul(d));
    if elements.is_none_or(|bytes| bytes > u128::from(MAX_TENSOR_BYTES)) {
        let message = format!("{}: shape {shape:?} is larger than the memory of the chip", fields.what);
        return Err(Problem::new(value.at, message));
    }
    Ok(shape)
}

/// Sharded memory.
fn sharded(
    fields: &Fields<'_>,
    value: &Value,
    grid: (u32, u32),
    shape: &[u32],
    layout: Layout,
) -> Result<Sharding, Problem> {
    const SHAPE: &str = "rows and columns of a shard, as [32, 64]";
    let what = format!("{}: memory", fields.what);
    let memory = Fields::new(what, value, &described::MEMORY)?;
    memory.choice("buffer", memory.require("buffer")?, &[("l1", ())])?;
    let shape_value = memory.require("shard_shape")?;
    let sides = memory.list("shard_shape", shape_value, SHAPE)?;
    let sides: Vec<u32> = sides.iter().map(|side| memory.unsigned("shard_shape", side, 1)).collect::<Result<_, _>>()?;
    let &[rows, columns] = &sides[..] else { return Err(memory.wrong("shard_shape", shape_value, SHAPE)) };
    let problem = |text: String| Problem::new(shape_value.at, format!("{}: shard_shape: {text}", memory.what));
    if layout == Layout::Tile && (!rows.is_multiple_of(32) || !columns.is_multiple_of(32)) {
        return Err(problem("shards of tiles have sides that are multiples of 32".into()));
    }
    let width = shape.last().copied().unwrap_or(1);
    if layout == Layout::RowMajor && !width.is_multiple_of(columns) {
        return Err(problem(format!("the {width} columns of the tensor are not a multiple of {columns}")));
    }
    let ranges = memory.core_ranges(grid)?;
    let by_row = match memory.get("orientation") {
        Some(value) => memory.choice("orientation", value, &[("row_major", true), ("col_major", false)])?,
        None => true,
    };
    let mut cores = Vec::new();
    for range in &ranges {
        // A range lists its cores column by column.
        let mut of_range: Vec<CoreCoord> = range.cores().collect();
        if by_row {
            of_range.sort_by_key(|core| (core.y, core.x));
        }
        cores.extend(of_range);
    }
    Ok(Sharding { shard_shape: [rows, columns], cores })
}

/// Tensors by their names.
type Places<'a> = BTreeMap<&'a str, usize>;

/// Reads what is expected.
pub(crate) fn expects(
    tables: &[Value],
    (tensors, data): (&[TensorDescriptor], &[TensorData]),
    folder: &Path,
    line_of: &dyn Fn(usize) -> usize,
) -> Result<Vec<Expect>, Problem> {
    let mut expects: Vec<Expect> = Vec::new();
    let places: Places<'_> = tensors.iter().enumerate().map(|(place, tensor)| (tensor.name.as_str(), place)).collect();
    for table in tables {
        let fields = Fields::new("expect", table, &described::EXPECT)?;
        let value = fields.require("tensor")?;
        let name = fields.text("tensor", value, "the name of a tensor")?;
        let Some(&tensor) = places.get(name) else {
            return Err(no_such_tensor(&fields.what, name, value.at, tensors));
        };
        let values = match fields.get("formula") {
            Some(value) => formula(&fields, value, (tensors, data))?,
            None => expected_values(&fields, tensor, (tensors, &places), folder)?,
        };
        let bits = fields.flag("bits")?;
        let tolerance = |key| fields.get(key).map(|value| fields.number(key, value)).transpose();
        let closeness = match (bits, is_derived(&fields)?, tolerance("rtol")?, tolerance("atol")?) {
            (true, false, None, None) => Closeness::Bits,
            (false, true, None, None) => Closeness::Derived,
            (false, false, rtol, atol) if rtol.is_some() || atol.is_some() => {
                Closeness::Within { rtol: rtol.unwrap_or(0.0), atol: atol.unwrap_or(0.0) }
            }
            _ => {
                let message =
                    format!("expect of \"{name}\": give bits = true, or rtol and atol, or tolerance = \"derived\"");
                return Err(Problem::new(fields.at, message));
            }
        };
        expects.push(Expect { tensor, sums: None, values, closeness, line: fields.line(line_of) });
    }
    Ok(expects)
}

/// Whether a tolerance comes of the operations.
fn is_derived(fields: &Fields<'_>) -> Result<bool, Problem> {
    let Some(value) = fields.get("tolerance") else { return Ok(false) };
    match fields.text("tolerance", value, "\"derived\"")? {
        "derived" => Ok(true),
        other => {
            let message =
                format!("{}: tolerance = \"{other}\": expected \"derived\"; numbers are rtol and atol", fields.what);
            Err(Problem::new(value.at, message))
        }
    }
}

/// The array of a file, a fill, or another tensor.
fn expected_values(
    fields: &Fields<'_>,
    tensor: usize,
    (tensors, places): (&[TensorDescriptor], &Places<'_>),
    folder: &Path,
) -> Result<Expected, Problem> {
    let given: Vec<(&str, &Value)> =
        ["file", "fill", "same_as"].into_iter().filter_map(|key| Some((key, fields.get(key)?))).collect();
    match given[..] {
        [("fill", value)] => Ok(Expected::Fill(fill(fields, value, folder)?)),
        [("same_as", value)] => same_as(fields, value, tensor, (tensors, places)),
        [(_, value)] => {
            let file = folder.join(fields.text("file", value, "a .npy file")?);
            if !file.is_file() {
                let message = format!("expect: file: there is no file {}", file.display());
                return Err(Problem::new(value.at, message));
            }
            Ok(Expected::Fill(Fill::Npy(file)))
        }
        [] => Err(Problem::new(fields.at, "expect: give file, fill, formula or same_as")),
        [(first, _), (second, _), ..] => {
            Err(Problem::new(fields.at, format!("expect: give {first} or {second}, not both")))
        }
    }
}

/// A formula over the tensors that are filled.
fn formula(
    fields: &Fields<'_>,
    value: &Value,
    (tensors, data): (&[TensorDescriptor], &[TensorData]),
) -> Result<Expected, Problem> {
    if let Some(other) = ["file", "fill", "same_as"].into_iter().find(|key| fields.get(key).is_some()) {
        return Err(Problem::new(fields.at, format!("expect: give {other} or formula, not both")));
    }
    let filled: Vec<&str> = tensors
        .iter()
        .zip(data)
        .filter(|(_, data)| data.fill.is_some())
        .map(|(tensor, _)| tensor.name.as_str())
        .collect();
    let is_known = |name: &str| filled.contains(&name);
    expression(fields, "formula", value, &is_known, &|| filled.join(", ")).map(Expected::Formula)
}

/// Another tensor, of as many elements.
fn same_as(
    fields: &Fields<'_>,
    value: &Value,
    tensor: usize,
    (tensors, places): (&[TensorDescriptor], &Places<'_>),
) -> Result<Expected, Problem> {
    let name = fields.text("same_as", value, "the name of another tensor")?;
    let Some(&other) = places.get(name) else {
        return Err(no_such_tensor("expect: same_as", name, value.at, tensors));
    };
    if other == tensor {
        return Err(Problem::new(value.at, format!("expect: same_as: {name} is the tensor itself; name another")));
    }
    let (of_tensor, of_other) = (&tensors[tensor], &tensors[other]);
    if of_tensor.elements() != of_other.elements() {
        let message = format!(
            "expect: same_as: {name} has shape {:?}, {} has {:?}; they must have as many elements",
            of_other.shape, of_tensor.name, of_tensor.shape
        );
        return Err(Problem::new(value.at, message));
    }
    Ok(Expected::SameAs(other))
}

/// Reads a fill; the file of one must be there.
fn fill(fields: &Fields<'_>, value: &Value, folder: &Path) -> Result<Fill, Problem> {
    let text = fields.text("fill", value, "a fill, as \"normal:0,1\"")?;
    let problem = |error: &dyn std::fmt::Display| Problem::new(value.at, format!("{}: {error}", fields.what));
    let fill = Fill::parse(text).map_err(|e| problem(&e))?.relative_to(folder);
    if let Fill::Npy(file) = &fill
        && !file.is_file()
    {
        return Err(problem(&format!("fill: there is no file {}", file.display())));
    }
    Ok(fill)
}

/// A name that no tensor has.
pub(crate) fn no_such_tensor(what: &str, name: &str, at: usize, tensors: &[TensorDescriptor]) -> Problem {
    let names = listed(tensors.iter().map(|tensor| tensor.name.as_str()));
    Problem::new(at, format!("{what}: there is no tensor \"{name}\"; the tensors are {names}"))
}
