//! What the adapters of both ops need: descriptions, attributes, conditions and their probes.
//!
//! It must never add a rule of its own. Start at [`probe`].

use std::path::PathBuf;

use tileproof_model::program::{Argument, KernelConfig, KernelDescriptor, KernelSource, Layout, Program};
use tileproof_model::thread::Thread;
use tileproof_model::wording::cb_name;
use tileproof_ops::layernorm_bw::PathChoice;
use tileproof_ops::{CbRow, Memory};

use crate::dtypes::OF_OPS;
use crate::op::call::{Call, Refusal, Setting, layout_name, whole};
use crate::op::description::{AttributeDescription, CbDescription, KernelDescription, TensorDescription};
use crate::op::{Attempt, Inputs, Probe};
use crate::program_file::{LaunchLines, ProgramFile, TensorData};

/// A program without a file: its tensors are inputs, outputs, or what launches hand to each other.
pub(super) fn program_file(name: &str, program: Program) -> ProgramFile {
    let data = |tensor: &tileproof_model::program::TensorDescriptor| TensorData {
        fill: None,
        rounded: None,
        standing: None,
        padding: None,
        address: None,
        undefined_pages: Vec::new(),
        output: tensor.output,
        scratch: false,
        line: 0,
    };
    let lines = |launch: &tileproof_model::program::Launch| LaunchLines {
        cbs: vec![0; launch.cbs.len()],
        kernels: vec![0; launch.kernels.len()],
        semaphores: vec![0; launch.semaphores.len()],
    };
    ProgramFile {
        path: PathBuf::from(name),
        seed: 0,
        api: None,
        tensors: program.tensors.iter().map(data).collect(),
        launches: program.launches.iter().map(lines).collect(),
        expects: Vec::new(),
        suppressions: Vec::new(),
        program,
    }
}

/// A tensor in either format.
pub(super) fn tensor(name: &str, shape: &str, layouts: &[Layout]) -> TensorDescription {
    TensorDescription {
        name: name.into(),
        shape: shape.into(),
        dtypes: OF_OPS.iter().map(|format| format.dtype_name().to_string()).collect(),
        layouts: layouts.iter().map(|layout| layout_name(*layout).into()).collect(),
    }
}

pub(super) fn attribute(name: &str, kind: &str, default: &str, allowed: &str) -> AttributeDescription {
    AttributeDescription { name: name.into(), kind: kind.into(), default: default.into(), allowed: allowed.into() }
}

/// The files of an op, its kernels in C++ among them.
pub(super) fn sources(op: &str, more: &[&str], cpp: &[(&str, &str)]) -> Vec<PathBuf> {
    let both =
        ["mod", "validate", "plan", "program", "reference", "kernels/reader", "kernels/compute", "kernels/writer"];
    let path = |file: &&str| PathBuf::from(format!("crates/tileproof-ops/src/{op}/{file}.rs"));
    let cpp = cpp.iter().map(|(file, _)| PathBuf::from(format!("crates/tileproof-ops/src/{op}/cpp/{file}")));
    both.iter().chain(more).map(path).chain(cpp).collect()
}

/// The ways through an op: one keeps rows in L1, the other streams them in blocks.
pub(crate) const PATHS: [(&str, PathChoice); 3] =
    [("auto", PathChoice::Auto), ("l1", PathChoice::L1), ("block", PathChoice::Block)];

/// Where outputs may be asked to go. That shards are no such place is for the host side to say.
pub(crate) const MEMORIES: [(&str, Memory); 3] =
    [("dram", Memory::InterleavedDram), ("l1", Memory::InterleavedL1), ("sharded", Memory::Sharded)];

/// The values of an input.
pub(super) fn values<'a>(inputs: &'a Inputs, name: &str) -> Option<&'a [f32]> {
    inputs.iter().find(|(known, _)| known == name).map(|(_, values)| &values[..])
}

/// A program for a call, and which way it takes.
pub(crate) struct Planned {
    /// The program.
    pub(crate) program: Program,
    /// Whether rows stay in L1.
    pub(crate) l1_path: bool,
    /// Cores that it takes.
    pub(crate) cores: usize,
}

/// The word for a value of an attribute.
pub(crate) fn word_for<T: PartialEq>(choices: &[(&str, T)], value: &T) -> Setting {
    let word = choices.iter().find(|(_, known)| known == value).map_or("", |(word, _)| word);
    Setting::Word(word.to_string())
}

pub(super) fn cb_rows(rows: &[CbRow], launch: Option<usize>) -> Vec<CbDescription> {
    let row = |row: &CbRow| CbDescription {
        cb: cb_name(row.index),
        content: match launch {
            None => row.content.into(),
            Some(launch) => format!("{} (launch {launch})", row.content),
        },
        format: row.format.dtype_name().into(),
        pages: row.pages.to_string(),
        page_size: row.format.tile_bytes().to_string(),
    };
    rows.iter().map(row).collect()
}

pub(super) fn kernels(program: &Program) -> Vec<KernelDescription> {
    let kernels = program.launches.iter().flat_map(|launch| &launch.kernels);
    let describe = |kernel: &KernelDescriptor| KernelDescription {
        role: role(&kernel.config).into(),
        source: match &kernel.source {
            KernelSource::Cpp(path) => path.display().to_string(),
            KernelSource::Native(kernel) => format!("{} (Rust)", kernel.name()),
        },
        compile_time_args: kernel.compile_time_args.iter().map(argument).collect(),
        runtime_args: kernel
            .runtime_args
            .values()
            .next()
            .map_or(Vec::new(), |args| args.iter().map(argument).collect()),
    };
    kernels.map(describe).collect()
}

pub(super) fn role(config: &KernelConfig) -> &'static str {
    match config {
        KernelConfig::Compute(_) => "compute",
        KernelConfig::DataMovement(config) if config.processor == Thread::Brisc => "writer",
        KernelConfig::DataMovement(_) => "reader",
    }
}

pub(super) fn argument(argument: &Argument) -> String {
    match argument {
        Argument::Word(word) => word.to_string(),
        Argument::Address(tensor) => format!("address({tensor})"),
        Argument::TensorAccessor(tensor) => format!("accessor({tensor})"),
        other => format!("{other:?}"),
    }
}

/// A condition, a change that stays inside it, one that breaks it, and the error that must come of that.
pub(super) struct Condition<Arguments, Error> {
    pub(super) text: &'static str,
    pub(super) inside: fn(&mut Arguments),
    pub(super) outside: fn(&mut Arguments),
    pub(super) is: fn(&Error) -> bool,
}

/// The refusal of the host side, with the condition that it is about.
pub(super) fn refused<Arguments, Error: std::fmt::Display>(
    conditions: &[Condition<Arguments, Error>],
    error: &Error,
) -> Refusal {
    let condition = conditions.iter().find(|condition| (condition.is)(error)).map_or("", |condition| condition.text);
    Refusal::new(condition, error.to_string())
}

/// Probes conditions from both sides. `of` validates.
pub(super) fn probe<Arguments: Clone, Error: std::fmt::Display>(
    conditions: &[Condition<Arguments, Error>],
    accepted: &Arguments,
    of: impl Fn(&Arguments) -> Result<(), Error>,
) -> Vec<Probe> {
    let attempt = |condition: &Condition<Arguments, Error>, change: fn(&mut Arguments), what: &str| {
        let mut arguments = accepted.clone();
        change(&mut arguments);
        let refusal = of(&arguments).err().map(|error| {
            let text = if (condition.is)(&error) { condition.text } else { "another condition" };
            Refusal::new(text, error.to_string())
        });
        Attempt { call: format!("{what} \"{}\"", condition.text), refusal }
    };
    let both = |condition| Probe {
        condition: condition_text(condition),
        inside: attempt(condition, condition.inside, "just inside"),
        outside: attempt(condition, condition.outside, "just outside"),
    };
    conditions.iter().map(both).collect()
}

pub(super) fn condition_text<A, E>(condition: &Condition<A, E>) -> String {
    condition.text.to_string()
}

/// The number that an attribute is set to.
pub(super) fn number(call: &Call, name: &str, default: f64) -> Result<f64, Refusal> {
    match call.attribute(name) {
        None => Ok(default),
        Some(Setting::Number(number)) => Ok(*number),
        Some(Setting::Word(word)) => {
            Err(Refusal::new("attributes have the kind that they must", format!("{name} {word}: must be a number")))
        }
    }
}

/// The cores to use, if the call says how many.
pub(super) fn cores(call: &Call) -> Result<Option<u32>, Refusal> {
    if call.attribute("cores").is_none() {
        return Ok(None);
    }
    let cores = number(call, "cores", 0.0)?;
    // 0 is refused with the other limits.
    whole(cores, 0).map(Some).ok_or_else(|| {
        let message = format!("cores {cores}: must be a whole number, 1 or above");
        Refusal::new("attributes have the kind that they must", message)
    })
}

/// Where the outputs go.
pub(super) fn memory_config(call: &Call) -> Result<Memory, Refusal> {
    match call.attribute("memory_config") {
        Some(Setting::Word(word)) if word == "sharded" => Ok(Memory::Sharded),
        _ => word(call, "memory_config", &MEMORIES[..2]),
    }
}

/// What the word of an attribute stands for; the first is the default.
pub(super) fn word<T: Copy>(call: &Call, name: &str, choices: &[(&str, T)]) -> Result<T, Refusal> {
    let Some(setting) = call.attribute(name) else { return Ok(choices[0].1) };
    let given = setting.to_string();
    choices.iter().find(|(word, _)| *word == given).map(|(_, value)| *value).ok_or_else(|| {
        let allowed: Vec<&str> = choices.iter().map(|(word, _)| *word).collect();
        let message = format!("{name} {given}: must be {}", allowed.join(" or "));
        Refusal::new("attributes have the kind that they must", message)
    })
}
