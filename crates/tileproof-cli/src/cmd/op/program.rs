//! `tileproof op program`: what a call becomes, as a program file.

use clap::Args;
use tileproof::op::UserOp;

use super::{CallArguments, find};
use crate::arguments::below;
use crate::terminal::say;
use crate::{BadInput, Outcome};

#[derive(Args)]
#[command(after_help = below(&[], &["op program examples/ops/rmsnorm --shape 1,1,32,64"]))]
pub(crate) struct Program {
    /// Folder of the op.
    #[arg(value_name = "DIR")]
    op: String,
    #[command(flatten)]
    call: CallArguments,
}

impl Program {
    pub(crate) fn run(self) -> anyhow::Result<Outcome> {
        let bad = |error: &dyn std::fmt::Display| BadInput::new(error.to_string());
        let Some(folder) = find(&self.op)?.folder else {
            let message =
                "its kernels are in Rust and have no program file; `op run`, or a file with op = \"..\", calls it";
            return Err(BadInput::new(format!("{}: {message}", self.op)).into());
        };
        let op = UserOp::read(&folder).map_err(|error| bad(&error))?;
        let call = self.call.call(&op)?;
        let text = op.program_text(&call).map_err(|refusal| BadInput::new(refusal.message))?;
        let head = format!(
            "# Paths are relative to {}: keep this file there, and give its inputs a fill.\n",
            folder.display()
        );
        say(head + &text)?;
        Ok(Outcome::Clean)
    }
}
