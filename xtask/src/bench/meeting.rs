//! Cores that meet, on one host thread and on all: a product whose blocks 64 cores multicast to each other, on runs in turn.
//!
//! Kernels are those of `examples/programs/matmul_grid`. Start at [`run`].

use std::fs;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::layernorm::median;
use super::measure::{Table, json};
use crate::workspace::{root, target_folder};

/// Cores along a side of the grid, tiles along K, rows of tiles of a core.
const SIDE: u32 = 8;
const STEPS: u32 = 256;
const ROWS: u32 = 8;
/// Turns, of whose ratios the median counts.
const ROUNDS: usize = 5;
/// Times as fast on all threads as on one: two are what the targets are meant for.
const TARGETS: (f64, f64) = (1.6, 1.9);

/// Prints how many times as fast all host threads are.
pub(super) fn run(table: &mut Table, binary: &str) -> Result<()> {
    table.heading("cores that meet, times as fast on all host threads as on one");
    let folder = target_folder().join("work").join("meeting");
    fs::create_dir_all(&folder)?;
    let file = folder.join("program.toml");
    fs::write(&file, text())?;
    let seconds = |threads: &[&str]| {
        let mut command = Command::new(binary);
        command.arg("run").arg(&file).args(["--checks", "none", "--format", "json"]).args(threads);
        let document = json(&mut command)?.document;
        ensure!(document["status"] == "completed", "the product of {SIDE} by {SIDE} cores does not complete");
        document["wall_s"].as_f64().context("no wall_s in the document")
    };
    // The first run compiles.
    seconds(&[])?;
    let mut runs = Vec::new();
    for _ in 0..ROUNDS {
        runs.push((seconds(&["--threads", "1"])?, seconds(&[])?));
    }
    let of = |part: fn(&(f64, f64)) -> f64| median(runs.iter().map(part));
    let (one, all) = (of(|run| 1e3 * run.0), of(|run| 1e3 * run.1));
    let what = format!("multicast product on {} cores, checks off ({one:.0} ms, {all:.0} on all)", SIDE * SIDE);
    table.row(&what, of(|run| run.0 / run.1), "x", TARGETS, true);
    Ok(())
}

/// The program file.
fn text() -> String {
    let last = SIDE - 1;
    let grid = format!("core_ranges = [[[0, 0], [{last}, {last}]]]");
    let mut text = String::from("arch = \"wormhole\"\n");
    let fill = "fill = \"uniform:-1,1\"";
    let (rows, columns, along) = (32 * ROWS * SIDE, 32 * SIDE, 32 * STEPS);
    for (name, shape, rest) in
        [("in0", [rows, along], fill), ("in1", [along, columns], fill), ("out", [rows, columns], "output = true")]
    {
        text += &format!(
            "[[tensor]]\nname = \"{name}\"\nshape = {shape:?}\ndtype = \"bfloat16\"\nlayout = \"tile\"\n{rest}\n"
        );
    }
    for (index, pages) in [(0, 2 * ROWS), (1, 2), (16, ROWS)] {
        text += &format!(
            "[[cb]]\ntotal_size = {}\n{grid}\n\
             format_descriptors = [{{ buffer_index = {index}, data_format = \"bfloat16\", page_size = 2048 }}]\n",
            2048 * pages
        );
    }
    let on = |x: u32, y: u32| format!("{{ noc_x = [{x}, {y}] }}, {{ noc_y = [{x}, {y}] }}");
    // The first of a line sends, to as many as there are others.
    let sends = |at: u32| if at == 0 { last } else { 0 };
    let arguments = |of: &dyn Fn(u32, u32) -> String| {
        let cores = (0..SIDE * SIDE).map(|core| (core % SIDE, core / SIDE));
        let list: Vec<String> = cores.map(|(x, y)| format!("{{ core = [{x}, {y}], args = [{}] }}", of(x, y))).collect();
        list.join(", ")
    };
    let in0 = arguments(&|x, y| {
        let line = [on(0, y), on(1, y), on(last, y)].join(", ");
        format!("{{ address = \"in0\" }}, {}, {}, {line}", ROWS * y, sends(x))
    });
    let in1 = arguments(&|x, y| {
        let line = [on(x, 0), on(x, 1), on(x, last)].join(", ");
        format!("{{ address = \"in1\" }}, {{ address = \"out\" }}, {}, {x}, {}, {line}", ROWS * y, sends(y))
    });
    let kernels = root().join("examples/programs/matmul_grid");
    let of = |tensor: &str| format!("{{ tensor_accessor = \"{tensor}\" }}");
    for (file, config, compile_time, runtime) in [
        ("in0.cpp", "\"reader\"", format!("{ROWS}, {STEPS}, {}", of("in0")), in0),
        ("matmul.cpp", "{ compute = { math_fidelity = \"HiFi4\" } }", format!("{ROWS}, {STEPS}"), String::new()),
        ("in1_and_out.cpp", "\"writer\"", format!("{ROWS}, {STEPS}, {SIDE}, {}, {}", of("in1"), of("out")), in1),
    ] {
        let source = kernels.join(file);
        text += &format!(
            "[[kernel]]\nkernel_source = \"{}\"\n{grid}\nconfig = {config}\n\
             compile_time_args = [{compile_time}]\nruntime_args = [{runtime}]\n",
            source.display()
        );
    }
    for id in 0..4 {
        text += &format!("[[semaphore]]\nid = {id}\n{grid}\ninitial_value = 0\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_core_has_its_arguments_and_the_first_of_each_line_sends() {
        let text = text();
        assert_eq!(text.matches("{ core = [").count(), 2 * 64);
        let sends_in0 = text.matches(&format!("{{ address = \"in0\" }}, {}, {}, ", 0, 7)).count();
        assert_eq!(sends_in0, 1, "of the first row the first core alone");
        assert!(text.contains("args = [{ address = \"in1\" }, { address = \"out\" }, 56, 7, 0, { noc_x = [7, 0] }"));
    }
}
