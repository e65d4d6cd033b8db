//! Runs a program file from its text to its verdict: fill, build, launch, decode, compare, save.
//! It must never print: a wrong kernel is in the result, an error means that the program could not be run.
//! Start reading at [`run_program_file`].

mod deeper;
mod diagnose;
mod explore;
pub mod grid;
mod not_checked;
mod not_finite;
mod order_shows;
mod outputs;
mod stale;
mod suppressed;
mod tensors;

use std::path::{Path, PathBuf};
use std::time::Instant;

use tileproof_build::{BuildError, Builder, CompileRequest};
use tileproof_model::finding::{self, Certainty, Code, Family, Finding};
use tileproof_model::kernel::SharedKernel;
use tileproof_model::observe::{Observer, Unobserved};
use tileproof_model::program::{Argument, KernelDescriptor, KernelSource, Launch, MemoryConfig, TensorDescriptor};
use tileproof_model::record::{RunRecord, Status};
use tileproof_model::schedule::Schedule;
use tileproof_sim::{LaunchError, Machine, TensorHandle};

use crate::cpp_kernels;
pub use crate::cpp_kernels::BuildKernels;
use crate::device::host_threads;
use crate::elements;
use crate::fill::{Fill, FillError};
use crate::launches;
use crate::npy::{self, NpyError, SaveAs};
use crate::output::OutputResult;
use crate::program_file::{Api, Expected, ProgramFile, ProgramFileError};
use crate::refused;
use explore::Exploration;
pub use explore::Explored;
use order_shows::Elements;

/// How a program is run.
#[derive(Clone, Default, Debug)]
pub struct RunOptions {
    /// What is looked for.
    pub checks: Checks,
    /// Host threads that the machine may spread cores over; all when left out. The result never depends on it.
    pub threads: Option<usize>,
    /// The folder that outputs are saved in, made if it is missing.
    pub save: Option<PathBuf>,
    /// What outputs of bfloat16 are saved as.
    pub save_as: SaveAs,
    /// Values of `[params]`.
    pub parameters: Vec<(String, String)>,
    /// The order of the threads, and when transfers land.
    pub schedule: Schedule,
    /// How many other schedules are tried for one on which the program fails as it does not by default.
    pub explore: usize,
    /// Is told which of how many schedules is run next.
    pub progress: Option<fn(usize, usize)>,
    /// The folder that built kernels are kept in. `None` is the one that the environment names.
    pub cache: Option<PathBuf>,
}

/// Which findings count. What ended a run early is always reported.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub enum Checks {
    /// All.
    #[default]
    All,
    /// None.
    None,
    /// Those of some families.
    Families(Vec<Family>),
}

/// The families of codes that can be chosen.
fn families() -> impl Iterator<Item = Family> {
    Family::ALL.iter().copied().filter(|family| family.can_be_chosen())
}

impl std::fmt::Display for Checks {
    /// As [`Checks::parse`] reads it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Checks::All => f.write_str("all"),
            Checks::None => f.write_str("none"),
            Checks::Families(chosen) => {
                let names = families().filter(|family| chosen.contains(family)).map(Family::name);
                f.write_str(&names.collect::<Vec<_>>().join(","))
            }
        }
    }
}

impl Checks {
    /// The families that can be chosen, as a sentence names them.
    pub fn families() -> String {
        let shown = families().map(|family| format!("{} (TP{:02})", family.name(), family.number()));
        shown.collect::<Vec<_>>().join(", ")
    }

    /// Reads `all`, `none`, or families with commas between: names, or the two digits after `TP`.
    ///
    /// # Errors
    /// If a word is none of them; the error lists them.
    pub fn parse(text: &str) -> Result<Checks, String> {
        match text {
            "all" => return Ok(Checks::All),
            "none" => return Ok(Checks::None),
            _ => {}
        }
        let family = |word: &str| {
            let is_meant = |family: &Family| {
                word == family.name() || word.trim_start_matches("TP") == format!("{:02}", family.number())
            };
            families()
                .find(is_meant)
                .ok_or_else(|| format!("checks \"{word}\": expected all, none, or families of {}", Checks::families()))
        };
        text.split(',').map(|word| family(word.trim())).collect::<Result<_, _>>().map(Checks::Families)
    }

    /// Whether observers are needed at all: what the machine finds by itself is filtered only.
    fn observe(&self) -> bool {
        *self != Checks::None
    }

    fn count(&self, code: Code) -> bool {
        match self {
            Checks::All => true,
            Checks::None => false,
            Checks::Families(families) => families.contains(&code.family()),
        }
    }
}

/// What a program came to.
#[derive(Clone, Debug)]
pub struct RunResult {
    /// Status, findings, notes, prints: what depends on the program and the schedule alone.
    pub record: RunRecord,
    /// The outputs, in the order of the file, then what else was expected.
    pub outputs: Vec<OutputResult>,
    /// The schedule that gave all this.
    pub schedule: Schedule,
    /// What exploring came to, when it was asked for. Where a schedule failed, the rest is what that one gave.
    pub explored: Option<Explored>,
    /// Seconds from the first byte read to the last compared.
    pub wall_s: f64,
}

impl RunResult {
    /// A run without outputs, on the default schedule.
    pub fn of(record: RunRecord) -> RunResult {
        RunResult { record, outputs: Vec::new(), schedule: Schedule::default(), explored: None, wall_s: 0.0 }
    }

    /// True if the program completed, nothing was found and everything came out as expected.
    pub fn pass(&self) -> bool {
        self.record.is_clean() && self.outputs.iter().all(|output| output.pass)
    }
}

/// Why a program cannot be run.
#[derive(thiserror::Error, Debug)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum RunError {
    #[error(transparent)]
    ProgramFile(#[from] ProgramFileError),
    #[error("{place}: tensor \"{tensor}\": {source}")]
    Fill { place: Place, tensor: String, source: Box<FillError> },
    #[error("{place}: expect: {source}")]
    Expect { place: Place, source: Box<FillError> },
    #[error("{place}: {source}")]
    Allocate { place: Place, source: Box<LaunchError> },
    #[error("{place}: kernel: {source}")]
    Kernel { place: Place, source: Box<LaunchError> },
    #[error("{place}: kernel: its cores have different circular buffers {cb}; give them kernels of their own")]
    CbsDiffer { place: Place, cb: u8 },
    #[error("{}: {source}", path.display())]
    Build { path: PathBuf, source: Box<BuildError>, places: Vec<finding::Place> },
    #[error("{}: {source}", path.display())]
    Launch { path: PathBuf, source: Box<LaunchError> },
    #[error("{place}: {source}")]
    Buffer { place: Place, source: Box<LaunchError> },
    #[error("save: {}: {error}", folder.display())]
    SaveFolder { folder: PathBuf, error: std::io::Error },
    #[error("save: {0}")]
    Save(Box<NpyError>),
}

impl RunError {
    /// Whether this host is the reason, not the program.
    pub fn is_host(&self) -> bool {
        let (RunError::Allocate { source, .. } | RunError::Launch { source, .. }) = self else { return false };
        matches!(**source, LaunchError::Host(_))
    }

    /// The same as data: one finding, or one for each place in a kernel that cannot be built.
    pub fn findings(&self) -> Vec<Finding> {
        let text = self.to_string();
        let (path, line) = match self {
            RunError::Build { source, places, .. } => return refused::kernels(source, places),
            RunError::ProgramFile(error) => (&error.path, error.line),
            RunError::Fill { place, .. }
            | RunError::Expect { place, .. }
            | RunError::Allocate { place, .. }
            | RunError::Kernel { place, .. }
            | RunError::CbsDiffer { place, .. }
            | RunError::Buffer { place, .. } => (&place.path, place.line),
            RunError::Launch { path, .. } => (path, 0),
            RunError::SaveFolder { folder, .. } => (folder, 0),
            RunError::Save(_) => return vec![refused::finding(refused::COMMAND_LINE, None, text)],
        };
        let place = Place { path: path.clone(), line }.to_string();
        let message = text.strip_prefix(&format!("{place}: ")).unwrap_or(&text);
        vec![refused::finding(&path.display().to_string(), Some(line), message)]
    }
}

/// A line of a program file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// The file.
    pub path: PathBuf,
    /// The line, from 1; 0 where the whole file is meant.
    pub line: usize,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            0 => write!(f, "{}", self.path.display()),
            line => write!(f, "{}:{line}", self.path.display()),
        }
    }
}

/// Runs a program file.
///
/// # Errors
/// If the program cannot be run or its outputs cannot be saved. What is wrong with a program that runs is in the result.
pub fn run_program_file(path: &Path, options: &RunOptions) -> Result<RunResult, RunError> {
    let builder = Builder::new(options.cache.clone()).map_err(|source| RunError::Build {
        path: path.to_path_buf(),
        source: source.into(),
        places: Vec::new(),
    })?;
    run_program_file_with(path, options, &builder)
}

/// Runs a program file with kernels that `builder` builds.
///
/// # Errors
/// If the program cannot be run or its outputs cannot be saved. What is wrong with a program that runs is in the result.
pub fn run_program_file_with(
    path: &Path,
    options: &RunOptions,
    builder: &dyn BuildKernels,
) -> Result<RunResult, RunError> {
    if options.checks.observe() {
        run_observed::<tileproof_check::Checks>(path, options, builder)
    } else {
        run_observed::<Unobserved>(path, options, builder)
    }
}

fn run_observed<O: Observer>(
    path: &Path,
    options: &RunOptions,
    builder: &dyn BuildKernels,
) -> Result<RunResult, RunError> {
    let start = Instant::now();
    let file = ProgramFile::read(path, &options.parameters)?;
    let result = if options.explore == 0 && options.schedule.is_default() {
        run_once::<O>(&file, options, builder)?.1
    } else {
        run_scheduled::<O>(&file, options, builder)?
    };
    Ok(RunResult { wall_s: start.elapsed().as_secs_f64(), ..result })
}

/// A program on the default schedule.
fn run_once<'a, O: Observer>(
    file: &'a ProgramFile,
    options: &RunOptions,
    builder: &dyn BuildKernels,
) -> Result<(Run<'a, O>, RunResult), RunError> {
    let mut run = Run::<O>::prepare(file, options)?;
    let kernels = run.build(builder)?;
    let (result, _) = run.judge(&kernels, None, options)?;
    Ok((run, result))
}

/// A program on another schedule, or on those that are explored; what is saved is what the result speaks of.
fn run_scheduled<O: Observer>(
    file: &ProgramFile,
    options: &RunOptions,
    builder: &dyn BuildKernels,
) -> Result<RunResult, RunError> {
    let quiet = RunOptions { save: None, ..options.clone() };
    let mut run = Run::<O>::prepare(file, &quiet)?;
    let kernels = run.build(builder)?;
    run.compares = true;
    // Followed, the default schedule counts its points.
    run.machine.follow(Schedule::default());
    // Of the default its outputs alone are wanted where one schedule is replayed.
    let (default, outputs) = match options.explore {
        0 => (None, run.default_elements(&kernels)?),
        _ => run.judge(&kernels, None, &quiet).map(|(result, outputs)| (Some(result), outputs))?,
    };
    let exploration = Exploration::new(&file.threads(), &file.cores(), run.machine.points());
    drop(run);
    let follow = |schedule: &Schedule, options: &RunOptions| {
        let mut run = Run::<O>::prepare(file, options)?;
        run.compares = true;
        run.machine.follow(schedule.clone());
        let (result, _) = run.judge(&kernels, Some(&outputs), options)?;
        Ok(RunResult { schedule: schedule.clone(), ..result })
    };
    let Some(default) = default else { return follow(&options.schedule, options) };
    let run = &mut |schedule: &Schedule| follow(schedule, &quiet);
    let (explored, failed) = explore::explore(&exploration, options.explore, &default, options.progress, run)?;
    let result = RunResult { explored: Some(explored), ..failed.unwrap_or(default) };
    if options.save.is_some() {
        follow(&result.schedule, options)?;
    }
    Ok(result)
}

/// Outputs by name, and their values.
type Values = Vec<(String, Vec<f64>)>;

/// Runs a program that has been read already, on the default schedule; the values of its outputs, by name, are beside the
/// result.
///
/// # Errors
/// As [`run_program_file`].
pub(crate) fn run_program(
    file: &ProgramFile,
    options: &RunOptions,
    builder: &dyn BuildKernels,
) -> Result<(RunResult, Values), RunError> {
    let run = if options.checks.observe() { run_read::<tileproof_check::Checks> } else { run_read::<Unobserved> };
    run(file, options, builder)
}

fn run_read<O: Observer>(
    file: &ProgramFile,
    options: &RunOptions,
    builder: &dyn BuildKernels,
) -> Result<(RunResult, Values), RunError> {
    let start = Instant::now();
    let (run, result) = run_once::<O>(file, options, builder)?;
    let value = |i: usize| {
        let tensor = &file.program.tensors[i];
        let words = run.elements(i)?;
        Some((tensor.name.clone(), words.into_iter().map(|word| elements::value(tensor.format, word)).collect()))
    };
    let values = (0..file.tensors.len()).filter(|i| file.tensors[*i].output).filter_map(value).collect();
    Ok((RunResult { wall_s: start.elapsed().as_secs_f64(), ..result }, values))
}

/// Builds the kernels of a program and allocates its tensors, and runs nothing.
///
/// # Errors
/// As [`run_program_file`].
pub(crate) fn build_program(file: &ProgramFile, builder: &dyn BuildKernels) -> Result<(), RunError> {
    let options = RunOptions { threads: Some(1), ..RunOptions::default() };
    Run::<Unobserved>::prepare(file, &options)?.build(builder).map(|_| ())
}

/// Notes of what right kernels do too, and that become findings where an output is not as expected.
const EXPLAIN_MISSES: [Code; 2] = [Code::DST_OWN_OPERAND, Code::SUM_UNDRAINED];

/// Weighs what is only suspected against the outputs: a miss makes findings of notes that may explain it; where every output
/// has an expectation and meets it, a suspicion is a note.
fn weigh(record: &mut RunRecord, outputs: &[OutputResult], explains: bool) {
    if record.status != Status::Completed {
        return;
    }
    if explains && outputs.iter().any(|output| !output.pass) {
        let (found, notes) =
            std::mem::take(&mut record.notes).into_iter().partition(|note| EXPLAIN_MISSES.contains(&note.code));
        record.findings.extend::<Vec<Finding>>(found);
        record.notes = notes;
    }
    if !outputs.is_empty() && outputs.iter().all(|output| output.pass && output.max_diff.is_some()) {
        let suspected = |finding: &mut Finding| finding.certainty == Certainty::Suspect;
        record.notes.extend(record.findings.extract_if(.., suspected).map(|mut note| {
            note.notes.push("a note: all outputs have expected values, and meet them".into());
            note
        }));
    }
}

/// A machine with the tensors of a program.
struct Run<'a, O: Observer> {
    file: &'a ProgramFile,
    machine: Machine<O>,
    handles: Vec<TensorHandle>,
    /// Elements of each `[[expect]]`; `None` where they are what the run leaves in another tensor.
    expected: Vec<Option<Vec<u32>>>,
    /// Its outputs are compared with those of another schedule.
    compares: bool,
}

impl<'a, O: Observer> Run<'a, O> {
    /// Allocates and fills the tensors, and reads what is expected: a bad file is an error before anything runs.
    fn prepare(file: &'a ProgramFile, options: &RunOptions) -> Result<Run<'a, O>, RunError> {
        Run::prepare_padded(file, options, &|_| elements::UNDEFINED)
    }

    /// As [`Run::prepare`], with the element that a tensor's padding is to hold.
    fn prepare_padded(
        file: &'a ProgramFile,
        options: &RunOptions,
        padding: &dyn Fn(&TensorDescriptor) -> u32,
    ) -> Result<Run<'a, O>, RunError> {
        let mut machine = Machine::new(file.program.arch);
        machine.use_threads(host_threads(options.threads));
        let mut handles = Vec::new();
        let place = |line| Place { path: file.path.clone(), line };
        for (stream, (tensor, data)) in file.program.tensors.iter().zip(&file.tensors).enumerate() {
            let handle = machine
                .allocate(tensor)
                .map_err(|source| RunError::Allocate { place: place(data.line), source: source.into() })?;
            if let Some(fill) = &data.fill {
                let error = |source: FillError| RunError::Fill {
                    place: place(data.line),
                    tensor: tensor.name.clone(),
                    source: source.into(),
                };
                let words = fill.words(&tensor.shape, tensor.format, file.seed, stream as u64).map_err(error)?;
                let pages = elements::encode(tensor, &words, padding(tensor))
                    .ok_or_else(|| error(FillError::Format { format: tensor.format }))?;
                machine.write(handle, pages);
            }
            handles.push(handle);
        }
        let filled = |tensor: usize, fill: &Fill| {
            let TensorDescriptor { shape, format, .. } = &file.program.tensors[tensor];
            // The stream is the tensor's, so that a seeded fill gives what it gives as the fill of the tensor.
            fill.words(shape, *format, file.seed, tensor as u64)
        };
        let expected = file.expects.iter().map(|expect| {
            let words = match &expect.values {
                Expected::Fill(fill) => filled(expect.tensor, fill).map(Some),
                Expected::SameAs(other) => {
                    let format = |tensor: usize| file.program.tensors[tensor].format;
                    let words = file.tensors[*other].fill.as_ref().map(|fill| filled(*other, fill)).transpose();
                    words.map(|words| Some(elements::converted(words?, format(*other), format(expect.tensor))))
                }
            };
            words.map_err(|source| RunError::Expect { place: place(expect.line), source: source.into() })
        });
        let expected = expected.collect::<Result<_, _>>()?;
        Ok(Run { file, machine, handles, expected, compares: false })
    }

    /// Runs the program to its verdict. With `default`, the outputs on the default schedule, others are a finding where
    /// nothing is expected of them. The outputs' elements.
    fn judge(
        &mut self,
        kernels: &[Vec<SharedKernel>],
        default: Option<&[Option<Vec<u32>>]>,
        options: &RunOptions,
    ) -> Result<(RunResult, Elements), RunError> {
        let checks = &options.checks;
        let mut record = self.launch(kernels, checks)?;
        let outputs = self.outputs(record.status);
        let completed = record.status == Status::Completed;
        // What explains a wrong value happens on the default schedule too, where a value is right: there the order is why.
        let explains = default.is_none();
        if completed {
            self.judge_values(kernels, &outputs, checks, explains, &mut record)?;
        }
        let elements = if completed && self.compares { self.unexpected_elements(&outputs) } else { Vec::new() };
        // Who asks for another schedule asks this, whatever the checks.
        if let Some(default) = default {
            record.findings.extend(self.order_shows(default, &elements));
        }
        if explains {
            self.try_deeper(kernels, &mut record);
        }
        weigh(&mut record, &outputs, explains);
        self.suppress(&mut record, checks);
        let not_checked = self.not_checked(&record, &outputs, checks);
        record.not_checked.extend(not_checked);
        if let Some(folder) = &options.save
            && completed
        {
            self.save(folder, options.save_as)?;
        }
        Ok((RunResult { record, outputs, schedule: Schedule::default(), explored: None, wall_s: 0.0 }, elements))
    }

    /// Runs the program, and looks at nothing but the outputs of which nothing is expected.
    fn default_elements(&mut self, kernels: &[Vec<SharedKernel>]) -> Result<Elements, RunError> {
        let record = self.launch(kernels, &Checks::None)?;
        let outputs = self.outputs(record.status);
        Ok(if record.status == Status::Completed { self.unexpected_elements(&outputs) } else { Vec::new() })
    }

    /// The kernels of all launches, built together; those in Rust are there already.
    fn build(&self, builder: &dyn BuildKernels) -> Result<Vec<Vec<SharedKernel>>, RunError> {
        let program = &self.file.program;
        let mut requests = Vec::new();
        for (launch, lines) in program.launches.iter().zip(&self.file.launches) {
            for (kernel, line) in launch.kernels.iter().zip(&lines.kernels) {
                if let KernelSource::Cpp(source) = &kernel.source {
                    requests.push(self.request(launch, kernel, source.clone(), *line)?);
                }
            }
        }
        launches::build(program, &requests, builder).map_err(|source| RunError::Build {
            path: self.file.path.clone(),
            source: source.into(),
            places: launches::kernel_places(program),
        })
    }

    fn request(
        &self,
        launch: &Launch,
        kernel: &KernelDescriptor,
        source: PathBuf,
        line: usize,
    ) -> Result<CompileRequest, RunError> {
        let place = || Place { path: self.file.path.clone(), line };
        let paged = self.file.api == Some(Api::V0_79);
        let mut compile_time_args = Vec::new();
        for argument in &kernel.compile_time_args {
            let words = self
                .machine
                .resolve(std::slice::from_ref(argument))
                .map_err(|source| RunError::Kernel { place: place(), source: source.into() })?;
            let first = compile_time_args.len();
            compile_time_args.extend(words);
            if paged && let Some(page_size) = self.aligned_page_size(argument) {
                compile_time_args.insert(first + 1, page_size);
            }
        }
        let mut request = cpp_kernels::request(launch, kernel, source, compile_time_args, self.file.program.arch)
            .map_err(|cb| RunError::CbsDiffer { place: place(), cb })?;
        if paged {
            request.defines.push(("TP_ACCESSOR_WORDS".into(), "2".into()));
        }
        if let Some(api) = self.file.api {
            let generation = match api {
                Api::V0_66 => "66",
                Api::V0_79 => "79",
            };
            request.defines.push(("TP_GENERATION".into(), generation.into()));
        }
        Ok(request)
    }

    /// What an accessor's second word is since ttnn 0.79: its pages, as far apart as they lie (`tensor_accessor_args.h`).
    fn aligned_page_size(&self, argument: &Argument) -> Option<u32> {
        let Argument::TensorAccessor(name) = argument else { return None };
        let tensor = self.file.program.tensors.iter().find(|tensor| tensor.name == *name)?;
        let arch = self.file.program.arch.constants();
        let alignment = if tensor.memory == MemoryConfig::Dram { arch.dram_alignment } else { arch.l1_alignment };
        Some(tensor.page_bytes().next_multiple_of(alignment))
    }

    /// Runs the launches; one that does not complete is the last.
    fn launch(&mut self, kernels: &[Vec<SharedKernel>], checks: &Checks) -> Result<RunRecord, RunError> {
        let mut record = launches::run(&mut self.machine, &self.file.program, kernels)
            .map_err(|source| self.cannot_launch(source))?;
        let ended_early = record.status != Status::Completed;
        if !ended_early {
            record.findings.extend(self.unwritten_outputs());
            if checks.count(Code::PARTLY_WRITTEN) {
                record.findings.extend(self.partly_written_outputs());
            }
            record.findings.extend(self.stale_addresses(&record.ledgers));
            record.notes.extend(self.unread_inputs(&record.ledgers));
        }
        let counts = |finding: &Finding| ended_early || checks.count(finding.code);
        record.findings = finding::fold(record.findings).into_iter().filter(counts).collect();
        record.notes = finding::fold(record.notes).into_iter().filter(counts).collect();
        // What was done to the input is said whatever is looked for.
        record.notes.extend(self.rounded_inputs());
        Ok(record)
    }

    /// The error of a launch that cannot begin, at the circular buffer that is the reason.
    fn cannot_launch(&self, source: LaunchError) -> RunError {
        let index = match &source {
            LaunchError::L1Overflow { index, .. } | LaunchError::BeyondShard { index, .. } => Some(*index),
            _ => None,
        };
        let launches = self.file.program.launches.iter().zip(&self.file.launches);
        let mut cbs = launches.flat_map(|(launch, lines)| launch.cbs.iter().zip(&lines.cbs));
        let cb = cbs.find(|(cb, _)| cb.format_descriptors.iter().any(|f| Some(f.buffer_index) == index));
        match cb {
            Some((_, line)) => {
                RunError::Buffer { place: Place { path: self.file.path.clone(), line: *line }, source: source.into() }
            }
            None => RunError::Launch { path: self.file.path.clone(), source: source.into() },
        }
    }

    /// The elements of a tensor of the program.
    fn elements(&self, tensor: usize) -> Option<Vec<u32>> {
        let pages = self.machine.read(self.handles[tensor]);
        elements::decode(&self.file.program.tensors[tensor], &pages)
    }

    /// Saves the outputs.
    fn save(&self, folder: &Path, save_as: SaveAs) -> Result<(), RunError> {
        std::fs::create_dir_all(folder)
            .map_err(|error| RunError::SaveFolder { folder: folder.to_path_buf(), error })?;
        for (i, (tensor, data)) in self.file.program.tensors.iter().zip(&self.file.tensors).enumerate() {
            if let Some(words) = data.output.then(|| self.elements(i)).flatten() {
                let path = folder.join(format!("{}.npy", tensor.name));
                npy::save_elements(&path, &tensor.shape, tensor.format, &words, save_as)
                    .map_err(|error| RunError::Save(error.into()))?;
            }
        }
        Ok(())
    }
}
