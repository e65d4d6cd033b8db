//! What is wrong as diagnostics of files: findings of runs, what a program file is refused for, and what the text of a kernel tells.
//!
//! It must never work out a finding of its own. Start at [`of_run`].

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tileproof::analyze::{self, Given};
use tileproof::program_file::ProgramFile;
use tileproof::run_file::RunError;
use tileproof_report::json::{FindingDocument, RunDocument};

use super::place::{is_of_name, range, uri_of};
use super::programs::settled;
use crate::reference::calls;

/// Diagnostics of files.
pub(super) type ByFile = BTreeMap<PathBuf, Vec<Value>>;

const ERROR: u8 = 1;
const WARNING: u8 = 2;
const INFORMATION: u8 = 3;
const HINT: u8 = 4;

/// The text of a file, as it is in the editor or on the disk.
pub(super) type TextOf<'a> = &'a dyn Fn(&Path) -> String;

/// Whatever a run of a program says, where it says it.
pub(super) fn of_run(program: &Path, run: &RunDocument, text_of: TextOf<'_>) -> ByFile {
    let mut found = ByFile::new();
    let said = run.findings.iter().map(|finding| (finding, if finding.warns() { WARNING } else { ERROR }));
    for (finding, severity) in said.chain(run.notes.iter().map(|note| (note, INFORMATION))) {
        let (file, diagnostic) = of_finding(program, finding, severity, text_of);
        found.entry(file).or_default().push(diagnostic);
    }
    // Of a run that did not complete no output is compared.
    let wrong = run.outputs.iter().filter(|output| !output.pass);
    let wrong: Vec<_> = wrong.filter_map(|output| Some((output, output.max_diff?))).collect();
    let expects = if wrong.is_empty() { Vec::new() } else { expects(program) };
    for (output, most) in wrong {
        let line = expects.iter().find(|(name, _)| *name == output.name).map_or(0, |(_, line)| *line);
        let message = format!("output {} is not what is expected, by up to {most:.3e}", output.name);
        let range = range(&text_of(program), line, 0);
        found.entry(program.into()).or_default().push(diagnostic(&range, ERROR, None, &message));
    }
    found
}

/// The lines of a program on which outputs are expected to be something.
fn expects(program: &Path) -> Vec<(String, u32)> {
    let Ok(file) = ProgramFile::read(program, &[]) else { return Vec::new() };
    let name = |tensor: usize| file.program.tensors[tensor].name.clone();
    file.expects.iter().map(|expect| (name(expect.tensor), expect.line as u32)).collect()
}

/// What a program file is refused for, by its text.
pub(super) fn of_program(path: &Path, text: &str, text_of: TextOf<'_>) -> ByFile {
    let mut found = ByFile::new();
    if let Err(error) = ProgramFile::parse(path, text, &[]) {
        for finding in RunError::from(error).findings() {
            let finding = FindingDocument::new(&finding, "");
            let (file, diagnostic) = of_finding(path, &finding, ERROR, text_of);
            found.entry(file).or_default().push(diagnostic);
        }
    }
    found
}

/// What can be said of a kernel before it runs: calls that are not modelled, and what its text leaves open.
pub(super) fn of_kernel(path: &Path, text: &str, text_of: TextOf<'_>) -> ByFile {
    let mut found = ByFile::new();
    let Ok(analysis) = analyze::file(path, &Given::default()) else { return found };
    let names = analysis.operations.iter().map(|operation| operation.call.split('<').next().unwrap_or_default());
    let mut names: Vec<&str> = names.chain(analysis.other_calls.iter().map(String::as_str)).collect();
    names.sort_unstable();
    names.dedup();
    for name in names.into_iter().filter(|name| calls::is_not_modelled(name, analysis.kind)) {
        let message = format!("{name} is not modelled: a kernel that reaches it ends there by its name");
        for (line, column) in places(text, name) {
            let diagnostic = diagnostic(&range(text, line, column), WARNING, Some("TP9001"), &message);
            found.entry(path.into()).or_default().push(diagnostic);
        }
    }
    for unknown in &analysis.unknown {
        let (file, line, what) = placed(unknown).unwrap_or((path.into(), 0, unknown));
        let message = format!("not known from the text: {what}");
        let diagnostic = diagnostic(&range(&text_of(&file), line, 0), HINT, None, &message);
        found.entry(file).or_default().push(diagnostic);
    }
    found
}

/// Where a name is called, from 1.
fn places(text: &str, name: &str) -> Vec<(u32, u32)> {
    let mut places = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let code = line.split("//").next().unwrap_or_default();
        for (at, _) in code.match_indices(name) {
            let before = code[..at].chars().next_back();
            let behind = code[at + name.len()..].trim_start().chars().next();
            if !before.is_some_and(is_of_name) && behind.is_some_and(|c| c == '(' || c == '<') {
                places.push((number as u32 + 1, at as u32 + 1));
            }
        }
    }
    places
}

/// A remark that begins with its file and line.
fn placed(remark: &str) -> Option<(PathBuf, u32, &str)> {
    let (place, what) = remark.split_once(": ")?;
    let (file, line) = place.rsplit_once(':')?;
    Some((settled(Path::new(file)), line.parse().ok()?, what))
}

/// A finding in its file; in the program's where its own is none.
fn of_finding(program: &Path, finding: &FindingDocument, severity: u8, text_of: TextOf<'_>) -> (PathBuf, Value) {
    let there = |file: &str| program.parent().map(|folder| folder.join(file)).filter(|file| file.is_file());
    let file = there(&finding.file).map(|file| settled(&file));
    let line = if file.is_some() { finding.line } else { 0 };
    let file = file.unwrap_or_else(|| program.into());
    let range = range(&text_of(&file), line, finding.column);
    let mut diagnostic = diagnostic(&range, severity, Some(&finding.code), &message(program, finding));
    let related: Vec<Value> = finding
        .labels
        .iter()
        .filter_map(|label| {
            let file = settled(&there(&label.file)?);
            let range = self::range(&text_of(&file), label.line, 0);
            Some(json!({ "location": { "uri": uri_of(&file), "range": range }, "message": label.text }))
        })
        .collect();
    if !related.is_empty() {
        diagnostic["relatedInformation"] = related.into();
    }
    (file, diagnostic)
}

fn message(program: &Path, finding: &FindingDocument) -> String {
    let mut message = finding.message.clone();
    if !finding.text.is_empty() {
        message += &format!(": {}", finding.text);
    }
    for note in &finding.notes {
        message += &format!("\nnote: {note}");
    }
    if let Some(help) = &finding.help {
        message += &format!("\nhelp: {help}");
    }
    let is_of_program = finding.line > 0 && program.ends_with(&finding.file);
    if !is_of_program {
        let [x, y] = finding.core;
        let also = match finding.also_on.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        message += &format!("\n{} of core ({x},{y}){also}", finding.thread);
    }
    message
}

fn diagnostic(range: &Value, severity: u8, code: Option<&str>, message: &str) -> Value {
    let mut diagnostic = json!({ "range": range, "severity": severity, "source": "tileproof", "message": message });
    if let Some(code) = code {
        diagnostic["code"] = code.into();
    }
    diagnostic
}

/// What several programs say of a file, each once, with the programs that say it where it is not theirs alone.
pub(super) fn merged<'a>(said: impl Iterator<Item = (Option<&'a Path>, &'a Value)>) -> Vec<Value> {
    let mut merged: Vec<(Value, Vec<String>)> = Vec::new();
    for (program, diagnostic) in said {
        let name = program.map(|program| program.file_name().unwrap_or_default().to_string_lossy().into_owned());
        match merged.iter_mut().find(|(known, _)| known == diagnostic) {
            Some((_, programs)) => programs.extend(name.filter(|name| !programs.contains(name))),
            None => merged.push((diagnostic.clone(), name.into_iter().collect())),
        }
    }
    let with_programs = |(mut diagnostic, programs): (Value, Vec<String>)| {
        if let (Some(message), false) = (diagnostic["message"].as_str(), programs.is_empty()) {
            diagnostic["message"] = format!("{message}\nin {}", programs.join(", ")).into();
        }
        diagnostic
    };
    merged.into_iter().map(with_programs).collect()
}

/// The text of a file on the disk; empty if there is none.
pub(super) fn on_disk(path: &Path) -> String {
    fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_found_where_they_stand() {
        let text = "f(1);\n  g_f(2); f<3>(x); // f(4)\nf = 2;\n";
        assert_eq!(places(text, "f"), [(1, 1), (2, 11)]);
    }

    #[test]
    fn what_two_programs_say_alike_is_said_once() {
        let [a, b] = ["x", "y"].map(|message| json!({ "message": message }));
        let said = [(Some(Path::new("/p/a.toml")), &a), (Some(Path::new("/p/b.toml")), &a), (None, &b), (None, &b)];
        let merged = merged(said.into_iter());
        assert_eq!(merged, [json!({ "message": "x\nin a.toml, b.toml" }), json!({ "message": "y" })]);
    }

    #[test]
    fn an_output_that_was_compared_and_is_wrong_is_told_where_it_is_expected() {
        let program = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/programs/add/program.toml"));
        let run = |most: Option<f64>| {
            let output = json!({ "name": "out", "max_diff": most, "mean_diff": most, "pass": false });
            let run = json!({ "status": "completed", "cycles": 1, "wall_s": 0.0, "outputs": [output], "findings": [],
                "notes": [], "ledger": [], "tensors": [], "prints": [] });
            of_run(program, &serde_json::from_value(run).unwrap(), &on_disk)
        };
        let found = &run(Some(0.5))[program];
        assert_eq!(found[0]["message"], "output out is not what is expected, by up to 5.000e-1");
        let line = found[0]["range"]["start"]["line"].as_u64().unwrap();
        assert_eq!(on_disk(program).lines().nth(line as usize), Some("[[expect]]"));
        // A run that did not complete compared nothing.
        assert!(run(None).is_empty());
    }

    #[test]
    fn a_remark_has_its_place() {
        assert_eq!(placed("/a b/c.h:36: both: x"), Some(("/a b/c.h".into(), 36, "both: x")));
        assert_eq!(placed("depends on x"), None);
    }
}
