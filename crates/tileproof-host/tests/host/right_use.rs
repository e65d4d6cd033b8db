//! What host programs may do, and what comes of it.

use crate::built::{PLAIN, Program};

const USES: [&str; 4] = ["large_page", "kept_reference", "replayed_trace", "silent_log"];

#[test]
fn each_right_use_comes_out_right() {
    let program = Program::build("crates/tileproof-host/tests/cpp/right_use.cpp", "right_use", &[]);
    for right in USES {
        let ran = program.run(&[right], PLAIN);
        assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (Some(0), "", ""), "{right}");
    }
    // The process ends with findings, at once and at its end.
    for (program_that, code, said) in [("hangs", "TP0601", "said before"), ("ends", "TP03", "said before, said behind")]
    {
        let ran = program.run(&[program_that], PLAIN);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), said), "{program_that}: {ran:?}");
        assert!(ran.stderr.contains(&format!("error[{code}")), "{program_that}: {ran:?}");
    }
}
