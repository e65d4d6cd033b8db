//! The same mathematics natively: LayerNorm backward in PyTorch on the CPU.
//!
//! PyTorch is no part of the project: it is installed with pip into a cache folder of its own, once, and only when asked
//! for. Start at [`run`].

use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::measure::{heading, json, row};

/// Prints the fastest of ten backward passes as JSON. float32: bf16 is not faster on a CPU.
const SCRIPT: &str = r#"
import json, time, torch
shape, width = (3, 1, 273, 8462), 8462
x = (torch.rand(shape) * 2 - 1).requires_grad_()
gamma = torch.rand(width).requires_grad_()
beta = torch.zeros(width).requires_grad_()
dy = torch.rand(shape) * 2 - 1
best = 1e9
for _ in range(10):
    y = torch.nn.functional.layer_norm(x, (width,), gamma, beta, 1e-6)
    begin = time.perf_counter()
    torch.autograd.grad(y, (x, gamma, beta), dy)
    best = min(best, time.perf_counter() - begin)
print(json.dumps({"seconds": best, "threads": torch.get_num_threads(), "version": torch.__version__}))
"#;

/// Compares with `ours`, the seconds of backward on all host threads.
pub(super) fn run(ours: f64) -> Result<()> {
    let folder = crate::workspace::cache_folder("bench-torch")?;
    let python = folder.join("bin").join("python");
    let marker = folder.join("installed");
    if !marker.exists() {
        println!("\ninstalling torch into {}", folder.display());
        let made = Command::new("python3").args(["-m", "venv"]).arg(&folder).status()?;
        ensure!(made.success(), "python3 -m venv failed");
        let installed = Command::new(&python).args(["-m", "pip", "install", "--quiet", "torch", "numpy"]).status()?;
        ensure!(installed.success(), "pip install torch failed");
        std::fs::write(&marker, "")?;
    }
    let document = json(Command::new(&python).args(["-c", SCRIPT]))?.document;
    let torch = document["seconds"].as_f64().context("no seconds in what torch printed")?;
    heading("natively");
    let what =
        format!("backward, all threads, torch {} ({:.1} ms)", document["version"].as_str().unwrap_or(""), torch * 1e3);
    row(&what, ours / torch, "x", 60.0, 20.0, false);
    Ok(())
}
