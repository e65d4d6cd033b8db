//! `tileproof mcp`: the tools of the command for programs.

use std::ffi::OsString;

use clap::Args;

use crate::outcome::Outcome;

/// Serve the Model Context Protocol on stdin and stdout.
#[derive(Args)]
pub(crate) struct Mcp {}

impl Mcp {
    /// `itself` is the command line that starts this command without arguments.
    #[cfg(feature = "mcp")]
    pub(crate) fn run(self, itself: &[OsString]) -> anyhow::Result<Outcome> {
        crate::mcp::serve(itself)?;
        Ok(Outcome::Clean)
    }

    /// Without what it takes there is the way to it.
    #[cfg(not(feature = "mcp"))]
    pub(crate) fn run(self, _: &[OsString]) -> anyhow::Result<Outcome> {
        let how = "this command was built without mcp; the Python package has it, and so has \
                   `cargo install --path crates/tileproof-cli --features mcp`";
        Err(crate::bad_input::BadInput::new(how).into())
    }
}
