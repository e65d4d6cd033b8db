//! How a program is run, as Python says it.
//!
//! It must never add a default of its own. Start at [`Options`].

use std::time::Duration;

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use tileproof::Isolation;
use tileproof::model::schedule::Schedule;
use tileproof::run_file::{ChosenChecks, RunOptions};

/// Options of a run, each left out where it is `None`.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Options {
    checks: Option<String>,
    explore: Option<usize>,
    schedule: Option<String>,
    threads: Option<usize>,
    in_process: bool,
    limit: Option<u64>,
    parameters: Vec<(String, String)>,
}

impl Options {
    pub(crate) fn read(self) -> PyResult<RunOptions> {
        let wrong = |text: String| PyValueError::new_err(text);
        if self.threads == Some(0) {
            return Err(wrong("threads 0: give at least 1".into()));
        }
        let limit = self.limit.map_or(Isolation::LIMIT, Duration::from_secs);
        Ok(RunOptions {
            checks: self.checks.as_deref().map(ChosenChecks::parse).transpose().map_err(wrong)?.unwrap_or_default(),
            schedule: self
                .schedule
                .as_deref()
                .map(Schedule::parse)
                .transpose()
                .map_err(|e| wrong(e.to_string()))?
                .unwrap_or_default(),
            explore: self.explore.unwrap_or(0),
            threads: self.threads,
            parameters: self.parameters,
            isolation: (!self.in_process).then_some(Isolation { limit }),
            ..RunOptions::default()
        })
    }
}

/// The exception of what cannot be run.
pub(crate) fn cannot(error: impl std::fmt::Display) -> PyErr {
    PyRuntimeError::new_err(error.to_string())
}
