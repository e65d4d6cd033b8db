//! Times beside the targets of the project: tile operations, and LayerNorm forward and backward.
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

/// A LayerNorm that is timed: direction, shape, and what the peer takes for the same, in seconds: the fastest run measured on
/// a machine of 2 cores. The peer of backward is the public kernels on the full-system simulator, that of forward
/// `ttnn.layer_norm` on it.
const LAYERNORMS: [(&str, &str, f64); 3] =
    [("forward", "1,1,64,2048", 0.060), ("forward", "1,1,96,8462", 0.390), ("backward", "3,1,273,8462", 5.3)];
/// How many times faster than the peer.
const FLOOR: f64 = 20.0;
const GOAL: f64 = 100.0;

pub(crate) fn run() -> Result<()> {
    tiles()?;
    println!();
    LAYERNORMS.iter().try_for_each(|(direction, shape, peer_s)| layernorm(direction, shape, *peer_s))
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

fn layernorm(direction: &str, shape: &str, peer_s: f64) -> Result<()> {
    let binary = determinism::binary("release")?;
    let mut best = f64::INFINITY;
    let mut pass = true;
    for _ in 0..5 {
        let output = Command::new(&binary)
            .args(["layernorm", direction, "--shape", shape])
            .args(["--checks", "none", "--threads", "1", "--format", "json"])
            .output()?;
        ensure!(
            matches!(output.status.code(), Some(0 | 1)),
            "layernorm {direction} failed: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        );
        let document: Value = serde_json::from_slice(&output.stdout)?;
        best = best.min(document["wall_s"].as_f64().context("no wall_s in the document")?);
        pass &= document["pass"] == true;
    }
    let outputs = if pass { "pass" } else { "FAIL" };
    let times = peer_s / best;
    let verdict = if times < FLOOR { "  MISSED" } else { "" };
    println!("layernorm {direction} {shape}, checks off, 1 thread, best of 5: {:.2} ms, outputs {outputs}", best * 1e3);
    println!(
        "  against {:.0} ms of the peer: {times:.0} times faster; floor {FLOOR}, goal {GOAL}{verdict}",
        peer_s * 1e3
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
