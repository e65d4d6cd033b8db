//! A program that is run again and again, as it is or with one thing wrong, and how its outputs come out.
//!
//! It must never look for anything but values: what checks would say is not what a test sees. Start at [`Bench::new`].

use tileproof_model::mutant::{Mutant, Spot};
use tileproof_model::observe::Unobserved;
use tileproof_model::record::{Ledger, Status};
use tileproof_sim::LaunchError;

use super::error::RunError;
use super::loaded::Loaded;
use super::options::RunOptions;
use super::order_shows::Elements;
use super::result::RunResult;
use crate::apart;
use crate::cpp_kernels::{BuildKernels, Kernels};
use crate::device::Device;
use crate::elements;
use crate::output::{Bounds, OutputResult};
use crate::program_file::{ProgramFile, Standing};

/// A program whose kernels are built.
pub(crate) struct Bench<'a> {
    file: &'a ProgramFile,
    options: RunOptions,
    kernels: Kernels,
    /// What its outputs may be off by as it is, where that is their tolerance.
    bounds: Bounds,
}

/// What one run of it came to.
pub(crate) struct Trial {
    /// How it ended.
    pub(crate) status: Status,
    /// Cycles that it took.
    pub(crate) cycles: u64,
    /// Its outputs beside what is expected; of a run that ended early none is as it should be.
    pub(crate) outputs: Vec<OutputResult>,
    /// The elements of each of its outputs.
    pub(crate) elements: Elements,
    /// What each launch did with its circular buffers.
    pub(crate) ledgers: Vec<Ledger>,
}

impl Trial {
    /// True if a test of the outputs lets it pass.
    pub(crate) fn passes(&self) -> bool {
        self.status == Status::Completed && self.outputs.iter().all(|output| output.pass)
    }

    /// The least absolute tolerance with which it would; none lets a run pass that ended early.
    pub(crate) fn needed_atol(&self) -> f64 {
        needed_atol(self.status, &self.outputs)
    }
}

/// The least absolute tolerance with which a test lets a run pass; none lets one pass that ended early.
pub(crate) fn needed_atol(status: Status, outputs: &[OutputResult]) -> f64 {
    if status != Status::Completed {
        return f64::INFINITY;
    }
    outputs.iter().filter_map(|output| output.needed_atol).fold(0.0, f64::max)
}

impl<'a> Bench<'a> {
    /// Builds the kernels of a program.
    ///
    /// # Errors
    /// As [`super::run_program_file`].
    pub(crate) fn new(file: &'a ProgramFile, builder: &dyn BuildKernels) -> Result<Bench<'a>, RunError> {
        Bench::padded(file, None, builder)
    }

    /// The same with something in tile padding of which nothing says what it holds.
    ///
    /// # Errors
    /// As [`super::run_program_file`].
    pub(crate) fn padded(
        file: &'a ProgramFile,
        padding: Option<f64>,
        builder: &dyn BuildKernels,
    ) -> Result<Bench<'a>, RunError> {
        let isolation = builder.isolation();
        let options = RunOptions { threads: Some(1), isolation, padding, ..RunOptions::default() };
        let mut run = Loaded::<Unobserved>::prepare(file, &options)?;
        let kernels = run.build(builder)?;
        run.derive(&kernels)?;
        Ok(Bench { file, options, kernels, bounds: run.bounds })
    }

    /// The same program with other settings, held to what this one may be off by.
    ///
    /// # Errors
    /// As [`Bench::new`].
    pub(crate) fn beside<'b>(&self, file: &'b ProgramFile, builder: &dyn BuildKernels) -> Result<Bench<'b>, RunError> {
        let options = self.options.clone();
        let kernels = Loaded::<Unobserved>::prepare(file, &options)?.build(builder)?;
        Ok(Bench { file, options, kernels, bounds: self.bounds.clone() })
    }

    /// The program.
    pub(crate) fn file(&self) -> &'a ProgramFile {
        self.file
    }

    /// Whether what formulas expect are numbers, or infinities, everywhere.
    ///
    /// # Errors
    /// If a formula cannot be worked out.
    pub(crate) fn expects_numbers(&self) -> Result<bool, RunError> {
        let run = Loaded::<Unobserved>::prepare(self.file, &self.options)?;
        Ok(run.file.expects.iter().zip(&run.expected).all(|(expect, expected)| {
            let format = run.file.program.tensors[expect.tensor].format;
            let words = run.expected_words(expect, expected.as_ref());
            words.into_iter().all(|word| !elements::value(format, word).is_nan())
        }))
    }

    /// Where the calls of the program could be changed.
    ///
    /// # Errors
    /// As [`super::run_program_file`].
    pub(crate) fn spots(&self) -> Result<Vec<Spot>, RunError> {
        // Nothing of it is shared with this process, and no file can be read in the other.
        let options = RunOptions { isolation: None, ..self.options.clone() };
        let mut run = Loaded::<Unobserved>::prepare(self.file, &options)?;
        run.device.mutate(None);
        let spots = apart::spots(&self.file.program, &self.kernels, |kernels| {
            run.launch(kernels)?;
            Ok::<_, RunError>(run.device.machine().spots().to_vec())
        })?;
        spots.map_err(|why| RunError::Launch {
            path: self.file.path.clone(),
            source: Box::new(LaunchError::from(std::io::Error::other(why))),
        })
    }

    /// Runs the program, with one thing wrong if there is a mutant.
    ///
    /// # Errors
    /// As [`super::run_program_file`].
    pub(crate) fn run(&self, mutant: Option<&Mutant>) -> Result<Trial, RunError> {
        self.carried_out(|device| {
            if let Some(mutant) = mutant {
                device.mutate(Some(mutant.clone()));
            }
        })
    }

    /// Runs the program with sums of tiles in up to `most` tiles of Dst, which are added up at their end.
    ///
    /// # Errors
    /// As [`super::run_program_file`].
    pub(crate) fn run_in_parts(&self, most: usize) -> Result<Trial, RunError> {
        self.carried_out(|device| device.machine_mut().sum_in_parts(most))
    }

    fn carried_out(&self, prepare: impl FnOnce(&mut Device<Unobserved>)) -> Result<Trial, RunError> {
        let mut run = Loaded::<Unobserved>::prepare(self.file, &self.options)?;
        run.bounds.clone_from(&self.bounds);
        prepare(&mut run.device);
        let record = run.launch(&self.kernels)?;
        let (status, cycles) = (record.status, record.cycles);
        let outputs = run.outputs(&record)?;
        let shown = |(i, data): (usize, &crate::program_file::TensorData)| {
            let is_compared = self.file.expects.iter().any(|expect| expect.tensor == i);
            if data.output || is_compared { run.elements(i) } else { None }
        };
        let elements = self.file.tensors.iter().enumerate().map(shown).collect();
        Ok(Trial { status, cycles, outputs, elements, ledgers: record.ledgers })
    }

    /// Runs a program whose tensors stand on a device with one thing wrong: what came of it, and what is on the tensors then.
    ///
    /// # Errors
    /// As [`super::run_program_file`].
    pub(crate) fn run_standing(&self, mutant: &Mutant) -> Result<(RunResult, Vec<Standing>), RunError> {
        let mut run = Loaded::<Unobserved>::prepare(self.file, &self.options)?;
        run.device.mutate(Some(mutant.clone()));
        let record = run.launch(&self.kernels)?;
        Ok((RunResult::of(record), run.standing()))
    }
}
