//! The command `tileproof`: arguments in, exit code out. The binary and the Python package call [`run`]; the package renders runs
//! as the command does, through [`results`].
//!
//! The exit codes are in `arguments.rs`.

#![deny(clippy::print_stdout, clippy::print_stderr)]

mod arguments;
mod bad_input;
mod cmd;
mod given;
mod interrupted;
mod isolation;
mod lsp;
#[cfg(feature = "mcp")]
mod mcp;
mod outcome;
mod pictures;
mod program;
mod reference;
mod replay;
pub mod results;
pub mod source_files;
mod terminal;
#[cfg(test)]
mod written;

use std::ffi::OsString;

use clap::{CommandFactory, Parser, Subcommand};

use bad_input::BadInput;
use outcome::Outcome;
use terminal::{Color, Unwritable, tell};

/// Run Tensix tile kernels without the hardware, bit for bit, and see what is wrong with them.
#[derive(Parser)]
#[command(name = "tileproof", version, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// Colour of what is printed: auto obeys NO_COLOR, TERM=dumb and CLICOLOR_FORCE.
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        default_value = "auto",
        overrides_with = "color",
        display_order = 1000
    )]
    color: Color,
}

#[derive(Subcommand)]
enum Command {
    /// Run the shipped LayerNorm ops and compare them with float64.
    Layernorm(cmd::layernorm::Layernorm),
    /// Run a program file and say what is wrong with its kernels.
    Run(cmd::run::RunProgram),
    /// Make a folder with a program that runs and passes, to begin with.
    New(cmd::new::NewProgram),
    /// Run a program file and list who does what to each circular buffer.
    Ledger(cmd::ledger::PrintLedger),
    /// The op workbench: describe, check and prove an op, yours or a shipped one.
    Op(cmd::op::OpCommand),
    /// Run many cells, of shapes, dtypes, data, schedules and kernel folders, in worker processes, into one file.
    Sweep(cmd::sweep::Sweep),
    /// Carry out cells of a sweep.
    #[command(hide = true)]
    SweepWorker(cmd::sweep::SweepWorker),
    /// Compare two sweeps: findings, accuracy, cycles.
    Compare(cmd::compare::Compare),
    /// Say which faults the test of a program would miss: run it with one thing wrong at a time.
    Audit(cmd::audit::AuditProgram),
    /// Say what a kernel does, from its text: buffers, operations, arguments, helpers.
    Analyze(cmd::analyze::Analyze),
    /// Explain a finding code, or list them all.
    Explain(cmd::explain::Explain),
    /// Print a page of the reference: fields of files, options, codes, fills, calls, variables.
    Reference(cmd::reference::Reference),
    /// Print the JSON Schema of a kind of file, for editors.
    Schema(cmd::reference::Schema),
    /// Serve these tools to programs that write kernels, over the Model Context Protocol on stdin and stdout.
    Mcp(cmd::mcp::Mcp),
    /// Serve editors over the Language Server Protocol on stdin and stdout: findings, pages, fields of program files.
    Lsp(cmd::lsp::Lsp),
    /// Say where headers, library and CMake package for tt-metal host programs in C++ are.
    Sdk(cmd::sdk::SdkPlace),
    /// Run a host program, in C++ or Python, and keep each launch that it makes as a program file.
    Record(cmd::record::Record),
    /// Where compiled kernels are kept: show, verify, clear.
    Cache(cmd::cache::CacheCommand),
    /// Say what this machine has that Tileproof, or a card, needs.
    Doctor(cmd::doctor::Doctor),
    /// Print what a shell needs to complete the command.
    Completions(cmd::about::Completions),
    /// Print a page of the manual.
    Man(cmd::about::Man),
}

/// The exit code of a command that Ctrl-C has ended, as shells have it: 128 and the number of the signal.
const INTERRUPTED: u8 = 130;

const OUR_FAULT: &str = "This is a fault of Tileproof. Please report it with the command that you ran.\n";

/// Runs the command with its arguments, its name the first of them; the exit code. `itself` is the command line that starts it
/// again.
pub fn run(arguments: impl IntoIterator<Item = OsString>, itself: &[OsString]) -> u8 {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    given::are(&arguments);
    Color::asked_for().apply();
    tileproof::build::listen(terminal::note);
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        // Help and version are no errors; clap itself exits with 2 for bad usage.
        Err(error) if error.use_stderr() => {
            let rendered = error.render();
            terminal::tell_in_colour(&rendered.ansi().to_string());
            let message = rendered.to_string();
            return BadInput::new(message.trim_start_matches("error: ").trim_end()).document();
        }
        Err(help) => {
            return match terminal::said(help.print()) {
                Ok(()) => 0,
                Err(error) => error.tell(),
            };
        }
    };
    let result = std::panic::catch_unwind(|| match cli.command {
        Command::Layernorm(command) => interrupted::or_left(|| command.run()),
        Command::Run(command) => until_interrupted(|| command.run()),
        Command::New(command) => command.run(),
        Command::Ledger(command) => command.run(),
        Command::Op(command) => interrupted::or_left(|| command.run()),
        Command::Sweep(command) => until_interrupted(|| command.run(itself)),
        Command::SweepWorker(command) => command.run(),
        Command::Compare(command) => command.run(),
        Command::Audit(command) => until_interrupted(|| command.run()),
        Command::Analyze(command) => command.run(),
        Command::Explain(command) => command.run(),
        Command::Reference(command) => command.run(Cli::command()),
        Command::Schema(command) => command.run(),
        Command::Mcp(command) => command.run(itself),
        Command::Lsp(command) => command.run(itself),
        Command::Sdk(command) => command.run(),
        Command::Record(command) => command.run(),
        Command::Cache(command) => command.run(),
        Command::Doctor(command) => command.run(),
        Command::Completions(command) => command.run(Cli::command()),
        Command::Man(command) => command.run(Cli::command()),
    });
    match result {
        // Whatever came of it is no verdict; who says what stood has said it.
        Ok(_) if tileproof::stop::is_interrupted() => {
            terminal::progress_ends();
            tell(&interrupted::standing());
            tell("interrupted; what was kept on the disk is whole\n");
            INTERRUPTED
        }
        Ok(Ok(Outcome::Clean)) => 0,
        Ok(Ok(Outcome::Found)) => 1,
        Ok(Err(error)) => failed(error),
        // The panic hook has printed what happened.
        Err(_) => {
            tell(OUR_FAULT);
            3
        }
    }
}

/// Does work that Ctrl-C ends in good order.
fn until_interrupted<T>(work: impl FnOnce() -> T) -> T {
    tileproof::stop::on_interrupt();
    work()
}

/// Says why a command did not come to an end; the exit code.
fn failed(error: anyhow::Error) -> u8 {
    let error = match error.downcast::<BadInput>() {
        Ok(bad) => return bad.tell(),
        Err(error) => error,
    };
    match error.downcast::<Unwritable>() {
        Ok(unwritable) => unwritable.tell(),
        Err(error) => {
            tell(&format!("error: {error:#}\n{OUR_FAULT}"));
            3
        }
    }
}
