//! `tileproof reference` and `tileproof schema`: what the program takes and knows, listed from itself.
//!
//! Start at [`Reference`].

use clap::builder::PossibleValuesParser;
use clap::{Args, Command, ValueEnum};

use crate::arguments::below;
use crate::outcome::Outcome;
use crate::reference::{PAGES, schema};
use crate::terminal::say;

#[derive(Args)]
#[command(after_help = below(&[], &["reference", "reference program-file"]))]
pub(crate) struct Reference {
    /// The page; without one, they are listed.
    #[arg(value_parser = PossibleValuesParser::new(PAGES.iter().map(|page| page.name)))]
    page: Option<String>,
}

impl Reference {
    pub(crate) fn run(self, command: Command) -> anyhow::Result<Outcome> {
        match PAGES.iter().find(|page| self.page.as_deref() == Some(page.name)) {
            Some(page) => say((page.text)(command))?,
            None => say(PAGES.iter().map(|page| format!("{:<14}  {}\n", page.name, page.about)).collect::<String>())?,
        }
        Ok(Outcome::Clean)
    }
}

#[derive(Args)]
#[command(after_help = below(&[], &["schema program > program.schema.json"]))]
pub(crate) struct Schema {
    /// The kind of file.
    file: FileArg,
}

/// A kind of file.
#[derive(Clone, Copy, ValueEnum)]
enum FileArg {
    /// Program files.
    Program,
    /// op.toml.
    Op,
    /// Files of sweeps.
    Sweep,
}

impl Schema {
    pub(crate) fn run(self) -> anyhow::Result<Outcome> {
        let schema = match self.file {
            FileArg::Program => schema::of_program(),
            FileArg::Op => schema::of_op(),
            FileArg::Sweep => schema::of_sweep(),
        };
        say(format!("{}\n", serde_json::to_string_pretty(&schema)?))?;
        Ok(Outcome::Clean)
    }
}
