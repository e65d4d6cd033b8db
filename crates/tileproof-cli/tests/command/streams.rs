//! What becomes of output that nobody takes, and which of it is in colour.

use std::fs::File;
use std::process::{Command, Stdio};

use crate::run::ROOT;

const PROGRAM: &str = "examples/programs/add/program.toml";
const HANG: &str = "examples/programs/hang/program.toml";

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tileproof"));
    for variable in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "TERM"] {
        command.env_remove(variable);
    }
    command.args(arguments).current_dir(ROOT);
    command
}

/// Every verb, with the exit code that it has where its output is read.
const VERBS: [(&[&str], i32); 16] = [
    (&["run", PROGRAM], 0),
    (&["run", HANG], 1),
    (&["run", HANG, "--format", "json"], 1),
    (&["run", HANG, "--format", "sarif"], 1),
    (&["run", HANG, "--isolate"], 1),
    (&["run", HANG, "--grid", "PAGES=4"], 1),
    (&["ledger", PROGRAM], 0),
    (&["layernorm", "backward", "--shape", "1,1,32,32"], 0),
    (&["op", "list"], 0),
    (&["op", "show", "layernorm_bw"], 0),
    (&["op", "run", "layernorm_bw", "--shape", "1,1,32,32"], 0),
    (&["analyze", "examples/programs/add/add.cpp"], 0),
    (&["explain"], 0),
    (&["doctor"], 0),
    (&["run", "--help"], 0),
    (&["run", "missing.toml", "--format", "json"], 2),
];

#[test]
fn a_closed_pipe_is_a_reader_that_has_enough() {
    for (arguments, code) in VERBS {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = command(arguments).stdout(writer).stderr(Stdio::piped()).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {said}");
        assert!(!said.contains("fault of Tileproof") && !said.contains("panicked"), "{arguments:?}: {said}");
    }
}

#[test]
fn a_full_disk_is_one_line_and_no_fault_of_tileproof() {
    for (arguments, _) in VERBS.into_iter().filter(|(_, code)| *code != 2) {
        let full = || File::options().write(true).open("/dev/full").unwrap();
        let output = command(arguments).stdout(full()).stderr(Stdio::piped()).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(said.starts_with("error: stdout cannot be written: No space left on device"), "{arguments:?}: {said}");
        assert_eq!(said.lines().count(), 1, "{arguments:?}: {said}");
        // With nobody left to tell, the exit code stands.
        let status = command(arguments).stdout(full()).stderr(full()).status().unwrap();
        assert_eq!(status.code(), Some(2), "{arguments:?}");
    }
}

#[test]
fn colour_is_a_matter_of_the_terminal_the_environment_and_the_command_line() {
    let coloured = |arguments: &[&str], environment: &[(&str, &str)]| {
        let output = command(arguments).envs(environment.iter().copied()).output().unwrap();
        [output.stdout, output.stderr].concat().contains(&0x1b)
    };
    let (force, no, dumb) = (("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1"), ("TERM", "dumb"));
    for verb in [&["run", HANG][..], &["run", HANG, "--isolate"], &["run", HANG, "--nonsense"], &["run", "--help"]] {
        let with = |words: &[&'static str]| [verb, words].concat();
        assert!(!coloured(verb, &[]), "no terminal: {verb:?}");
        assert!(coloured(verb, &[force]), "CLICOLOR_FORCE: {verb:?}");
        assert!(coloured(&with(&["--color", "always"]), &[no, dumb]), "the command line decides: {verb:?}");
        assert!(!coloured(&with(&["--color=never"]), &[force]), "the command line decides: {verb:?}");
        assert!(!coloured(&with(&["--color", "auto"]), &[dumb]), "auto is as without it: {verb:?}");
    }
    let output = command(&["run", HANG, "--color", "sometimes"]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(2) && said.contains("always") && said.contains("never"), "{said}");
}

#[test]
fn the_help_of_each_verb_has_an_example_and_names_what_its_words_may_be() {
    let help = |verb: &[&str]| {
        let output = command(verb).arg("--help").output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let verbs: [&[&str]; 13] = [
        &["run"],
        &["ledger"],
        &["explain"],
        &["doctor"],
        &["analyze"],
        &["layernorm", "forward"],
        &["layernorm", "backward"],
        &["op", "new"],
        &["op", "check"],
        &["op", "run"],
        &["op", "list"],
        &["op", "show"],
        &["op", "program"],
    ];
    for verb in verbs {
        let text = help(verb);
        assert!(text.contains(&format!("Examples:\n  tileproof {}", verb.join(" "))), "{text}");
        assert!(text.contains("Exit codes: 0 clean"), "{text}");
        if text.contains("FILL") {
            for fill in ["normal[:MEAN,STD]", "uniform[:LO,HI]", "constant:V", "ramp[:LO,HI]", "npy:FILE"] {
                assert!(text.contains(fill), "{fill}: {text}");
            }
        }
        if text.contains("families of checks") {
            assert!(text.contains("buffers (TP03)") && text.contains("numerics (TP08)"), "{text}");
        }
    }
    let run = help(&["run"]);
    for format in ["human:", "concise:", "json:", "sarif:", "junit:", "github:"] {
        assert!(run.contains(format), "{format} {run}");
    }
}
