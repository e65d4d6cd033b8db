//! Ctrl-C while programs run: the command says what stood, leaves nothing behind that is broken, and its exit code is that of shells.
//!
//! Start with [`an_audit_and_a_grid_that_are_interrupted_say_how_far_they_came`].

use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::run::{ROOT, changed_add};

fn start(arguments: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tileproof"));
    command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Interrupts a command after a while, and waits for its end, which must come soon.
fn interrupted(child: Child, after: Duration) -> Output {
    sleep(after);
    let process = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &process]).status().unwrap().success());
    let begin = Instant::now();
    let output = child.wait_with_output().unwrap();
    assert!(begin.elapsed() < Duration::from_secs(30), "{:?}", begin.elapsed());
    output
}

fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn an_audit_and_a_grid_that_are_interrupted_say_how_far_they_came() {
    let [audited, grid] = ["matmul_grid", "hang"].map(|name| format!("{ROOT}/examples/programs/{name}/program.toml"));
    let cells = ["--grid", "PAGES=1..200", "--grid", "EXTRA=0..8"];
    for (arguments, said) in [
        (vec!["audit", &audited], " mutants were run, of which the test finds "),
        ([&["run", &grid][..], &cells].concat(), "of 1800 cells "),
    ] {
        // Compiled before, so that some of it is done when the interrupt comes.
        assert!(start(&["run", arguments[1], "--checks", "none"]).wait_with_output().is_ok());
        let output = interrupted(start(&arguments), Duration::from_millis(1500));
        let text = told(&output);
        assert_eq!(output.status.code(), Some(130), "{text}");
        assert!(text.contains(said) && text.ends_with("is whole\n"), "{text}");
        assert!(output.stdout.is_empty(), "{}", String::from_utf8_lossy(&output.stdout));
    }
}

#[test]
fn a_kernel_that_runs_on_is_ended_with_its_process() {
    // Each write goes on, so that nothing ends it but a limit of minutes.
    let barrier = "        noc_async_write_barrier();";
    let many = "        for (uint32_t i = 0; i < 100000000; i++) {\n            noc_async_write_page(page, out, get_read_ptr(cb_out));\n\
                            noc_async_write_barrier();\n        }";
    let path = changed_add("interrupted", &[("writer.cpp", barrier, many)]);
    let program = path.to_str().unwrap();
    let output = interrupted(start(&["run", program]), Duration::from_secs(6));
    let text = told(&output);
    assert_eq!(output.status.code(), Some(130), "{text}");
    assert!(text.ends_with("is whole\n"), "{text}");
    assert!(output.stdout.is_empty());
}
