//! What a run came to, for Python.
//!
//! It must never word anything: text and JSON are those of the command. Start at [`Report`].

use std::path::PathBuf;

use pyo3::prelude::*;
use tileproof::run_file::RunResult;
use tileproof_cli::results;
use tileproof_report::{Style, json};

use crate::options::cannot;

/// What a run came to.
#[pyclass(frozen)]
pub(crate) struct Report {
    result: RunResult,
    program: Option<PathBuf>,
}

impl Report {
    pub(crate) fn new(result: RunResult, program: Option<PathBuf>) -> Report {
        Report { result, program }
    }
}

#[pymethods]
impl Report {
    /// True if the program completed, nothing was found and everything came out as expected.
    #[getter]
    fn passed(&self) -> bool {
        self.result.pass()
    }

    /// Device time in cycles.
    #[getter]
    fn cycles(&self) -> u64 {
        self.result.record.cycles
    }

    /// Seconds on this host.
    #[getter]
    fn wall_s(&self) -> f64 {
        self.result.wall_s
    }

    /// The schedule that the run followed, or on which it failed.
    #[getter]
    fn schedule(&self) -> String {
        let failed = self.result.explored.as_ref().and_then(|explored| explored.failed.as_ref());
        failed.unwrap_or(&self.result.schedule).to_string()
    }

    /// What kernels printed, a line each: core, thread and text.
    #[getter]
    fn prints(&self) -> Vec<(String, String, String)> {
        let prints = self.result.record.prints.iter();
        prints.map(|p| (p.place.core.to_string(), p.place.thread.to_string(), p.text.clone())).collect()
    }

    /// The document that `tileproof run --format json` prints.
    fn json(&self) -> PyResult<String> {
        json::to_text(&results::document(&self.result)).map_err(cannot)
    }

    /// The text that `tileproof run` prints.
    #[pyo3(signature = (color = false, width = 100))]
    fn text(&self, color: bool, width: usize) -> String {
        let program = self.program.as_ref().map_or_else(String::new, |path| path.display().to_string());
        let replay = format!("tileproof run {program} --schedule {}", self.schedule());
        results::for_people_in(Style { color, width }, &self.result, replay)
    }
}
