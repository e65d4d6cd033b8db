//! Many devices in one process, threads, and findings that fail the test at hand.

use crate::built::Program;

#[test]
fn a_suite_opens_and_closes_devices_on_threads_and_findings_fail_the_test_at_hand() {
    let program = Program::build("crates/tileproof-host/tests/cpp/suite.cpp", "suite", &["-pthread"]);
    let ran = program.run(&[], &[("TILEPROOF_DEVICES", "3")]);
    let lines: Vec<&str> = ran.stdout.lines().collect();
    // A pipe gets what kernels print at once, and what the program says when it ends.
    let print = "2:(x=0,y=0):BR: here";
    assert_eq!(lines, [print, "9 of 9 copies", "the test failed", "the next one passed"], "{ran:?}");
    assert!(ran.stderr.contains("error[TP0601]"), "{ran:?}");
    assert_eq!(ran.code, Some(1), "{ran:?}");
}
