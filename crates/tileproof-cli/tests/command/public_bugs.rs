//! Bugs as cases: each folder of `tests/ui` is a program with one of them, told in our own kernels; the folder of the
//! same name in `tests/clean` is its right twin. Those of `tests/right` are right programs that look wrong. Names with `s` and
//! a number are those of docs/coverage.md.
//!
//! What a wrong program must be told stands on the line to blame, in a C++ file or the program file of its folder:
//! `//~ TP0601 some words of the message` (`#~` in TOML; `//~ note TP0407 ...` for a note). All of it must be found and
//! no other finding. `#~ error some words` is for a program that must be refused, at that line. All that the command prints is
//! in `expected.txt`, but for the time that it took: where `BLESS` is set the file is written anew, to be read before it is kept.
//! A twin gives no finding, nor a note that its wrong program is given, completes, and its outputs are as its `[[expect]]`
//! says. `CASE=s07 cargo test -p tileproof-cli --test command public_bugs` runs the folders whose names begin so. Start at
//! `failures`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, fs, thread};

use serde_json::Value;
use tileproof::model::finding::Code;

use crate::run::{ROOT, folder, json_of, tileproof_in};

/// The folders of `tests/ui` or `tests/clean` that are to be run, in order.
fn cases(kind: &str) -> Vec<PathBuf> {
    cases_of(kind, &env::var("CASE").unwrap_or_default())
}

fn cases_of(kind: &str, begin: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(Path::new(ROOT).join("tests").join(kind))
        .expect(kind)
        .map(|entry| entry.expect("an entry").path());
    let mut cases: Vec<PathBuf> = entries.filter(|path| name(path).starts_with(begin)).collect();
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
        if !path.extension().is_some_and(|kind| ["cpp", "h", "toml"].iter().any(|known| kind == *known)) {
            continue;
        }
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
fn place(finding: &Value) -> (String, u64) {
    (
        finding["file"].as_str().map_or(String::new(), |file| name(Path::new(file))),
        finding["line"].as_u64().unwrap_or(0),
    )
}

fn shown(finding: &Value) -> String {
    let (file, line) = place(finding);
    format!("{file}:{line}: {} {}", finding["code"], finding["message"])
}

/// Runs the program of a folder, named as one names it who stands at the root.
fn run(kind: &str, folder: &Path, format: &str) -> Output {
    let program = format!("tests/{kind}/{}/program.toml", name(folder));
    tileproof_in(Path::new(ROOT), &["run", &program, "--format", format])
}

fn list<'a>(document: &'a Value, field: &str) -> &'a [Value] {
    document[field].as_array().map_or(&[], Vec::as_slice)
}

/// Why a wrong program is not told what its files say, line by line; nothing if it is.
fn wrong_about_ui(folder: &Path) -> Vec<String> {
    let mut wrong = not_as_kept(folder);
    let expected = expected(folder);
    let refused: Vec<&Expected> = expected.iter().filter(|wanted| wanted.code == REFUSED).collect();
    let output = run("ui", folder, "json");
    if output.status.code() == Some(2) {
        let error = String::from_utf8_lossy(&output.stderr);
        let says = |wanted: &&Expected| {
            error.contains(&format!("{}:{}: ", wanted.file, wanted.line)) && error.contains(&wanted.words)
        };
        if refused.is_empty() || !refused.iter().all(says) {
            wrong.push(error.into_owned());
        }
        return wrong;
    }
    if !refused.is_empty() {
        wrong.push("not refused".into());
        return wrong;
    }
    let document = json_of(&output);
    let says = |finding: &Value, wanted: &Expected| {
        let (file, line) = place(finding);
        file == wanted.file
            && line == u64::from(wanted.line)
            && finding["code"] == *wanted.code
            && finding["message"].as_str().is_some_and(|message| message.contains(&wanted.words))
    };
    if expected.is_empty() {
        wrong.push("no file says what is to be found".to_string());
    }
    for wanted in &expected {
        let among = list(&document, if wanted.note { "notes" } else { "findings" });
        if !among.iter().any(|finding| says(finding, wanted)) {
            wrong.push(format!("not found: {wanted:?}"));
        }
    }
    let unexpected = |finding: &&Value| !expected.iter().any(|wanted| !wanted.note && says(finding, wanted));
    wrong.extend(list(&document, "findings").iter().filter(unexpected).map(|f| format!("found: {}", shown(f))));
    wrong
}

/// What the command prints of a program, without the time that it took.
fn printed(folder: &Path) -> String {
    let output = run("ui", folder, "human");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    let (verdict, rest) = stdout.split_once('\n').unwrap_or((&stdout, ""));
    // `deadlock, 1118 cycles, 0.012 s`
    let timeless = match verdict.rsplit_once(" cycles, ") {
        Some((cycles, _)) => format!("{cycles} cycles\n{rest}"),
        None => stdout.clone(),
    };
    [timeless, stderr].concat()
}

/// Where what is printed differs from what is kept.
fn not_as_kept(folder: &Path) -> Vec<String> {
    let (path, printed) = (folder.join("expected.txt"), printed(folder));
    if env::var_os("BLESS").is_some() {
        fs::write(&path, &printed).expect("the text can be written");
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    let lines = || kept.lines().map(Some).chain([None]).zip(printed.lines().map(Some).chain([None])).enumerate();
    let of_column = |line: &str| line.trim_start_matches(['|', ' ', '.']).starts_with(['^', '-']);
    let same = |kept: &str, printed: &str| {
        // Columns are what the compiler says: those that are kept are of g++ 12.
        kept == printed
            || !has_kept_columns()
                && (without_column(kept) == without_column(printed) || of_column(kept) && of_column(printed))
    };
    let first = lines().find(|(_, lines)| match *lines {
        (Some(kept), Some(printed)) => !same(kept, printed),
        (kept, printed) => kept != printed,
    });
    let differs = |(at, (kept, printed)): (usize, (Option<&str>, Option<&str>))| {
        let shown = |line: Option<&str>| line.unwrap_or("the end").to_string();
        format!("expected.txt:{}: {}\n    printed: {}", at + 1, shown(kept), shown(printed))
    };
    first.map(differs).into_iter().collect()
}

/// Whether the compiler here says the columns that are kept.
fn has_kept_columns() -> bool {
    static MAJOR: OnceLock<String> = OnceLock::new();
    let version = || Command::new("g++").arg("-dumpversion").output().expect("g++ runs").stdout;
    MAJOR.get_or_init(|| String::from_utf8_lossy(&version()).trim().into()).split('.').next() == Some("12")
}

/// A place without its column.
fn without_column(line: &str) -> &str {
    let place = line.trim_start().starts_with("-->").then(|| line.rsplit_once(':')).flatten();
    place.map_or(line, |(place, _)| place)
}

/// Why a right program is not clean.
fn wrong_about(kind: &str, folder: &Path) -> Vec<String> {
    let output = run(kind, folder, "json");
    if output.status.code() == Some(2) {
        return vec![String::from_utf8_lossy(&output.stderr).into_owned()];
    }
    let document = json_of(&output);
    let twin = Path::new(ROOT).join("tests/ui").join(name(folder));
    let told = if twin.exists() { expected(&twin) } else { Vec::new() };
    let is_told = |note: &&Value| told.iter().any(|wanted| note["code"] == *wanted.code);
    let notes = list(&document, "notes").iter().filter(is_told);
    let notes = notes.map(|note| format!("a note that the wrong program is given: {}", shown(note)));
    if output.status.success() {
        return notes.collect();
    }
    let outputs = list(&document, "outputs").iter().filter(|output| output["pass"] != true);
    let outputs = outputs.map(|output| format!("output {} is not as expected", output["name"]));
    let mut wrong = vec![document["status"].to_string()];
    wrong.extend(list(&document, "findings").iter().map(shown).chain(outputs).chain(notes));
    wrong
}

fn wrong_about_clean(folder: &Path) -> Vec<String> {
    wrong_about("clean", folder)
}

fn wrong_about_right(folder: &Path) -> Vec<String> {
    wrong_about("right", folder)
}

/// Runs `judge` on all folders, on as many host threads as there are, and gathers what it objects to.
fn failures(kind: &str, judge: fn(&Path) -> Vec<String>) -> Vec<String> {
    let cases = cases(kind);
    assert!(!cases.is_empty() || env::var_os("CASE").is_some(), "no cases in tests/{kind}");
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut failed = Vec::new();
        while let Some(folder) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
            let wrong = judge(folder);
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
    let failed = failures("right", wrong_about_right);
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn each_public_bug_has_a_right_twin() {
    let names = |kind| cases(kind).iter().map(|folder| name(folder)).collect::<BTreeSet<_>>();
    assert_eq!(names("ui"), names("clean"));
}

#[test]
fn an_explain_page_names_a_whole_program_of_its_fault_where_there_is_one() {
    let mut cases: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for folder in cases_of("ui", "") {
        for wanted in expected(&folder).into_iter().filter(|wanted| wanted.code != REFUSED) {
            cases.entry(wanted.code).or_default().insert(name(&folder));
        }
    }
    for entry in fs::read_dir(Path::new(ROOT).join("docs/explain")).expect("pages") {
        let path = entry.expect("an entry").path();
        let code = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).expect("a page");
        let named: Vec<&str> = text.split("`tests/ui/").skip(1).filter_map(|rest| rest.split('`').next()).collect();
        let known = cases.remove(&code).unwrap_or_default();
        assert!(named.iter().all(|case| known.contains(*case)), "{code} names {named:?}, of it are {known:?}");
        assert!(known.is_empty() || !named.is_empty(), "{code} names no program, and there are {known:?}");
    }
    assert!(cases.is_empty(), "without a page: {cases:?}");
}

#[test]
fn a_suppressed_finding_does_not_stand_for_the_reason_of_a_wrong_output() {
    let case = Path::new(ROOT).join("tests/ui/s52_mean_of_squares_less_square_of_mean");
    let folder = folder("suppressed");
    let text = fs::read_to_string(case.join("program.toml")).expect("a program");
    let text = text.replace("\"../../", &format!("\"{ROOT}/tests/"));
    let text = text.replace("\"compute.cpp\"", &format!("\"{}\"", case.join("compute.cpp").display()));
    let text = text.replace("\"x.npy\"", &format!("\"{}\"", case.join("x.npy").display()));
    let text = text.replace("npy:", &format!("npy:{}/", case.display()));
    let text = text.replace("\"expected.npy\"", &format!("\"{}\"", case.join("expected.npy").display()));
    let more = "\n[[tensor]]\nname = \"more\"\nshape = [32, 32]\ndtype = \"bfloat16\"\nlayout = \"tile\"\noutput = true\n\
                \n[[suppress]]\ncode = \"TP0402\"\nreason = \"nothing is written yet\"\n";
    fs::write(folder.join("program.toml"), text + more).expect("a program");
    let document = json_of(&tileproof_in(&folder, &["run", "program.toml", "--format", "json"]));
    assert_eq!(list(&document, "suppressed").len(), 1);
    let codes: Vec<&Value> = list(&document, "findings").iter().map(|finding| &finding["code"]).collect();
    assert_eq!(codes, ["TP0805"], "{document:#}");
}
