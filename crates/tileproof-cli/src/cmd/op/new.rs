//! `tileproof op new`: a complete skeleton.

use std::path::PathBuf;

use clap::Args;
use tileproof::op::skeleton;

use crate::arguments::below;
use crate::bad_input::BadInput;
use crate::outcome::Outcome;
use crate::terminal::say;

#[derive(Args)]
#[command(after_help = below(&[], &["op new scale", "op new scale --into ops/scale"]))]
pub(crate) struct NewOp {
    /// Name of the op: letters, digits and _.
    name: String,
    /// What it takes and makes; one input and one output of the same shape when left out.
    #[arg(long, value_name = "FILE.toml")]
    config: Option<PathBuf>,
    /// Folder to write it into; one with its name when left out.
    #[arg(long, value_name = "DIR")]
    into: Option<PathBuf>,
}

impl NewOp {
    pub(crate) fn run(self) -> anyhow::Result<Outcome> {
        let folder = self.into.unwrap_or_else(|| PathBuf::from(&self.name));
        let files = skeleton::create(&self.name, self.config.as_deref(), &folder)
            .map_err(|error| BadInput::new(error.to_string()))?;
        let wrote: String = files.iter().map(|file| format!("wrote {}\n", file.display())).collect();
        say(format!("{wrote}\nNext: tileproof op check {}\n", folder.display()))?;
        Ok(Outcome::Clean)
    }
}
