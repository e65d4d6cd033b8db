//! A machine with a program's tensors on it, reached by name and by value.

use tileproof_model::finding::{self, Finding};
use tileproof_model::kernel::SharedKernel;
use tileproof_model::observe::Observer;
use tileproof_model::program::{KernelSource, Program, TensorDescriptor};
use tileproof_model::record::{Ledger, Print, RunRecord, Status};
use tileproof_sim::{LaunchError, Machine, TensorHandle};

use crate::pages::{self, PagesError};

/// Why a device cannot do what it is asked.
#[derive(thiserror::Error, Debug)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum DeviceError {
    #[error("there is no tensor {name}")]
    NoSuchTensor { name: String },
    #[error("tensor {name}: {source}")]
    Pages { name: String, source: PagesError },
    #[error(transparent)]
    Launch(#[from] LaunchError),
    #[error("kernel {kernel} is C++: it must be built first")]
    NotBuilt { kernel: String },
}

/// What a program came to.
#[derive(Debug)]
pub struct DeviceRun {
    /// How it ended.
    pub status: Status,
    /// Cycles of all launches.
    pub cycles: u64,
    /// Findings of all launches, folded over cores.
    pub findings: Vec<Finding>,
    /// Remarks that do not fail a run, of all launches, folded over cores.
    pub notes: Vec<Finding>,
    /// What kernels printed.
    pub prints: Vec<Print>,
    /// What was done with circular buffers and tensors, launch by launch.
    pub ledgers: Vec<Ledger>,
}

impl DeviceRun {
    /// The record of the run.
    pub fn into_record(self) -> RunRecord {
        RunRecord {
            status: self.status,
            cycles: self.cycles,
            findings: self.findings,
            notes: self.notes,
            prints: self.prints,
            ledgers: self.ledgers,
        }
    }
}

/// A machine and the tensors of a program.
pub struct Device<O: Observer> {
    machine: Machine<O>,
    tensors: Vec<(TensorDescriptor, TensorHandle)>,
}

impl<O: Observer> Device<O> {
    /// Allocates the tensors of a program.
    ///
    /// # Errors
    /// If they do not fit.
    pub fn new(program: &Program) -> Result<Device<O>, DeviceError> {
        let mut machine = Machine::new(program.arch);
        let mut tensors = Vec::with_capacity(program.tensors.len());
        for descriptor in &program.tensors {
            tensors.push((descriptor.clone(), machine.allocate(descriptor)?));
        }
        Ok(Device { machine, tensors })
    }

    fn tensor(&self, name: &str) -> Result<&(TensorDescriptor, TensorHandle), DeviceError> {
        let found = self.tensors.iter().find(|(t, _)| t.name == name);
        found.ok_or_else(|| DeviceError::NoSuchTensor { name: name.to_string() })
    }

    /// Fills a tensor with values, row-major; padding stays undefined.
    ///
    /// # Errors
    /// If there is no such tensor, or its format holds no values.
    pub fn write(&mut self, name: &str, values: &[f32]) -> Result<(), DeviceError> {
        let (descriptor, handle) = self.tensor(name)?;
        let bytes = pages::encode(descriptor, values)
            .map_err(|source| DeviceError::Pages { name: name.to_string(), source })?;
        let handle = *handle;
        self.machine.write(handle, bytes);
        Ok(())
    }

    /// The values of a tensor, row-major, without padding.
    ///
    /// # Errors
    /// As for [`Device::write`].
    pub fn read(&self, name: &str) -> Result<Vec<f32>, DeviceError> {
        let (descriptor, handle) = self.tensor(name)?;
        let bytes = self.machine.read(*handle);
        pages::decode(descriptor, &bytes).map_err(|source| DeviceError::Pages { name: name.to_string(), source })
    }

    /// Runs the launches of a program of Rust kernels, one after the other; a launch that does not complete is the last.
    ///
    /// # Errors
    /// If a launch cannot begin.
    pub fn run(&mut self, program: &Program) -> Result<DeviceRun, DeviceError> {
        let mut run = DeviceRun {
            status: Status::Completed,
            cycles: 0,
            findings: Vec::new(),
            notes: Vec::new(),
            prints: Vec::new(),
            ledgers: Vec::new(),
        };
        for launch in &program.launches {
            let kernels: Vec<SharedKernel> = launch
                .kernels
                .iter()
                .map(|k| match &k.source {
                    KernelSource::Native(kernel) => Ok(kernel.clone()),
                    KernelSource::Cpp(path) => Err(DeviceError::NotBuilt { kernel: path.display().to_string() }),
                })
                .collect::<Result<_, _>>()?;
            let outcome = self.machine.launch(launch, &kernels)?;
            run.status = outcome.status;
            run.cycles += outcome.cycles;
            run.findings.extend(outcome.findings);
            run.notes.extend(outcome.notes);
            run.prints.extend(outcome.prints);
            run.ledgers.push(outcome.ledger);
            if run.status != Status::Completed {
                break;
            }
        }
        run.findings = finding::fold(run.findings);
        run.notes = finding::fold(run.notes);
        Ok(run)
    }
}
