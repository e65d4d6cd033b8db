//! Operations on one tile, by the example `tile_times` of the numerics.

use anyhow::{Context, Result, ensure};

use super::measure::{heading, row};
use crate::workspace::cargo;

/// A tile operation: how `tile_times` calls it, floor and goal in microseconds.
const TILE_TARGETS: [(&str, f64, f64); 5] = [
    ("add, 16-bit Dst", 1.0, 0.5),
    ("mul HiFi4 onto zero, 16-bit Dst", 1.0, 0.5),
    ("copy_tile, 16-bit Dst", 1.0, 0.5),
    ("matmul LoFi, 16-bit Dst", 8.0, 5.0),
    ("matmul HiFi4, 16-bit Dst", 30.0, 15.0),
];

pub(super) fn run() -> Result<()> {
    let output = cargo()
        .args(["run", "--quiet", "--release", "-p", "tileproof-numerics", "--example", "tile_times"])
        .output()
        .context("cannot run the example tile_times")?;
    ensure!(output.status.success(), "tile_times failed: {}", String::from_utf8_lossy(&output.stderr).trim());
    let text = String::from_utf8(output.stdout)?;
    heading("one tile");
    for line in text.lines() {
        let Some((name, nanoseconds)) = time_of(line) else { continue };
        match TILE_TARGETS.iter().find(|(of, ..)| *of == name) {
            Some((_, floor, goal)) => row(name, nanoseconds / 1e3, "us", *floor, *goal, false),
            None => println!("{name:<70} {:>9.4} us", nanoseconds / 1e3),
        }
    }
    Ok(())
}

/// Name and nanoseconds of a line of `tile_times`.
fn time_of(line: &str) -> Option<(&str, f64)> {
    let (name, number) = line.trim_end().strip_suffix(" ns")?.trim_end().rsplit_once(' ')?;
    Some((name.trim(), number.parse().ok()?))
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
