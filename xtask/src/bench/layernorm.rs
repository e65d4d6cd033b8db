//! LayerNorm beside the full-system simulator, with checks and without, on one host thread and on all.

use anyhow::Result;

use super::{best_of, heading, row};

/// Rows by width, bf16, and the seconds of `ttnn.layer_norm` on ttsim.
const FORWARD: [(&str, f64); 2] = [("1,1,64,2048", 0.060), ("1,1,96,8462", 0.390)];
const BACKWARD: &str = "3,1,273,8462";
/// The public kernels of backward on ttsim, the fastest run, in seconds.
const BACKWARD_PEER: f64 = 5.3;
/// Operations on a tile that backward makes for each tile of x: calls that move or compute 1024 data.
const TILE_OPERATIONS: f64 = 7155.0 * 30.0;

/// Prints the rows; the seconds of backward with checks off on all host threads.
pub(super) fn run(binary: &str) -> Result<f64> {
    heading("layernorm, times as fast as the public kernels on ttsim");
    for (shape, peer) in FORWARD {
        let (seconds, _) =
            best_of(binary, 5, &["layernorm", "forward", "--shape", shape, "--checks", "none", "--threads", "1"])?;
        row(
            &format!("forward {shape}, checks off, 1 thread ({:.1} ms)", seconds * 1e3),
            peer / seconds,
            "x",
            20.0,
            100.0,
            true,
        );
    }
    let backward = |checks: &str, threads: Option<&str>| {
        let mut arguments = vec!["layernorm", "backward", "--shape", BACKWARD, "--checks", checks];
        arguments.extend(threads.iter().flat_map(|threads| ["--threads", threads]));
        best_of(binary, 5, &arguments)
    };
    let (one, peak_off) = backward("none", Some("1"))?;
    let times = |seconds: f64| BACKWARD_PEER / seconds;
    row(&format!("backward {BACKWARD}, checks off, 1 thread ({one:.3} s)"), times(one), "x", 20.0, 100.0, true);
    let (all, peak_all) = backward("none", None)?;
    row(&format!("backward {BACKWARD}, checks off, all threads ({all:.3} s)"), times(all), "x", 20.0, 100.0, true);
    let (checked, peak_on) = backward("all", Some("1"))?;
    row(&format!("backward {BACKWARD}, checks on, 1 thread ({checked:.3} s)"), times(checked), "x", 10.0, 30.0, true);
    heading("memory");
    let gib = |bytes: u64| bytes as f64 / f64::from(1 << 30);
    let peak = peak_off.max(peak_all).max(peak_on);
    row(&format!("backward {BACKWARD}, peak"), gib(peak), "GiB", 2.0, 1.0, false);
    let bytes = peak_on.saturating_sub(peak_off) as f64 / TILE_OPERATIONS;
    row("bookkeeping of the checks, a tile operation", bytes, "bytes", 200.0, 100.0, false);
    Ok(all)
}
