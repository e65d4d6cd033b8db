//! `tileproof sweep`: many runs in worker processes, their table in one file.
//!
//! Start at [`Sweep::run`]; `sweep-worker` is a worker's side of it.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use serde_json::to_value;
use tileproof::stop;
use tileproof_report::json::to_text;
use tileproof_report::render_sweep;
use tileproof_sweep::apart::serve;
use tileproof_sweep::cell::Outcome as CellOutcome;
use tileproof_sweep::compare::summary;
use tileproof_sweep::spec::Spec;
use tileproof_sweep::store::Store;
use tileproof_sweep::{SweepError, pool};

use crate::arguments::{FormatArg, below};
use crate::bad_input::BadInput;
use crate::interrupted::stands;
use crate::outcome::Outcome;
use crate::pictures::PageOption;
use crate::terminal::{self, pass_on, progress_ends, say};

#[derive(Args)]
#[command(after_help = below(&[], &["sweep examples/sweeps/layernorm.toml --out before.sqlite", "compare before.sqlite after.sqlite"]))]
pub(crate) struct Sweep {
    /// What is run: a file with tables [[cells]], whose product each is.
    #[arg(value_name = "SPEC.toml")]
    spec: PathBuf,
    /// File that the results go to; one that is there is taken up where it was left. SPEC.sqlite when left out.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Begin the file anew.
    #[arg(long)]
    anew: bool,
    /// Worker processes; as many as the host has processors when left out. Results do not depend on it.
    #[arg(long, value_name = "N")]
    workers: Option<usize>,
    #[command(flatten)]
    page: PageOption,
    /// Output format.
    #[arg(long, default_value = "human")]
    format: FormatArg,
}

/// What goes wrong with a sweep, for the command.
pub(super) fn failed(error: SweepError) -> anyhow::Error {
    match error {
        worker @ SweepError::Worker { .. } => anyhow::Error::new(worker),
        other => BadInput::new(other.to_string()).into(),
    }
}

impl Sweep {
    /// `itself` is the command line that starts this command without arguments.
    pub(crate) fn run(self, itself: &[OsString]) -> anyhow::Result<Outcome> {
        if self.workers == Some(0) {
            return Err(BadInput::new("workers 0: give at least 1").into());
        }
        let spec = Spec::read(&self.spec).map_err(failed)?;
        let cells = spec.cells().map_err(|why| BadInput::new(format!("{}: {why}", self.spec.display())))?;
        let out = self.out.unwrap_or_else(|| self.spec.with_extension("sqlite"));
        let store = Store::open(&out, &spec, &cells, self.anew).map_err(failed)?;
        let pending = store.pending().map_err(failed)?;
        let workers = self.workers.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
        let command = [itself, &["sweep-worker".into()]].concat();
        let (mut ran, mut failing) = (cells.len() - pending.len(), 0);
        let mut done = |at: usize, outcome: CellOutcome| {
            store.add(at, &cells[at], &outcome)?;
            ran += 1;
            failing += usize::from(!outcome.pass);
            terminal::progress(&format!("cell {ran} of {}, {failing} do not pass", cells.len()));
            Ok(())
        };
        let result = pool::run(&spec, (&cells, &pending), (&command, workers), stop::interrupts(), &mut done);
        progress_ends();
        if stop::is_interrupted() {
            let (all, file) = (cells.len(), out.display());
            stands(format!("{ran} of {all} cells are in {file}; the same command runs those that are left\n"));
            return Ok(Outcome::Found);
        }
        result.map_err(failed)?;
        store.finish().map_err(failed)?;
        let document = summary(&out, pending.len()).map_err(failed)?;
        self.page.write(&format!("Sweep {}", self.spec.display()), document.pass, &to_value(&document)?)?;
        say(match self.format {
            FormatArg::Json => to_text(&document)?,
            FormatArg::Human => render_sweep(&document, terminal::style()),
        })?;
        Ok(if document.pass { Outcome::Clean } else { Outcome::Found })
    }
}

/// Carries out the cells that a sweep hands over on stdin.
#[derive(Args)]
pub(crate) struct SweepWorker {}

impl SweepWorker {
    pub(crate) fn run(self) -> anyhow::Result<Outcome> {
        let say = |line: &str| pass_on(line.as_bytes()).map_err(std::io::Error::other);
        serve(std::io::BufReader::new(std::io::stdin()), say)?;
        Ok(Outcome::Clean)
    }
}
