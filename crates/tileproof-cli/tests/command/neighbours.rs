//! The files of `examples/ci`, as they are copied: what they run, what they leave, and how they end.
//!
//! Start with [`programs_of_a_folder_are_run_and_reported`].

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use crate::run::{ROOT, folder};

/// Runs a command in a folder with the command that is tested before all others.
fn script(folder: &Path, command: &str) -> Output {
    let bin = Path::new(env!("CARGO_BIN_EXE_tileproof")).parent().unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    Command::new("bash").arg("-c").arg(command).current_dir(folder).env("PATH", path).output().unwrap()
}

/// A folder with two programs, one of which is `broken`.
fn with_programs(name: &str) -> std::path::PathBuf {
    let folder = folder(name);
    let root = Path::new(ROOT).canonicalize().unwrap();
    for (of, program) in [("add", "program.toml"), ("row_multicast", "broken.toml")] {
        let into = folder.join("kernels").join(of);
        fs::create_dir_all(&into).unwrap();
        for entry in fs::read_dir(root.join("examples/programs").join(of)).unwrap().map(Result::unwrap) {
            if entry.path().extension().is_some_and(|end| end != "toml") {
                fs::copy(entry.path(), into.join(entry.file_name())).unwrap();
            }
        }
        fs::copy(root.join("examples/programs").join(of).join(program), into.join("program.toml")).unwrap();
    }
    std::os::unix::fs::symlink(root.join("examples/ci"), folder.join("ci")).unwrap();
    folder
}

#[test]
fn programs_of_a_folder_are_run_and_reported() {
    let folder = with_programs("neighbours");
    let output = script(&folder, "ci/run-programs.sh kernels reports");
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("kernels/add/program.toml: pass\n"), "{said}");
    assert!(said.contains("error TP0504 ") && said.contains("kernels/row_multicast/program.toml: FAIL\n"), "{said}");
    let there: BTreeSet<String> =
        fs::read_dir(folder.join("reports")).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(there.len(), 4, "{there:?}");
    let sarif = fs::read_to_string(folder.join("reports/kernels-row_multicast-program.sarif")).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&sarif).unwrap()["runs"][0]["results"].as_array().unwrap().len(), 1);
    assert!(fs::read_to_string(folder.join("reports/kernels-add-program.xml")).unwrap().contains("failures=\"0\""));
    // A gate that looks at nothing does not pass.
    fs::create_dir(folder.join("empty")).unwrap();
    assert_eq!(script(&folder, "ci/run-programs.sh empty reports").status.code(), Some(2));
    if script(&folder, "command -v jq").status.success() {
        let merged = script(&folder, "jq -s -f ci/merge-sarif.jq reports/*.sarif");
        let merged: Value = serde_json::from_slice(&merged.stdout).unwrap();
        let run = &merged["runs"][0];
        let (result, rules) = (&run["results"][0], &run["tool"]["driver"]["rules"]);
        assert_eq!(merged["runs"].as_array().unwrap().len(), 1);
        assert_eq!(result["ruleId"], rules[result["ruleIndex"].as_u64().unwrap() as usize]["id"]);
    }
}

#[test]
fn before_a_commit_the_programs_of_changed_files_run_and_no_others() {
    let folder = with_programs("neighbours-changed");
    let right = script(&folder, "ci/run-changed.sh kernels/add/add.cpp kernels/add/reader.cpp ci/github.yml");
    assert!(right.status.success(), "{}", String::from_utf8_lossy(&right.stdout));
    let wrong = script(&folder, "ci/run-changed.sh kernels/row_multicast/reader.cpp");
    let said = String::from_utf8_lossy(&wrong.stdout);
    assert_eq!(wrong.status.code(), Some(1), "{said}");
    assert!(said.contains("kernels/row_multicast/program.toml: FAIL"), "{said}");
}

#[test]
fn before_a_commit_the_programs_that_name_a_changed_file_of_another_folder_run_too() {
    let folder = with_programs("neighbours-named");
    assert!(script(&folder, "git init -q . && git add kernels").status.success());
    // Both have a writer.cpp of their own.
    let alone = script(&folder, "ci/run-changed.sh kernels/add/writer.cpp");
    assert!(alone.status.success(), "{}", String::from_utf8_lossy(&alone.stdout));
    let program = folder.join("kernels/row_multicast/program.toml");
    let text = fs::read_to_string(&program).unwrap().replace("\"writer.cpp\"", "\"../add/writer.cpp\"");
    fs::write(&program, text).unwrap();
    let named = script(&folder, "ci/run-changed.sh kernels/add/writer.cpp kernels/add/reader.cpp");
    let said = String::from_utf8_lossy(&named.stdout);
    assert_eq!(named.status.code(), Some(1), "{said}");
    assert_eq!(said.matches("kernels/row_multicast/program.toml: FAIL").count(), 1, "{said}");
    assert!(!said.contains("kernels/add/program.toml"), "{said}");
    let hook = fs::read_to_string(Path::new(ROOT).join("examples/ci/pre-commit-config.yaml")).unwrap();
    assert!(hook.contains("require_serial: true"), "{hook}");
}

#[test]
fn the_task_of_the_editor_reads_what_is_printed() {
    let tasks = fs::read_to_string(Path::new(ROOT).join("examples/ci/vscode-tasks.json")).unwrap();
    let tasks: Value = serde_json::from_str(&tasks).unwrap();
    let task = &tasks["tasks"][0];
    let pattern = &task["problemMatcher"]["pattern"];
    let folder = with_programs("neighbours-editor");
    let arguments = task["args"].as_array().unwrap().iter().map(|word| word.as_str().unwrap());
    let words: Vec<String> = arguments.map(|word| word.replace("${fileDirname}", "kernels/row_multicast")).collect();
    let output = script(&folder, &format!("tileproof {}", words.join(" ")));
    let line = String::from_utf8(output.stdout).unwrap();
    // Its parts, as the expression takes them apart: grep knows such expressions, and sed their groups.
    let expression = pattern["regexp"].as_str().unwrap().replace(".+?", ".+").replace("\\d", "[0-9]");
    let groups = "\\1|\\2|\\3|\\4|\\5|\\6";
    fs::write(folder.join("line"), line.lines().next().unwrap()).unwrap();
    let parts = script(&folder, &format!("sed -E 's@{expression}@{groups}@' line"));
    let parts = String::from_utf8(parts.stdout).unwrap();
    let parts: Vec<&str> = parts.split('|').collect();
    assert_eq!(parts[..5], ["kernels/row_multicast/reader.cpp", "47", "36", "error", "TP0504"], "{line}");
    assert!(parts[5].starts_with("the multicast reaches 7 cores"), "{line}");
    for (at, name) in ["file", "line", "column", "severity", "code", "message"].into_iter().enumerate() {
        assert_eq!(pattern[name], at + 1, "{name}");
    }
}
