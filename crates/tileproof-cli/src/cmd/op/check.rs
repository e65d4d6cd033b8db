//! `tileproof op check`: the seven gates.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use tileproof::build::Builder;
use tileproof::op::gates::{self, Clock, Event, Log, State};
use tileproof::op::registry::{self, FindError};
use tileproof_report::json::finding::{DEFAULT_SCHEDULE, FindingDocument};
use tileproof_report::json::{LedgerEntry, to_text};

use super::accuracy::Accuracy;
use super::{ReportFormat, markdown, text};
use crate::arguments::below;
use crate::terminal::{self, say};
use crate::{BadInput, Outcome};

#[derive(Args)]
#[command(after_help = below(&[], &["op check layernorm_bw", "op check examples/ops/rmsnorm --log rmsnorm.jsonl --format markdown"]))]
pub(crate) struct Check {
    /// Name of a shipped op, or folder of another.
    #[arg(value_name = "NAME|DIR")]
    op: String,
    /// File to write a line of JSON to for each event: its gate, file and decision, and the clock.
    #[arg(long, value_name = "FILE.jsonl")]
    log: Option<PathBuf>,
    /// The clock of the log: cycles of all runs so far, the same each time, or the time on the wall as well.
    #[arg(long, value_name = "CLOCK", default_value = "run", requires = "log")]
    log_clock: ClockArg,
    /// Output format: markdown is a report on the implementation.
    #[arg(long, default_value = "human")]
    format: ReportFormat,
}

/// `--log-clock`.
#[derive(Clone, Copy, ValueEnum)]
enum ClockArg {
    Run,
    Wall,
}

#[derive(serde::Serialize)]
struct Document<'a> {
    op: &'a str,
    pass: bool,
    /// The first red gate, from 1.
    red: Option<usize>,
    gates: Vec<GateDocument<'a>>,
    ledger_of: &'a Option<String>,
    ledger: Vec<LedgerEntry>,
    accuracy: Vec<Accuracy<'a>>,
    notes: Vec<FindingDocument>,
    runs: usize,
    wall_s: f64,
}

#[derive(serde::Serialize)]
struct GateDocument<'a> {
    gate: usize,
    name: &'static str,
    state: State,
    detail: &'a str,
    reason: Option<&'a str>,
    help: Option<&'a str>,
    findings: Vec<FindingDocument>,
    wall_s: f64,
}

impl Check {
    pub(crate) fn run(self) -> anyhow::Result<Outcome> {
        // Before the log is begun: that of an earlier check must outlive a name with a slip.
        match registry::find(&self.op, Path::new("")) {
            Ok(_) | Err(FindError::File(_)) => {}
            Err(error) => return Err(BadInput::found(error.to_string(), error.findings()).into()),
        }
        let builder = Builder::new(None).map_err(|error| BadInput::new(error.to_string()))?;
        let log_error =
            |path: &PathBuf, error: &std::io::Error| BadInput::new(format!("log: {}: {error}", path.display()));
        let mut log = match &self.log {
            None => None,
            Some(path) => Some(File::create(path).map_err(|error| log_error(path, &error))?),
        };
        let progress = self.format == ReportFormat::Human;
        let mut failed = None;
        let mut lines = Log::new(match self.log_clock {
            ClockArg::Run => Clock::Run,
            ClockArg::Wall => Clock::Wall,
        });
        let mut tell = |event: Event| {
            if let Some(file) = &mut log
                && failed.is_none()
                && let Ok(line) = serde_json::to_string(&lines.line(&event))
            {
                failed = writeln!(file, "{line}").err();
            }
            if progress && let Event::GateStarted { gate, name } = event {
                terminal::progress(&format!("gate {gate}: {name}"));
            }
        };
        let check = gates::check(&self.op, &builder, &mut tell).map_err(|error| match error {
            FindError::Host(_) => anyhow::Error::new(error),
            other => BadInput::found(other.to_string(), other.findings()).into(),
        })?;
        if progress {
            terminal::progress_ends();
        }
        if let (Some(path), Some(error)) = (&self.log, failed) {
            return Err(log_error(path, &error).into());
        }
        let style = terminal::style();
        match self.format {
            ReportFormat::Human => say(text::check(&check, style))?,
            ReportFormat::Markdown => say(markdown::check(&check))?,
            ReportFormat::Json => say(to_text(&document(&check))?)?,
        }
        Ok(if check.pass() { Outcome::Clean } else { Outcome::Found })
    }
}

fn gate(gate: &gates::Gate) -> GateDocument<'_> {
    let failure = gate.failure.as_ref();
    GateDocument {
        gate: gate.number,
        name: gate.name,
        state: gate.state,
        detail: &gate.detail,
        reason: failure.map(|failure| failure.reason.as_str()),
        help: failure.and_then(|failure| failure.help.as_deref()),
        findings: failure.map_or(Vec::new(), |failure| FindingDocument::all(&failure.findings, DEFAULT_SCHEDULE)),
        wall_s: gate.wall_s,
    }
}

fn document(check: &gates::Check) -> Document<'_> {
    Document {
        op: &check.op,
        pass: check.pass(),
        red: check.red().map(|gate| gate.number),
        gates: check.gates.iter().map(gate).collect(),
        ledger_of: &check.ledger_of,
        ledger: LedgerEntry::all(&check.ledgers),
        accuracy: Accuracy::of_check(&check.accuracy),
        notes: FindingDocument::all(&check.notes, DEFAULT_SCHEDULE),
        runs: check.runs,
        wall_s: check.wall_s,
    }
}
