//! The same mathematics natively: LayerNorm backward in PyTorch on the CPU, in turn with ours, since a machine whose speed varies varies
//! for both.
//!
//! PyTorch is no part of the project: it is installed with pip into a cache folder of its own, once, and only when asked
//! for. Start at [`run`].

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, ensure};

use super::layernorm::{median, warm};
use super::measure::Table;

/// Says which version it is, and then for each line the seconds of a backward pass on so many threads, 0 for all: the fastest of a few.
/// float32: bf16 is not faster on a CPU.
const SCRIPT: &str = r#"
import sys, time, torch
shape, width = (3, 1, 273, 8462), 8462
x = (torch.rand(shape) * 2 - 1).requires_grad_()
gamma = torch.rand(width).requires_grad_()
beta = torch.zeros(width).requires_grad_()
dy = torch.rand(shape) * 2 - 1
all_threads = torch.get_num_threads()
print(torch.__version__, flush=True)
for line in sys.stdin:
    torch.set_num_threads(int(line) or all_threads)
    best = 1e9
    for _ in range(5):
        y = torch.nn.functional.layer_norm(x, (width,), gamma, beta, 1e-6)
        begin = time.perf_counter()
        torch.autograd.grad(y, (x, gamma, beta), dy)
        best = min(best, time.perf_counter() - begin)
    print(best, flush=True)
"#;
/// Turns, of whose ratios the median counts.
const ROUNDS: usize = 7;
/// Times as long as torch: the floor and the goal.
const TARGETS: (f64, f64) = (12.0, 5.0);

/// A Python that measures when it is asked.
struct Torch {
    child: Child,
    asks: ChildStdin,
    answers: BufReader<ChildStdout>,
    version: String,
}

impl Torch {
    fn start(python: &Path) -> Result<Torch> {
        let mut command = Command::new(python);
        let mut child = command.args(["-c", SCRIPT]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let asks = child.stdin.take().context("no standard input")?;
        let answers = BufReader::new(child.stdout.take().context("no standard output")?);
        let mut torch = Torch { child, asks, answers, version: String::new() };
        torch.version = torch.line()?;
        Ok(torch)
    }

    fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        ensure!(self.answers.read_line(&mut line)? > 0, "torch has ended");
        Ok(line.trim().into())
    }

    /// Seconds of a backward pass on so many threads; 0 is all.
    fn seconds(&mut self, threads: u32) -> Result<f64> {
        writeln!(self.asks, "{threads}")?;
        let line = self.line()?;
        line.parse().with_context(|| format!("torch printed {line}"))
    }
}

impl Drop for Torch {
    fn drop(&mut self) {
        // It may have ended by itself.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Prints how many times as long ours takes, on one thread and on all.
pub(super) fn run(table: &mut Table) -> Result<()> {
    let mut torch = Torch::start(&installed()?)?;
    table.heading("natively, times as long as torch, in turn");
    for (threads, words, ours) in [(1, "1 thread", &["none", "1"][..]), (0, "all threads", &["none"])] {
        let mut turns = Vec::new();
        for _ in 0..ROUNDS {
            let theirs = torch.seconds(threads)?;
            turns.push((warm(["backward", "3,1,273,8462"], ours)?[1], theirs));
        }
        let [ours, theirs] = [median(turns.iter().map(|turn| turn.0)), median(turns.iter().map(|turn| turn.1))];
        let what =
            format!("backward, {words}, torch {} ({:.1} ms, ours {:.1})", torch.version, theirs * 1e3, ours * 1e3);
        table.row(&what, median(turns.iter().map(|(ours, theirs)| ours / theirs)), "x", TARGETS, false);
    }
    Ok(())
}

/// The Python of a cache folder that has torch.
fn installed() -> Result<std::path::PathBuf> {
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
    Ok(python)
}
