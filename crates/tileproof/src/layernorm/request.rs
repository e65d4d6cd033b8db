//! What the commands are asked to do: one request a direction, and how it becomes a call of the op.
//!
//! It must never refuse anything: that is for the op. Start at [`ForwardRequest`] and [`BackwardRequest`].

use std::path::{Path, PathBuf};

use tileproof_model::arch::Arch;
use tileproof_model::numerics::format::DataFormat;
use tileproof_model::program::Layout;
use tileproof_ops::{Memory, PathChoice};

use crate::fill::Fill;
use crate::npy::SaveAs;
use crate::op::shipped::{MEMORIES, PATHS, STATISTICS, word_for};
use crate::op::{Call, Input, Setting};
use crate::program_file::Closeness;
use crate::run_file::ChosenChecks;

/// What `layernorm forward` is asked to do.
#[derive(Clone, Debug)]
pub struct ForwardRequest {
    /// Shape of x, 1 to 8 dimensions.
    pub shape: Vec<u32>,
    /// Format of x, gamma, beta and y.
    pub format: DataFormat,
    /// Layout of all tensors: the row-major or the tile form of the op.
    pub layout: Layout,
    /// Memory of the outputs.
    pub memory_config: Memory,
    /// Fill of x.
    pub x: Fill,
    /// Fill of gamma; `None` for no gamma.
    pub gamma: Option<Fill>,
    /// Fill of beta; `None` for no beta.
    pub beta: Option<Fill>,
    /// Added to the variance.
    pub eps: f64,
    /// Whether mean and rstd are outputs too.
    pub statistics: bool,
    /// Path.
    pub path: PathChoice,
    /// Chip.
    pub arch: Arch,
    /// Cores at most.
    pub cores: Option<u32>,
    /// Seed of the fills.
    pub seed: u64,
    /// Relative tolerance.
    pub rtol: f64,
    /// Absolute tolerance.
    pub atol: f64,
    /// Outputs may be off by what their operations may lose, whatever the tolerances are.
    pub derived: bool,
    /// What tile padding of the inputs holds; NaN when left out.
    pub padding: Option<f64>,
    /// Where to save the outputs.
    pub save: Option<PathBuf>,
    /// What outputs of bfloat16 are saved as.
    pub save_as: SaveAs,
    /// What is looked for; what ends a run early is reported in any case.
    pub checks: ChosenChecks,
    /// Host threads; all when left out. The result does not depend on it.
    pub threads: Option<usize>,
    /// Whether a timeline is wanted, for which the op runs once more.
    pub timeline: bool,
}

impl ForwardRequest {
    /// What the command line asks for when given a shape alone.
    pub fn new(shape: impl Into<Vec<u32>>) -> ForwardRequest {
        ForwardRequest {
            shape: shape.into(),
            format: DataFormat::Float16_b,
            layout: Layout::RowMajor,
            memory_config: Memory::InterleavedDram,
            x: Fill::Uniform { lo: -1.0, hi: 1.0 },
            gamma: Some(Fill::Uniform { lo: 0.0, hi: 1.0 }),
            beta: Some(Fill::Constant(0.0)),
            eps: 1e-5,
            statistics: false,
            path: PathChoice::Auto,
            arch: Arch::DEFAULT,
            cores: None,
            seed: 0,
            rtol: 1e-2,
            atol: 1e-2,
            derived: false,
            padding: None,
            save: None,
            save_as: SaveAs::default(),
            checks: ChosenChecks::All,
            threads: None,
            timeline: false,
        }
    }
}

/// What `layernorm backward` is asked to do.
#[derive(Clone, Debug)]
pub struct BackwardRequest {
    /// Shape of x.
    pub shape: Vec<u32>,
    /// Format of x, gamma, dy and the outputs.
    pub format: DataFormat,
    /// Layout of all tensors.
    pub layout: Layout,
    /// Memory of the outputs.
    pub memory_config: Memory,
    /// Fill of x.
    pub x: Fill,
    /// Fill of gamma.
    pub gamma: Fill,
    /// Fill of dy.
    pub dy: Fill,
    /// Fill of the mean of each row, in fp32 (for kernels that are given, bf16); worked out from x when left out.
    pub mean: Option<Fill>,
    /// Fill of 1 / sqrt(variance + eps) of each row, likewise; worked out from x when left out.
    pub rstd: Option<Fill>,
    /// Epsilon of the forward op.
    pub eps: f64,
    /// Path.
    pub path: PathChoice,
    /// Chip.
    pub arch: Arch,
    /// Cores at most.
    pub cores: Option<u32>,
    /// Seed of the fills.
    pub seed: u64,
    /// Relative tolerance.
    pub rtol: f64,
    /// Absolute tolerance.
    pub atol: f64,
    /// Outputs may be off by what their operations may lose, whatever the tolerances are.
    pub derived: bool,
    /// What tile padding of the inputs holds; NaN when left out.
    pub padding: Option<f64>,
    /// Where to save the outputs.
    pub save: Option<PathBuf>,
    /// What outputs of bfloat16 are saved as.
    pub save_as: SaveAs,
    /// What is looked for; what ends a run early is reported in any case.
    pub checks: ChosenChecks,
    /// Host threads; all when left out. The result does not depend on it.
    pub threads: Option<usize>,
    /// Whether a timeline is wanted, for which the op runs once more.
    pub timeline: bool,
}

impl BackwardRequest {
    /// What the command line asks for when given a shape alone.
    pub fn new(shape: impl Into<Vec<u32>>) -> BackwardRequest {
        BackwardRequest {
            shape: shape.into(),
            format: DataFormat::Float16_b,
            layout: Layout::Tile,
            memory_config: Memory::InterleavedDram,
            x: Fill::Uniform { lo: -1.0, hi: 1.0 },
            gamma: Fill::Uniform { lo: 0.0, hi: 1.0 },
            dy: Fill::Uniform { lo: -1.0, hi: 1.0 },
            mean: None,
            rstd: None,
            eps: 1e-6,
            path: PathChoice::Auto,
            arch: Arch::DEFAULT,
            cores: None,
            seed: 0,
            rtol: 1e-2,
            atol: 1e-2,
            derived: false,
            padding: None,
            save: None,
            save_as: SaveAs::default(),
            checks: ChosenChecks::All,
            threads: None,
            timeline: false,
        }
    }
}

/// What both directions are asked for beside the call.
pub(super) struct Terms<'a> {
    pub(super) seed: u64,
    pub(super) closeness: Closeness,
    pub(super) padding: Option<f64>,
    pub(super) save: Option<&'a Path>,
    pub(super) save_as: SaveAs,
    pub(super) checks: &'a ChosenChecks,
    pub(super) threads: Option<usize>,
    pub(super) timeline: bool,
}

/// How close outputs must be.
fn closeness((rtol, atol): (f64, f64), derived: bool) -> Closeness {
    if derived { Closeness::Derived } else { (rtol, atol).into() }
}

/// A call with the attributes that both directions have.
fn call(
    (shape, format, layout): (&[u32], DataFormat, Layout),
    eps: f64,
    path: PathChoice,
    memory: Memory,
    cores: Option<u32>,
) -> Call {
    let call = Call::new(shape, format, layout)
        .with("eps", Setting::Number(eps))
        .with("path", word_for(&PATHS, &path))
        .with("memory_config", word_for(&MEMORIES, &memory));
    match cores {
        None => call,
        Some(cores) => call.with("cores", Setting::Number(cores.into())),
    }
}

impl ForwardRequest {
    /// The call of the op.
    pub(super) fn call(&self) -> Call {
        let tensors = (&self.shape[..], self.format, self.layout);
        let call = call(tensors, self.eps, self.path, self.memory_config, self.cores);
        call.with("stats", word_for(&STATISTICS, &self.statistics))
    }

    /// The fill of an input that there is.
    pub(super) fn fill(&self, input: &Input<'_>) -> Fill {
        let row = if input.name == "gamma" { &self.gamma } else { &self.beta };
        if input.name == "x" { &self.x } else { row.as_ref().unwrap_or(&self.x) }.clone()
    }

    /// The rest.
    pub(super) fn terms(&self) -> Terms<'_> {
        Terms {
            seed: self.seed,
            closeness: closeness((self.rtol, self.atol), self.derived),
            padding: self.padding,
            save: self.save.as_deref(),
            save_as: self.save_as,
            checks: &self.checks,
            threads: self.threads,
            timeline: self.timeline,
        }
    }
}

impl BackwardRequest {
    /// The call of the op.
    pub(super) fn call(&self) -> Call {
        let tensors = (&self.shape[..], self.format, self.layout);
        call(tensors, self.eps, self.path, self.memory_config, self.cores)
    }

    /// The fill of an input.
    pub(super) fn fill(&self, input: &Input<'_>) -> Fill {
        let given = match input.name {
            "x" => Some(&self.x),
            "gamma" => Some(&self.gamma),
            "mean" => self.mean.as_ref(),
            "rstd" => self.rstd.as_ref(),
            _ => Some(&self.dy),
        };
        given.or(input.fixed).unwrap_or(&self.x).clone()
    }

    /// The rest.
    pub(super) fn terms(&self) -> Terms<'_> {
        Terms {
            seed: self.seed,
            closeness: closeness((self.rtol, self.atol), self.derived),
            padding: self.padding,
            save: self.save.as_deref(),
            save_as: self.save_as,
            checks: &self.checks,
            threads: self.threads,
            timeline: self.timeline,
        }
    }
}
