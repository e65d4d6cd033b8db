//! A machine with a program's tensors on it, reached by name and by value.

use tileproof_build::{BuildError, CompileRequest};
use tileproof_model::finding;
use tileproof_model::kernel::SharedKernel;
use tileproof_model::observe::Observer;
use tileproof_model::program::{KernelSource, Program, TensorDescriptor};
use tileproof_model::record::{RunRecord, Status};
use tileproof_model::schedule::Schedule;
use tileproof_sim::{LaunchError, Machine, TensorHandle};

use crate::cpp_kernels::{self, BuildKernels};
use crate::launches;
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

impl DeviceError {
    /// Whether this host is the reason, not what was asked of it.
    pub fn is_host(&self) -> bool {
        matches!(self, DeviceError::Launch(LaunchError::Host(_)))
    }
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

    /// Follows a schedule from the next launch on.
    pub fn follow(&mut self, schedule: Schedule) {
        self.machine.follow(schedule);
    }

    /// The machine.
    pub fn machine(&self) -> &Machine<O> {
        &self.machine
    }

    /// Builds the kernels of a program: those in Rust are there, those in C++ come from `builder`.
    ///
    /// # Errors
    /// If one cannot be built.
    pub fn build(&self, program: &Program, builder: &dyn BuildKernels) -> Result<Kernels, DeviceError> {
        Ok(Kernels(launches::build(program, &self.requests(program)?, builder)?))
    }

    /// Runs the launches of a program of Rust kernels, one after the other; a launch that does not complete is the last.
    ///
    /// # Errors
    /// If a launch cannot begin, or a kernel is not in Rust.
    pub fn run(&mut self, program: &Program) -> Result<RunRecord, DeviceError> {
        let kernels = self.build(program, &Nobody)?;
        self.run_built(program, &kernels)
    }

    /// As [`Device::run`], with kernels that [`Device::build`] made for this program.
    ///
    /// # Errors
    /// If a launch cannot begin.
    pub fn run_built(&mut self, program: &Program, kernels: &Kernels) -> Result<RunRecord, DeviceError> {
        let mut record = launches::run(&mut self.machine, program, &kernels.0)?;
        if record.status == Status::Completed {
            let not_written = |(tensor, handle): &(TensorDescriptor, TensorHandle)| {
                launches::not_written(&self.machine, tensor, *handle, launches::nowhere())
            };
            record.findings.extend(self.tensors.iter().filter_map(not_written));
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

/// The kernels of a program, launch by launch.
pub struct Kernels(Vec<Vec<SharedKernel>>);

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
