//! Audits that were ended go on from their journals: killed, out of time, or of another program.

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use rusqlite::{Connection, OpenFlags};
use serde_json::Value;

use crate::run::{ROOT, changed_add, folder, json_of, tileproof};

/// An audit as a document without the time that it took.
fn audited(arguments: &[&str]) -> Value {
    let mut document = json_of(&tileproof(&[arguments, &["--format", "json"]].concat()));
    document["wall_s"] = Value::Null;
    document
}

#[test]
fn an_audit_that_was_ended_goes_on_from_its_journal_to_the_same_end() {
    let folder = folder("audit_journal");
    let journal = folder.join("add.audit").display().to_string();
    let program = format!("{ROOT}/examples/programs/add/program.toml");
    let call = ["audit", &program];
    let whole = audited(&call);
    let kept = || rows(&journal);
    // Killed in the middle: what was run by then is there, and nothing else.
    let mut child = Command::new(env!("CARGO_BIN_EXE_tileproof"))
        .args([&call[..], &["--journal", &journal]].concat())
        .stdout(Stdio::null())
        .spawn()
        .expect("the command");
    let begun = Instant::now();
    while kept() < 3 && begun.elapsed().as_secs() < 60 {
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().expect("a process that runs");
    child.wait().expect("its end");
    let before = kept();
    assert!(before >= 3, "{before}");
    assert_eq!(audited(&[&call[..], &["--journal", &journal]].concat()), whole);
    let after = kept();
    assert!(after > before, "{before} {after}");
    // Once more: nothing is left to run.
    assert_eq!(audited(&[&call[..], &["--journal", &journal]].concat()), whole);
    assert_eq!(kept(), after);
}

#[test]
fn what_an_interrupt_ends_on_the_way_is_not_kept() {
    let journal = folder("audit_interrupted").join("matmul.audit").display().to_string();
    let program = format!("{ROOT}/examples/programs/matmul_grid/program.toml");
    let call = ["audit", &program, "--journal", &journal];
    let mut command = Command::new(env!("CARGO_BIN_EXE_tileproof"));
    // In a group of its own, which an interrupt reaches as a terminal's does: all of its processes.
    let child = command.args(call).process_group(0).stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
    let child = child.expect("the command");
    let begun = Instant::now();
    while rows(&journal) < 3 && begun.elapsed().as_secs() < 60 {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(
        Command::new("kill")
            .args(["-INT", "--", &format!("-{}", child.id())])
            .status()
            .is_ok_and(|kill| kill.success())
    );
    let output = child.wait_with_output().expect("its end");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(said.contains(&format!("the same command goes on from {journal}")), "{said}");
    assert_eq!(audited(&call), audited(&["audit", &program]));
}

#[test]
fn an_audit_within_a_budget_goes_on_where_the_one_before_stopped() {
    let folder = folder("audit_budget");
    let journal = folder.join("bw.audit").display().to_string();
    let call = ["layernorm", "backward", "--shape", "1,1,32,64", "--rtol", "1e-3", "--atol", "0.5", "--audit"];
    let whole = audited(&call);
    let mut last = 0;
    for _ in 0..100 {
        let document = audited(&[&call[..], &["--journal", &journal, "--budget", "1"]].concat());
        let kept = rows(&journal);
        assert!(kept > last || document["not_run"] == 0, "{kept}");
        last = kept;
        if document["not_run"] == 0 && document == whole {
            return;
        }
    }
    panic!("it did not come to an end");
}

#[test]
fn a_journal_of_another_audit_is_refused_and_what_is_no_journal_stays_as_it_is() {
    let folder = folder("audit_journals");
    let journal = folder.join("one.audit").display().to_string();
    let program = changed_add("audit_journal_of", &[]);
    let program = program.display().to_string();
    let call = |more: &[&str]| tileproof(&[&["audit", &program, "--journal", &journal], more].concat());
    assert_eq!(call(&[]).status.code(), Some(1));
    let refused = |output: Output| {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("holds another audit: its program, the files that this names"), "{said}");
    };
    let rows_before = rows(&journal);
    // A kernel whose text is another; then another tolerance.
    let reader = Path::new(&program).with_file_name("reader.cpp");
    let text = fs::read_to_string(&reader).expect("a kernel");
    fs::write(&reader, format!("{text}\n// another\n")).expect("a file");
    refused(call(&[]));
    fs::write(&reader, &text).expect("a file");
    assert_eq!(call(&[]).status.code(), Some(1));
    let toml = fs::read_to_string(&program).expect("a program");
    fs::write(&program, toml.replace("atol = 0.01", "atol = 0.02")).expect("a file");
    refused(call(&[]));
    assert_eq!(rows(&journal), rows_before);
    let other = folder.join("notes.txt");
    fs::write(&other, "not a journal").expect("a file");
    let output = tileproof(&["audit", &program, "--journal", &other.display().to_string()]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("is no file of an audit, and stays as it is"), "{said}");
    assert_eq!(fs::read_to_string(&other).expect("a file"), "not a journal");
}

/// Runs that a journal has; none if it is not there.
fn rows(journal: &str) -> i64 {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY;
    let count = |journal: Connection| journal.query_row("SELECT count(*) FROM runs", [], |row| row.get(0));
    Connection::open_with_flags(journal, flags).and_then(count).unwrap_or(0)
}
