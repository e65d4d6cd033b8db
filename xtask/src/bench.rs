//! Times beside the targets of the project: tile operations, and LayerNorm backward of the largest public shape.
//!
//! It reports and asserts nothing: wall times on a shared machine vary by a factor of two. Start at [`run`].

use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::{cargo, determinism};

/// A tile operation: how `tile_times` calls it, floor and goal in nanoseconds.
const TILE_TARGETS: [(&str, f64, f64); 5] = [
    ("add, 16-bit Dst", 1_000.0, 500.0),
    ("mul HiFi4, 16-bit Dst", 1_000.0, 500.0),
    ("copy_tile, 16-bit Dst", 1_000.0, 500.0),
    ("matmul LoFi, 16-bit Dst", 8_000.0, 5_000.0),
    ("matmul HiFi4, 16-bit Dst", 30_000.0, 15_000.0),
];

const BACKWARD: [&str; 10] =
    ["layernorm", "backward", "--shape", "3,1,273,8462", "--checks", "none", "--threads", "1", "--format", "json"];
/// What the public kernels take on the full-system simulator on a machine of 2 cores, in seconds: the fastest run measured.
const PEER_S: f64 = 5.3;

pub(crate) fn run() -> Result<()> {
    tiles()?;
    backward()
}

fn tiles() -> Result<()> {
    let output = cargo()
        .args(["run", "--quiet", "--release", "-p", "tileproof-numerics", "--example", "tile_times"])
        .output()
        .context("cannot run the example tile_times")?;
    ensure!(output.status.success(), "tile_times failed: {}", String::from_utf8_lossy(&output.stderr).trim());
    let text = String::from_utf8(output.stdout)?;
    println!("{:<44} {:>9} {:>9} {:>9}", "tile operation", "ns", "floor", "goal");
    for line in text.lines() {
        let Some((name, nanoseconds)) = time_of(line) else { continue };
        let target = TILE_TARGETS.iter().find(|(of, ..)| *of == name);
        let (floor, goal) =
            target.map_or((String::new(), String::new()), |(_, floor, goal)| (floor.to_string(), goal.to_string()));
        let verdict = match target {
            Some((_, floor, _)) if nanoseconds > *floor => "  MISSED",
            Some((.., goal)) if nanoseconds <= *goal => "  goal",
            Some(_) => "  floor",
            None => "",
        };
        println!("{name:<44} {nanoseconds:>9.0} {floor:>9} {goal:>9}{verdict}");
    }
    Ok(())
}

/// Name and nanoseconds of a line of `tile_times`.
fn time_of(line: &str) -> Option<(&str, f64)> {
    let (name, number) = line.trim_end().strip_suffix(" ns")?.trim_end().rsplit_once(' ')?;
    Some((name.trim(), number.parse().ok()?))
}

fn backward() -> Result<()> {
    let binary = determinism::binary("release")?;
    let mut best = f64::INFINITY;
    let mut pass = true;
    for _ in 0..3 {
        let output = Command::new(&binary).args(BACKWARD).output()?;
        ensure!(
            matches!(output.status.code(), Some(0 | 1)),
            "layernorm backward failed: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        );
        let document: Value = serde_json::from_slice(&output.stdout)?;
        best = best.min(document["wall_s"].as_f64().context("no wall_s in the document")?);
        pass &= document["pass"] == true;
    }
    println!();
    println!(
        "layernorm backward 3,1,273,8462, checks off, 1 thread, best of 3: {best:.3} s, outputs {}",
        if pass { "pass" } else { "FAIL" }
    );
    println!(
        "  against {PEER_S} s of the public kernels on ttsim: {:.0} times faster; floor 20, goal 100",
        PEER_S / best
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::time_of;

    #[test]
    fn a_line_of_tile_times_is_read() {
        let line = "matmul HiFi4, 16-bit Dst                          12345 ns";
        assert_eq!(time_of(line), Some(("matmul HiFi4, 16-bit Dst", 12345.0)));
        assert_eq!(time_of("warning: something"), None);
    }
}
