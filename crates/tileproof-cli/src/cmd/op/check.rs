//! `tileproof op check`: the seven gates.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use serde_json::to_value;
use tileproof::build::Builder;
use tileproof::op::gates::{self, Clock, Event, Log};
use tileproof::op::registry::{self, FindError};
use tileproof::stop;

use super::documents;
use crate::arguments::{ReportFormat, below};
use crate::bad_input::BadInput;
use crate::interrupted::stands;
use crate::isolation::IsolationOptions;
use crate::outcome::Outcome;
use crate::pictures::PageOption;
use crate::terminal::{self, say};

#[derive(Args)]
#[command(after_help = below(&[], &["op check layernorm_bw", "op check examples/ops/rmsnorm --log rmsnorm.jsonl --format markdown"]))]
pub(crate) struct CheckOp {
    /// Name of a shipped op, or folder of another.
    #[arg(value_name = "NAME|DIR")]
    op: String,
    /// File to write a line of JSON to for each event: its gate, file and decision, and the clock.
    #[arg(long, value_name = "FILE.jsonl")]
    log: Option<PathBuf>,
    /// The clock of the log: cycles of all runs so far, the same each time, or the time on the wall as well.
    #[arg(long, value_name = "CLOCK", default_value = "run", requires = "log")]
    log_clock: ClockArg,
    #[command(flatten)]
    page: PageOption,
    #[command(flatten)]
    isolation: IsolationOptions,
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

impl CheckOp {
    pub(crate) fn run(self) -> anyhow::Result<Outcome> {
        // Before the log is begun: that of an earlier check must outlive a name with a slip.
        match registry::find(&self.op, Path::new("")) {
            Ok(_) | Err(FindError::File(_)) => {}
            Err(error) => return Err(BadInput::found(error.to_string(), error.findings()).into()),
        }
        let builder = self.isolation.apply(Builder::new(None).map_err(|error| BadInput::new(error.to_string()))?);
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
            if let Event::GateStarted { gate, name } = event {
                stands(format!("{} gates are green; gate {gate}, {name}, had not ended\n", gate - 1));
                if progress {
                    terminal::progress(&format!("gate {gate}: {name}"));
                }
            }
        };
        let check = gates::check(&self.op, &*builder, &mut tell).map_err(|error| match error {
            FindError::Host(_) => anyhow::Error::new(error),
            other => BadInput::found(other.to_string(), other.findings()).into(),
        })?;
        if stop::is_interrupted() {
            return Ok(Outcome::Found);
        }
        if progress {
            terminal::progress_ends();
        }
        if let (Some(path), Some(error)) = (&self.log, failed) {
            return Err(log_error(path, &error).into());
        }
        self.page.write(&format!("Gates of {}", self.op), check.pass(), &to_value(documents::check(&check))?)?;
        say(documents::shown(&check, self.format)?)?;
        Ok(if check.pass() { Outcome::Clean } else { Outcome::Found })
    }
}
