//! Files with pictures of a run: a trace, a page.
//!
//! They are written before anything is printed, so that what is printed may speak of them. Start at [`PictureOptions`].

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::Value;
use tileproof::audit::WhatIf;
use tileproof::error_map::ErrorMap;
use tileproof::model::record::RunRecord;
use tileproof::model::timeline::Timeline;
use tileproof::output::OutputResult;
use tileproof_report::trace::trace;
use tileproof_report::{RunPage, render_document_page, render_page};

use crate::bad_input::BadInput;
use crate::given;
use crate::results::{error_map, output_text, what_if};
use crate::source_files::SourceFiles;
use crate::terminal::tell;

#[derive(Args)]
pub(crate) struct PictureOptions {
    /// File to write a trace to, for the Perfetto UI: what each thread and unit did when, from one more run.
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    #[command(flatten)]
    page: PageOption,
}

/// `--report`.
#[derive(Args)]
pub(crate) struct PageOption {
    /// File to write a page to, in HTML: of a run findings with their source, who waited for whom and what bounds it, from one more run.
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
}

impl PageOption {
    /// Writes a document as a page, if that is asked for.
    pub(crate) fn write(&self, title: &str, pass: bool, document: &Value) -> Result<(), BadInput> {
        self.write_made(|command| render_document_page(title, pass, command, document))
    }

    /// Writes a page that is made with the command that makes it again, if that is asked for.
    pub(crate) fn write_made(&self, page: impl FnOnce(&str) -> String) -> Result<(), BadInput> {
        let Some(file) = &self.report else { return Ok(()) };
        put("report", file, page(&command()).as_bytes())
    }
}

/// A run, as pictures tell of it.
pub(crate) struct Pictured<'a> {
    /// What was run.
    pub(crate) title: String,
    pub(crate) record: &'a RunRecord,
    pub(crate) outputs: &'a [OutputResult],
    pub(crate) errors: &'a [ErrorMap],
    pub(crate) timeline: Option<&'a Result<Timeline, String>>,
    /// What would make it faster, where that was tried.
    pub(crate) help: Option<Vec<WhatIf>>,
    pub(crate) pass: bool,
}

impl PictureOptions {
    /// Whether a timeline is wanted.
    pub(crate) fn are_asked_for(&self) -> bool {
        self.trace.is_some() || self.page.report.is_some()
    }

    /// Whether a page is wanted.
    pub(crate) fn asks_for_a_page(&self) -> bool {
        self.page.report.is_some()
    }

    /// The file of the page.
    pub(crate) fn page(&self) -> &PageOption {
        &self.page
    }

    /// Refuses a trace beside an option of which a page tells, but that has no single run.
    pub(crate) fn refuse_trace(&self, option: &str) -> Result<(), BadInput> {
        match self.trace {
            Some(_) => Err(BadInput::new(format!("--trace: it is of one run; leave out {option}"))),
            None => Ok(()),
        }
    }

    /// Refuses pictures beside an option that has no single run to picture.
    pub(crate) fn refuse(&self, option: &str) -> Result<(), BadInput> {
        let asked = [("--trace", &self.trace), ("--report", &self.page.report)];
        match asked.iter().find(|(_, file)| file.is_some()) {
            Some((name, _)) => Err(BadInput::new(format!("{name}: it is of one run; leave out {option}"))),
            None => Ok(()),
        }
    }

    /// Writes what was asked for. Where no timeline was recorded it says why, and the pictures have the findings alone.
    pub(crate) fn write(&self, run: &Pictured<'_>) -> anyhow::Result<()> {
        let (timeline, why_not) = match run.timeline {
            Some(Ok(timeline)) => (Some(timeline), None),
            Some(Err(why)) => (None, Some(why.as_str())),
            None => (None, None),
        };
        if let Some(why) = why_not {
            tell(&format!("no timeline: {why}\n"));
        }
        if let Some(file) = &self.trace {
            let findings: Vec<_> = run.record.findings.iter().chain(&run.record.notes).cloned().collect();
            put("trace", file, &trace(timeline.unwrap_or(&Timeline::default()), &findings))?;
        }
        if let Some(file) = &self.page.report {
            let errors: Vec<_> = run.errors.iter().map(error_map).collect();
            let help: Option<Vec<_>> = run.help.as_ref().map(|help| help.iter().map(what_if).collect());
            let page = RunPage {
                title: run.title.clone(),
                record: run.record,
                outputs: run.outputs.iter().map(output_text).collect(),
                errors: &errors,
                help: help.as_deref(),
                timeline,
                why_not,
                command: command(),
                pass: run.pass,
            };
            put("report", file, render_page(&page, &SourceFiles::default()).as_bytes())?;
        }
        Ok(())
    }
}

/// The command line, without the pictures: what runs this again.
fn command() -> String {
    let mut words = Vec::new();
    let mut arguments = given::words().into_iter().skip(1);
    while let Some(word) = arguments.next() {
        match word.split_once('=').map_or(word.as_str(), |(name, _)| name) {
            "--trace" | "--report" => {
                if !word.contains('=') {
                    arguments.next();
                }
            }
            _ => words.push(quoted(&word)),
        }
    }
    format!("tileproof {}", words.join(" "))
}

/// A word as a shell takes it for one.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./,:=+@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.into()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// Writes a file that an option names.
pub(crate) fn put(option: &str, file: &Path, bytes: &[u8]) -> Result<(), BadInput> {
    std::fs::write(file, bytes).map_err(|error| BadInput::new(format!("--{option} {}: {error}", file.display())))
}
