//! What host programs may do, and what comes of it.

use crate::built::{PLAIN, Program};

const USES: [&str; 3] = ["large_page", "kept_reference", "replayed_trace"];

#[test]
fn each_right_use_comes_out_right() {
    let program = Program::build("crates/tileproof-host/tests/cpp/right_use.cpp", "right_use", &[]);
    for right in USES {
        let ran = program.run(&[right], PLAIN);
        assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (Some(0), "", ""), "{right}");
    }
}
