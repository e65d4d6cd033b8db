//! `tileproof layernorm`: the shipped ops, from arguments to verdict.
//!
//! One file a direction; the options that both take and the printing of results are here.

mod backward;
mod forward;

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use tileproof::build::Builder;
use tileproof::kernel_folder::KernelFolder;
use tileproof::layernorm::{GivenKernels, LayerNormError, LayerNormResult};
use tileproof::model::record::Status;
use tileproof::ops::Memory;
use tileproof::output::OutputResult;
use tileproof_report::json::finding::{DEFAULT_SCHEDULE, FindingDocument};
use tileproof_report::json::layernorm::{LayerNormDocument, LayerNormOutput};
use tileproof_report::json::to_text;
use tileproof_report::{render_human, render_outputs};

use crate::arguments::{ArchArg, ChecksArg, FormatArg, SaveAsArg, parse_memory};
use crate::source_files::SourceFiles;
use crate::terminal::{self, say};
use crate::{BadInput, Outcome};

#[derive(Args)]
pub(crate) struct Layernorm {
    #[command(subcommand)]
    direction: Direction,
}

#[derive(Subcommand)]
enum Direction {
    /// y, and on request mean and rstd, from x, gamma and beta.
    Forward(forward::Forward),
    /// dx, dgamma and dbeta from x, gamma, dy and the statistics of forward.
    Backward(backward::Backward),
}

#[derive(Args)]
struct Common {
    /// Chip.
    #[arg(long, default_value = "wormhole")]
    arch: ArchArg,
    /// Seed of random fills.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Relative tolerance.
    #[arg(long, default_value_t = 1e-2, allow_negative_numbers = true)]
    rtol: f64,
    /// Absolute tolerance.
    #[arg(long, default_value_t = 1e-2, allow_negative_numbers = true)]
    atol: f64,
    /// Checks; deadlocks, crashes and wrong machine state are reported in any case.
    #[arg(long, default_value = "all")]
    checks: ChecksArg,
    /// Cores to use at most; all of the grid when left out.
    #[arg(long, allow_negative_numbers = true)]
    cores: Option<u32>,
    /// Host threads to use at most; all when left out. Results do not depend on it.
    #[arg(long)]
    threads: Option<usize>,
    /// Folder with C++ kernels to run instead of the shipped ones; reader, compute and writer by their names.
    #[arg(long, value_name = "DIR")]
    kernels: Option<PathBuf>,
    /// Where those kernels find what they include; may be given several times.
    #[arg(long, value_name = "DIR", requires = "kernels")]
    include: Vec<PathBuf>,
    /// Folder to save the outputs in, as npy files.
    #[arg(long, value_name = "DIR")]
    save: Option<PathBuf>,
    /// What outputs of bfloat16 are saved as, since NumPy has no bfloat16.
    #[arg(long, default_value = "bits", requires = "save")]
    save_as: SaveAsArg,
    /// Memory of the outputs: dram or l1, interleaved.
    #[arg(long, value_name = "dram|l1", default_value = "dram", value_parser = parse_memory)]
    memory_config: Memory,
    /// Output format.
    #[arg(long, default_value = "human")]
    format: FormatArg,
}

impl Common {
    fn check(&self) -> Result<(), BadInput> {
        if self.threads == Some(0) { Err(BadInput::new("threads 0: give at least 1")) } else { Ok(()) }
    }
}

/// The kernels in a folder that a user gives, and who builds them.
fn given(folder: &Path, include_dirs: Vec<PathBuf>) -> anyhow::Result<(GivenKernels, Builder)> {
    let bad = |error: &dyn std::fmt::Display| BadInput::new(error.to_string());
    let folder = KernelFolder::find(folder).map_err(|error| bad(&error))?;
    if let Some(missing) = include_dirs.iter().find(|dir| !dir.is_dir()) {
        return Err(BadInput::new(format!("include {}: is not a folder", missing.display())).into());
    }
    let builder = Builder::new(None).map_err(|error| bad(&error))?;
    Ok((GivenKernels { folder, include_dirs }, builder))
}

impl Layernorm {
    pub(crate) fn run(self) -> anyhow::Result<Outcome> {
        match self.direction {
            Direction::Forward(command) => command.run(),
            Direction::Backward(command) => command.run(),
        }
    }
}

/// Prints a result, or turns an error into an exit code.
fn finish(
    result: Result<LayerNormResult, LayerNormError>,
    format: FormatArg,
    rtol: f64,
    atol: f64,
) -> anyhow::Result<Outcome> {
    let result = result.map_err(|error| match error {
        host if host.is_host() => anyhow::Error::new(host),
        other => BadInput::found(other.to_string(), other.findings()).into(),
    })?;
    match format {
        FormatArg::Json => say(to_text(&document(&result))?)?,
        FormatArg::Human => say(human(&result, rtol, atol))?,
    }
    Ok(if result.pass() { Outcome::Clean } else { Outcome::Found })
}

fn outputs(result: &LayerNormResult) -> Vec<LayerNormOutput> {
    let of = |o: &OutputResult| LayerNormOutput {
        name: o.name.clone(),
        max_diff: o.max_diff.unwrap_or_default(),
        mean_diff: o.mean_diff.unwrap_or_default(),
        max_ulp: o.max_ulp.unwrap_or_default(),
        pass: o.pass,
        reason: o.reason.clone(),
    };
    result.outputs.iter().map(of).collect()
}

fn document(result: &LayerNormResult) -> LayerNormDocument {
    LayerNormDocument {
        op: result.op.into(),
        shape: result.shape.clone(),
        arch: result.arch.name().into(),
        dtype: result.format.short_name().into(),
        path: result.path.into(),
        cores: result.cores,
        cycles: result.record.cycles,
        wall_s: result.wall_s,
        outputs: outputs(result),
        findings: FindingDocument::all(&result.record.findings, DEFAULT_SCHEDULE),
        notes: FindingDocument::all(&result.record.notes, DEFAULT_SCHEDULE),
        pass: result.pass(),
    }
}

fn human(result: &LayerNormResult, rtol: f64, atol: f64) -> String {
    let style = terminal::style();
    let shape: Vec<String> = result.shape.iter().map(u32::to_string).collect();
    let plural = if result.cores == 1 { "" } else { "s" };
    let mut text = format!(
        "{} {} {} on a simulated {}: {} path, {} core{plural}\n",
        result.op,
        shape.join("x"),
        result.format.short_name(),
        result.arch.name(),
        result.path,
        result.cores,
    );
    let record = &result.record;
    let micros = record.cycles as f64 / f64::from(result.arch.constants().clock_mhz);
    text.push_str(&format!(
        "{} cycles, {micros:.1} us of device time, simulated in {:.3} s\n\n",
        record.cycles, result.wall_s
    ));
    if record.status == Status::Completed {
        text.push_str(&render_outputs(&outputs(result), style));
        text.push_str(&format!("against float64; pass means within {atol:e} + {rtol:e} |reference| everywhere\n"));
    }
    let findings = render_human(&record.findings, &record.notes, DEFAULT_SCHEDULE, &SourceFiles::default(), style);
    if !findings.is_empty() {
        text.push('\n');
        text.push_str(&findings);
    }
    let verdict = match (record.status, result.pass()) {
        (_, true) => "pass",
        (Status::Completed, false) => "FAIL",
        (Status::Deadlock, _) => "FAIL: deadlock",
        (Status::Crashed, _) => "FAIL: a kernel crashed",
        (Status::Stopped, _) => "FAIL: the run was stopped",
    };
    text.push_str(&format!("\n{verdict}\n"));
    text
}
