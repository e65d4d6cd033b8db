//! A machine with a program's tensors on it: they are written and read, and the program's launches run.
//!
//! It must never judge a value. Start at [`Device`].

use std::borrow::Cow;
use std::time::Instant;

use tileproof_build::{BuildError, CompileRequest};
use tileproof_model::arch::Arch;
use tileproof_model::event::NocPlace;
use tileproof_model::finding::{self, Finding, Place};
use tileproof_model::mutant::Mutant;
use tileproof_model::observe::Observer;
use tileproof_model::program::{Argument, KernelDescriptor, KernelSource, Launch, Program, TensorDescriptor};
use tileproof_model::record::{RunRecord, Status};
use tileproof_model::schedule::Schedule;
use tileproof_sim::{LaunchError, LaunchOutcome, Machine, TensorHandle};

use crate::cpp_kernels::{self, BuildKernels, Kernels, NoRequest, Nobody};
use crate::elements;
use crate::pages::{self, Padding, PagesError};
use crate::phases::Phases;
use crate::program_file::{Api, Standing};
use crate::tensor_findings::{not_written, nowhere};

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

/// Rows of a program's ledgers, one for each launch and tensor, up to which those are there too that a launch did not touch.
const MOST_ROWS: usize = 1 << 16;

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
        let mut device = Device::empty(program.arch, threads);
        for tensor in &program.tensors {
            device.allocate(tensor)?;
        }
        Ok(device)
    }

    /// A device without tensors.
    pub(crate) fn empty(arch: Arch, threads: usize) -> Device<O> {
        let mut machine = Machine::new(arch);
        machine.use_threads(threads);
        Device { machine, tensors: Vec::new(), threads }
    }

    /// Makes room for the next tensor of a program. Its number is its place among those before.
    pub(crate) fn allocate(&mut self, tensor: &TensorDescriptor) -> Result<(), LaunchError> {
        let handle = self.machine.allocate(tensor)?;
        self.tensors.push((tensor.clone(), handle));
        Ok(())
    }

    /// Makes room for the next tensor of a program at an address.
    pub(crate) fn make_room(&mut self, tensor: &TensorDescriptor, address: u32) -> Result<(), LaunchError> {
        let handle = self.machine.place(tensor, address)?;
        self.tensors.push((tensor.clone(), handle));
        Ok(())
    }

    /// Makes room for the next tensor of a program where it lay before, and puts there what it held.
    pub(crate) fn place(&mut self, tensor: &TensorDescriptor, standing: &Standing) -> Result<(), LaunchError> {
        self.make_room(tensor, standing.address)?;
        let handle = self.tensors[self.tensors.len() - 1].1;
        match &standing.defined {
            // Memory that nobody has written costs nothing.
            Some(defined) if defined.iter().all(|word| *word == 0) => {}
            Some(defined) => {
                self.machine.write_part(handle, 0, &standing.pages);
                self.machine.define(handle, defined);
            }
            None => self.machine.write(handle, standing.pages.clone()),
        }
        Ok(())
    }

    /// Pages of a tensor in DRAM, the first and the last of each run of them, hold nothing.
    pub(crate) fn leave_undefined(&mut self, tensor: usize, pages: &[(u32, u32)]) {
        let handle = self.tensors[tensor].1;
        let Some(mut defined) = self.machine.defined(handle) else { return };
        for page in pages.iter().flat_map(|(first, last)| *first..=*last) {
            defined[page as usize / 64] &= !(1 << (page % 64));
        }
        self.machine.define(handle, &defined);
    }

    /// What a tensor holds now.
    pub(crate) fn standing(&self, tensor: usize, address: u32) -> Standing {
        let handle = self.tensors[tensor].1;
        Standing { address, pages: self.machine.read(handle).into_owned(), defined: self.machine.defined(handle) }
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

    /// The same with something in the padding.
    fn write_padded(&mut self, name: &str, values: &[f32], padding: f64) -> Result<(), DeviceError> {
        let (descriptor, handle) = self.tensor(name)?;
        let words: Vec<u32> =
            values.iter().map(|value| elements::nearest(descriptor.format, f64::from(*value))).collect();
        let padding = Padding::Undefined(elements::nearest(descriptor.format, padding));
        let format = descriptor.format;
        let bytes = elements::encode(descriptor, &words, padding)
            .ok_or_else(|| DeviceError::Pages { name: name.to_string(), source: PagesError::Format { format } })?;
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

    /// The outputs of the program, in its order.
    ///
    /// # Errors
    /// If the format of one holds no values.
    pub fn outputs(&self) -> Result<Vec<Output>, DeviceError> {
        let outputs = self.tensors.iter().filter(|(tensor, _)| tensor.output);
        outputs.map(|(tensor, _)| Ok((tensor.clone(), self.read(&tensor.name)?))).collect()
    }

    /// Fills a tensor with elements, row-major, and its padding with another; `None` if the host does not encode the format.
    pub(crate) fn write_elements(&mut self, tensor: usize, words: &[u32], padding: Padding) -> Option<()> {
        let (descriptor, handle) = &self.tensors[tensor];
        self.machine.write(*handle, elements::encode(descriptor, words, padding)?);
        Some(())
    }

    /// Fills part of a tensor in DRAM, from a byte of its pages on.
    pub(crate) fn write_part(&mut self, tensor: usize, at: usize, bytes: &[u8]) {
        let handle = self.tensors[tensor].1;
        self.machine.write_part(handle, at, bytes);
    }

    /// The elements of a tensor, row-major, without padding; `None` as for [`Device::write_elements`].
    pub(crate) fn elements(&self, tensor: usize) -> Option<Vec<u32>> {
        elements::decode(&self.tensors[tensor].0, &self.bytes(tensor))
    }

    /// The bytes of a tensor's pages.
    pub(crate) fn bytes(&self, tensor: usize) -> Cow<'_, [u8]> {
        self.machine.read(self.tensors[tensor].1)
    }

    /// Where each page of a tensor lies.
    pub(crate) fn pages(&self, tensor: usize) -> Vec<NocPlace> {
        self.machine.pages(self.tensors[tensor].1)
    }

    /// Pages of a tensor that nothing has written, and the first of them, if there are any.
    pub(crate) fn undefined_pages(&self, tensor: usize) -> Option<(u32, u32)> {
        self.machine.undefined_pages(self.tensors[tensor].1)
    }

    /// A finding if a tensor is an output with pages that nothing has written.
    pub(crate) fn not_written(&self, tensor: usize, place: Place) -> Option<Finding> {
        let descriptor = &self.tensors[tensor].0;
        let pages = self.undefined_pages(tensor).filter(|_| descriptor.output)?;
        Some(not_written(descriptor, pages, place))
    }

    /// Follows a schedule from the next launch on.
    pub fn follow(&mut self, schedule: Schedule) {
        self.machine.follow(schedule);
    }

    /// Has the launches to come run with one thing wrong, or counts what could be; see [`Machine::mutate`].
    pub fn mutate(&mut self, mutant: Option<Mutant>) {
        self.machine.mutate(mutant);
    }

    /// The machine.
    pub fn machine(&self) -> &Machine<O> {
        &self.machine
    }

    /// The same, to set it up.
    pub(crate) fn machine_mut(&mut self) -> &mut Machine<O> {
        &mut self.machine
    }

    /// What the builder is asked for a kernel, if it is in C++.
    pub(crate) fn request(
        &self,
        program: &Program,
        launch: &Launch,
        kernel: &KernelDescriptor,
        api: Option<Api>,
    ) -> Result<Option<CompileRequest>, NoRequest> {
        let words = |argument: &Argument| self.machine.resolve(std::slice::from_ref(argument));
        cpp_kernels::request(program, launch, kernel, api, words)
    }

    /// Builds the kernels of a program: those in Rust are there, those in C++ come from `builder`.
    ///
    /// # Errors
    /// If one cannot be built.
    pub fn build(&self, program: &Program, builder: &dyn BuildKernels) -> Result<Kernels, DeviceError> {
        let mut requests = Vec::new();
        for launch in &program.launches {
            for kernel in &launch.kernels {
                let request = self.request(program, launch, kernel, None);
                requests.extend(request.map_err(|why| match why {
                    NoRequest::Argument(error) => DeviceError::Launch(error),
                    NoRequest::CbsDiffer(cb) => DeviceError::CbsDiffer { kernel: source_name(&kernel.source), cb },
                })?);
            }
        }
        Ok(cpp_kernels::build(program, &requests, builder)?)
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
        let mut record = self.launch(program, kernels)?;
        if record.status == Status::Completed {
            let found = (0..self.tensors.len()).filter_map(|tensor| self.not_written(tensor, nowhere()));
            record.findings.extend(found);
        }
        Ok(record)
    }

    /// Runs the launches of a program in this process; one that does not complete is the last. What repeats over their cores and turns is
    /// folded here: what is found of tensors behind them repeats nothing. `begins` is told the number of each launch.
    pub(crate) fn launch_here(
        &mut self,
        program: &Program,
        kernels: &Kernels,
        begins: &mut dyn FnMut(usize),
    ) -> Result<RunRecord, LaunchError> {
        let mut record = RunRecord::default();
        if program.launches.len().saturating_mul(self.tensors.len()) > MOST_ROWS {
            self.machine.shorten_ledgers();
        }
        for (number, (launch, kernels)) in program.launches.iter().zip(&kernels.launches).enumerate() {
            begins(number);
            append(&mut record, self.machine.launch(launch, kernels)?);
            if record.status != Status::Completed {
                break;
            }
        }
        record.findings = finding::fold(record.findings);
        record.notes = finding::fold(record.notes);
        Ok(record)
    }
}

/// An output of a program, and its values.
pub type Output = (TensorDescriptor, Vec<f32>);

/// What a program gave.
#[derive(Debug)]
pub struct Executed {
    /// The outputs, in the order of the program; empty when the run did not complete.
    pub outputs: Vec<Output>,
    /// The run.
    pub record: RunRecord,
    /// Host seconds that its parts took.
    pub phases: Phases,
}

/// Runs a program on a fresh device, with inputs by name and up to `threads` host threads.
///
/// # Errors
/// If it does not fit or cannot be built, or an input is none of its tensors.
pub fn execute<O: Observer>(
    program: &Program,
    inputs: &[(&str, &[f32])],
    threads: usize,
    builder: &dyn BuildKernels,
) -> Result<Executed, DeviceError> {
    execute_padded::<O>(program, inputs, None, threads, builder)
}

/// The same with something in the padding of inputs, which else is a NaN.
///
/// # Errors
/// As [`execute`].
pub fn execute_padded<O: Observer>(
    program: &Program,
    inputs: &[(&str, &[f32])],
    padding: Option<f64>,
    threads: usize,
    builder: &dyn BuildKernels,
) -> Result<Executed, DeviceError> {
    let begin = Instant::now();
    let mut device = Device::<O>::new(program, threads)?;
    for (name, values) in inputs {
        match padding {
            None => device.write(name, values)?,
            Some(padding) => device.write_padded(name, values, padding)?,
        }
    }
    let filled = Instant::now();
    let kernels = device.build(program, builder)?;
    let built = Instant::now();
    let record = device.run_built(program, &kernels)?;
    let ran = Instant::now();
    let outputs = if record.status == Status::Completed { device.outputs()? } else { Vec::new() };
    let seconds = |from: Instant, to: Instant| (to - from).as_secs_f64();
    let phases = Phases {
        to_pages: seconds(begin, filled),
        kernels: seconds(filled, built),
        machine: seconds(built, ran),
        from_pages: ran.elapsed().as_secs_f64(),
    };
    Ok(Executed { outputs, record, phases })
}

fn source_name(source: &KernelSource) -> String {
    match source {
        KernelSource::Cpp(file) => file.display().to_string(),
        KernelSource::Native(kernel) => kernel.name().to_string(),
    }
}

/// Adds what a launch came to: launches follow each other in time.
fn append(record: &mut RunRecord, outcome: LaunchOutcome) {
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
