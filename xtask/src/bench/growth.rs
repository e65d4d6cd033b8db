//! How the cost of a run grows with what there is to do: instructions over three decades of tiles, transfers and findings, and from one
//! core to 64. The exponent of the growth beyond the smallest run is 1 where that is linear.
//!
//! Kernels are those of `crates/tileproof/tests/bounds`. Start at [`run`].

use std::fs;
use std::process::Command;

use anyhow::{Result, ensure};

use super::measure::Table;
use crate::callgrind;
use crate::workspace::{root, target_folder};

/// What grows.
#[derive(Clone, Copy)]
enum Subject {
    /// Tiles that a core takes from DRAM, copies and drops.
    Tiles,
    /// Reads of a core.
    Transfers,
    /// Pages that are pushed before they have come: each is found.
    Findings,
    /// Cores that copy 50 tiles each.
    Cores,
}

/// Each with its name and sizes.
const SUBJECTS: [(Subject, &str, [u32; 4]); 4] = [
    (Subject::Tiles, "tiles", [10, 100, 1_000, 10_000]),
    (Subject::Transfers, "transfers", [10, 100, 1_000, 10_000]),
    (Subject::Findings, "findings", [10, 100, 1_000, 10_000]),
    (Subject::Cores, "cores", [1, 4, 16, 64]),
];
const TILES_OF_A_CORE: u32 = 50;
/// Exponents at most: the floor leaves room for what a larger run pays once.
const TARGETS: (f64, f64) = (1.1, 1.05);

/// Prints the exponents, by the instructions of runs with all checks and with none.
pub(super) fn run(table: &mut Table, binary: &str) -> Result<()> {
    table.heading("growth of instructions, as an exponent");
    for (subject, name, sizes) in SUBJECTS {
        for checks in ["none", "all"] {
            if matches!((subject, checks), (Subject::Findings, "none")) {
                continue;
            }
            let mut counts = [0.0; 4];
            for (count, size) in counts.iter_mut().zip(sizes) {
                let folder = target_folder().join("work").join(format!("growth-{name}-{size}"));
                fs::create_dir_all(&folder)?;
                let file = folder.join("program.toml");
                fs::write(&file, text(subject, size))?;
                let command =
                    ["run", &file.display().to_string(), "--checks", checks, "--threads", "1", "--in-process"];
                let command: Vec<String> =
                    command.iter().chain(&["--format", "json"]).map(|word| (*word).into()).collect();
                // The first run compiles. What is found is no failure here.
                let warm = Command::new(binary).args(&command).output()?;
                ensure!(matches!(warm.status.code(), Some(0 | 1)), "{name}: {}", String::from_utf8_lossy(&warm.stderr));
                let Some(millions) = callgrind::counted(binary, &command)? else {
                    println!("not counted: valgrind is not here, or the host is no x86-64");
                    return Ok(());
                };
                *count = millions;
            }
            let figures = counts.map(|count| format!("{count:.1}")).join(", ");
            let what = format!("{name}, checks {checks}: {} to {} ({figures} million)", sizes[0], sizes[3]);
            table.row(&what, exponent(sizes.map(f64::from), counts), "", TARGETS, false);
        }
    }
    Ok(())
}

/// The least squares of log(count - first) over log(size): what the growth beyond the smallest run goes by.
fn exponent(sizes: [f64; 4], counts: [f64; 4]) -> f64 {
    let points: Vec<(f64, f64)> =
        (1..4).map(|k| ((sizes[k] - sizes[0]).ln(), (counts[k] - counts[0]).max(1e-6).ln())).collect();
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / points.len() as f64;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let covariance: f64 = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
    let variance: f64 = points.iter().map(|point| (point.0 - x) * (point.0 - x)).sum();
    covariance / variance
}

/// The program of a subject and a size.
fn text(subject: Subject, size: u32) -> String {
    let kernels = root().join("crates/tileproof/tests/bounds");
    let (columns, rows) = match subject {
        Subject::Cores => (size.min(8), size.div_ceil(8)),
        _ => (1, 1),
    };
    let times = if matches!(subject, Subject::Cores) { TILES_OF_A_CORE } else { size };
    let grid = format!("[[[0, 0], [{}, {}]]]", columns - 1, rows - 1);
    let mut text = String::from(
        "arch = \"wormhole\"\n[[tensor]]\nname = \"x\"\nshape = [48, 64, 64]\ndtype = \"bfloat16\"\nlayout = \"tile\"\n\
         fill = \"uniform:0,1\"\n",
    );
    for (index, pages) in [(0, 16), (1, 1), (16, 2)] {
        text += &format!(
            "[[cb]]\ntotal_size = {}\ncore_ranges = {grid}\n\
             format_descriptors = [{{ buffer_index = {index}, data_format = \"bfloat16\", page_size = 2048 }}]\n",
            2048 * pages
        );
    }
    let cores = (0..columns * rows).map(|core| (core % columns, core / columns));
    let addresses: Vec<String> =
        cores.map(|(x, y)| format!("{{ core = [{x}, {y}], args = [{{ address = \"x\" }}] }}")).collect();
    let kernel = |file: &str, config: &str, defines: &str, arguments: &str| {
        format!(
            "[[kernel]]\nkernel_source = \"{}\"\ncore_ranges = {grid}\nconfig = {config}\ndefines = [{defines}]\n\
             compile_time_args = [{times}]\nruntime_args = [{arguments}]\n",
            kernels.join(file).display()
        )
    };
    let moves = match subject {
        Subject::Transfers => "[\"BLOCK\", \"1\"], [\"BYTES\", \"64\"]",
        Subject::Findings => "[\"FLOWS\", \"1\"], [\"EARLY\", \"1\"]",
        Subject::Tiles | Subject::Cores => "[\"FLOWS\", \"1\"]",
    };
    text += &kernel("mover.cpp", "\"reader\"", moves, &addresses.join(", "));
    if !matches!(subject, Subject::Transfers) {
        text += &kernel("compute.cpp", "{ compute = { math_fidelity = \"HiFi4\" } }", "[\"FLOWS\", \"1\"]", "");
        text += &kernel("drain.cpp", "\"writer\"", "", "");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exponent_is_that_of_the_growth_beyond_what_each_run_takes() {
        let sizes = [10.0, 100.0, 1_000.0, 10_000.0];
        assert!((exponent(sizes, sizes.map(|size| 30.0 + 0.25 * size)) - 1.0).abs() < 1e-9);
        assert!((exponent(sizes, sizes.map(|size| 30.0 + 1e-3 * size * size)) - 2.0).abs() < 0.05);
    }

    #[test]
    fn each_program_is_of_its_size() {
        let cores = text(Subject::Cores, 64);
        assert_eq!(cores.matches("{ core = [").count(), 64);
        assert!(cores.contains("[[[0, 0], [7, 7]]]") && cores.contains("compile_time_args = [50]"));
        assert!(text(Subject::Cores, 4).contains("[[[0, 0], [3, 0]]]"));
        let transfers = text(Subject::Transfers, 1_000);
        assert!(transfers.contains("compile_time_args = [1000]") && transfers.matches("[[kernel]]").count() == 1);
    }
}
