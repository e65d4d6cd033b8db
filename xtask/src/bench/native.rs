//! The same mathematics natively: LayerNorm backward in PyTorch on the CPU.
//!
//! PyTorch is no part of the project: it is installed with pip into a cache folder of its own, once, and only when asked
//! for. Start at [`run`].

use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::layernorm::Seconds;
use super::measure::{Table, json};

/// Prints the fastest of ten backward passes, on all threads and on one, as JSON. float32: bf16 is not faster on a CPU.
const SCRIPT: &str = r#"
import json, time, torch
shape, width = (3, 1, 273, 8462), 8462
x = (torch.rand(shape) * 2 - 1).requires_grad_()
gamma = torch.rand(width).requires_grad_()
beta = torch.zeros(width).requires_grad_()
dy = torch.rand(shape) * 2 - 1
def seconds(threads):
    torch.set_num_threads(threads)
    best = 1e9
    for _ in range(10):
        y = torch.nn.functional.layer_norm(x, (width,), gamma, beta, 1e-6)
        begin = time.perf_counter()
        torch.autograd.grad(y, (x, gamma, beta), dy)
        best = min(best, time.perf_counter() - begin)
    return best
all_threads = torch.get_num_threads()
print(json.dumps({"all": seconds(all_threads), "one": seconds(1), "version": torch.__version__}))
"#;

/// Compares with `ours`.
pub(super) fn run(table: &mut Table, ours: &Seconds) -> Result<()> {
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
    let version = document["version"].as_str().unwrap_or("");
    table.heading("natively, times as long as torch");
    for (threads, ours, targets) in [("one", ours.one_thread, (12.0, 5.0)), ("all", ours.all_threads, (12.0, 5.0))] {
        let torch = document[threads].as_f64().context("no seconds in what torch printed")?;
        let what = format!(
            "backward, {threads} thread{}, torch {version} ({:.1} ms)",
            if threads == "one" { "" } else { "s" },
            torch * 1e3
        );
        table.row(&what, ours / torch, "x", targets, false);
    }
    Ok(())
}
