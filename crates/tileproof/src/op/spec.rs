//! The parts of an op's description, as `op.toml` says them.
//!
//! They hold what was written, not what follows from it. Start at [`super::UserOp`].

use std::path::PathBuf;

use tileproof_model::numerics::format::DataFormat;
use tileproof_model::program::Layout;

use super::call::Setting;
use super::data::Data;
use super::expression::Expression;
use crate::fill::Fill;

/// A tensor.
#[derive(Clone, Debug)]
pub struct TensorSpec {
    /// Name.
    pub name: String,
    /// Shape; `None` for that of the call.
    pub shape: Option<Vec<Expression>>,
    /// Formats that it may have; one of several is that of the call.
    pub dtypes: Vec<DataFormat>,
    /// Layouts, likewise.
    pub layouts: Vec<Layout>,
    /// Data of an input, where not those of the grid.
    pub fill: Option<Fill>,
    /// Line of its table.
    pub line: usize,
}

/// An attribute, always a number.
#[derive(Clone, Debug)]
pub struct AttributeSpec {
    /// Name.
    pub name: String,
    /// Whether it must be whole.
    pub integer: bool,
    /// Value where none is given.
    pub default: f64,
    /// Least value.
    pub min: f64,
    /// Greatest value.
    pub max: f64,
    /// Line of its table.
    pub line: usize,
}

/// A condition.
#[derive(Clone, Debug)]
pub struct ConditionSpec {
    /// What must not be 0.
    pub that: Expression,
    /// What is said when it is; `{..}` holds expressions.
    pub message: String,
    /// A call that meets it.
    pub inside: Option<ProbeSpec>,
    /// A call that does not.
    pub outside: Option<ProbeSpec>,
    /// Line of its table.
    pub line: usize,
}

/// What a probe changes of the first call of the grid.
#[derive(Clone, Default, Debug)]
pub struct ProbeSpec {
    /// Shapes of inputs.
    pub shapes: Vec<(String, Vec<u32>)>,
    /// Attributes.
    pub attributes: Vec<(String, Setting)>,
}

/// A circular buffer.
#[derive(Clone, Debug)]
pub struct CbSpec {
    /// Index.
    pub index: u8,
    /// What a page holds.
    pub content: String,
    /// The tensor that it holds pages of: its format, if no other is given.
    pub of: Option<String>,
    /// Format, where not that of a tensor.
    pub dtype: Option<DataFormat>,
    /// Pages.
    pub pages: Expression,
    /// Bytes of a page, where not a tile.
    pub page_size: Option<Expression>,
    /// Pages that go through it on a core, if the description says so.
    pub moves: Option<Expression>,
    /// Line of its table.
    pub line: usize,
}

/// A kernel.
#[derive(Clone, Debug)]
pub struct KernelSpec {
    /// What it does.
    pub role: Role,
    /// Its file, relative to the folder of the op.
    pub file: PathBuf,
    /// Compile-time arguments.
    pub compile_time_args: Vec<ArgumentSpec>,
    /// Runtime arguments.
    pub runtime_args: Vec<ArgumentSpec>,
    /// Preprocessor definitions.
    pub defines: Vec<(String, String)>,
    /// Fields of a compute kernel's configuration, as program files have them.
    pub compute: Vec<(String, String)>,
    /// Line of its table.
    pub line: usize,
}

/// The thread of a kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// NCRISC.
    Reader,
    /// UNPACK, MATH and PACK.
    Compute,
    /// BRISC.
    Writer,
}

impl Role {
    /// The name in files.
    pub fn name(self) -> &'static str {
        match self {
            Role::Reader => "reader",
            Role::Compute => "compute",
            Role::Writer => "writer",
        }
    }
}

/// An argument of a kernel.
#[derive(Clone, Debug)]
pub enum ArgumentSpec {
    /// `accessor(x)`.
    Accessor(String),
    /// `address(x)`.
    Address(String),
    /// `bits(eps)`: a number as the bits of an fp32.
    Bits(Expression),
    /// A whole number.
    Word(Expression),
}

impl std::fmt::Display for ArgumentSpec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ArgumentSpec::Accessor(name) => write!(f, "accessor({name})"),
            ArgumentSpec::Address(name) => write!(f, "address({name})"),
            ArgumentSpec::Bits(expression) => write!(f, "bits({})", expression.text),
            ArgumentSpec::Word(expression) => f.write_str(&expression.text),
        }
    }
}

/// A step of a reference.
#[derive(Clone, Debug)]
pub struct Step {
    /// An output, or a name that later steps use.
    pub name: String,
    /// Its value.
    pub value: Expression,
}

/// What an op is proved on.
#[derive(Clone, PartialEq, Debug)]
pub struct Grid {
    /// Shapes of the first input.
    pub shapes: Vec<Vec<u32>>,
    /// Data.
    pub data: Vec<Data>,
    /// Relative tolerance.
    pub rtol: f64,
    /// Absolute tolerance.
    pub atol: f64,
}

/// Whether a text can name an op, a tensor or an attribute: it becomes part of expressions and file names.
pub(crate) fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic()) && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
