//! `tileproof compare`: two sweeps, cell by cell, or two programs, run by run.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::to_value;
use tileproof::run_file::RunOptions;
use tileproof_report::json::to_text;
use tileproof_report::{render_compare, render_compare_runs, render_compared_page};
use tileproof_sweep::compare::compare;

use super::compare_runs::compare_runs;
use super::sweep::failed;
use crate::arguments::{FormatArg, below};
use crate::bad_input::BadInput;
use crate::isolation::IsolationOptions;
use crate::outcome::Outcome;
use crate::pictures::PageOption;
use crate::terminal::{self, say};

#[derive(Args)]
#[command(after_help = below(&[], &["compare before.sqlite after.sqlite", "compare shipped.sqlite published.sqlite --across kernels", "compare before.toml after.toml"]))]
pub(crate) struct Compare {
    /// File of a sweep, or a program file.
    #[arg(value_name = "A")]
    a: PathBuf,
    /// Another of its kind, which is judged by the first.
    #[arg(value_name = "B")]
    b: PathBuf,
    /// A column in which cells may differ that are compared, as kernels; may be given several times.
    #[arg(long, value_name = "COLUMN")]
    across: Vec<String>,
    /// Compare what is there of sweeps that were ended before they were complete.
    #[arg(long)]
    partial: bool,
    #[command(flatten)]
    page: PageOption,
    #[command(flatten)]
    isolation: IsolationOptions,
    /// Output format.
    #[arg(long, default_value = "human")]
    format: FormatArg,
}

impl Compare {
    pub(crate) fn run(self) -> anyhow::Result<Outcome> {
        match [&self.a, &self.b].map(|file| is_program(file)) {
            [true, true] => return self.of_programs(),
            [false, false] => {}
            _ => {
                let why = "compare: two files of sweeps, or two program files (.toml); these are one of each";
                return Err(BadInput::new(why).into());
            }
        }
        if !self.isolation.are_defaults() {
            let why =
                "compare: --in-process and --limit are of programs, and files of sweeps run nothing; leave them out";
            return Err(BadInput::new(why).into());
        }
        let document = compare(&self.a, &self.b, &self.across, self.partial).map_err(failed)?;
        self.page.write(&self.title(), document.pass, &to_value(&document)?)?;
        say(match self.format {
            FormatArg::Json => to_text(&document)?,
            FormatArg::Human => render_compare(&document, terminal::style()),
        })?;
        Ok(if document.pass { Outcome::Clean } else { Outcome::Found })
    }

    fn of_programs(&self) -> anyhow::Result<Outcome> {
        if !self.across.is_empty() || self.partial {
            return Err(BadInput::new("compare: --across and --partial are of sweeps; leave them out").into());
        }
        let options = RunOptions { timeline: true, isolation: self.isolation.chosen(), ..RunOptions::default() };
        let document = compare_runs(&self.a, &self.b, &options)?;
        self.page.write_made(|command| render_compared_page(&document, command))?;
        say(match self.format {
            FormatArg::Json => to_text(&document)?,
            FormatArg::Human => render_compare_runs(&document, terminal::style()),
        })?;
        Ok(if document.pass { Outcome::Clean } else { Outcome::Found })
    }

    fn title(&self) -> String {
        format!("{}, then {}", self.a.display(), self.b.display())
    }
}

fn is_program(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "toml")
}
