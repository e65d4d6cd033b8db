//! Sweeps: the file and the workers of the library, so that whoever hands out cells, here or on a cluster, is Python.
//!
//! It must never hold the interpreter while cells run. Start at [`Sweep`] and [`SweepWorker`].

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use tileproof_report::json::to_text;
use tileproof_report::{Style, render_compare, render_sweep};
use tileproof_sweep::apart::Worker;
use tileproof_sweep::cell::{Cell, Outcome};
use tileproof_sweep::compare;
use tileproof_sweep::pool;
use tileproof_sweep::spec::{Limits, Spec};
use tileproof_sweep::store::Store;

use crate::options::cannot;
use crate::waiting::until_stopped;

const PLAIN: Style = Style { color: false, width: 100 };

/// A document as JSON, and as text.
type Told = (String, String);

/// A sweep and its file.
#[pyclass(frozen)]
pub(crate) struct Sweep {
    spec: Spec,
    cells: Vec<Cell>,
    path: PathBuf,
    /// `None` once it is finished.
    store: Mutex<Option<Store>>,
}

impl Sweep {
    fn store(&self) -> MutexGuard<'_, Option<Store>> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn finished() -> PyErr {
    cannot("the sweep is finished")
}

#[pymethods]
impl Sweep {
    /// From a file, or from the same as JSON whose paths begin at `folder`.
    #[new]
    fn new(file: Option<PathBuf>, json: String, folder: PathBuf, out: PathBuf, anew: bool) -> PyResult<Sweep> {
        let spec = match file {
            Some(file) => Spec::read(&file).map_err(cannot)?,
            None => Spec::parse_json(&json, &folder).map_err(PyValueError::new_err)?,
        };
        let cells = spec.cells().map_err(PyValueError::new_err)?;
        let store = Store::open(&out, &spec, &cells, anew).map_err(cannot)?;
        Ok(Sweep { spec, cells, path: out, store: Mutex::new(Some(store)) })
    }

    fn __len__(&self) -> usize {
        self.cells.len()
    }

    /// The numbers of the cells that are not in the file yet.
    fn pending(&self) -> PyResult<Vec<usize>> {
        self.store().as_ref().ok_or_else(finished)?.pending().map_err(cannot)
    }

    /// What a worker elsewhere needs: the folder where paths begin, and its limits in seconds and megabytes.
    fn terms(&self) -> (PathBuf, f64, u64) {
        let Limits { seconds, memory_mb } = self.spec.limits;
        (self.spec.folder.clone(), seconds, memory_mb)
    }

    /// A cell, as `SweepWorker.run` takes it.
    fn cell(&self, number: usize) -> PyResult<String> {
        let cell = self.cells.get(number).ok_or_else(|| cannot(format!("cell {number}: there is none")))?;
        serde_json::to_string(cell).map_err(cannot)
    }

    /// Keeps what a cell came to, as `SweepWorker.run` gives it; whether it passes.
    fn add(&self, number: usize, outcome: &str) -> PyResult<bool> {
        let outcome: Outcome = serde_json::from_str(outcome).map_err(cannot)?;
        let cell = self.cells.get(number).ok_or_else(|| cannot(format!("cell {number}: there is none")))?;
        let store = self.store();
        store.as_ref().ok_or_else(finished)?.add(number, cell, &outcome).map_err(cannot)?;
        Ok(outcome.pass)
    }

    /// Carries out what is pending in processes of this host that `command` starts; `done` is told whether each passes.
    fn run(&self, py: Python<'_>, command: Vec<OsString>, workers: usize, done: Py<PyAny>) -> PyResult<()> {
        let pending = self.pending()?;
        let work = |stop: &Arc<AtomicBool>| {
            let mut raised = None;
            let mut keep = |number: usize, outcome: Outcome| {
                self.store().as_ref().map_or(Ok(()), |store| store.add(number, &self.cells[number], &outcome))?;
                let told = Python::attach(|py| done.call1(py, (outcome.pass,)).map(drop));
                told.map_err(|error| {
                    raised = Some(error);
                    tileproof_sweep::SweepError::Stopped
                })
            };
            let result = pool::run(&self.spec, (&self.cells, &pending), (&command, workers), stop, &mut keep);
            (result, raised)
        };
        let (result, raised) = until_stopped(py, work)?;
        raised.map_or(result.map_err(cannot), Err)
    }

    /// Lets go of the file, which another may take up then.
    fn close(&self) {
        self.store().take();
    }

    /// Writes the file as a whole, and says what came of the sweep, of which `ran` cells were carried out now.
    fn finish(&self, py: Python<'_>, ran: usize) -> PyResult<Told> {
        let store = self.store().take().ok_or_else(finished)?;
        let document = py.detach(|| store.finish().and_then(|()| compare::summary(&self.path, ran))).map_err(cannot)?;
        Ok((to_text(&document).map_err(cannot)?, render_sweep(&document, PLAIN)))
    }
}

/// A worker process, for whoever hands out cells.
#[pyclass(frozen)]
pub(crate) struct SweepWorker {
    worker: Mutex<Worker>,
}

#[pymethods]
impl SweepWorker {
    #[new]
    fn new(command: Vec<OsString>, folder: PathBuf, seconds: f64, memory_mb: u64) -> SweepWorker {
        SweepWorker { worker: Mutex::new(Worker::new(command, folder, Limits { seconds, memory_mb })) }
    }

    /// What a cell comes to.
    fn run(&self, py: Python<'_>, cell: &str) -> PyResult<String> {
        let cell: Cell = serde_json::from_str(cell).map_err(cannot)?;
        let work = |stop: &Arc<AtomicBool>| self.worker.lock().unwrap_or_else(PoisonError::into_inner).run(&cell, stop);
        let outcome = until_stopped(py, work)?.map_err(cannot)?;
        serde_json::to_string(&outcome).map_err(cannot)
    }
}

/// Two sweeps, cell by cell; `across` are columns in which cells may differ, `partial` takes sweeps that are not complete.
#[pyfunction]
pub(crate) fn compare_sweeps(
    py: Python<'_>,
    a: PathBuf,
    b: PathBuf,
    across: Vec<String>,
    partial: bool,
) -> PyResult<Told> {
    let document = py.detach(|| compare::compare(&a, &b, &across, partial)).map_err(cannot)?;
    Ok((to_text(&document).map_err(cannot)?, render_compare(&document, PLAIN)))
}
