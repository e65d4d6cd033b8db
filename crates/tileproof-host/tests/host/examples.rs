//! The examples in `examples/host`, each right and with its mistake.

use crate::built::Program;

#[test]
fn add_runs_clean_and_its_broken_twin_hangs_with_the_line() {
    let example = Program::build("examples/host/add/main.cpp", "add", &[]);
    let right = example.run(&[], &[]);
    assert_eq!((right.code, right.stdout.as_str(), right.stderr.as_str()), (Some(0), "8192 sums are right\n", ""));
    let program = Program::build("examples/host/add/main.cpp", "add-broken", &["-DBROKEN"]);
    let broken = program.run(&[], &[]);
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
    // It goes on, to its own check: the output is written by then.
    let goes_on = broken.run(&[], &[("TILEPROOF_EXIT", "0")]);
    assert_eq!((goes_on.code, goes_on.stdout.as_str()), (Some(0), "8192 sums are right\n"), "{goes_on:?}");
    let report = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("report-{}", std::process::id()));
    let kept = broken.run(&[], &[("TILEPROOF_REPORT", report.to_str().unwrap())]);
    assert!(kept.code == Some(1) && kept.stderr.is_empty(), "{kept:?}");
    assert!(std::fs::read_to_string(&report).unwrap().contains("error[TP0601]"));
    std::fs::remove_file(report).unwrap();
}
