//! `tileproof op export`: from an op that its gates have proved to a change in tt-metal.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use tileproof::build::Builder;
use tileproof::op::UserOp;
use tileproof::op::gates;
use tileproof::op::registry::FindError;

use super::call::find;
use super::documents;
use crate::arguments::{ReportFormat, below};
use crate::bad_input::BadInput;
use crate::isolation::IsolationOptions;
use crate::outcome::Outcome;
use crate::terminal::say;

#[derive(Args)]
#[command(after_help = below(&[], &["op export examples/ops/rmsnorm --to ttnn ~/tt-metal"]))]
pub(crate) struct ExportOp {
    /// Folder of an op that all seven gates pass.
    #[arg(value_name = "OP_DIR")]
    op: String,
    /// The repository that it is written for.
    #[arg(long, value_name = "WHAT", default_value = "ttnn")]
    to: To,
    /// A checkout of tt-metal, or a folder in its place; no file there is overwritten.
    #[arg(value_name = "DIR")]
    into: PathBuf,
    #[command(flatten)]
    isolation: IsolationOptions,
}

/// `--to`.
#[derive(Clone, Copy, ValueEnum)]
enum To {
    /// An operation of ttnn, with its binding and its test.
    Ttnn,
}

impl ExportOp {
    pub(crate) fn run(self) -> anyhow::Result<Outcome> {
        let To::Ttnn = self.to;
        if find(&self.op)?.folder.is_none() {
            let op = &self.op;
            return Err(BadInput::new(format!(
                "{op}: a shipped op has its host side in Rust, which chooses kernels and buffers by shape: no op.toml says that, so that \
                 there is nothing to write one in C++ from; `tileproof op program {op} --shape SHAPE --into DIR` writes the program of one \
                 call, with its kernels in C++, and `tileproof op export` takes the folder of an op"
            ))
            .into());
        }
        let op = UserOp::read(Path::new(&self.op)).map_err(|error| BadInput::new(error.to_string()))?;
        let builder = self.isolation.apply(Builder::new(None).map_err(|error| BadInput::new(error.to_string()))?);
        let check = gates::check(&self.op, &*builder, &mut |_| {}).map_err(|error| match error {
            FindError::Host(_) => anyhow::Error::new(error),
            other => BadInput::found(other.to_string(), other.findings()).into(),
        })?;
        if !check.pass() {
            say(documents::shown(&check, ReportFormat::Human)?)?;
            say(format!("{}: nothing is written: an op is exported when all seven gates are green\n", self.op))?;
            return Ok(Outcome::Found);
        }
        let files = op
            .export(&documents::shown(&check, ReportFormat::Markdown)?, &self.into)
            .map_err(|error| BadInput::new(error.to_string()))?;
        let wrote: String = files.iter().map(|file| format!("wrote {}\n", file.display())).collect();
        say(format!(
            "{wrote}\nNext: what the head of CMakeLists.txt says, and `tileproof sdk` builds the host side without tt-metal\n"
        ))?;
        Ok(Outcome::Clean)
    }
}
