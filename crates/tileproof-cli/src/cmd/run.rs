//! `tileproof run`: a program file, from its text to its verdict.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use tileproof::figure::figure;
use tileproof::model::record::{Print, RunRecord};
use tileproof::model::schedule::Schedule;
use tileproof::output::OutputResult;
use tileproof::run_file::grid::Axis;
use tileproof::run_file::{Checks, Explored, RunOptions, RunResult, run_program_file};
use tileproof_report::json::finding::{DEFAULT_SCHEDULE, FindingDocument, SuppressedDocument};
use tileproof_report::json::{
    self, ExploredDocument, LedgerEntry, PrintEntry, RunDocument, RunOutput, SarifDocument, TensorEntry,
};
use tileproof_report::{
    render_concise, render_concise_suppressed, render_github, render_human, render_junit, render_summary,
};

use crate::arguments::{SaveAsArg, below, families};
use crate::cmd::run_grid;
use crate::source_files::SourceFiles;
use crate::terminal::{self, progress_ends, say, tell};
use crate::{BadInput, Outcome, isolate};

const EXAMPLES: [&str; 4] = [
    "run examples/programs/add/program.toml --save out",
    "run examples/programs/hang/program.toml --format json",
    "run examples/programs/hang/program.toml --grid PAGES=1,4 --grid EXTRA=0..1",
    "run examples/programs/add/program.toml --checks buffers,memory --explore 200",
];

#[derive(Args)]
#[command(after_help = below(&[&families()], &EXAMPLES))]
pub(crate) struct Run {
    /// Program file.
    #[arg(value_name = "PROGRAM.toml")]
    program: PathBuf,
    /// What is looked for: all, none, or families of checks with commas between.
    #[arg(long, default_value = "all", value_parser = Checks::parse)]
    checks: Checks,
    /// Host threads to use at most; all when left out. Results do not depend on it.
    #[arg(long)]
    threads: Option<usize>,
    /// Schedule to replay, as a finding gives it.
    #[arg(long, value_name = "TOKEN", value_parser = Schedule::parse, default_value = DEFAULT_SCHEDULE)]
    schedule: Schedule,
    /// Try this many other schedules, until the program fails on one as it does not by default.
    #[arg(long, value_name = "N")]
    explore: Option<usize>,
    /// Folder to save the outputs in, as npy files.
    #[arg(long, value_name = "DIR")]
    save: Option<PathBuf>,
    /// What outputs of bfloat16 are saved as, since NumPy has no bfloat16.
    #[arg(long, default_value = "bits", requires = "save")]
    save_as: SaveAsArg,
    /// A value of the file's [params].
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = parse_parameter)]
    parameters: Vec<(String, String)>,
    /// Run the program for each value of a parameter, as W=1..9,33 or dtype=bfloat16,float32; several make a grid.
    #[arg(long = "grid", value_name = "NAME=VALUES", value_parser = Axis::parse)]
    grid: Vec<Axis>,
    /// Run the kernels in a process of their own.
    #[arg(long)]
    isolate: bool,
    /// Output format.
    #[arg(long, default_value = "human")]
    format: RunFormat,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RunFormat {
    /// Findings as a compiler prints them, with source lines.
    Human,
    /// One line a finding, as editors read it.
    Concise,
    /// Everything, as one document.
    Json,
    /// SARIF 2.1.0, for code scanning.
    Sarif,
    /// JUnit XML, for CI systems.
    Junit,
    /// Workflow commands, which annotate the lines of a change.
    Github,
}

fn parse_parameter(text: &str) -> Result<(String, String), String> {
    let pair = text.split_once('=').filter(|(name, _)| !name.is_empty());
    pair.map(|(name, value)| (name.to_string(), value.to_string()))
        .ok_or_else(|| format!("\"{text}\" is not NAME=VALUE"))
}

/// Runs a program file; what is wrong with the file is bad input.
pub(crate) fn run_file(program: &std::path::Path, options: &RunOptions) -> anyhow::Result<RunResult> {
    run_program_file(program, options).map_err(|error| match error {
        host if host.is_host() => anyhow::Error::new(host),
        other => BadInput::found(other.to_string(), other.findings()).into(),
    })
}

impl Run {
    pub(crate) fn run(self) -> anyhow::Result<Outcome> {
        if self.isolate && !self.grid.is_empty() {
            let why = "--isolate: it runs one program, not a --grid of them; give one cell with --param";
            return Err(BadInput::new(why).into());
        }
        if self.isolate {
            return isolate::run_again(&self.program, self.format);
        }
        if self.threads == Some(0) {
            return Err(BadInput::new("threads 0: give at least 1").into());
        }
        if self.explore == Some(0) {
            return Err(BadInput::new("explore 0: give at least 1").into());
        }
        if self.explore.is_some() && !self.schedule.is_default() {
            return Err(BadInput::new("--explore: it departs from the default schedule; leave out --schedule").into());
        }
        let options = RunOptions {
            checks: self.checks,
            threads: self.threads,
            save: self.save,
            save_as: self.save_as.into(),
            parameters: self.parameters,
            schedule: self.schedule,
            explore: self.explore.unwrap_or(0),
            progress: terminal::shows_progress().then_some(progress),
            cache: None,
        };
        if !self.grid.is_empty() {
            return run_grid::run(&self.program, &self.grid, &options, self.format);
        }
        let result = run_file(&self.program, &options)?;
        if options.explore > 0 {
            progress_ends();
        }
        prints(&result.record.prints);
        let text = for_programs(&result, &self.program, self.format)?;
        say(text.unwrap_or_else(|| human(&result, &self.program, &options)))?;
        Ok(if result.pass() { Outcome::Clean } else { Outcome::Found })
    }
}

/// What kernels printed goes to stderr, so that stdout holds the result alone.
fn prints(prints: &[Print]) {
    for print in prints {
        let place = &print.place;
        let line = place.location.as_ref().map_or(String::new(), |l| format!(" {}:{}", l.file, l.line));
        let text = print.text.trim_end();
        tell(&format!("core {} {}{line} @{}: {text}\n", place.core, place.thread, print.cycle));
    }
}

/// One line on stderr that is written over, for people only.
fn progress(number: usize, of: usize) {
    terminal::progress(&format!("schedule {number} of {of}"));
}

/// A run as programs read it; `None` for the format of people.
pub(crate) fn for_programs(result: &RunResult, program: &Path, format: RunFormat) -> anyhow::Result<Option<String>> {
    let RunRecord { findings, notes, suppressed, .. } = &result.record;
    Ok(Some(match format {
        RunFormat::Human => return Ok(None),
        RunFormat::Json => json::to_text(&document(result))?,
        RunFormat::Concise => render_concise(findings, notes) + &render_concise_suppressed(suppressed),
        RunFormat::Sarif => {
            let version = env!("CARGO_PKG_VERSION");
            json::to_text(&SarifDocument::new(version, findings, notes, suppressed, &result.schedule.to_string()))?
        }
        RunFormat::Junit => render_junit(&program.display().to_string(), &document(result), findings, notes),
        RunFormat::Github => render_github(findings, notes),
    }))
}

/// The JSON document of a run.
pub(crate) fn document(result: &RunResult) -> RunDocument {
    let output = |o: &OutputResult| RunOutput {
        name: o.name.clone(),
        max_diff: o.max_diff,
        mean_diff: o.mean_diff,
        pass: o.pass,
    };
    let (record, schedule) = (&result.record, result.schedule.to_string());
    RunDocument {
        status: record.status.name().into(),
        cycles: record.cycles,
        wall_s: result.wall_s,
        outputs: result.outputs.iter().map(output).collect(),
        findings: FindingDocument::all(&record.findings, &schedule),
        notes: FindingDocument::all(&record.notes, &schedule),
        suppressed: SuppressedDocument::all(&record.suppressed, &schedule),
        not_checked: record.not_checked.clone(),
        ledger: LedgerEntry::all(&record.ledgers),
        tensors: TensorEntry::all(&record.ledgers),
        prints: PrintEntry::all(&record.prints),
        explored: result.explored.as_ref().map(explored_document),
        schedule,
    }
}

fn explored_document(explored: &Explored) -> ExploredDocument {
    let departures = explored.failed.iter().flat_map(|schedule| &schedule.departures);
    ExploredDocument {
        schedules: explored.schedules,
        of: explored.of,
        failed: explored.failed.as_ref().map(Schedule::to_string),
        departures: departures.map(|departure| departure.describe()).collect(),
        default_passes: explored.default_passes,
    }
}

/// The command that runs a program so again.
pub(crate) fn command(program: &Path, options: &RunOptions, cell: &[(String, String)], schedule: &str) -> String {
    let quoted = |text: &str| {
        let is_plain = text.chars().all(|c| c.is_ascii_alphanumeric() || "_-./:,=+%@".contains(c));
        if is_plain && !text.is_empty() { text.to_string() } else { format!("'{}'", text.replace('\'', "'\\''")) }
    };
    let mut command = format!("tileproof run {}", quoted(&program.display().to_string()));
    if options.checks != Checks::All {
        command += &format!(" --checks {}", options.checks);
    }
    for (name, value) in options.parameters.iter().chain(cell) {
        command += &format!(" --param {}", quoted(&format!("{name}={value}")));
    }
    if schedule != DEFAULT_SCHEDULE {
        command += &format!(" --schedule {}", quoted(schedule));
    }
    command
}

/// What exploring came to, in a few lines.
fn explored_text(explored: &Explored, program: &Path, options: &RunOptions) -> String {
    let default = if explored.default_passes { "passes" } else { "fails too, in another way" };
    match &explored.failed {
        None => format!("explored {} other schedules: none fails as the default does not\n", explored.of),
        Some(schedule) => {
            let departures: Vec<String> =
                schedule.departures.iter().map(|d| format!("    {}\n", d.describe())).collect();
            format!(
                "explored {} of {} other schedules: {schedule} fails, and the default {default}\n{}replay with: {}\n",
                explored.schedules,
                explored.of,
                departures.concat(),
                command(program, options, &[], &schedule.to_string()),
            )
        }
    }
}

fn human(result: &RunResult, program: &Path, options: &RunOptions) -> String {
    let record = &result.record;
    let explored = result.explored.as_ref();
    let mut text = explored.map_or(String::new(), |explored| explored_text(explored, program, options) + "\n");
    let schedule = if result.schedule.is_default() { String::new() } else { format!(", schedule {}", result.schedule) };
    let status = record.status.name();
    text += &format!("{status}, {} cycles, {:.3} s{schedule}\n", record.cycles, result.wall_s);
    for output in &result.outputs {
        text += &match (output.max_diff, output.pass) {
            (None, true) => format!("{}: nothing to compare with\n", output.name),
            (None, false) => format!("{}: not compared\n", output.name),
            (Some(_), true) => format!("{}: as expected\n", output.name),
            (Some(max), false) => {
                let first = output.first.as_ref().map_or(String::new(), |first| {
                    format!(
                        ", first at {:?}: {} ({:#x}), expected {} ({:#x})",
                        first.place,
                        figure(first.value),
                        first.bits,
                        figure(first.expected),
                        first.expected_bits
                    )
                });
                format!("{}: {} elements differ by up to {max:.3e}{first}\n", output.name, output.differing)
            }
        };
    }
    let style = terminal::style();
    let findings =
        render_human(&record.findings, &record.notes, &result.schedule.to_string(), &SourceFiles::default(), style);
    text += &format!("\n{findings}{}", render_summary(record));
    text += if result.pass() { "\npass\n" } else { "\nFAIL\n" };
    text
}
