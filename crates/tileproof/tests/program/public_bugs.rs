//! Bugs as cases: each folder of `tests/ui` is a program with one of them, told in our own kernels; the folder of the
//! same name in `tests/clean` is its right twin. Those of `tests/right` are right programs that look wrong. Names with `s` and
//! a number are those of docs/coverage.md.
//!
//! What a wrong program must be told stands on the line to blame, in a C++ file or the program file of its folder:
//! `//~ TP0601 some words of the message` (`#~` in TOML; `//~ note TP0407 ...` for a note). All of it must be found and
//! no other finding. `#~ error some words` is for a program that must be refused, at that line. A twin gives no finding, nor a
//! note that its wrong program is given, completes, and its outputs are as its `[[expect]]` says. `CASE=s07 cargo test --test program public_bugs` runs the folders whose names begin
//! so. Start at `failures`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, fs, thread};

use tileproof::build::Builder;
use tileproof::run_file::{RunOptions, RunResult, run_program_file_with};
use tileproof_model::finding::{Code, Finding};

fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests")
}

/// The folders of `tests/ui` or `tests/clean` that are to be run, in order.
fn cases(kind: &str) -> Vec<PathBuf> {
    let begin = env::var("CASE").unwrap_or_default();
    let entries = fs::read_dir(tests().join(kind)).expect(kind).map(|entry| entry.expect("an entry").path());
    let mut cases: Vec<PathBuf> = entries.filter(|path| name(path).starts_with(&begin)).collect();
    cases.sort();
    assert!(!cases.is_empty(), "no folder of tests/{kind} begins with {begin:?}");
    cases
}

fn name(folder: &Path) -> String {
    folder.file_name().expect("a name").to_string_lossy().into_owned()
}

/// Stands for a code where the program must be refused.
const REFUSED: &str = "error";

/// Something to be found: file name, line, whether it is a note, code, words of the message.
#[derive(PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Expected {
    file: String,
    line: u32,
    note: bool,
    code: String,
    words: String,
}

/// What the comments of a folder's files say.
fn expected(folder: &Path) -> Vec<Expected> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let Ok(text) = fs::read_to_string(&path) else { continue };
        for (at, line) in text.lines().enumerate() {
            let Some((_, says)) = line.split_once("//~ ").or_else(|| line.split_once("#~ ")) else { continue };
            for one in says.split(" && ") {
                let (note, says) = one.strip_prefix("note ").map_or((false, one), |rest| (true, rest));
                let (code, words) = says.split_once(' ').unwrap_or((says, ""));
                assert!(
                    code == REFUSED || Code::parse(code).is_some(),
                    "{}:{}: no code {code}",
                    path.display(),
                    at + 1
                );
                let file = name(&path);
                all.push(Expected { file, line: at as u32 + 1, note, code: code.into(), words: words.trim().into() });
            }
        }
    }
    all.sort();
    all
}

/// File name and line of a finding.
fn place(finding: &Finding) -> (String, u32) {
    let at = finding.primary.location.as_ref();
    at.map_or((String::new(), 0), |at| (name(Path::new(&at.file)), at.line))
}

fn shown(finding: &Finding) -> String {
    let (file, line) = place(finding);
    format!("{file}:{line}: {} {}", finding.code, finding.message)
}

fn run(folder: &Path, builder: &Builder) -> Result<RunResult, String> {
    run_program_file_with(&folder.join("program.toml"), &RunOptions::default(), builder).map_err(|e| e.to_string())
}

/// Why a wrong program is not told what its files say, line by line; nothing if it is.
fn wrong_about_ui(folder: &Path, builder: &Builder) -> Vec<String> {
    let expected = expected(folder);
    let refused: Vec<&Expected> = expected.iter().filter(|wanted| wanted.code == REFUSED).collect();
    let result = match run(folder, builder) {
        Ok(result) => result,
        Err(error) => {
            let says = |wanted: &&Expected| {
                error.contains(&format!("{}:{}: ", wanted.file, wanted.line)) && error.contains(&wanted.words)
            };
            return if !refused.is_empty() && refused.iter().all(says) { Vec::new() } else { vec![error] };
        }
    };
    if !refused.is_empty() {
        return vec!["not refused".to_string()];
    }
    let says = |finding: &Finding, wanted: &Expected| {
        let (file, line) = place(finding);
        file == wanted.file
            && line == wanted.line
            && finding.code.to_string() == wanted.code
            && finding.message.contains(&wanted.words)
    };
    let mut wrong = Vec::new();
    if expected.is_empty() {
        wrong.push("no file says what is to be found".to_string());
    }
    for wanted in &expected {
        let among = if wanted.note { &result.record.notes } else { &result.record.findings };
        if !among.iter().any(|finding| says(finding, wanted)) {
            wrong.push(format!("not found: {wanted:?}"));
        }
    }
    let unexpected = |finding: &&Finding| !expected.iter().any(|wanted| !wanted.note && says(finding, wanted));
    wrong.extend(result.record.findings.iter().filter(unexpected).map(|f| format!("found: {}", shown(f))));
    wrong
}

/// Why a right program is not clean.
fn wrong_about_clean(folder: &Path, builder: &Builder) -> Vec<String> {
    match run(folder, builder) {
        Ok(result) if result.pass() => {
            let twin = tests().join("ui").join(name(folder));
            let told = if twin.exists() { expected(&twin) } else { Vec::new() };
            let is_told = |note: &&Finding| told.iter().any(|wanted| wanted.code == note.code.to_string());
            result
                .record
                .notes
                .iter()
                .filter(is_told)
                .map(|note| format!("a note that the wrong program is given: {}", shown(note)))
                .collect()
        }
        Ok(result) => {
            let outputs = result
                .outputs
                .iter()
                .filter(|output| !output.pass)
                .map(|output| format!("output {} is not as expected: {:?}", output.name, output.first));
            let mut wrong = vec![format!("{:?}", result.record.status)];
            wrong.extend(result.record.findings.iter().map(shown).chain(outputs));
            wrong
        }
        Err(error) => vec![error],
    }
}

/// Runs `judge` on all folders, on as many host threads as there are, and gathers what it objects to.
fn failures(kind: &str, judge: fn(&Path, &Builder) -> Vec<String>) -> Vec<String> {
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("public_bugs");
    let builder = Builder::new(Some(cache)).expect("a cache");
    let cases = cases(kind);
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut failed = Vec::new();
        while let Some(folder) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
            let wrong = judge(folder, &builder);
            if !wrong.is_empty() {
                failed.push(format!("{kind}/{}:\n    {}", name(folder), wrong.join("\n    ")));
            }
        }
        failed
    };
    let mut failed: Vec<String> = thread::scope(|scope| {
        let threads = thread::available_parallelism().map_or(1, |n| n.get());
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("no panic")).collect()
    });
    failed.sort();
    failed
}

#[test]
fn each_public_bug_is_found_on_the_line_to_blame_and_nothing_else_is() {
    let failed = failures("ui", wrong_about_ui);
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn each_right_twin_of_a_public_bug_is_silent() {
    let failed = failures("clean", wrong_about_clean);
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// Right programs of kinds that a check once took for wrong.
#[test]
fn each_right_program_that_looks_wrong_is_silent() {
    let failed = failures("right", wrong_about_clean);
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn each_public_bug_has_a_right_twin() {
    let names = |kind| cases(kind).iter().map(|folder| name(folder)).collect::<BTreeSet<_>>();
    assert_eq!(names("ui"), names("clean"));
}

#[test]
fn a_suppressed_finding_does_not_stand_for_the_reason_of_a_wrong_output() {
    let case = tests().join("ui/s52_mean_of_squares_less_square_of_mean");
    let folder = env::temp_dir().join(format!("tileproof-suppressed-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    let text = fs::read_to_string(case.join("program.toml")).expect("a program");
    let text = text.replace("\"../../", &format!("\"{}/", tests().display()));
    let text = text.replace("\"compute.cpp\"", &format!("\"{}\"", case.join("compute.cpp").display()));
    let text = text.replace("\"x.npy\"", &format!("\"{}\"", case.join("x.npy").display()));
    let text = text.replace("npy:", &format!("npy:{}/", case.display()));
    let text = text.replace("\"expected.npy\"", &format!("\"{}\"", case.join("expected.npy").display()));
    let more = "\n[[tensor]]\nname = \"more\"\nshape = [32, 32]\ndtype = \"bfloat16\"\nlayout = \"tile\"\noutput = true\n\
                \n[[suppress]]\ncode = \"TP0402\"\nreason = \"nothing is written yet\"\n";
    fs::write(folder.join("program.toml"), text + more).expect("a program");
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("public_bugs");
    let result = run(&folder, &Builder::new(Some(cache)).expect("a cache")).expect("a run");
    assert_eq!(result.record.suppressed.len(), 1);
    let codes: Vec<Code> = result.record.findings.iter().map(|finding| finding.code).collect();
    assert_eq!(codes, [Code::CANCELLATION], "{:#?}", result.record.findings);
}
