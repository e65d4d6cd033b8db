//! `tileproof op`: the workbench, from a description to proven kernels.
//!
//! One file a verb; what they share is here.

mod check;
mod documents;
mod new;
mod program;
mod run;
mod show;

use std::path::Path;

use clap::{Args, Subcommand, ValueEnum};
use tileproof::op::call::CallWords;
use tileproof::op::registry::{self, FindError, Found};
use tileproof::op::{Call, Op};

use crate::{BadInput, Outcome};

#[derive(Args)]
pub(crate) struct OpCommand {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// List the shipped ops, and those of folders.
    List(show::List),
    /// Show what an op takes, refuses and is made of.
    Show(show::Show),
    /// Write a new op: description, stub kernels, reference, and what to prove it on.
    New(new::New),
    /// Take an op through the seven gates, up to the first that is red.
    Check(check::Check),
    /// Run an op once and compare it with its reference.
    Run(run::RunOp),
    /// Print the program that a call becomes, or write that of a shipped op with its C++ kernels and data.
    Program(program::Program),
}

impl OpCommand {
    pub(crate) fn run(self) -> anyhow::Result<Outcome> {
        match self.verb {
            Verb::List(command) => command.run(),
            Verb::Show(command) => command.run(),
            Verb::New(command) => command.run(),
            Verb::Check(command) => command.run(),
            Verb::Run(command) => command.run(),
            Verb::Program(command) => command.run(),
        }
    }
}

/// `--format` of what is also written as a report.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// Text for people.
    Human,
    /// One document.
    Json,
    /// A report to keep.
    Markdown,
}

/// A call on the command line.
#[derive(Args)]
struct CallArguments {
    /// Shape of the first input.
    #[arg(long, value_name = "N,C,H,W")]
    shape: String,
    /// Element type, of the tensors that may have several: bf16 or fp32, also called bfloat16 and float32. The op's first when left out.
    #[arg(long)]
    dtype: Option<String>,
    /// Layout, of the tensors that may have several: tile or row_major. The op's first when left out.
    #[arg(long)]
    layout: Option<String>,
    /// An attribute; may be given several times.
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = parse_pair)]
    settings: Vec<(String, String)>,
}

/// NAME=VALUE.
fn parse_pair(text: &str) -> Result<(String, String), String> {
    let pair = text.split_once('=').filter(|(name, value)| !name.is_empty() && !value.is_empty());
    let pair = pair.ok_or_else(|| format!("\"{text}\" is not NAME=VALUE"))?;
    Ok((pair.0.to_string(), pair.1.to_string()))
}

impl CallArguments {
    /// The call; what is left out is as in the first call of the op's grid.
    fn call(self, op: &dyn Op) -> Result<Call, BadInput> {
        let usual = op.calls().first().map(Call::words).unwrap_or_default();
        let or = |given: Option<String>, usual: String, none: &str| {
            given.unwrap_or(if usual.is_empty() { none.into() } else { usual })
        };
        let words = CallWords {
            shape: self.shape,
            dtype: or(self.dtype, usual.dtype, "bfloat16"),
            layout: or(self.layout, usual.layout, "tile"),
            settings: self.settings,
        };
        Call::from_words(&words).map_err(BadInput::new)
    }
}

/// An op by its name or folder.
fn find(name: &str) -> Result<Found, BadInput> {
    registry::find(name, Path::new("")).map_err(|error: FindError| BadInput::found(error.to_string(), error.findings()))
}
