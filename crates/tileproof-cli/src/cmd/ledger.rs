//! `tileproof ledger`: who does what to each circular buffer of a program.

use std::path::PathBuf;

use clap::Args;
use tileproof::model::record::Status;
use tileproof::run_file::{Checks, RunOptions};
use tileproof_report::json::{LedgerEntry, TensorEntry, to_text};
use tileproof_report::render_ledger;

use super::run::run_file;
use crate::Outcome;
use crate::arguments::{FormatArg, below};
use crate::terminal::say;

#[derive(Args)]
#[command(after_help = below(&[], &["ledger examples/programs/add/program.toml"]))]
pub(crate) struct Ledger {
    /// Program file.
    #[arg(value_name = "PROGRAM.toml")]
    program: PathBuf,
    /// Output format.
    #[arg(long, default_value = "human")]
    format: FormatArg,
}

#[derive(serde::Serialize)]
struct Document {
    status: &'static str,
    ledger: Vec<LedgerEntry>,
    tensors: Vec<TensorEntry>,
}

impl Ledger {
    pub(crate) fn run(self) -> anyhow::Result<Outcome> {
        let result = run_file(&self.program, &RunOptions { checks: Checks::None, ..RunOptions::default() })?;
        let ledgers = &result.record.ledgers;
        let status = result.record.status.name();
        match self.format {
            FormatArg::Json => {
                let document =
                    Document { status, ledger: LedgerEntry::all(ledgers), tensors: TensorEntry::all(ledgers) };
                say(to_text(&document)?)?;
            }
            FormatArg::Human => {
                let mut text = render_ledger(ledgers);
                if result.record.status != Status::Completed {
                    text += &format!("the run did not complete ({status}): counts are those of its end\n");
                }
                say(text)?;
            }
        }
        Ok(if result.record.status == Status::Completed { Outcome::Clean } else { Outcome::Found })
    }
}
