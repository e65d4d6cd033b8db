//! `tileproof analyze`: what a kernel does, from its text.

use std::path::PathBuf;

use clap::Args;
use tileproof::analyze::{self, Analysis, ArgumentRead, Buffer, Helper, Operation, Use};
use tileproof_report::json::analysis::{
    AnalysisDocument, ArgumentEntry, BufferEntry, HelperEntry, OperationEntry, UseEntry,
};
use tileproof_report::json::list_to_text;
use tileproof_report::render_analysis;

use crate::arguments::{ReportFormat, below};
use crate::bad_input::BadInput;
use crate::outcome::Outcome;
use crate::terminal::say;

#[derive(Args)]
#[command(after_help = below(&[], &["analyze examples/programs/add/add.cpp", "analyze examples/programs/add --format markdown"]))]
pub(crate) struct Analyze {
    /// Kernel, or folder with kernels.
    #[arg(value_name = "KERNEL.cpp|DIR")]
    path: PathBuf,
    /// Output format.
    #[arg(long, default_value = "human")]
    format: ReportFormat,
}

impl Analyze {
    pub(crate) fn run(self) -> anyhow::Result<Outcome> {
        let analyses = analyze::path(&self.path).map_err(|error| BadInput::new(error.to_string()))?;
        let documents: Vec<AnalysisDocument> = analyses.into_iter().map(document).collect();
        let markdown = self.format == ReportFormat::Markdown;
        say(match self.format {
            ReportFormat::Json => list_to_text(&documents)?,
            _ => documents.iter().map(|of| render_analysis(of, markdown)).collect::<Vec<_>>().join("\n"),
        })?;
        Ok(Outcome::Clean)
    }
}

/// The document of an analysis.
fn document(of: Analysis) -> AnalysisDocument {
    let argument = |a: ArgumentRead| ArgumentEntry {
        kind: a.kind.into(),
        index: a.index,
        name: a.name,
        file: a.file,
        line: a.line,
    };
    let helper = |h: Helper| HelperEntry { name: h.name, file: h.file, line: h.line, calls: h.calls };
    AnalysisDocument {
        file: of.file.display().to_string(),
        kind: of.kind.into(),
        arguments: of.arguments.into_iter().map(argument).collect(),
        buffers: of.buffers.into_iter().map(buffer).collect(),
        operations: of.operations.into_iter().map(operation).collect(),
        helpers: of.helpers.into_iter().map(helper).collect(),
        other_calls: of.other_calls,
        includes: of.includes,
        unknown: of.unknown,
    }
}

fn buffer(of: Buffer) -> BufferEntry {
    let used = |u: Use| UseEntry {
        call: u.call,
        action: u.action.into(),
        threads: words(u.threads),
        pages: u.pages,
        total: u.total,
        file: u.file,
        line: u.line,
    };
    BufferEntry {
        name: of.name,
        index: of.index,
        roles: words(of.roles),
        pushed: of.pushed,
        popped: of.popped,
        uses: of.uses.into_iter().map(used).collect(),
    }
}

fn operation(of: Operation) -> OperationEntry {
    OperationEntry {
        threads: words(of.threads),
        call: of.call,
        arguments: of.arguments,
        init: of.init,
        within: of.within,
        file: of.file,
        line: of.line,
    }
}

fn words(list: Vec<&str>) -> Vec<String> {
    list.into_iter().map(String::from).collect()
}
