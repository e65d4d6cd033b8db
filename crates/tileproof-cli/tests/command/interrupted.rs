//! Ctrl-C while programs run: the command says what stood, leaves nothing behind that is broken, and its exit code is that of shells.
//!
//! Start with [`an_audit_and_a_grid_that_are_interrupted_say_how_far_they_came`].

use std::fs;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::run::{ROOT, changed_add, folder};

fn start(arguments: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tileproof"));
    // In a group of its own, which an interrupt reaches as a terminal's does: all of its processes.
    command.args(arguments).process_group(0).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Interrupts a command after a while, and waits for its end, which must come soon.
fn interrupted(child: Child, after: Duration) -> Output {
    sleep(after);
    let group = format!("-{}", child.id());
    assert!(Command::new("kill").args(["-INT", "--", &group]).status().unwrap().success());
    let begin = Instant::now();
    let output = child.wait_with_output().unwrap();
    assert!(begin.elapsed() < Duration::from_secs(30), "{:?}", begin.elapsed());
    output
}

fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// It said how far it came, that what it kept is whole, and nothing else.
fn assert_says(output: &Output, said: &str) {
    let text = told(output);
    assert_eq!(output.status.code(), Some(130), "{text}");
    assert!(text.contains(said) && text.ends_with("is whole\n"), "{text}");
    assert!(output.stdout.is_empty(), "{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn an_audit_and_a_grid_that_are_interrupted_say_how_far_they_came() {
    let [audited, grid] = ["matmul_grid", "hang"].map(|name| format!("{ROOT}/examples/programs/{name}/program.toml"));
    assert_says(&interrupted_between(&["audit", &audited]), " mutants were run, of which the test finds ");
    // Compiled before, so that most of its time are runs of cells.
    assert!(start(&["run", &grid, "--checks", "none"]).wait_with_output().is_ok());
    let cells = ["--grid", "PAGES=1..1000", "--grid", "EXTRA=0..8"];
    assert_says(&interrupted_between(&[&["run", &grid][..], &cells].concat()), "of 9000 cells ");
}

/// Interrupts a command at some moment between its first run and its last, however fast this host is.
fn interrupted_between(arguments: &[&str]) -> Output {
    let mut after = Duration::from_millis(40);
    loop {
        let output = interrupted(start(arguments), after);
        if output.status.code() == Some(130) && told(&output).contains(" were run") {
            return output;
        }
        assert!(after < Duration::from_secs(60), "{}", told(&output));
        after = after * 3 / 2;
    }
}

#[test]
fn gates_a_layernorm_and_a_sweep_that_are_interrupted_say_what_stands() {
    let folder = folder("interrupted-sweep");
    let spec = folder.join("spec.toml");
    // Some thirty cells of a second each.
    let seeds: Vec<u32> = (0..30).collect();
    let cell = "op = \"layernorm_bw\"\nshapes = [\"1,1,512,2048\"]\ndtypes = [\"bfloat16\"]\ndata = [\"normal:0,1\"]";
    fs::write(&spec, format!("name = \"x\"\n[[cells]]\n{cell}\nseeds = {seeds:?}\n")).unwrap();
    let spec = spec.to_str().unwrap();
    let many = ["layernorm", "backward", "--shape", "1,1,2048,8192", "--checks", "none"];
    for (arguments, said) in [
        (&["op", "check", "layernorm_bw"][..], " gates are green; gate "),
        (&many, "it had not ended: there is no verdict"),
        (&["sweep", spec, "--workers", "1"], " of 30 cells are in "),
    ] {
        assert_says(&interrupted(start(arguments), Duration::from_millis(1500)), said);
    }
    // None of the cells is kept as one that failed.
    let store = fs::read(folder.join("spec.sqlite")).unwrap();
    assert!(store.starts_with(b"SQLite format 3"));
    assert!(!store.windows(4).any(|word| word == b"lost"), "a cell of a worker that was interrupted is kept");
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
    assert_says(&output, "");
}
