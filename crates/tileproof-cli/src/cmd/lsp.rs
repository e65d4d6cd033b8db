//! `tileproof lsp`: the command for editors.

use std::ffi::OsString;

use clap::{Args, ValueEnum};

use crate::lsp::{Settings, serve};
use crate::outcome::Outcome;

/// Serve the Language Server Protocol on stdin and stdout.
#[derive(Args)]
pub(crate) struct Lsp {
    /// When programs run: when a program file, or a kernel or header of theirs, is saved; or when the editor asks for it alone.
    #[arg(long, value_name = "WHEN", default_value = "on-save")]
    run: When,
    /// Seconds that one run of the kernels may take before it is ended.
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
    limit: u64,
    /// Programs that one save runs at most, those nearest to the file first.
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u64).range(1..))]
    programs: u64,
}

/// When programs run.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum When {
    OnSave,
    OnRequest,
}

impl Lsp {
    /// `itself` is the command line that starts this command without arguments. The exit code is what the protocol has: 1 for a
    /// client that goes without `shutdown`.
    pub(crate) fn run(self, itself: &[OsString]) -> anyhow::Result<Outcome> {
        let programs = usize::try_from(self.programs).unwrap_or(usize::MAX);
        let settings = Settings { on_save: self.run == When::OnSave, seconds: self.limit, programs };
        Ok(if serve(itself, &settings)? { Outcome::Clean } else { Outcome::Found })
    }
}
