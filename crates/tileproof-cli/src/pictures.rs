//! Files with pictures of a run: the trace.
//!
//! They are written before anything is printed, so that what is printed may speak of them. Start at [`PictureOptions`].

use std::path::{Path, PathBuf};

use clap::Args;
use tileproof::model::record::RunRecord;
use tileproof::model::timeline::Timeline;
use tileproof_report::trace::trace;

use crate::bad_input::BadInput;
use crate::terminal::tell;

#[derive(Args)]
pub(crate) struct PictureOptions {
    /// File to write a trace to, for the Perfetto UI: what each thread and unit did when, from one more run.
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
}

impl PictureOptions {
    /// Whether a timeline is wanted.
    pub(crate) fn are_asked_for(&self) -> bool {
        self.trace.is_some()
    }

    /// Refuses pictures beside an option that has no single run to picture.
    pub(crate) fn refuse(&self, option: &str) -> Result<(), BadInput> {
        match &self.trace {
            Some(_) => Err(BadInput::new(format!("--trace: it is of one run; leave out {option}"))),
            None => Ok(()),
        }
    }

    /// Writes what was asked for. Where no timeline was recorded it says why, and the trace has the findings alone.
    pub(crate) fn write(&self, record: &RunRecord, timeline: Option<&Result<Timeline, String>>) -> anyhow::Result<()> {
        let none = Timeline::default();
        let timeline = match timeline {
            Some(Ok(timeline)) => timeline,
            Some(Err(why)) => {
                tell(&format!("no timeline: {why}\n"));
                &none
            }
            None => &none,
        };
        if let Some(file) = &self.trace {
            let findings: Vec<_> = record.findings.iter().chain(&record.notes).cloned().collect();
            put("trace", file, &trace(timeline, &findings))?;
        }
        Ok(())
    }
}

/// Writes a file that an option names.
fn put(option: &str, file: &Path, bytes: &[u8]) -> Result<(), BadInput> {
    std::fs::write(file, bytes).map_err(|error| BadInput::new(format!("--{option} {}: {error}", file.display())))
}
