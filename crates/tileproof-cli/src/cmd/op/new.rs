//! `tileproof op new`: a complete skeleton.

use std::path::PathBuf;

use clap::Args;
use tileproof::op::skeleton;

use crate::{BadInput, Outcome};

#[derive(Args)]
pub(crate) struct New {
    /// Name of the op: letters, digits and _.
    name: String,
    /// What it takes and makes; one input and one output of the same shape when left out.
    #[arg(long, value_name = "FILE.toml")]
    config: Option<PathBuf>,
    /// Folder to write it into; one with its name when left out.
    #[arg(long, value_name = "DIR")]
    into: Option<PathBuf>,
}

impl New {
    pub(crate) fn run(self) -> anyhow::Result<Outcome> {
        let folder = self.into.unwrap_or_else(|| PathBuf::from(&self.name));
        let files = skeleton::create(&self.name, self.config.as_deref(), &folder)
            .map_err(|error| BadInput(error.to_string()))?;
        for file in &files {
            println!("wrote {}", file.display());
        }
        println!("\nNext: tileproof op check {}", folder.display());
        Ok(Outcome::Clean)
    }
}
