//! `tileproof op program`: what a call becomes, as a program file.

use std::path::PathBuf;

use clap::Args;
use tileproof::op::UserOp;
use tileproof::op::call_file::default_fill;
use tileproof::op::in_cpp::{CppProgram, PROGRAM};
use tileproof::op::run::Source;

use super::call::{CallArguments, find};
use crate::arguments::below;
use crate::bad_input::BadInput;
use crate::outcome::Outcome;
use crate::terminal::say;

#[derive(Args)]
#[command(after_help = below(&[], &[
    "op program examples/ops/rmsnorm --shape 1,1,32,64",
    "op program layernorm_bw --shape 1,1,64,2048 --into bw",
]))]
pub(crate) struct PrintProgram {
    /// Name of a shipped op, or folder of another.
    #[arg(value_name = "NAME|DIR")]
    op: String,
    #[command(flatten)]
    call: CallArguments,
    /// Of a shipped op: folder to write the program file into, with its kernels in C++, inputs and expected outputs.
    #[arg(long, value_name = "DIR")]
    into: Option<PathBuf>,
}

impl PrintProgram {
    pub(crate) fn run(self) -> anyhow::Result<Outcome> {
        let bad = |error: &dyn std::fmt::Display| BadInput::new(error.to_string());
        let found = find(&self.op)?;
        if let Some(folder) = found.folder {
            if self.into.is_some() {
                let message = "the program of an op in a folder belongs there, beside its kernels; leave --into out";
                return Err(BadInput::new(format!("{}: {message}", self.op)).into());
            }
            let op = UserOp::read(&folder).map_err(|error| bad(&error))?;
            let call = self.call.call(&op)?;
            let text = op.program_text(&call).map_err(|refusal| BadInput::new(refusal.message))?;
            let head = format!(
                "# Paths are relative to {}: keep this file there, and give its inputs a fill.\n",
                folder.display()
            );
            say(head + &text)?;
            return Ok(Outcome::Clean);
        }
        let op = found.op;
        let call = self.call.call(op.as_ref())?;
        let grid = op.grid();
        let source = Source { seed: 0, fills: &|input| default_fill(&[], input) };
        let program = CppProgram::of(op.as_ref(), &call, &source, (grid.rtol, grid.atol))
            .map_err(|error| bad(&error))?
            .ok_or_else(|| BadInput::new(format!("{}: its kernels are in Rust alone", self.op)))?;
        match self.into {
            None => {
                let head = format!(
                    "# {} of {call}. --into DIR writes it beside its kernels, inputs and expected outputs.\n",
                    self.op
                );
                say(head + &program.text())?;
            }
            Some(folder) => {
                program.write_into(&folder).map_err(|error| bad(&error))?;
                say(format!("wrote {0}; run it with `tileproof run {0}`\n", folder.join(PROGRAM).display()))?;
            }
        }
        Ok(Outcome::Clean)
    }
}
