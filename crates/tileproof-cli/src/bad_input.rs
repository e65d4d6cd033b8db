//! Bad usage and bad input: exit code 2, in words on stderr and in the format that was asked for on stdout.
//!
//! It must never speak of what a run found: that is a result. Start at [`BadInput::tell`].

use tileproof::model::finding::Finding;
use tileproof::model::schedule::DEFAULT_SCHEDULE;
use tileproof::refused;
use tileproof_report::json::{self, RefusedDocument, SarifDocument};
use tileproof_report::{render_concise, render_github, render_junit};

use crate::arguments::{RunFormat, value_of};
use crate::given;
use crate::results::say_in;
use crate::terminal::{BAD_INPUT, tell};

/// The suite of what was not run.
const COMMAND: &str = "tileproof";

/// Bad input: exit 2. Everything else that fails is ours.
#[derive(Debug)]
pub(crate) struct BadInput {
    /// For people; empty when a child process has said it already.
    message: String,
    /// The same as data.
    findings: Vec<Finding>,
}

impl std::fmt::Display for BadInput {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for BadInput {}

impl BadInput {
    /// The command line, or a file that it names, is wrong.
    pub(crate) fn new(message: impl Into<String>) -> BadInput {
        let message = message.into();
        BadInput { findings: vec![refused::finding(refused::COMMAND_LINE, None, message.as_str())], message }
    }

    /// Something that can say its places.
    pub(crate) fn found(message: impl Into<String>, findings: Vec<Finding>) -> BadInput {
        if findings.is_empty() { BadInput::new(message) } else { BadInput { message: message.into(), findings } }
    }

    /// No format can tell of it, because it is the format that is wrong.
    pub(crate) fn without_document(message: impl Into<String>) -> BadInput {
        BadInput { message: message.into(), findings: Vec::new() }
    }

    /// Says it all; the exit code.
    pub(crate) fn tell(&self) -> u8 {
        tell(&format!("error: {}\n", self.message));
        self.document()
    }

    /// Says it on stdout in the format that was asked for, if that is one for programs; the exit code.
    pub(crate) fn document(&self) -> u8 {
        let format = value_of(&given::words(), "--format").filter(|_| !self.findings.is_empty());
        if let Some((format, text)) = format.and_then(|format| Some((format, self.for_programs(format)?))) {
            // Where stdout is what is wrong, stderr has said so.
            let _ = say_in(format, &text);
        }
        BAD_INPUT
    }

    fn for_programs(&self, format: RunFormat) -> Option<String> {
        let findings = &self.findings;
        let refused = || RefusedDocument::new(&self.message, findings, DEFAULT_SCHEDULE);
        match format {
            RunFormat::Human => None,
            RunFormat::Json => json::to_text(&refused()).ok(),
            RunFormat::Concise => Some(render_concise(findings, &[])),
            RunFormat::Sarif => {
                let version = env!("CARGO_PKG_VERSION");
                SarifDocument::new(version, findings, &[], &[], DEFAULT_SCHEDULE).to_text().ok()
            }
            RunFormat::Junit => Some(render_junit(COMMAND, &refused().run, findings, &[])),
            RunFormat::Github => Some(render_github(findings, &[])),
        }
    }
}
