//! Operations of one's own in the layer of ttnn: programs that are kept, and what is left in them of an earlier call.

use crate::built::{PLAIN, Program};

#[test]
fn a_kept_program_runs_again_and_what_it_has_of_an_earlier_call_is_told() {
    let program = Program::build("crates/tileproof-host/tests/cpp/operation.cpp", "operation", &[]);
    // 33 rows of 40: the last element is 1319 % 64 = 39.
    for how in ["right", "described", "hash"] {
        let ran = program.run(&[how], PLAIN);
        assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (Some(0), "2 78 4 80, 1 kept\n", ""), "{how}");
    }
    for (how, what, help) in [
        ("forgets_the_input", "runtime argument 0 of", "set it in override_runtime_arguments"),
        ("leaves_out_the_scale", "compile-time argument 0 of", "let compute_program_hash depend on"),
        ("leaves_out_the_shape", "runtime argument 1 of", "set it in override_runtime_arguments"),
    ] {
        let ran = program.run(&[how], PLAIN);
        assert_eq!(ran.code, Some(1), "{how}: {ran:?}");
        assert!(ran.stderr.contains("error[TP0105]"), "{how}: {ran:?}");
        assert!(ran.stderr.contains(what) && ran.stderr.contains(help), "{how}: {ran:?}");
        assert!(ran.stderr.contains("operation.cpp"), "{how}: {ran:?}");
        let ran = program.run(&[how], &[("TILEPROOF_CHECKS", "none")]);
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{how} without checks");
    }
    let ran = program.run(&["refused"], PLAIN);
    assert!(ran.stdout.contains("Scale: layout ROW_MAJOR, expected TILE"), "{ran:?}");
}
