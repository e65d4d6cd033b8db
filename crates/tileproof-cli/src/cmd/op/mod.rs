//! `tileproof op`: the workbench, from a description to proven kernels.
//!
//! One file a verb; `call` and `documents` are what they share.

mod audit;
mod call;
mod check;
mod documents;
mod export;
mod new;
mod program;
mod run;
mod show;

use clap::{Args, Subcommand};

use crate::outcome::Outcome;

#[derive(Args)]
pub(crate) struct OpCommand {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// List the shipped ops, and those of folders.
    List(show::ListOps),
    /// Show what an op takes, refuses and is made of.
    Show(show::ShowOp),
    /// Write a new op: description, stub kernels, reference, and what to prove it on.
    New(new::NewOp),
    /// Take an op through the seven gates, up to the first that is red.
    Check(check::CheckOp),
    /// Say which faults the test of a call would miss: run it with one thing wrong at a time.
    Audit(audit::AuditOp),
    /// Run an op once and compare it with its reference.
    Run(run::RunOp),
    /// Print the program that a call becomes, or write that of a shipped op with its C++ kernels and data.
    Program(program::PrintProgram),
    /// Write an op that its gates have proved as a change to tt-metal: device operation, factory, binding, kernels, test.
    Export(export::ExportOp),
}

impl OpCommand {
    pub(crate) fn run(self) -> anyhow::Result<Outcome> {
        match self.verb {
            Verb::List(command) => command.run(),
            Verb::Show(command) => command.run(),
            Verb::New(command) => command.run(),
            Verb::Check(command) => command.run(),
            Verb::Audit(command) => command.run(),
            Verb::Run(command) => command.run(),
            Verb::Program(command) => command.run(),
            Verb::Export(command) => command.run(),
        }
    }
}
