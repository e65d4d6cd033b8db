//! What the parts of runs take, in milliseconds: the fastest of a few runs of each program file, on one host thread and in this process.
//!
//! `phases CACHE -- FILE [NAME=VALUE ..] -- FILE ..` prints a line a file: compiling its kernels into a cache that has none of them, loading
//! them from it, host data to pages, the machine without checks, pages to host data, what all checks add to the machine.

use std::path::Path;
use std::process::ExitCode;

use tileproof::phases::Phases;
use tileproof::run_file::{ChosenChecks, RunOptions, run_program_file};

/// Warm runs, of which the fastest counts, part by part.
const RUNS: usize = 5;

/// A program file with its parameters, and the folder for its kernels.
struct Program<'a> {
    cache: &'a str,
    file: &'a str,
    parameters: &'a [String],
}

fn run(of: &Program<'_>, checks: ChosenChecks) -> Result<Phases, String> {
    let Program { cache, file, parameters } = *of;
    let named = parameters.iter().filter_map(|parameter| parameter.split_once('='));
    let parameters = named.map(|(name, value)| (name.to_string(), value.to_string())).collect();
    let cache = Some(cache.into());
    let options = RunOptions { checks, threads: Some(1), parameters, cache, ..RunOptions::default() };
    let result = run_program_file(Path::new(file), &options).map_err(|error| format!("{file}: {error}"))?;
    Ok(result.phases)
}

/// Of each part the least.
fn fastest(of: &Program<'_>, checks: &ChosenChecks) -> Result<Phases, String> {
    let mut best = run(of, checks.clone())?;
    for _ in 1..RUNS {
        let one = run(of, checks.clone())?;
        best = Phases {
            to_pages: best.to_pages.min(one.to_pages),
            kernels: best.kernels.min(one.kernels),
            machine: best.machine.min(one.machine),
            from_pages: best.from_pages.min(one.from_pages),
        };
    }
    Ok(best)
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut parts = arguments.split(|argument| argument == "--");
    let Some([cache]) = parts.next() else {
        eprintln!("phases CACHE -- FILE [NAME=VALUE ..] -- FILE ..");
        return ExitCode::FAILURE;
    };
    for part in parts {
        let Some((file, parameters)) = part.split_first() else { continue };
        let program = Program { cache, file, parameters };
        let line = || {
            let cold = run(&program, ChosenChecks::None)?;
            let warm = fastest(&program, &ChosenChecks::None)?;
            let checked = fastest(&program, &ChosenChecks::All)?;
            let checks = checked.machine - warm.machine;
            Ok::<_, String>([cold.kernels, warm.kernels, warm.to_pages, warm.machine, warm.from_pages, checks])
        };
        match line() {
            Ok(seconds) => println!("{}", seconds.map(|one| format!("{:.3}", 1e3 * one)).join(" ")),
            Err(error) => {
                eprintln!("{error}");
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}
