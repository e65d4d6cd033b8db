//! `tileproof ledger`: who does what to each circular buffer of a program.

use std::path::PathBuf;

use clap::Args;
use tileproof::model::record::Status;
use tileproof::run_file::{ChosenChecks, RunOptions};
use tileproof_report::json::{LedgerDocument, to_text};
use tileproof_report::render_ledger;

use crate::arguments::{FormatArg, below};
use crate::isolation::IsolationOptions;
use crate::outcome::Outcome;
use crate::program::run_file;
use crate::terminal::say;

#[derive(Args)]
#[command(after_help = below(&[], &["ledger examples/programs/add/program.toml"]))]
pub(crate) struct PrintLedger {
    /// Program file.
    #[arg(value_name = "PROGRAM.toml")]
    program: PathBuf,
    #[command(flatten)]
    isolation: IsolationOptions,
    /// Output format.
    #[arg(long, default_value = "human")]
    format: FormatArg,
}

impl PrintLedger {
    pub(crate) fn run(self) -> anyhow::Result<Outcome> {
        let isolation = self.isolation.chosen();
        let options = RunOptions { checks: ChosenChecks::None, isolation, ..RunOptions::default() };
        let result = run_file(&self.program, &options)?;
        let record = &result.record;
        say(match self.format {
            FormatArg::Json => to_text(&LedgerDocument::new(record))?,
            FormatArg::Human => render_ledger(record),
        })?;
        Ok(if record.status == Status::Completed { Outcome::Clean } else { Outcome::Found })
    }
}
