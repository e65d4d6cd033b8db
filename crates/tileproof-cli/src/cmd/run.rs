//! `tileproof run`: a program file, from its text to its verdict.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use tileproof::model::record::{Print, RunRecord};
use tileproof::run_file::grid::Axis;
use tileproof::run_file::{Checks, OutputResult, RunOptions, RunResult, run_program_file};
use tileproof_report::json::finding::{DEFAULT_SCHEDULE, FindingDocument, SuppressedDocument};
use tileproof_report::json::{self, LedgerEntry, PrintEntry, RunDocument, RunOutput, SarifDocument, TensorEntry, run};
use tileproof_report::{
    Style, render_concise, render_concise_suppressed, render_github, render_human, render_junit, render_summary,
};

use crate::cmd::run_grid;
use crate::{BadInput, Outcome, isolate};

#[derive(Args)]
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
    /// Schedule to replay, as a finding gives it. There is one so far, the default.
    #[arg(long, value_name = "TOKEN", value_parser = parse_schedule, default_value = DEFAULT_SCHEDULE)]
    schedule: String,
    /// Folder to save the outputs in, as npy files.
    #[arg(long, value_name = "DIR")]
    save: Option<PathBuf>,
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
    Human,
    Concise,
    Json,
    Sarif,
    Junit,
    Github,
}

fn parse_schedule(text: &str) -> Result<String, String> {
    if text == DEFAULT_SCHEDULE { Ok(text.into()) } else { Err(format!("the schedules known are: {DEFAULT_SCHEDULE}")) }
}

fn parse_parameter(text: &str) -> Result<(String, String), String> {
    let pair = text.split_once('=').filter(|(name, _)| !name.is_empty());
    pair.map(|(name, value)| (name.to_string(), value.to_string()))
        .ok_or_else(|| format!("\"{text}\" is not NAME=VALUE"))
}

/// Runs a program file; what is wrong with the file is bad input.
pub(crate) fn run_file(program: &std::path::Path, options: &RunOptions) -> anyhow::Result<RunResult> {
    if options.threads == Some(0) {
        return Err(BadInput("threads 0: give at least 1".into()).into());
    }
    run_program_file(program, options).map_err(|error| match error {
        host if host.is_host() => anyhow::Error::new(host),
        other => BadInput(other.to_string()).into(),
    })
}

impl Run {
    pub(crate) fn run(self) -> anyhow::Result<Outcome> {
        if self.isolate {
            return isolate::run_again(&self.program, self.format);
        }
        // The only schedule there is needs nothing done.
        let _ = self.schedule;
        let options = RunOptions {
            checks: self.checks,
            threads: self.threads,
            save: self.save,
            parameters: self.parameters,
            cache: None,
        };
        if !self.grid.is_empty() {
            return run_grid::run(&self.program, &self.grid, &options, self.format);
        }
        let result = run_file(&self.program, &options)?;
        prints(&result.record.prints);
        let text = for_programs(&result.record, &result.outputs, result.wall_s, &self.program, self.format)?;
        print!("{}", text.unwrap_or_else(|| human(&result)));
        Ok(if result.pass() { Outcome::Clean } else { Outcome::Found })
    }
}

/// What kernels printed goes to stderr, so that stdout holds the result alone.
fn prints(prints: &[Print]) {
    for print in prints {
        let place = &print.place;
        let line = place.location.as_ref().map_or(String::new(), |l| format!(" {}:{}", l.file, l.line));
        eprintln!("core {} {}{line} @{}: {}", place.core, place.thread, print.cycle, print.text.trim_end());
    }
}

/// A run as programs read it; `None` for the format of people.
pub(crate) fn for_programs(
    record: &RunRecord,
    outputs: &[OutputResult],
    wall_s: f64,
    program: &Path,
    format: RunFormat,
) -> anyhow::Result<Option<String>> {
    let (findings, notes) = (&record.findings, &record.notes);
    Ok(Some(match format {
        RunFormat::Human => return Ok(None),
        RunFormat::Json => json::to_text(&document(record, outputs, wall_s))?,
        RunFormat::Concise => render_concise(findings, notes) + &render_concise_suppressed(&record.suppressed),
        RunFormat::Sarif => {
            let version = env!("CARGO_PKG_VERSION");
            json::to_text(&SarifDocument::new(version, findings, notes, &record.suppressed, DEFAULT_SCHEDULE))?
        }
        RunFormat::Junit => {
            render_junit(&program.display().to_string(), &document(record, outputs, wall_s), findings, notes)
        }
        RunFormat::Github => render_github(findings, notes),
    }))
}

/// The JSON document of a run.
pub(crate) fn document(record: &RunRecord, outputs: &[OutputResult], wall_s: f64) -> RunDocument {
    let output = |o: &OutputResult| RunOutput {
        name: o.name.clone(),
        max_diff: o.max_diff,
        mean_diff: o.mean_diff,
        pass: o.pass,
    };
    RunDocument {
        status: run::status(record.status).into(),
        cycles: record.cycles,
        wall_s,
        outputs: outputs.iter().map(output).collect(),
        findings: FindingDocument::all(&record.findings, DEFAULT_SCHEDULE),
        notes: FindingDocument::all(&record.notes, DEFAULT_SCHEDULE),
        suppressed: SuppressedDocument::all(&record.suppressed, DEFAULT_SCHEDULE),
        not_checked: record.not_checked.clone(),
        ledger: LedgerEntry::all(&record.ledgers),
        tensors: TensorEntry::all(&record.ledgers),
        prints: PrintEntry::all(&record.prints),
    }
}

fn human(result: &RunResult) -> String {
    let record = &result.record;
    let mut text = format!("{}, {} cycles, {:.3} s\n", run::status(record.status), record.cycles, result.wall_s);
    for output in &result.outputs {
        text += &match (output.max_diff, output.pass) {
            (None, true) => format!("{}: nothing to compare with\n", output.name),
            (None, false) => format!("{}: not compared\n", output.name),
            (Some(_), true) => format!("{}: as expected\n", output.name),
            (Some(max), false) => {
                let first = output.first.as_ref().map_or(String::new(), |first| {
                    format!(
                        ", first at {:?}: {} ({:#x}), expected {} ({:#x})",
                        first.place, first.value, first.bits, first.expected, first.expected_bits
                    )
                });
                format!("{}: {} elements differ by up to {max:.3e}{first}\n", output.name, output.differing)
            }
        };
    }
    let style = Style { color: std::io::stdout().is_terminal(), width: 100 };
    let sources = |file: &str| std::fs::read_to_string(file).ok();
    let findings = render_human(&record.findings, &record.notes, DEFAULT_SCHEDULE, &sources, style);
    text += &format!("\n{findings}{}", render_summary(record));
    text += if result.pass() { "\npass\n" } else { "\nFAIL\n" };
    text
}
