//! `tileproof compare`: two sweeps, cell by cell.

use std::path::PathBuf;

use clap::Args;
use tileproof_report::json::to_text;
use tileproof_report::render_compare;
use tileproof_sweep::compare::compare;

use super::sweep::failed;
use crate::arguments::{FormatArg, below};
use crate::outcome::Outcome;
use crate::terminal::{self, say};

#[derive(Args)]
#[command(after_help = below(&[], &["compare before.sqlite after.sqlite", "compare shipped.sqlite published.sqlite --across kernels"]))]
pub(crate) struct Compare {
    /// File of a sweep.
    #[arg(value_name = "A")]
    a: PathBuf,
    /// Another, which is judged by the first.
    #[arg(value_name = "B")]
    b: PathBuf,
    /// A column in which cells may differ that are compared, as kernels; may be given several times.
    #[arg(long, value_name = "COLUMN")]
    across: Vec<String>,
    /// Compare what is there of sweeps that were ended before they were complete.
    #[arg(long)]
    partial: bool,
    /// Output format.
    #[arg(long, default_value = "human")]
    format: FormatArg,
}

impl Compare {
    pub(crate) fn run(self) -> anyhow::Result<Outcome> {
        let document = compare(&self.a, &self.b, &self.across, self.partial).map_err(failed)?;
        say(match self.format {
            FormatArg::Json => to_text(&document)?,
            FormatArg::Human => render_compare(&document, terminal::style()),
        })?;
        Ok(if document.pass { Outcome::Clean } else { Outcome::Found })
    }
}
