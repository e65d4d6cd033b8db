//! The launches of a program on a machine: their kernels built together, run one after the other.
//!
//! Shared by [`crate::device`] and [`crate::run_file`]. It must never judge a value. Start at [`run`].

use std::path::Path;

use tileproof_build::{BuildError, CompileRequest};
use tileproof_model::finding::{Code, Finding, Place};
use tileproof_model::kernel::SharedKernel;
use tileproof_model::observe::Observer;
use tileproof_model::program::{KernelDescriptor, KernelSource, Program, TensorDescriptor};
use tileproof_model::record::{RunRecord, Status};
use tileproof_model::thread::{CoreCoord, Thread};
use tileproof_sim::{LaunchError, LaunchOutcome, Machine, TensorHandle};

use crate::cpp_kernels::BuildKernels;

/// The kernels of all launches: those in C++ as `builder` makes them from `requests`, one for each in order, and those in
/// Rust, which are there already.
pub(crate) fn build(
    program: &Program,
    requests: &[CompileRequest],
    builder: &dyn BuildKernels,
) -> Result<Vec<Vec<SharedKernel>>, BuildError> {
    let built = builder.build(requests)?;
    if built.len() != requests.len() {
        let file = requests.first().map(|request| request.source.clone()).unwrap_or_default();
        let text = format!("{} kernels were asked for and {} built", requests.len(), built.len());
        return Err(BuildError::Load { file, text });
    }
    let mut built = built.into_iter();
    let mut of_launch = |kernels: &[KernelDescriptor]| {
        let kernel = |kernel: &KernelDescriptor| match &kernel.source {
            KernelSource::Native(kernel) => Some(kernel.clone()),
            KernelSource::Cpp(_) => built.next(),
        };
        kernels.iter().filter_map(kernel).collect()
    };
    Ok(program.launches.iter().map(|launch| of_launch(&launch.kernels)).collect())
}

/// Where the kernels in C++ of a program run first; a place bears the name of the kernel's file.
pub(crate) fn kernel_places(program: &Program) -> Vec<Place> {
    let kernels = program.launches.iter().flat_map(|launch| &launch.kernels);
    let place = |kernel: &KernelDescriptor| {
        let KernelSource::Cpp(source) = &kernel.source else { return None };
        let (core, thread) = (kernel.core_ranges.first()?.start, *kernel.config.threads().first()?);
        Some(Place { location: None, kernel: source.display().to_string(), core, thread })
    };
    kernels.filter_map(place).collect()
}

/// Runs the launches; one that does not complete is the last. What it found is as the launches gave it, not folded.
pub(crate) fn run<O: Observer>(
    machine: &mut Machine<O>,
    program: &Program,
    kernels: &[Vec<SharedKernel>],
) -> Result<RunRecord, LaunchError> {
    let mut record = RunRecord::default();
    for (launch, kernels) in program.launches.iter().zip(kernels) {
        append(&mut record, machine.launch(launch, kernels)?);
        if record.status != Status::Completed {
            break;
        }
    }
    Ok(record)
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

/// A finding if `tensor` is an output with pages that nothing has written. `place` is where the tensor is declared.
pub(crate) fn not_written<O: Observer>(
    machine: &Machine<O>,
    tensor: &TensorDescriptor,
    handle: TensorHandle,
    place: Place,
) -> Option<Finding> {
    let (missing, first) = machine.undefined_pages(handle).filter(|_| tensor.output)?;
    let message = format!("{missing} of {} pages of output {} were never written", tensor.pages(), tensor.name);
    Some(Finding {
        primary_text: format!("page {first} is the first"),
        ..at_tensor(&tensor.name, place, Code::OUTPUT_NOT_WRITTEN, message, [("first", first), ("missing", missing)])
    })
}

/// A note that the values of a file were rounded to the format of its tensor, to nearest and ties to even.
pub(crate) fn rounded(tensor: &str, file: &Path, place: Place) -> Finding {
    let message = format!("{}: float32, rounded to the nearest bfloat16, ties to even, for {tensor}", file.display());
    Finding {
        help: Some("save the bits of bfloat16 as uint16 to choose the rounding yourself".into()),
        ..at_tensor(tensor, place, Code::INPUT_ROUNDED, message, [("file", file.display())])
    }
}

/// Where a tensor of the library is declared: in no file.
pub(crate) fn nowhere() -> Place {
    Place { location: None, kernel: String::new(), core: CoreCoord { x: 0, y: 0 }, thread: Thread::Brisc }
}

/// A finding about a tensor, which names it among its facts.
pub(crate) fn at_tensor<T: ToString, const N: usize>(
    tensor: &str,
    place: Place,
    code: Code,
    message: String,
    facts: [(&str, T); N],
) -> Finding {
    let finding = Finding::new(code, place, message).fact("tensor", tensor);
    facts.iter().fold(finding, |finding, (name, value)| finding.fact(name, value.to_string()))
}
