//! The project's chores: `cargo xtask ci`, `cargo xtask tidy`, `cargo xtask bless`, `cargo xtask reference`, `cargo xtask chaos`, `cargo xtask soak`, `cargo xtask fuzz`,
//! `cargo xtask pages`, `cargo xtask bench`, `cargo xtask compat`, `cargo xtask corpus`.
//!
//! It knows the crates only through cargo and their files, never as a library, so that it builds when they do not. Start at
//! [`ci`]; what `tidy` forbids is in [`walls`].

mod bench;
mod bless;
mod callgrind;
mod chaos;
mod ci;
mod compat;
mod corpus;
mod determinism;
mod fuzz;
mod host_programs;
mod instructions;
mod pages;
mod reference;
mod soak;
mod tally;
mod walls;
mod workspace;

use std::path::Path;
use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask COMMAND

  ci      formatting, lints, tidy, tests, documentation tests, determinism; ends with `N passed, N failed`;
          --quick leaves out what needs a C++ compiler or a release build
  compat  install two versions of ttnn's wheel into a cache folder, compile their kernels and run programs of them;
          --tt-metal DIR runs tt-train's LayerNorm backward kernels of a checkout on the recorded cases instead;
          --layer-norm runs LayerNorm of the wheel with a Dst of 16 bits alone: docs/numerics/layer_norm_16bit.md;
          --host DIR builds and runs the host programs in C++ below a folder instead, and fetches nothing
  corpus  DIR: compile each kernel below a folder and print what is missing, by the number of kernels that miss it;
          --json FILE writes the same as JSON, --api 0.66, a day or a commit of tt-llk compiles for that state
  bless   write tests/ui/*/expected.txt anew, of all cases or of those whose names begin as given; read what changes
  reference  write the pages of docs/book/reference and the schemas of files as the command prints them
  chaos   200 saves of kernels while they are built, 500 damages of the cache, 100 rounds of processes that share it, 500 kills at
          any moment, 100 full disks: some 20 minutes
  soak    100,000 small runs in one process and one cache, or as many as given: what of the host they keep
  fuzz    each reader of files and tokens on changed inputs for a minute, or as many seconds as given
  tidy    the walls: dependencies, file length, unsafe, paths, explain pages
  pages   open pages of --report in headless Chromium, use them, have axe look at them and take pictures; needs Chromium, and npm once
  bench   times beside the targets, as a page too (--report FILE), and beside earlier runs (--history FILE); --torch installs PyTorch into a cache folder and compares with it, --growth counts how
          instructions grow over three decades, --build also builds the workspace from nothing, --write puts times into docs/performance.md,
          --peer PYTHON --ttsim LIB.so [--tt-metal DIR] times ttnn on ttsim in the same run
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["ci"] => ci::run(ci::Scope::Whole),
        ["ci", "--quick"] => ci::run(ci::Scope::Quick),
        ["tidy"] => walls::run(),
        ["pages"] => pages::run(),
        ["bless"] => bless::run(""),
        ["bless", case] => bless::run(case),
        ["reference"] => reference::run(),
        ["chaos"] => chaos::run(),
        ["soak"] => soak::run(soak::RUNS),
        ["soak", runs] if let Ok(runs) = runs.parse() => soak::run(runs),
        ["fuzz"] => fuzz::run(fuzz::SECONDS),
        ["fuzz", seconds] if let Ok(seconds) = seconds.parse() => fuzz::run(seconds),
        ["compat"] => compat::run(),
        ["compat", "--layer-norm"] => compat::run_layer_norm(),
        ["compat", "--host", folder] => host_programs::run(Path::new(folder)),
        ["compat", "--tt-metal", checkout] => compat::run_checkout(Path::new(checkout)),
        ["corpus", folder, ref flags @ ..] => {
            let Some((api, json)) = corpus_flags(flags) else {
                eprint!("{USAGE}");
                return ExitCode::from(2);
            };
            corpus::run(Path::new(folder), api, json.map(Path::new))
        }
        ["bench", ref flags @ ..] => match bench::Options::parse(flags) {
            Ok(options) => bench::run(&options).map(|()| true),
            Err(wrong) => {
                eprintln!("xtask: bench: {wrong:#}\n");
                eprint!("{USAGE}");
                return ExitCode::from(2);
            }
        },
        _ => {
            eprint!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::from(3)
        }
    }
}

/// The state of the API, and the file, of `--api API --json FILE`.
fn corpus_flags<'a>(flags: &[&'a str]) -> Option<(Option<&'a str>, Option<&'a str>)> {
    let (mut api, mut json) = (None, None);
    for pair in flags.chunks(2) {
        match *pair {
            ["--api", word] => api = Some(word),
            ["--json", file] => json = Some(file),
            _ => return None,
        }
    }
    Some((api, json))
}
