//! What is told of an op, as data: for `op show`, for reports and for the gates.
//!
//! Nothing here is worked out: an [`super::Op`] fills it. Start at [`Description`].

use std::path::PathBuf;

/// An op.
#[derive(Clone, PartialEq, Debug)]
pub struct Description {
    /// Name in the registry.
    pub name: String,
    /// What it computes, in a sentence.
    pub summary: String,
    /// Tensors that it takes.
    pub inputs: Vec<TensorDescription>,
    /// Tensors that it makes.
    pub outputs: Vec<TensorDescription>,
    /// Numbers and words that it takes.
    pub attributes: Vec<AttributeDescription>,
    /// Everything that its validation refuses.
    pub conditions: Vec<String>,
    /// Circular buffers.
    pub cbs: Vec<CbDescription>,
    /// The call that the pages of `cbs` are those of; `None` where they are expressions.
    pub cbs_of: Option<String>,
    /// Kernels.
    pub kernels: Vec<KernelDescription>,
    /// Ways through the op, and when each is taken.
    pub paths: Vec<PathDescription>,
    /// Outputs in float64, `name = expression`.
    pub reference: Vec<String>,
    /// How it is called.
    pub calls: Vec<String>,
    /// Files that it is made of.
    pub files: Vec<PathBuf>,
}

/// A tensor argument.
#[derive(Clone, PartialEq, Debug)]
pub struct TensorDescription {
    /// Name.
    pub name: String,
    /// Shape, in words.
    pub shape: String,
    /// Element formats that are allowed.
    pub dtypes: Vec<String>,
    /// Layouts that are allowed.
    pub layouts: Vec<String>,
}

/// Another argument.
#[derive(Clone, PartialEq, Debug)]
pub struct AttributeDescription {
    /// Name.
    pub name: String,
    /// `float`, `integer` or `word`.
    pub kind: String,
    /// What it is when it is left out.
    pub default: String,
    /// What it may be.
    pub allowed: String,
}

/// A circular buffer.
#[derive(Clone, PartialEq, Debug)]
pub struct CbDescription {
    /// `c_0`.
    pub cb: String,
    /// What a page holds.
    pub content: String,
    /// Element format.
    pub format: String,
    /// Pages: a number or an expression.
    pub pages: String,
    /// Bytes of a page: a number or an expression.
    pub page_size: String,
}

/// A kernel.
#[derive(Clone, PartialEq, Debug)]
pub struct KernelDescription {
    /// `reader`, `compute` or `writer`.
    pub role: String,
    /// File, or name of a kernel in Rust.
    pub source: String,
    /// Compile-time arguments.
    pub compile_time_args: Vec<String>,
    /// Runtime arguments.
    pub runtime_args: Vec<String>,
}

/// A way through the op.
#[derive(Clone, PartialEq, Debug)]
pub struct PathDescription {
    /// Name.
    pub name: String,
    /// When it is taken.
    pub when: String,
}
