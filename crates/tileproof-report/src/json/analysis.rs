//! The document of `tileproof analyze`: what a kernel does, from its text. A folder of kernels is a list of them.
//!
//! The caller fills it. Start at [`AnalysisDocument`].

use serde::{Deserialize, Serialize};

use super::document::Document;

/// What a kernel does.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct AnalysisDocument {
    /// The kernel.
    pub file: String,
    /// `compute` or `data movement`.
    pub kind: String,
    /// Arguments that it reads, in order.
    pub arguments: Vec<ArgumentEntry>,
    /// Circular buffers, by index, unknown ones last.
    pub buffers: Vec<BufferEntry>,
    /// Calls of the API in the order of the text, helpers followed.
    pub operations: Vec<OperationEntry>,
    /// Functions of the kernel's own files that it calls.
    pub helpers: Vec<HelperEntry>,
    /// Calls that are neither of its own files nor known here.
    pub other_calls: Vec<String>,
    /// Headers that it includes.
    pub includes: Vec<String>,
    /// What cannot be known from the text.
    pub unknown: Vec<String>,
}

impl Document for AnalysisDocument {
    const SCHEMA: &'static str = "tileproof-analysis";
}

/// An argument.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ArgumentEntry {
    /// `runtime`, `compile-time`, `common` or `accessor`.
    pub kind: String,
    /// Which one.
    pub index: String,
    /// The name that it gets, or of what it is part; empty if it gets none.
    pub name: String,
    /// Where.
    pub file: String,
    /// Where, from 1.
    pub line: u32,
}

/// A circular buffer.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct BufferEntry {
    /// `c_0`, or what it depends on.
    pub name: String,
    /// Its index, if it is known.
    pub index: Option<u32>,
    /// `producer`, `consumer`, both, or neither.
    pub roles: Vec<String>,
    /// Pages that are pushed in all.
    pub pushed: Option<String>,
    /// Pages that are popped in all.
    pub popped: Option<String>,
    /// What is done with it, line by line.
    pub uses: Vec<UseEntry>,
}

/// What a line does with a circular buffer.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct UseEntry {
    /// The call.
    pub call: String,
    /// `reserve`, `push`, `wait`, `pop`, `read`, `write` or `program`.
    pub action: String,
    /// Threads.
    pub threads: Vec<String>,
    /// Pages of one call, where it counts pages.
    pub pages: Option<String>,
    /// Pages of all calls, or `unknown: depends on ..`.
    pub total: Option<String>,
    /// Where.
    pub file: String,
    /// Where, from 1.
    pub line: u32,
}

/// A call of the API.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct OperationEntry {
    /// Threads that it acts on; empty for the one thread of a data-movement kernel.
    pub threads: Vec<String>,
    /// Its name with template arguments.
    pub call: String,
    /// Its arguments as written.
    pub arguments: String,
    /// It programs a unit and moves no data.
    pub init: bool,
    /// Loops and conditions around it, the outermost first.
    pub within: Vec<String>,
    /// Where.
    pub file: String,
    /// Where, from 1.
    pub line: u32,
}

/// A function of the kernel's own files.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct HelperEntry {
    /// Its name.
    pub name: String,
    /// Where.
    pub file: String,
    /// Where, from 1.
    pub line: u32,
    /// Places that call it.
    pub calls: usize,
}
