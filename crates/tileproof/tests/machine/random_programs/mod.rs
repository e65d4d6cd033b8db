//! Random programs that are right by construction: no check speaks of them. Then one call that orders something is left out: where
//! some schedule then gives another output or hangs, the first run says so. How often it names a call of the thread that it is missing
//! from is counted and printed.
//!
//! The kernels carry out lists of calls. `TILEPROOF_RANDOM_PROGRAMS=2000` makes so many programs, and tries 500 schedules of each;
//! `TILEPROOF_RANDOM_FROM=7` begins with that one, to look at one that was missed.

mod between_cores;
pub(crate) mod calls;
mod compute;
mod on_a_core;
pub(crate) mod program;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::sync::{Arc, Mutex};

use tileproof::run_file::{BuildKernels, ChosenChecks, RunOptions, RunResult, run_program_file_with};
use tileproof_build::{BuildError, CompileRequest};
use tileproof_model::arch::Arch;
use tileproof_model::finding::{Finding, Place};
use tileproof_model::kernel::SharedKernel;
use tileproof_model::thread::{CoreCoord, Thread};

use self::calls::{Call, Grid, Interpreter, PAGE, Steps};
use self::program::{Buffer, Numbers, Program, random};
use crate::support::folder;

struct Kernels {
    grid: Grid,
    steps: Arc<Steps>,
}

impl BuildKernels for Kernels {
    fn build(&self, requests: &[CompileRequest]) -> Result<Vec<SharedKernel>, BuildError> {
        let kernel = |request: &CompileRequest| {
            let (grid, steps) = (self.grid, self.steps.clone());
            match request.source.file_stem().and_then(|stem| stem.to_str()) {
                Some("reader") => Interpreter { name: "reader.cpp", thread: 0, steps, grid }.shared(),
                Some("writer") => Interpreter { name: "writer.cpp", thread: 1, steps, grid }.shared(),
                _ => compute::kernel(),
            }
        };
        Ok(requests.iter().map(kernel).collect())
    }
}

/// How many programs there are, and how many schedules are tried of each.
fn counts(programs: u32, schedules: usize) -> (u32, usize) {
    let asked = number("TILEPROOF_RANDOM_PROGRAMS");
    asked.map_or((programs, schedules), |count| (count, 500))
}

fn number(name: &str) -> Option<u32> {
    std::env::var(name).ok().map(|text| text.parse().expect("a number"))
}

/// A program file, where the compute kernels leave out a call where `skips` says so.
fn text(program: &Program, skips: Option<u32>) -> String {
    let Program { grid, pages, .. } = program;
    let rows = grid.cores / grid.columns;
    let ranges = format!("core_ranges = [[[0, 0], [{}, {}]]]\n", grid.columns - 1, rows - 1);
    let arch = if grid.arch == Arch::Blackhole { "blackhole" } else { "wormhole" };
    let mut text = format!("arch = \"{arch}\"\n");
    for (tensor, rest) in [("in", "fill = \"uniform:0,1\""), ("mid", ""), ("out", "output = true")] {
        let _ = writeln!(
            text,
            "[[tensor]]\nname = \"{tensor}\"\nshape = [{pages}, 32, 32]\ndtype = \"bfloat16\"\nlayout = \"tile\"\n{rest}\n"
        );
    }
    for Buffer { cb, pages } in program.all_buffers() {
        let format = format!("{{ buffer_index = {cb}, data_format = \"bfloat16\", page_size = {PAGE} }}");
        let bytes = PAGE * pages;
        let _ = writeln!(text, "[[cb]]\ntotal_size = {bytes}\n{ranges}format_descriptors = [{format}]\n");
    }
    for id in 0..program.semaphores {
        let _ = writeln!(text, "[[semaphore]]\nid = {id}\n{ranges}");
    }
    let mut kernel = |name: &str, arguments: &dyn Fn(u32) -> String| {
        let config = if name == "compute" { "{ compute = {} }".into() } else { format!("\"{name}\"") };
        let arguments: Vec<String> = (0..grid.cores)
            .map(|core| {
                let (x, y) = grid.coordinates(core);
                format!("{{ core = [{x}, {y}], args = [{}] }}", arguments(core))
            })
            .collect();
        let _ = writeln!(
            text,
            "[[kernel]]\nkernel_source = \"{name}.cpp\"\n{ranges}config = {config}\nruntime_args = [{}]\n",
            arguments.join(", ")
        );
    };
    for name in ["reader", "writer"] {
        kernel(name, &|core| {
            format!("{{ address = \"in\" }}, {{ address = \"mid\" }}, {{ address = \"out\" }}, {core}")
        });
    }
    if let Some(copies) = program.copies {
        kernel("compute", &|_| compute::arguments(copies, skips));
    }
    text + "[[expect]]\ntensor = \"out\"\nsame_as = \"in\"\nbits = true\n"
}

pub(crate) fn run(name: &str, program: &Program, skips: Option<u32>, explore: usize) -> RunResult {
    run_with(name, program, skips, &RunOptions { explore, threads: Some(1), ..RunOptions::default() })
}

fn run_with(name: &str, program: &Program, skips: Option<u32>, options: &RunOptions) -> RunResult {
    let folder = folder(&format!("random-{name}"));
    for kernel in ["reader", "writer", "compute"] {
        fs::write(folder.join(format!("{kernel}.cpp")), "").unwrap();
    }
    let path = folder.join("program.toml");
    fs::write(&path, text(program, skips)).unwrap();
    let kernels = Kernels { grid: program.grid, steps: Arc::new(program.steps.clone()) };
    run_program_file_with(&path, options, &kernels).unwrap()
}

/// A program as it is to be read.
fn listed(program: &Program) -> String {
    let mut text = format!("{:?} on {:?}\n", program.parts, program.grid);
    for (core, threads) in program.steps.iter().enumerate() {
        for (steps, name) in threads.iter().zip(["NCRISC", "BRISC"]) {
            let _ = writeln!(text, "core {core} {name}");
            for step in steps {
                let _ = writeln!(text, "  {:3} noc {} {:?}", step.line, step.noc, step.call);
            }
        }
    }
    text
}

/// Does something with each of many programs, on all host threads, and collects what came of it in their order.
fn of_each<T: Send, R: Send>(programs: Vec<T>, work: impl Fn(usize, T) -> R + Sync) -> Vec<R> {
    let from = number("TILEPROOF_RANDOM_FROM").unwrap_or(0) as usize;
    let count = programs.len();
    let waiting = Mutex::new(programs.into_iter().enumerate().skip(from));
    let results = Mutex::new(BTreeMap::new());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some((index, program)) = { waiting.lock().unwrap().next() } {
                    let result = work(index, program);
                    results.lock().unwrap().insert(index, result);
                }
            });
        }
    });
    let results = results.into_inner().unwrap();
    assert_eq!(results.len(), count.saturating_sub(from), "each program has been run");
    results.into_values().collect()
}

#[test]
fn nothing_is_said_of_programs_that_are_right_by_construction() {
    let mut numbers = Numbers(1);
    let (programs, schedules) = counts(300, 10);
    let programs: Vec<Program> = (0..programs).map(|_| random(&mut numbers)).collect();
    let told_of = of_each(programs, |index, program| {
        // A few programs on other schedules as well: those take their time.
        let explore = if index % 10 == 0 { schedules } else { 0 };
        let result = run(&format!("right-{index}"), &program, None, explore);
        if !result.pass() {
            println!("{index}: {}{}", listed(&program), told(&result));
        }
        (!result.pass()).then_some(index)
    });
    let told_of: Vec<usize> = told_of.into_iter().flatten().collect();
    assert!(told_of.is_empty(), "{} programs: {told_of:?}", told_of.len());
}

#[test]
fn cores_that_meet_give_without_checks_what_they_give_together_on_any_number_of_threads() {
    let mut numbers = Numbers(3);
    let (programs, _) = counts(150, 0);
    let programs: Vec<Program> = (0..programs).map(|_| random(&mut numbers)).collect();
    let other = of_each(programs, |index, program| {
        let of = |checks: &str, threads| {
            let checks = ChosenChecks::parse(checks).unwrap();
            let options = RunOptions { checks, threads: Some(threads), ..RunOptions::default() };
            run_with(&format!("epochs-{index}"), &program, None, &options)
        };
        let (checked, alone) = (of("all", 1), of("none", 1));
        let text = |result: &RunResult| format!("{:#?}", result.record);
        let is_as_on_one = |threads| text(&of("none", threads)) == text(&alone);
        let is_same = alone.pass() && [2, 3].into_iter().all(is_as_on_one);
        // Who looks again and again is later by as many looks as it takes.
        let polls = program.steps.iter().flatten().flatten().any(|step| matches!(step.call, Call::Poll(..)));
        let is_same = is_same && (polls || checked.record.cycles == alone.record.cycles);
        if !is_same {
            println!("{index}: {} and {} cycles\n{}", checked.record.cycles, alone.record.cycles, listed(&program));
        }
        (!is_same).then_some(index)
    });
    let other: Vec<usize> = other.into_iter().flatten().collect();
    assert!(other.is_empty(), "{} programs: {other:?}", other.len());
}

/// What was found, a line each.
fn told(result: &RunResult) -> String {
    let line = |place: &Place| {
        let line = place.location.as_ref().map_or(0, |location| location.line);
        format!("{} {} {line}", place.core, place.thread)
    };
    let told = result.record.findings.iter().map(|finding| {
        let labels: Vec<String> =
            finding.labels.iter().map(|label| format!("{}: {}", line(&label.place), label.text)).collect();
        format!("{} at {}: {} ({})\n", finding.code, line(&finding.primary), finding.message, labels.join("; "))
    });
    told.collect()
}

/// A call that is left out, where it was.
#[derive(Debug)]
struct LeftOut {
    what: String,
    core: CoreCoord,
    threads: Vec<Thread>,
    skips: Option<u32>,
}

/// Leaves out a call that orders something.
fn leave_out(numbers: &mut Numbers, program: &mut Program) -> LeftOut {
    let core = numbers.one(0, program.grid.cores - 1);
    let (x, y) = program.grid.coordinates(core);
    let at = CoreCoord { x, y };
    if let Some(copies) = program.copies.filter(|_| numbers.one(0, 3) == 0) {
        let skips = numbers.one(0, compute::calls(copies) - 1);
        let threads = vec![Thread::Unpack, Thread::Math, Thread::Pack];
        return LeftOut { what: format!("call {skips} of compute"), core: at, threads, skips: Some(skips) };
    }
    loop {
        let core = numbers.one(0, program.grid.cores - 1);
        let thread = numbers.one(0, 1) as usize;
        let steps = &mut program.steps[core as usize][thread];
        let orders: Vec<usize> = (0..steps.len()).filter(|at| steps[*at].call.orders()).collect();
        if orders.is_empty() {
            continue;
        }
        let step = steps.remove(numbers.of(&orders));
        let (x, y) = program.grid.coordinates(core);
        let thread = [Thread::Ncrisc, Thread::Brisc][thread];
        return LeftOut { what: format!("{step:?}"), core: CoreCoord { x, y }, threads: vec![thread], skips: None };
    }
}

/// Whether a finding names a call of the thread that another call is missing from.
fn names(finding: &Finding, left_out: &LeftOut) -> bool {
    let places = std::iter::once(&finding.primary).chain(finding.labels.iter().map(|label| &label.place));
    places.into_iter().any(|place| left_out.threads.contains(&place.thread))
}

/// What came of a program without one of its calls.
struct Outcome {
    /// It is told, or shows on some schedule.
    shows: bool,
    /// It is told at the thread that it is missing from.
    is_named: bool,
    /// It shows, and is not told.
    missed: Option<String>,
    /// Its threads poll, or wait for some of what may have been counted: a first run may miss what is missing from it (docs/order.md).
    may_be_missed: bool,
}

/// Runs a program without one of its calls, and explores it where the first run says nothing.
fn without(index: usize, program: &Program, left_out: &LeftOut, schedules: usize) -> Outcome {
    let name = format!("mutant-{index}");
    let first = run(&name, program, left_out.skips, 0);
    let findings = &first.record.findings;
    let is_told = !findings.is_empty();
    let explored = || Some(run(&name, program, left_out.skips, schedules));
    let fails = if is_told { None } else { explored() }.filter(|result| !result.pass());
    let is_named = findings.iter().any(|finding| names(finding, left_out));
    if is_told && !is_named {
        println!("{index}: {left_out:?} is told elsewhere: {}", told(&first));
    }
    let shows = is_told || !first.pass() || fails.is_some();
    let missed = (shows && !is_told).then(|| {
        let (schedule, found) =
            fails.map_or_else(Default::default, |result| (result.schedule.to_string(), told(&result)));
        println!("{index}: missed, fails on {schedule}: {left_out:?}\n{}{found}", listed(program));
        format!("{index}: {} of core {}, {:?}", left_out.what, left_out.core, left_out.threads)
    });
    let calls = || program.steps.iter().flatten().flatten().map(|step| &step.call);
    let may_be_missed = calls().any(|call| matches!(call, Call::Poll(..) | Call::AtLeast(..)));
    Outcome { shows, is_named, missed, may_be_missed }
}

#[test]
fn where_a_call_that_orders_is_left_out_and_it_can_show_the_first_run_says_so() {
    let mut numbers = Numbers(2);
    let (count, schedules) = counts(40, 20);
    let mutants: Vec<(Program, LeftOut)> = (0..count)
        .map(|_| {
            let mut program = random(&mut numbers);
            let left_out = leave_out(&mut numbers, &mut program);
            (program, left_out)
        })
        .collect();
    let outcomes = of_each(mutants, |index, (program, left_out)| without(index, &program, &left_out, schedules));
    let shown = outcomes.iter().filter(|outcome| outcome.shows).count();
    let named = outcomes.iter().filter(|outcome| outcome.is_named).count();
    let missed: Vec<&String> = outcomes.iter().filter_map(|outcome| outcome.missed.as_ref()).collect();
    println!(
        "{} programs, {shown} where it is told or shows: {named} told at the thread that it is missing from, {} missed",
        outcomes.len(),
        missed.len()
    );
    assert!(shown >= outcomes.len() / 3, "{shown}");
    let unexplained: Vec<&String> = outcomes
        .iter()
        .filter(|outcome| !outcome.may_be_missed)
        .filter_map(|outcome| outcome.missed.as_ref())
        .collect();
    assert!(unexplained.is_empty(), "no row of the table in docs/order.md has these: {unexplained:#?}");
    // The table says what a first run cannot know: of a few programs nothing of that comes up, of thousands it does.
    let most = if count > 100 { shown * 3 / 100 } else { 0 };
    assert!(missed.len() <= most, "{} of {shown} missed: {missed:#?}", missed.len());
}
