//! Launches of kernels in C++ in a process of their own, whose end is a finding and not the end of this one.
//!
//! It must never change what a program gives: the record and the tensors come back as they were. Start at [`launch`]; `death.rs`
//! says what is said of a process that did not answer.

mod death;

use std::cell::RefCell;
use std::io::ErrorKind;
use std::sync::Arc;
use std::time::Duration;

use tileproof_model::finding::Finding;
use tileproof_model::kernel::SharedKernel;
use tileproof_model::mutant::Spot;
use tileproof_model::observe::{Observer, Unobserved};

use tileproof_model::program::{MemoryConfig, Program, TensorDescriptor};
use tileproof_model::record::RunRecord;
use tileproof_model::thread::Thread;
use tileproof_model::timeline::Timeline;
use tileproof_sim::{ASKS_WHERE, BlackBox, LaunchError, Left, Machine, open_descriptor};
use tileproof_worker::{How, Job, Limits, Report, Watched};

use crate::cpp_kernels::Kernels;
use crate::device::Device;
use crate::isolation::Isolation;
use crate::stop;
use crate::wire::{self, Reader, Wire};
use death::Scene;
pub(crate) use death::was_ended_by_the_host;

/// Processor time that a kernel may take without a call of the machine and without the end of a basic block's count.
const TURN: Duration = Duration::from_secs(1);
/// Bytes that a record has room for, and each launch of it: what kernels print is bounded, and so are findings.
const RECORD: usize = 128 << 20;
const RECORD_OF_A_LAUNCH: usize = 32 << 20;
/// Memory that a worker may take at least.
const LEAST_MEMORY: u64 = 256 << 20;

impl<O: Observer> Device<O> {
    /// Runs the launches of a program, where its kernels are to run; one that does not complete is the last.
    pub(crate) fn launch(&mut self, program: &Program, kernels: &Kernels) -> Result<RunRecord, LaunchError> {
        match kernels.isolation {
            Some(isolation) => launch(self, program, kernels, isolation),
            None => self.launch_here(program, kernels, &mut |_| {}),
        }
    }
}

/// Runs the launches of a program in a process of their own.
fn launch<O: Observer>(
    device: &mut Device<O>,
    program: &Program,
    kernels: &Kernels,
    isolation: Isolation,
) -> Result<RunRecord, LaunchError> {
    device.machine_mut().share_memory()?;
    let black_box = BlackBox::new()?;
    let shared = RefCell::new(&mut *device);
    let start = || shared.borrow_mut().machine_mut().prepare_for_box().map_err(|error| error.to_string());
    let work = || {
        let mut device = shared.borrow_mut();
        let result = device.launch_here(program, kernels, &mut |launch| black_box.begins(launch));
        let result = result.map(|record| (record, device.machine().left())).map_err(|error| error.to_string());
        wire::to_bytes(&result)
    };
    let report = report(&black_box, program, kernels, isolation, start, work);
    let scene = Scene { program, kernels, black_box: &black_box };
    let report = match report {
        Err(error) if error.kind() == ErrorKind::InvalidInput => return Ok(scene.not_loaded(&error.to_string())),
        report => report?,
    };
    let said = said(&report);
    let mut record = match report.answer {
        Err(death) => {
            // Before a kernel has begun it is the machine's own fault, which comes here as it did there.
            if death.how == How::Panicked && black_box.last().is_empty() {
                set_up_here(device, program, kernels)?;
            }
            scene.of(death, &said)
        }
        Ok(bytes) => match Reader::whole::<Result<(RunRecord, Left), String>>(&bytes) {
            Some(Ok((record, left))) if device.machine_mut().take_over(&left) => record,
            // The set-up fails here as it did there.
            Some(Err(text)) => {
                set_up_here(device, program, kernels)?;
                return Err(std::io::Error::other(text).into());
            }
            _ => scene.no_answer(),
        },
    };
    record.said = said;
    Ok(record)
}

/// Sets the launches of a program up in this process, where no kernel runs: what failed in the other fails here.
fn set_up_here<O: Observer>(device: &mut Device<O>, program: &Program, kernels: &Kernels) -> Result<(), LaunchError> {
    for (launch, kernels) in program.launches.iter().zip(&kernels.launches) {
        device.machine_mut().try_set_up(launch, kernels)?;
    }
    Ok(())
}

/// Finds something by running a program again, in a process of its own where its kernels are to have one; nothing if that one does
/// not answer. No file can be read there.
///
/// # Errors
/// If it cannot be run again in this process.
pub(crate) fn findings<E: std::fmt::Display>(
    program: &Program,
    kernels: &Kernels,
    find: impl FnMut(&Kernels) -> Result<Vec<Finding>, E>,
) -> Result<Vec<Finding>, E> {
    Ok(answered(program, kernels, find)?.unwrap_or_default())
}

/// The calls of a program that a change could befall, likewise; or why that process does not say them.
///
/// # Errors
/// As [`findings`].
pub(crate) fn spots<E: std::fmt::Display>(
    program: &Program,
    kernels: &Kernels,
    count: impl FnMut(&Kernels) -> Result<Vec<Spot>, E>,
) -> Result<Result<Vec<Spot>, String>, E> {
    answered(program, kernels, count)
}

/// What a recorder has seen of a program, likewise.
///
/// # Errors
/// As [`findings`].
pub(crate) fn timeline<E: std::fmt::Display>(
    program: &Program,
    kernels: &Kernels,
    record: impl FnMut(&Kernels) -> Result<Timeline, E>,
) -> Result<Result<Timeline, String>, E> {
    answered(program, kernels, record)
}

/// What elements of tensors may be off by, in bits, and the first operation of which that is not known, or nothing.
pub(crate) type BoundsOf = (Vec<Vec<u64>>, String);

/// Those of a program, likewise.
///
/// # Errors
/// As [`findings`].
pub(crate) fn bounds<E: std::fmt::Display>(
    program: &Program,
    kernels: &Kernels,
    follow: impl FnMut(&Kernels) -> Result<BoundsOf, E>,
) -> Result<Result<BoundsOf, String>, E> {
    answered(program, kernels, follow)
}

fn answered<T: Wire, E: std::fmt::Display>(
    program: &Program,
    kernels: &Kernels,
    mut ask: impl FnMut(&Kernels) -> Result<T, E>,
) -> Result<Result<T, String>, E> {
    let Some(isolation) = kernels.isolation else { return ask(kernels).map(Ok) };
    let here = Kernels { launches: kernels.launches.clone(), isolation: None };
    let black_box = match BlackBox::new() {
        Ok(black_box) => black_box,
        Err(error) => return Ok(Err(error.to_string())),
    };
    let start = || Machine::<Unobserved>::new(program.arch).prepare_for_box().map_err(|error| error.to_string());
    let work = || wire::to_bytes(&ask(&here).map_err(|error| error.to_string()));
    let report = report(&black_box, program, kernels, isolation, start, work);
    let answer = report.ok().and_then(|report| report.answer.ok());
    let answer = answer.and_then(|bytes| Reader::whole::<Result<T, String>>(&bytes));
    Ok(answer.unwrap_or_else(|| Err("the process that ran the kernels again has not answered".into())))
}

/// What came of a job in a worker, which has the images of the kernels open.
fn report(
    black_box: &BlackBox,
    program: &Program,
    kernels: &Kernels,
    isolation: Isolation,
    mut start: impl FnMut() -> Result<(), String>,
    mut work: impl FnMut() -> Vec<u8>,
) -> std::io::Result<Report> {
    let keeps: Vec<_> = open_descriptor().into_iter().collect();
    let limits = Limits {
        time: isolation.limit,
        turn: TURN,
        memory: (available() / 4 * 3).max(LEAST_MEMORY),
        answer: most_answered(program),
    };
    let scene = Scene { program, kernels, black_box };
    let mut job = Job {
        keeps: &keeps,
        open: &mut || load(program, kernels),
        start: &mut || {
            black_box.watch_this_process(wire::to_bytes::<Finding>);
            start()
        },
        work: &mut work,
    };
    tileproof_worker::run(&limits, &scene, &mut job)
}

/// Bytes that an answer has at most: the record, the tensors in L1, and of those in DRAM a bit a page.
fn most_answered(program: &Program) -> usize {
    let of = |tensor: &TensorDescriptor| match tensor.memory {
        MemoryConfig::Dram => 16 + tensor.pages() as usize / 8,
        _ => tensor.bytes(),
    };
    let tensors: usize = program.tensors.iter().map(of).sum();
    RECORD + RECORD_OF_A_LAUNCH * program.launches.len() + tensors
}

/// Opens as many copies of each kernel as run at once in a launch.
fn load(program: &Program, kernels: &Kernels) -> Result<(), String> {
    for (launch, kernels) in program.launches.iter().zip(&kernels.launches) {
        let mut runs: Vec<(&SharedKernel, Vec<Thread>)> = Vec::new();
        for (descriptor, kernel) in launch.kernels.iter().zip(kernels) {
            let cores = descriptor.core_ranges.iter().map(|range| range.cores().count()).sum();
            let threads = descriptor.config.threads().iter().flat_map(|thread| std::iter::repeat_n(*thread, cores));
            match runs.iter_mut().find(|(other, _)| Arc::ptr_eq(other, kernel)) {
                Some((_, known)) => known.extend(threads),
                None => runs.push((kernel, threads.collect())),
            }
        }
        for (kernel, threads) in runs {
            kernel.load(&threads).map_err(|why| format!("{}: {why}", kernel.name()))?;
        }
    }
    Ok(())
}

impl Watched for Scene<'_> {
    fn turn(&self) -> (u64, Option<i32>) {
        let last = self.black_box.last();
        // A kernel can write any number there.
        let turns = last.iter().fold(0u64, |turns, last| turns.wrapping_add(last.turns));
        (turns, last.iter().find(|last| last.has_turn).map(|last| last.host_thread))
    }

    fn ask_to_end(&self, seconds: u32) {
        self.black_box.ask_to_end(seconds);
    }

    fn asks_where(&self) -> i32 {
        ASKS_WHERE
    }

    fn forgets_where(&self) {
        self.black_box.forgets_where();
    }

    fn is_unwanted(&self) -> bool {
        stop::is_asked_for()
    }

    fn is_astray(&self) -> bool {
        self.black_box.last().iter().any(|last| last.signal.as_ref().is_some_and(|_| self.site(last).1))
    }
}

/// Lines that a worker wrote to its streams, as much as was kept.
fn said(report: &Report) -> Vec<String> {
    let mut lines = Vec::new();
    for (bytes, dropped) in &report.said {
        lines.extend(String::from_utf8_lossy(bytes).lines().map(String::from));
        if *dropped > 0 {
            lines.push(format!("({dropped} bytes more)"));
        }
    }
    lines
}

/// Bytes that this host could give without giving up anything.
fn available() -> u64 {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    let kib = line.and_then(|line| line.trim().split(' ').next()).and_then(|kib| kib.parse::<u64>().ok());
    kib.map_or(u64::MAX / 4, |kib| kib << 10)
}
