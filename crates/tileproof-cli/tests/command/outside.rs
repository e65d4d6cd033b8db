//! Text that others have written comes out of no format as an escape sequence, or as a command to a log.
//!
//! Start at [`hostile`].

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::run::changed_add;

/// What a terminal, or the log of a CI service, would obey.
const OBEYED: [&str; 6] = ["\x1b]", "\x1b[2J", "\u{9b}", "\r", "##[", "\u{202e}"];

/// The example that adds, with a kernel whose name, text and prints are hostile; it waits for a page too many.
fn hostile(name: &str) -> PathBuf {
    let wait = "cb_pop_front(cb_out, 1);";
    let print = "DPRINT << \"one\\n::error::two\\x1b]0;title\\x07\\r##[command]three\" << ENDL();";
    let changes = [
        ("writer.cpp", wait, format!("{wait} {print} // \x1b[2J \u{202e} ##[error]")),
        (
            "writer.cpp",
            "#include \"api/dataflow/dataflow_api.h\"",
            "#include \"api/dataflow/dataflow_api.h\"\n#include \"api/debug/dprint.h\"".into(),
        ),
        ("program.toml", "args = [{ address = \"out\" }, \"${PAGES}\"]", "args = [{ address = \"out\" }, 5]".into()),
        ("program.toml", "\"writer.cpp\"", "\"writer\\u001b]0;x\\u0007 ##[error]x.cpp\"".into()),
    ];
    let changes: Vec<(&str, &str, &str)> = changes.iter().map(|(file, from, to)| (*file, *from, to.as_str())).collect();
    let program = changed_add(name, &changes);
    fs::rename(program.with_file_name("writer.cpp"), program.with_file_name("writer\x1b]0;x\x07 ##[error]x.cpp"))
        .unwrap();
    program
}

fn run(program: &Path, more: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tileproof"));
    command.arg("run").arg(program).args(more).output().unwrap()
}

fn assert_plain(output: &Output, what: &str) {
    for stream in [&output.stdout, &output.stderr] {
        let text = String::from_utf8(stream.clone()).unwrap();
        for obeyed in OBEYED {
            assert!(!text.contains(obeyed), "{what}: {obeyed:?} in {text:?}");
        }
    }
}

#[test]
fn nothing_that_a_kernel_says_or_is_called_is_obeyed() {
    let program = hostile("outside");
    for format in ["human", "concise", "json", "sarif", "junit", "github"] {
        for more in [&["--color", "always"][..], &["--param", "PAGES=\x1b]0;x\x07", "--color", "never"]] {
            let output = run(&program, &[&["--format", format], more].concat());
            assert_plain(&output, format);
            let said = String::from_utf8_lossy(&output.stderr);
            let obeyed = said.lines().find(|line| line.trim_start().starts_with("::"));
            assert_eq!(obeyed, None, "{format}: {said}");
            let text = String::from_utf8_lossy(&output.stdout);
            let commands = text.lines().filter(|line| line.trim_start().starts_with("::") && !line.contains(":::"));
            let ours = ["::error file=", "::warning file=", "::notice file="];
            for command in commands {
                assert!(format == "github" && ours.iter().any(|ours| command.starts_with(ours)), "{format}: {command}");
            }
        }
    }
    let output = run(&program, &["--format", "json"]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(json["findings"][0]["file"].as_str().unwrap().ends_with("writer\x1b]0;x\x07 ##[error]x.cpp"), "{json}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("one\n    "));
}

#[test]
fn nothing_in_an_error_or_a_grid_is_obeyed() {
    let program = hostile("outside-errors");
    assert_plain(&run(&program, &["--grid", "PAGES=\x1b]0;x\x07,##[error],4"]), "grid");
    for (name, text) in [("kernel", "[[kernel]]\n\"a\\u001b[2J##[x]\" = 1\n"), ("toml", "\x1b]0;x\x07 = \n##[error]")] {
        let file = program.with_file_name(format!("{name}\x1b]0;x\x07.toml"));
        fs::write(&file, text).unwrap();
        for format in ["human", "json", "github"] {
            let output = run(&file, &["--format", format]);
            assert_eq!(output.status.code(), Some(2));
            assert_plain(&output, name);
        }
    }
    let wrong = run(&program, &["--format", "\x1b]0;x\x07\r##[error]"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert_plain(&wrong, "usage");
    let analyzed = Command::new(env!("CARGO_BIN_EXE_tileproof"))
        .arg("analyze")
        .arg(program.parent().unwrap())
        .args(["--format", "markdown"])
        .output()
        .unwrap();
    assert_plain(&analyzed, "analyze");
}
