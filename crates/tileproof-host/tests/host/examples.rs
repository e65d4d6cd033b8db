//! The examples in `examples/host`, each right and with its mistake.

use crate::built::{PLAIN, Program};

#[test]
fn add_runs_clean_and_its_broken_twin_hangs_with_the_line() {
    let example = Program::build("examples/host/add/main.cpp", "add", &[]);
    let right = example.run(&[], PLAIN);
    assert_eq!((right.code, right.stdout.as_str(), right.stderr.as_str()), (Some(0), "8192 sums are right\n", ""));
    let program = Program::build("examples/host/add/main.cpp", "add-broken", &["-DBROKEN"]);
    let broken = program.run(&[], PLAIN);
    assert_eq!(broken.code, Some(1), "{broken:?}");
    assert!(broken.stderr.contains("error[TP0601]") && broken.stderr.contains("writer.cpp:12"), "{broken:?}");
    assert_eq!(broken.stdout, "", "it does not go on: {broken:?}");
    settings_say_what_is_told_and_how_the_program_ends(&example, &program);
}

fn settings_say_what_is_told_and_how_the_program_ends(right: &Program, broken: &Program) {
    let told = right.run(&[], &[("TILEPROOF_FORMAT", "json")]);
    assert!(told.code == Some(0) && told.stderr.contains("\"status\": \"completed\""), "{told:?}");
    let short = broken.run(&[], &[("TILEPROOF_FORMAT", "concise")]);
    assert!(short.code == Some(1) && short.stderr.lines().any(|line| line.contains("TP0601")), "{short:?}");
    for (variables, has_colour) in
        [(&[("CLICOLOR_FORCE", "1")][..], true), (&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")], false), (PLAIN, false)]
    {
        let told = broken.run(&[], variables);
        assert_eq!(told.stderr.contains("\x1b["), has_colour, "{variables:?}: {told:?}");
    }
    // It goes on, to its own check: the output is written by then.
    let goes_on = broken.run(&[], &[("TILEPROOF_EXIT", "0")]);
    assert_eq!((goes_on.code, goes_on.stdout.as_str()), (Some(0), "8192 sums are right\n"), "{goes_on:?}");
    let report = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("report-{}", std::process::id()));
    let kept = broken.run(&[], &[("TILEPROOF_REPORT", report.to_str().unwrap())]);
    assert!(kept.code == Some(1) && kept.stderr.is_empty(), "{kept:?}");
    assert!(std::fs::read_to_string(&report).unwrap().contains("error[TP0601]"));
    std::fs::remove_file(report).unwrap();
}

#[test]
fn a_program_is_kept_and_runs_again_with_other_addresses() {
    let ran = Program::build("examples/host/doubled/main.cpp", "doubled", &[]).run(&[], PLAIN);
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (Some(0), "2048 values, 3 times doubled\n", ""));
}

#[test]
fn a_described_program_runs_on_the_shards_of_its_buffers() {
    let ran = Program::build("examples/host/shards/main.cpp", "shards", &[]).run(&[], PLAIN);
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (Some(0), "16384 sums on 4 cores\n", ""));
}

/// The three projects as their users build them.
#[test]
fn the_examples_build_with_cmake() {
    if !std::process::Command::new("cmake").arg("--version").output().is_ok_and(|output| output.status.success()) {
        eprintln!("left out: cmake is not installed; `pip install cmake` has it");
        return;
    }
    let sdk = tileproof_sdk::lay_out(&crate::built::library()).unwrap();
    let package = format!("-DTT-Metalium_DIR={}", sdk.cmake().display());
    let around = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("cmake-{}", std::process::id()));
    let run = |arguments: &[&std::ffi::OsStr]| {
        let output = std::process::Command::new("cmake").args(arguments).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    for (project, programs) in [
        ("add", &[("add", 0, "8192 sums are right\n"), ("add_broken", 1, "")][..]),
        ("doubled", &[("doubled", 0, "2048 values, 3 times doubled\n")]),
        ("shards", &[("shards", 0, "16384 sums on 4 cores\n")]),
    ] {
        let (source, build) = (crate::built::root().join("examples/host").join(project), around.join(project));
        run(&["-S".as_ref(), source.as_os_str(), "-B".as_ref(), build.as_os_str(), package.as_ref()]);
        run(&["--build".as_ref(), build.as_os_str()]);
        for (program, code, said) in programs {
            let ran = std::process::Command::new(build.join(program)).output().unwrap();
            let stdout = String::from_utf8_lossy(&ran.stdout);
            assert_eq!((ran.status.code(), stdout.as_ref()), (Some(*code), *said), "{program}");
        }
    }
    std::fs::remove_dir_all(around).unwrap();
}

/// Programs run on an executable of these tests; whoever records sets one variable.
#[test]
fn a_launch_that_is_recorded_runs_again_as_a_program_file_with_the_same_bits() {
    let into = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("recorded-{}", std::process::id()));
    let variables = [("TILEPROOF_RECORD", into.to_str().unwrap())];
    let ran = Program::build("examples/host/doubled/main.cpp", "doubled-recorded", &[]).run(&[], &variables);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "2048 values, 3 times doubled\n"), "{ran:?}");
    let shards = Program::build("examples/host/shards/main.cpp", "shards-recorded", &[]);
    assert_eq!(shards.run(&[], &variables).code, Some(0));
    let broken = Program::build("examples/host/add/main.cpp", "add-recorded", &["-DBROKEN"]);
    assert_eq!(broken.run(&[], &variables).code, Some(1));
    let again = |folder: &str| {
        let path = into.join(folder).join("program.toml");
        let run = tileproof::run_file::run_program_file(&path, &tileproof::run_file::RunOptions::default());
        (run.unwrap_or_else(|error| panic!("{folder}: {error}")), std::fs::read_to_string(path).unwrap())
    };
    for launch in ["0001-main", "0002-main", "0003-main", "0004-main"] {
        let (result, text) = again(launch);
        assert!(result.pass() && result.record.findings.is_empty(), "{launch}: {:?}", result.record.findings);
        assert!(text.contains("bits = true"), "what came out is expected: {text}");
    }
    // Launches without an end have no output to expect, and are kept all the same.
    let (result, text) = again("0005-main");
    assert!(!result.pass() && !text.contains("[[expect]]"), "{text}");
    assert!(
        result.record.findings.iter().any(|finding| finding.code == tileproof::model::finding::Code::DEADLOCK),
        "{:?}",
        result.record.findings
    );
    std::fs::remove_dir_all(into).unwrap();
}
