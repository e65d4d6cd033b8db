//! What a kernel does, as data.
//!
//! It must never hold a count that the text does not give. Start at [`Analysis`].

use std::path::PathBuf;

use tileproof_model::program::{Argument, KernelDescriptor};

/// What is known of a kernel beside its text.
#[derive(Clone, Default, Debug)]
pub struct Given {
    /// Compile-time arguments; `None` for those that are no plain words.
    pub compile_time_args: Vec<Option<u32>>,
    /// Preprocessor definitions.
    pub defines: Vec<(String, String)>,
}

impl Given {
    /// What a program gives a kernel. Words behind those of an accessor are not known: how many it has is not said here.
    pub fn of_kernel(kernel: &KernelDescriptor) -> Given {
        let word = |argument: &Argument| if let Argument::Word(word) = argument { Some(*word) } else { None };
        let plain = |argument: &&Argument| matches!(argument, Argument::Word(_));
        let compile_time_args = kernel.compile_time_args.iter().take_while(plain).map(word).collect();
        Given { compile_time_args, defines: kernel.defines.clone() }
    }
}

/// What a kernel does.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// The kernel.
    pub file: PathBuf,
    /// `compute` or `data movement`.
    pub kind: &'static str,
    /// Arguments that it reads, in order.
    pub arguments: Vec<ArgumentRead>,
    /// Circular buffers, by index, unknown ones last.
    pub buffers: Vec<Buffer>,
    /// Calls of the API in the order of the text, helpers followed.
    pub operations: Vec<Operation>,
    /// Functions of the kernel's own files that it calls.
    pub helpers: Vec<Helper>,
    /// Calls that are neither of its own files nor known here.
    pub other_calls: Vec<String>,
    /// Headers that it includes.
    pub includes: Vec<String>,
    /// What cannot be known from the text.
    pub unknown: Vec<String>,
}

/// An argument.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ArgumentRead {
    /// `runtime`, `compile-time`, `common` or `accessor`.
    pub kind: &'static str,
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
#[derive(Clone, Debug)]
pub struct Buffer {
    /// `c_0`, or what it depends on.
    pub name: String,
    /// Its index, if it is known.
    pub index: Option<u32>,
    /// `producer`, `consumer`, both, or neither.
    pub roles: Vec<&'static str>,
    /// Pages that are pushed in all.
    pub pushed: Option<String>,
    /// Pages that are popped in all.
    pub popped: Option<String>,
    /// What is done with it, line by line.
    pub uses: Vec<Use>,
}

/// What a line does with a circular buffer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Use {
    /// The call.
    pub call: String,
    /// `reserve`, `push`, `wait`, `pop`, `read`, `write` or `program`.
    pub action: &'static str,
    /// Threads.
    pub threads: Vec<&'static str>,
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
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Operation {
    /// Threads that it acts on; empty for the one thread of a data-movement kernel.
    pub threads: Vec<&'static str>,
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
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Helper {
    /// Its name.
    pub name: String,
    /// Where.
    pub file: String,
    /// Where, from 1.
    pub line: u32,
    /// Places that call it.
    pub calls: usize,
}
