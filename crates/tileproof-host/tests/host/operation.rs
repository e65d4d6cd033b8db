//! Operations of one's own in the layer of ttnn: programs that are kept, and what is left in them of an earlier call.

use crate::built::{PLAIN, Program};

#[test]
fn a_kept_program_runs_again_and_what_it_has_of_an_earlier_call_is_told() {
    let program = Program::build("crates/tileproof-host/tests/cpp/operation.cpp", "operation", &[]);
    // 33 rows of 40: the last element is 1319 % 64 = 39.
    for (how, made) in [("right", 2), ("alone", 2), ("described", 0), ("hash", 2)] {
        let ran = program.run(&[how], PLAIN);
        let said = format!("2 78 4 80, 1 kept of {made}\n");
        assert_eq!((ran.code, ran.stdout, ran.stderr.as_str()), (Some(0), said, ""), "{how}");
    }
    // Nobody asks for what a kept program is held against.
    let ran = program.run(&["right"], &[("TILEPROOF_CHECKS", "none")]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "2 78 4 80, 1 kept of 1\n"), "{ran:?}");
    for (how, what, help) in [
        ("forgets_the_input", "runtime argument 0 of", "set it in override_runtime_arguments"),
        ("leaves_out_the_scale", "compile-time argument 0 of", "let compute_program_hash depend on"),
        ("leaves_out_the_shape", "runtime argument 1 of", "set it in override_runtime_arguments"),
    ] {
        let ran = program.run(&[how], PLAIN);
        assert_eq!(ran.code, Some(1), "{how}: {ran:?}");
        assert_eq!(
            ran.stderr.matches("[TP0105]").count(),
            1,
            "it is told once, and not suspected again: {how}: {ran:?}"
        );
        assert!(ran.stderr.starts_with("error[TP0105]"), "nothing ran: {how}: {ran:?}");
        assert!(ran.stderr.contains(what) && ran.stderr.contains(help), "{how}: {ran:?}");
        assert!(ran.stderr.contains("operation.cpp"), "{how}: {ran:?}");
        let ran = program.run(&[how], &[("TILEPROOF_CHECKS", "none")]);
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{how} without checks");
    }
    let ran = program.run(&["refused"], PLAIN);
    assert!(ran.stdout.contains("Scale: layout ROW_MAJOR, expected TILE"), "{ran:?}");
}
