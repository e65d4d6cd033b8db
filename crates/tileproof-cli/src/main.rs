//! `tileproof`: arguments in, exit code out.
//!
//! Exit codes: 0 clean, 1 findings or a missed tolerance, 2 bad usage or input, 3 a fault of Tileproof.

mod arguments;
mod cmd;
mod isolate;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Run Tensix tile kernels without the hardware, bit for bit, and see what is wrong with them.
#[derive(Parser)]
#[command(name = "tileproof", version, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run the shipped LayerNorm ops and compare them with float64.
    Layernorm(cmd::layernorm::Layernorm),
    /// Run a program file and say what is wrong with its kernels.
    Run(cmd::run::Run),
    /// Run a program file and list who does what to each circular buffer.
    Ledger(cmd::ledger::Ledger),
    /// The op workbench: describe, check and prove an op, yours or a shipped one.
    Op(cmd::op::OpCommand),
    /// Say what a kernel does, from its text: buffers, operations, arguments, helpers.
    Analyze(cmd::analyze::Analyze),
    /// Explain a finding code, or list them all.
    Explain(cmd::explain::Explain),
    /// Say what this machine has that Tileproof, or a card, needs.
    Doctor(cmd::doctor::Doctor),
}

/// How a command ended.
pub(crate) enum Outcome {
    /// Nothing to complain about.
    Clean,
    /// Findings, or a tolerance missed.
    Found,
}

/// Bad input: exit 2. Everything else that fails is ours.
#[derive(Debug)]
pub(crate) struct BadInput(pub(crate) String);

impl std::fmt::Display for BadInput {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BadInput {}

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are no errors; clap itself exits with 2 for bad usage.
            let code = if error.use_stderr() { 2 } else { 0 };
            let _ = error.print();
            isolate::ends_with(code);
            return ExitCode::from(code);
        }
    };
    let result = std::panic::catch_unwind(|| match cli.command {
        Command::Layernorm(command) => command.run(),
        Command::Run(command) => command.run(),
        Command::Ledger(command) => command.run(),
        Command::Op(command) => command.run(),
        Command::Analyze(command) => command.run(),
        Command::Explain(command) => command.run(),
        Command::Doctor(command) => command.run(),
    });
    let code = match result {
        Ok(Ok(Outcome::Clean)) => 0,
        Ok(Ok(Outcome::Found)) => 1,
        Ok(Err(error)) if error.is::<BadInput>() => {
            // Empty when a child process has said it already.
            let message = error.to_string();
            if !message.is_empty() {
                eprintln!("error: {message}");
            }
            2
        }
        Ok(Err(error)) => {
            eprintln!("error: {error:#}");
            eprintln!("This is a fault of Tileproof. Please report it with the command that you ran.");
            3
        }
        // The panic hook has printed what happened.
        Err(_) => {
            eprintln!("This is a fault of Tileproof. Please report it with the command that you ran.");
            3
        }
    };
    isolate::ends_with(code);
    ExitCode::from(code)
}
