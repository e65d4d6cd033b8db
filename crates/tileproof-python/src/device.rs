//! A device that stays open, for Python.
//!
//! It must never hold the interpreter and the device at once while either waits for the other. Start at [`Device::run`].

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use tileproof::model::thread::CoreCoord;
use tileproof::open_device::{OpenDevice, RECORD_VARIABLE, TensorId};
use tileproof::program_file::{Api, LaunchLines};

use crate::options::{Options, cannot};
use crate::report::Report;
use crate::servers::servers;
use crate::tensor::{Described, chip, words};
use crate::{launch, waiting};

/// A device, and the tensors that lie on it, by number.
#[pyclass(frozen)]
pub(crate) struct Device {
    device: Mutex<OpenDevice>,
    /// Tensors that were freed while a program ran: whoever has the device next frees them.
    freed: Mutex<Vec<TensorId>>,
}

impl Device {
    fn with<T: Send>(&self, py: Python<'_>, work: impl FnOnce(&mut OpenDevice) -> T + Send) -> T {
        py.detach(|| work(&mut self.lock()))
    }

    /// A panic leaves a device as it was: what it holds is replaced whole.
    fn lock(&self) -> MutexGuard<'_, OpenDevice> {
        let mut device = self.device.lock().unwrap_or_else(PoisonError::into_inner);
        self.free_in(&mut device);
        device
    }

    /// Frees what is to be freed.
    fn free_in(&self, device: &mut OpenDevice) {
        let mut freed = self.freed.lock().unwrap_or_else(PoisonError::into_inner);
        freed.drain(..).for_each(|tensor| device.free(tensor));
    }
}

#[pymethods]
impl Device {
    #[new]
    fn new(arch: &str, is_0_66: bool) -> PyResult<Device> {
        let api = if is_0_66 { Api::V0_66 } else { Api::V0_79 };
        let mut device = OpenDevice::new(chip(arch)?, Some(api));
        if let Some(folder) = std::env::var_os(RECORD_VARIABLE).filter(|folder| !folder.is_empty()) {
            device.record_into(folder.into());
        }
        Ok(Device { device: Mutex::new(device), freed: Mutex::default() })
    }

    /// Columns and rows of the compute grid, DRAM banks, and bytes of L1.
    fn facts(&self, py: Python<'_>) -> (u32, u32, u32, u32) {
        self.with(py, |device| {
            let chip = device.arch().constants();
            (chip.grid.0, chip.grid.1, chip.dram_banks, chip.l1_bytes)
        })
    }

    fn allocate(&self, py: Python<'_>, tensor: Described) -> PyResult<u64> {
        let tensor = tensor.read()?;
        self.with(py, |device| device.allocate(tensor, None)).map(|id| id.0).map_err(cannot)
    }

    /// Frees a tensor, at once or when the program that runs has ended: Python calls this wherever it drops the last name of a
    /// tensor, also in a signal's handler that the program waits for.
    fn free(&self, tensor: u64) {
        self.freed.lock().unwrap_or_else(PoisonError::into_inner).push(TensorId(tensor));
        match self.device.try_lock() {
            Ok(mut device) => self.free_in(&mut device),
            Err(TryLockError::Poisoned(device)) => self.free_in(&mut device.into_inner()),
            Err(TryLockError::WouldBlock) => {}
        }
    }

    fn write(&self, py: Python<'_>, tensor: u64, elements: PyReadonlyArray1<'_, u32>, padding: f64) -> PyResult<()> {
        let elements = words(&elements)?;
        self.with(py, |device| device.write(TensorId(tensor), elements, padding)).map_err(cannot)
    }

    fn read<'py>(&self, py: Python<'py>, tensor: u64) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let words = self.with(py, |device| device.read(TensorId(tensor))).map_err(cannot)?;
        Ok(PyArray1::from_vec(py, words))
    }

    /// How many pages nobody has written, and the first of them.
    fn undefined_pages(&self, py: Python<'_>, tensor: u64) -> PyResult<Option<(u32, u32)>> {
        self.with(py, |device| device.undefined_pages(TensorId(tensor))).map_err(cannot)
    }

    fn address(&self, py: Python<'_>, tensor: u64) -> PyResult<u32> {
        self.with(py, |device| device.address(TensorId(tensor))).map_err(cannot)
    }

    fn accessor_words(&self, py: Python<'_>, tensor: u64) -> PyResult<Vec<u32>> {
        self.with(py, |device| device.accessor_words(TensorId(tensor))).map_err(cannot)
    }

    /// NoC coordinates of a logical core.
    fn noc_of(&self, py: Python<'_>, x: u32, y: u32) -> Option<(u32, u32)> {
        self.with(py, |device| device.noc_of(CoreCoord { x, y }))
    }

    /// Runs a launch on the tensors `io`, the last its output; with a fault, if there is one.
    #[pyo3(signature = (path, launch, io, options, fault = None))]
    fn run(
        &self,
        py: Python<'_>,
        path: PathBuf,
        launch: launch::Described,
        io: Vec<u64>,
        options: Options,
        fault: Option<Py<Fault>>,
    ) -> PyResult<Report> {
        let (launch, options) = (launch.read()?, options.read()?);
        let io: Vec<TensorId> = io.into_iter().map(TensorId).collect();
        let work = || {
            let program = (path, LaunchLines::nowhere(&launch));
            let mut device = self.lock();
            let result = match &fault {
                Some(fault) => device.run_with_fault(program, launch, &io, &options, &fault.get().0),
                None => device.run_beside(program, launch, &io, &options, servers()),
            };
            result.map_err(|error| error.to_string())
        };
        let result = waiting::while_it_runs(py, work)?;
        result.map(|result| Report::new(result, None)).map_err(cannot)
    }

    /// What can be wrong with a launch.
    fn faults(
        &self,
        py: Python<'_>,
        path: PathBuf,
        launch: launch::Described,
        io: Vec<u64>,
        options: Options,
    ) -> PyResult<Vec<Fault>> {
        let (launch, options) = (launch.read()?, options.read()?);
        let io: Vec<TensorId> = io.into_iter().map(TensorId).collect();
        let work = || {
            let program = (path, LaunchLines::nowhere(&launch));
            self.lock().faults(program, launch, &io, &options).map_err(|error| error.to_string())
        };
        let faults = waiting::while_it_runs(py, work)?.map_err(cannot)?;
        Ok(faults.into_iter().map(Fault).collect())
    }
}

/// One thing that can be wrong with a program.
#[pyclass(frozen, eq)]
#[derive(PartialEq)]
pub(crate) struct Fault(tileproof::audit::Fault);

#[pymethods]
impl Fault {
    /// What is wrong, for a sentence.
    #[getter]
    fn words(&self) -> &'static str {
        self.0.words()
    }

    /// What the calls do that it befalls.
    #[getter]
    fn what(&self) -> Option<String> {
        self.0.spot().map(|spot| spot.what.clone())
    }

    /// The file and the line of those calls.
    #[getter]
    fn place(&self) -> Option<(String, u32)> {
        self.0.spot().map(|spot| (spot.location.file.clone(), spot.location.line))
    }
}
