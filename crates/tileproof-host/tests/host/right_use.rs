//! What host programs may do, and what comes of it.

use crate::built::{PLAIN, Program};

const USES: [&str; 6] =
    ["block_floats", "large_page", "kept_reference", "replayed_trace", "silent_log", "global_semaphore"];

#[test]
fn each_right_use_comes_out_right() {
    let program = Program::build("crates/tileproof-host/tests/cpp/right_use.cpp", "right_use", &[]);
    for right in USES {
        let ran = program.run(&[right], PLAIN);
        assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (Some(0), "", ""), "{right}");
    }
    let home = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("checkout-{}", std::process::id()));
    for (path, text) in [
        (
            "kernels/asks_ttnn.cpp",
            "#include \"ttnn/kernel/answers.hpp\"\nvoid kernel_main() { static_assert(ANSWER == 2); }\n",
        ),
        ("ttnn/cpp/ttnn/kernel/answers.hpp", "constexpr int ANSWER = 2;\n"),
    ] {
        let path = home.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let ran = program.run(&["header_of_ttnn"], &[("TT_METAL_HOME", &home)]);
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (Some(0), "", ""));
    std::fs::remove_dir_all(home).unwrap();
    // The process ends with findings, at once and at its end.
    for (program_that, code, said) in [("hangs", "TP0601", "said before"), ("ends", "TP03", "said before, said behind")]
    {
        let ran = program.run(&[program_that], PLAIN);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), said), "{program_that}: {ran:?}");
        assert!(ran.stderr.contains(&format!("error[{code}")), "{program_that}: {ran:?}");
    }
}

#[test]
fn an_address_that_a_kept_program_was_not_given_anew_is_told_when_the_device_is_closed() {
    let program = Program::build("crates/tileproof-host/tests/cpp/kept.cpp", "kept", &[]);
    for (how, value) in [("given", "2\n"), ("filled_again", "3\n"), ("used_later", "2\n")] {
        let ran = program.run(&[how], PLAIN);
        assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (Some(0), value, ""), "{how}");
    }
    let ran = program.run(&["left"], PLAIN);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), "1\n"), "{ran:?}");
    let line = "const auto kernel = CreateKernelFromString(program, COPIES";
    assert!(ran.stderr.contains("[TP0105]") && ran.stderr.contains(line), "{ran:?}");
}
