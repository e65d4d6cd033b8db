//! `tileproof run`: a program file, from its text to its verdict.

use std::path::{Path, PathBuf};

use clap::Args;
use tileproof::audit::{more_exact, would_help};
use tileproof::build::Builder;
use tileproof::built_by;
use tileproof::fill::Fill;
use tileproof::model::record::Print;
use tileproof::model::schedule::{DEFAULT_SCHEDULE, Departure, Schedule};
use tileproof::other_data::run_adversarial_program;
use tileproof::program_file::ProgramFile;
use tileproof::run_file::grid::Axis;
use tileproof::run_file::{ChosenChecks, Element, Line, RunOptions, RunResult};
use tileproof::stop;

use crate::arguments::{FILLS, RunFormat, SaveAsArg, ToleranceArg, below, families, parse_filled, parse_parameter};
use crate::bad_input::BadInput;
use crate::cmd::adversarial::{self, DataArg, Told};
use crate::cmd::run_grid;
use crate::isolation::IsolationOptions;
use crate::outcome::Outcome;
use crate::pictures::{PictureOptions, Pictured};
use crate::program::{refused, run_file};
use crate::terminal::{self, progress_ends, tell};
use crate::{replay, results};

const EXAMPLES: [&str; 7] = [
    "run examples/programs/add/program.toml --save out",
    "run examples/programs/hang/program.toml --format json",
    "run examples/programs/hang/program.toml --grid PAGES=1,4 --grid EXTRA=0..1",
    "run examples/programs/add/program.toml --checks buffers,memory --explore 200",
    "run examples/programs/reduce/program.toml --data adversarial",
    "run examples/programs/add/program.toml --follow out[0,3,7]",
    "run examples/programs/add/program.toml --why reader.cpp:17 add.cpp:18",
];

#[derive(Args)]
#[command(after_help = below(&[&families(), FILLS], &EXAMPLES))]
pub(crate) struct RunProgram {
    /// Program file.
    #[arg(value_name = "PROGRAM.toml")]
    program: PathBuf,
    /// What is looked for: all, none, or families of checks with commas between.
    #[arg(long, default_value = "all", value_parser = ChosenChecks::parse)]
    checks: ChosenChecks,
    /// Host threads to use at most; all when left out. Results do not depend on it.
    #[arg(long)]
    threads: Option<usize>,
    /// Schedule to replay, as a finding gives it.
    #[arg(long, value_name = "TOKEN", value_parser = Schedule::parse, default_value = DEFAULT_SCHEDULE)]
    schedule: Schedule,
    /// Have the transfers of all cores wait for each other, on the NoCs and at the banks of DRAM, on one host thread: cycles with contention.
    #[arg(long, conflicts_with_all = ["explore", "grid", "follow", "why", "data"])]
    contention: bool,
    /// Run so many other orders of what the program leaves open, or all of them, until it fails on one as it does not by default.
    #[arg(long, value_name = "N")]
    explore: Option<usize>,
    /// Say how an element came about, as out0[3,7]: a note with its recipe.
    #[arg(long, value_name = "ELEMENT", value_parser = Element::parse, conflicts_with_all = ["explore", "grid", "schedule"])]
    follow: Option<Element>,
    /// Say what puts a line of a kernel before another, as reader.cpp:12 compute.cpp:30: a note with the way from one to the other.
    #[arg(long, num_args = 2, value_names = ["FILE:LINE", "FILE:LINE"], value_parser = Line::parse, conflicts_with_all = ["explore", "grid", "schedule"])]
    why: Option<Vec<Line>>,
    /// Tolerance that comes of the program: an element may be off by what its operations may lose, in place of rtol and atol.
    #[arg(long, value_name = "derived")]
    tolerance: Option<ToleranceArg>,
    /// Folder to save the outputs in, as npy files.
    #[arg(long, value_name = "DIR")]
    save: Option<PathBuf>,
    /// What outputs of bfloat16 are saved as, since NumPy has no bfloat16.
    #[arg(long, default_value = "bits", requires = "save")]
    save_as: SaveAsArg,
    #[command(flatten)]
    pictures: PictureOptions,
    /// A value of the file's [params].
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = parse_parameter)]
    parameters: Vec<(String, String)>,
    /// Data of a tensor that has a fill, in place of that.
    #[arg(long = "fill", value_name = "NAME=FILL", value_parser = parse_filled)]
    fills: Vec<(String, Fill)>,
    /// What tile padding holds of which nothing says it, in place of NaN.
    #[arg(long, value_name = "VALUE", allow_negative_numbers = true)]
    padding: Option<f64>,
    /// Run the program on one kind of data after the other, and say on which it does worst; --save keeps the inputs of that one.
    #[arg(long, value_name = "KINDS", conflicts_with_all = ["explore", "grid", "schedule", "follow", "why", "fills", "padding"])]
    data: Option<DataArg>,
    /// Run the program for each value of a parameter, as W=1..9,33 or dtype=bfloat16,float32; several make a grid.
    #[arg(long = "grid", value_name = "NAME=VALUES", value_parser = Axis::parse)]
    grid: Vec<Axis>,
    /// Run kernels in C++ in a process of their own, which is the default.
    #[arg(long, conflicts_with = "in_process")]
    isolate: bool,
    #[command(flatten)]
    isolation: IsolationOptions,
    /// Output format.
    #[arg(long, default_value = "human")]
    format: RunFormat,
}

impl RunProgram {
    pub(crate) fn run(self) -> anyhow::Result<Outcome> {
        if self.threads == Some(0) {
            return Err(BadInput::new("threads 0: give at least 1").into());
        }
        if self.explore == Some(0) {
            return Err(BadInput::new("explore 0: give at least 1").into());
        }
        if self.explore.is_some() && !self.schedule.is_default() {
            return Err(BadInput::new("--explore: it departs from the default schedule; leave out --schedule").into());
        }
        let mut schedule = self.schedule;
        if self.contention && !schedule.departures.contains(&Departure::Contention) {
            schedule.departures.push(Departure::Contention);
        }
        let options = RunOptions {
            checks: self.checks,
            threads: self.threads,
            save: self.save,
            save_as: self.save_as.into(),
            parameters: self.parameters,
            fills: self.fills,
            padding: self.padding,
            schedule,
            explore: self.explore.unwrap_or(0),
            derived: self.tolerance.is_some(),
            follow: self.follow,
            why: self.why.and_then(|lines| lines.try_into().ok()),
            timeline: self.pictures.are_asked_for(),
            progress: terminal::shows_progress().then_some(progress),
            cache: None,
            isolation: self.isolation.chosen(),
        };
        if self.data.is_some() {
            self.pictures.refuse("--data")?;
            return on_kinds(&self.program, &options, self.format);
        }
        if !self.grid.is_empty() {
            self.pictures.refuse_trace("--grid")?;
            let options = RunOptions { timeline: false, ..options };
            return run_grid::run(&self.program, &self.grid, &options, self.pictures.page(), self.format);
        }
        let running = format!("building and running {}", self.program.display());
        let result = terminal::while_it_takes(&running, || run_file(&self.program, &options))?;
        progress_ends();
        // What failed before that is a result.
        if stop::is_interrupted() && result.explored.as_ref().is_none_or(|explored| explored.failed.is_none()) {
            tell(&stood(&result));
            return Ok(Outcome::Found);
        }
        self.pictures.write(&Pictured {
            title: self.program.display().to_string(),
            record: &result.record,
            outputs: &result.outputs,
            errors: &result.errors,
            timeline: result.timeline.as_ref(),
            help: self.pictures.asks_for_a_page().then(|| would_help(&self.program, &options)).transpose()?,
            pass: result.pass(),
        })?;
        prints(&result.record.prints);
        said(&result.record.said);
        let text = results::for_programs(&result, &self.program, self.format)?;
        let for_people = || results::for_people(&result, replay_of(&result, &self.program, &options));
        results::say_in(self.format, &text.unwrap_or_else(for_people))?;
        Ok(if result.pass() { Outcome::Clean } else { Outcome::Found })
    }
}

/// Runs a program on one kind of data after the other.
fn on_kinds(program: &Path, options: &RunOptions, format: RunFormat) -> anyhow::Result<Outcome> {
    let format = format.of_many().ok_or_else(|| BadInput::new("--format: with --data it is human or json"))?;
    let mut file = ProgramFile::read(program, &options.parameters).map_err(|error| refused(&error.into()))?;
    if options.derived {
        file.expect_derived();
    }
    let builder = Builder::new(None).map_err(|error| BadInput::new(error.to_string()))?;
    let builder = built_by(builder, options.isolation);
    let (inputs, outcomes) = run_adversarial_program(&file, &*builder).map_err(|error| refused(&error))?;
    let what_if = match outcomes.first().filter(|worst| !worst.pass) {
        None => Vec::new(),
        Some(worst) => {
            let worst = file.clone().with_fills(&worst.kind.fills).map_err(|error| refused(&error.into()))?;
            more_exact(&worst, &*builder).map_err(|error| refused(&error))?
        }
    };
    let told = Told {
        call: program.display().to_string(),
        inputs: &inputs,
        seed: file.seed,
        tolerances: file.tolerance(),
        folder: options.save.as_deref().map(|folder| (folder, options.save_as)),
        option: |name, fill| format!("--fill {name}={fill}"),
        what_if,
        format,
    };
    adversarial::finish(&told, &outcomes)
}

/// What stands of a run that Ctrl-C has ended.
fn stood(result: &RunResult) -> String {
    let Some(explored) = &result.explored else { return "the program had not ended: there is no verdict\n".into() };
    let default = if explored.default_passes { "passes" } else { "fails" };
    format!(
        "the default order {default}; of {} other orders {} were run, none of which fails in another way\n",
        explored.of, explored.schedules
    )
}

/// What kernels printed goes to stderr, so that stdout holds the result alone.
fn prints(prints: &[Print]) {
    for print in prints {
        let place = &print.place;
        let line = place.location.as_ref().map_or(String::new(), |l| format!(" {}:{}", l.file, l.line));
        // Lines of a print after its first one cannot be taken for lines of ours.
        let text = print.text.trim_end().replace('\n', "\n    ");
        tell(&format!("core {} {}{line} @{}: {text}\n", place.core, place.thread, print.cycle));
    }
}

/// What kernels wrote to the streams of their process: whoever they are, they are not Tileproof.
fn said(lines: &[String]) {
    for line in lines {
        tell(&format!("a kernel wrote: {line}\n"));
    }
}

/// The command that runs the program on the schedule that was found to fail.
fn replay_of(result: &RunResult, program: &Path, options: &RunOptions) -> String {
    let failed = result.explored.as_ref().and_then(|explored| explored.failed.as_ref());
    replay::command(program, options, &[], &failed.unwrap_or(&result.schedule).to_string())
}

/// One line on stderr that is written over, for people only.
fn progress(number: usize, of: usize) {
    terminal::progress_of("schedule", number, of);
}
