//! A machine with a program's tensors on it, reached by name and by value.

use tileproof_build::{BuildError, CompileRequest};
use tileproof_model::finding;
use tileproof_model::kernel::SharedKernel;
use tileproof_model::observe::Observer;
use tileproof_model::program::{KernelSource, Program, TensorDescriptor};
use tileproof_model::record::{RunRecord, Status};
use tileproof_sim::{LaunchError, LaunchOutcome, Machine, TensorHandle};

use crate::cpp_kernels::{self, BuildKernels};
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
    #[error(transparent)]
    Build(#[from] BuildError),
    #[error("kernel {kernel}: its cores have different circular buffers {cb}; give them kernels of their own")]
    CbsDiffer { kernel: String, cb: u8 },
}

/// Adds what a launch came to: launches follow each other in time.
pub(crate) fn append(record: &mut RunRecord, outcome: LaunchOutcome) {
    // Prints of a launch count their cycles from its start.
    record.prints.extend(outcome.prints.into_iter().map(|mut print| {
        print.cycle += record.cycles;
        print
    }));
    record.status = outcome.status;
    record.cycles += outcome.cycles;
    record.findings.extend(outcome.findings);
    record.notes.extend(outcome.notes);
    record.ledgers.push(outcome.ledger);
}

/// The host threads to use: as many as were asked for, or all that there are.
pub fn host_threads(asked: Option<usize>) -> usize {
    asked.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
}

/// A machine and the tensors of a program.
pub struct Device<O: Observer> {
    machine: Machine<O>,
    tensors: Vec<(TensorDescriptor, TensorHandle)>,
    threads: usize,
}

impl<O: Observer> Device<O> {
    /// Allocates the tensors of a program, whose cores may run on up to `threads` host threads.
    ///
    /// # Errors
    /// If they do not fit.
    pub fn new(program: &Program, threads: usize) -> Result<Device<O>, DeviceError> {
        let mut machine = Machine::new(program.arch);
        machine.use_threads(threads);
        let mut tensors = Vec::with_capacity(program.tensors.len());
        for descriptor in &program.tensors {
            tensors.push((descriptor.clone(), machine.allocate(descriptor)?));
        }
        Ok(Device { machine, tensors, threads })
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
        let bytes = pages::encode(descriptor, values, self.threads)
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
        pages::decode(descriptor, &bytes, self.threads)
            .map_err(|source| DeviceError::Pages { name: name.to_string(), source })
    }

    /// The machine.
    pub fn machine(&self) -> &Machine<O> {
        &self.machine
    }

    /// Runs the launches of a program of Rust kernels, one after the other; a launch that does not complete is the last.
    ///
    /// # Errors
    /// If a launch cannot begin, or a kernel is not in Rust.
    pub fn run(&mut self, program: &Program) -> Result<RunRecord, DeviceError> {
        self.run_with(program, &Nobody)
    }

    /// As [`Device::run`], with C++ kernels that `builder` builds.
    ///
    /// # Errors
    /// If a kernel cannot be built or a launch cannot begin.
    pub fn run_with(&mut self, program: &Program, builder: &dyn BuildKernels) -> Result<RunRecord, DeviceError> {
        let built = builder.build(&self.requests(program)?)?;
        let mut built = built.into_iter();
        let mut record = RunRecord::default();
        for launch in &program.launches {
            let kernels: Vec<SharedKernel> = launch
                .kernels
                .iter()
                .filter_map(|kernel| match &kernel.source {
                    KernelSource::Native(kernel) => Some(kernel.clone()),
                    KernelSource::Cpp(_) => built.next(),
                })
                .collect();
            append(&mut record, self.machine.launch(launch, &kernels)?);
            if record.status != Status::Completed {
                break;
            }
        }
        record.findings = finding::fold(record.findings);
        record.notes = finding::fold(record.notes);
        Ok(record)
    }

    /// A request for each C++ kernel of the program, in order.
    fn requests(&self, program: &Program) -> Result<Vec<CompileRequest>, DeviceError> {
        let mut requests = Vec::new();
        for launch in &program.launches {
            for kernel in &launch.kernels {
                let KernelSource::Cpp(source) = &kernel.source else { continue };
                let args = self.machine.resolve(&kernel.compile_time_args)?;
                let request = cpp_kernels::request(launch, kernel, source.clone(), args, program.arch);
                requests
                    .push(request.map_err(|cb| DeviceError::CbsDiffer { kernel: source.display().to_string(), cb })?);
            }
        }
        Ok(requests)
    }
}

/// Builds nothing: for programs of Rust kernels.
pub struct Nobody;

impl BuildKernels for Nobody {
    fn build(&self, requests: &[CompileRequest]) -> Result<Vec<SharedKernel>, BuildError> {
        match requests.first() {
            None => Ok(Vec::new()),
            Some(request) => Err(BuildError::Load {
                file: request.source.clone(),
                text: "it is C++, and this program is run without a compiler".into(),
            }),
        }
    }
}
