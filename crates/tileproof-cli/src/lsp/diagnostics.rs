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
    let wrong: Vec<_> = run.outputs.iter().filter(|output| !output.pass).collect();
    let expects = if wrong.is_empty() { Vec::new() } else { expects(program) };
    for output in wrong {
        let line = expects.iter().find(|(name, _)| *name == output.name).map_or(0, |(_, line)| *line);
        let by = output.max_diff.map_or(String::new(), |most| format!(", by up to {most}"));
        let message = format!("output {} is not what is expected{by}", output.name);
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
        let of = program.file_name().unwrap_or_default().to_string_lossy();
        message += &format!("\n{} of core ({x},{y}){also}, {of}", finding.thread);
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
    fn a_remark_has_its_place() {
        assert_eq!(placed("/a b/c.h:36: both: x"), Some(("/a b/c.h".into(), 36, "both: x")));
        assert_eq!(placed("depends on x"), None);
    }
}
