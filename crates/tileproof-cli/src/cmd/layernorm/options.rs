//! The options that both directions take.
//!
//! Start at [`CommonOptions`].

use std::path::{Path, PathBuf};

use clap::Args;
use tileproof::BuildKernels;
use tileproof::build::Builder;
use tileproof::kernel_folder::KernelFolder;
use tileproof::layernorm::GivenKernels;
use tileproof::model::arch::Arch;
use tileproof::ops::Memory;
use tileproof::run_file::ChosenChecks;

use crate::arguments::{ArchArg, FormatArg, LayerNormFormat, SaveAsArg, ToleranceArg, parse_memory};
use crate::bad_input::BadInput;
use crate::cmd::adversarial::DataArg;
use crate::isolation::IsolationOptions;
use crate::pictures::PictureOptions;

#[derive(Args)]
pub(super) struct CommonOptions {
    /// Chip.
    #[arg(long, default_value = Arch::DEFAULT.name())]
    pub(super) arch: ArchArg,
    /// Seed of random fills.
    #[arg(long, default_value_t = 0)]
    pub(super) seed: u64,
    /// Relative tolerance.
    #[arg(long, default_value_t = 1e-2, allow_negative_numbers = true)]
    pub(super) rtol: f64,
    /// Absolute tolerance.
    #[arg(long, default_value_t = 1e-2, allow_negative_numbers = true)]
    pub(super) atol: f64,
    /// Tolerance that comes of the program: an element may be off by what its operations may lose, in place of rtol and atol.
    #[arg(long, value_name = "derived", conflicts_with_all = ["rtol", "atol"])]
    pub(super) tolerance: Option<ToleranceArg>,
    /// What tile padding holds of which nothing says it, in place of NaN.
    #[arg(long, value_name = "VALUE", allow_negative_numbers = true)]
    pub(super) padding: Option<f64>,
    /// What is looked for: all, none, or families of checks with commas between; deadlocks and crashes are reported in any case.
    #[arg(long, default_value = "all", value_parser = ChosenChecks::parse)]
    pub(super) checks: ChosenChecks,
    /// Cores to use at most; all of the grid when left out.
    #[arg(long, allow_negative_numbers = true)]
    pub(super) cores: Option<u32>,
    /// Host threads to use at most; all when left out. Results do not depend on it.
    #[arg(long)]
    pub(super) threads: Option<usize>,
    /// Folder with C++ kernels to run instead of the shipped ones; reader, compute and writer by their names.
    #[arg(long, value_name = "DIR")]
    pub(super) kernels: Option<PathBuf>,
    /// Where those kernels find what they include; may be given several times.
    #[arg(long, value_name = "DIR", requires = "kernels")]
    pub(super) include: Vec<PathBuf>,
    /// Folder to save the outputs in, as npy files.
    #[arg(long, value_name = "DIR")]
    pub(super) save: Option<PathBuf>,
    /// What outputs of bfloat16 are saved as, since NumPy has no bfloat16.
    #[arg(long, default_value = "bits", requires = "save")]
    pub(super) save_as: SaveAsArg,
    /// Memory of the outputs: dram or l1, interleaved.
    #[arg(long, value_name = "dram|l1", default_value = "dram", value_parser = parse_memory)]
    pub(super) memory_config: Memory,
    /// Run the op on one kind of data after the other, and say on which it does worst; --save keeps the inputs of that one.
    #[arg(long, value_name = "KINDS", conflicts_with = "audit")]
    pub(super) data: Option<DataArg>,
    /// Say which faults a test with these data and tolerances would miss: run the op with one thing wrong at a time.
    #[arg(long, conflicts_with = "save")]
    pub(super) audit: bool,
    /// Seconds after which an audit begins no further mutant.
    #[arg(long, value_name = "SECONDS", requires = "audit", value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) budget: Option<u64>,
    /// File that each run of an audit goes to as it ends: one that was interrupted, or whose budget was used up, goes on from there.
    #[arg(long, value_name = "FILE", requires = "audit")]
    pub(super) journal: Option<PathBuf>,
    /// File to write a picture of an audit to: each mutant by its line and by the tolerance that would hide it.
    #[arg(long, value_name = "FILE.svg", requires = "audit")]
    pub(super) picture: Option<PathBuf>,
    #[command(flatten)]
    pub(super) pictures: PictureOptions,
    #[command(flatten)]
    pub(super) isolation: IsolationOptions,
    /// Output format; markdown and junit are those of a suite.
    #[arg(long, default_value = "human")]
    pub(super) format: LayerNormFormat,
}

impl CommonOptions {
    pub(super) fn check(&self) -> Result<(), BadInput> {
        if self.threads == Some(0) {
            return Err(BadInput::new("threads 0: give at least 1"));
        }
        if self.audit {
            self.pictures.refuse_trace("--audit")?;
        }
        if self.data.is_some() {
            self.pictures.refuse("--data")?;
        }
        Ok(())
    }

    /// The format of what is no suite.
    pub(super) fn format_of_one(&self) -> Result<FormatArg, BadInput> {
        let why = "--format: markdown and junit are those of a suite; the formats of one run are human and json";
        self.format.of_one().ok_or_else(|| BadInput::new(why))
    }
}

/// The kernels in a folder that a user gives, and who builds them.
pub(super) fn given(
    folder: &Path,
    include_dirs: Vec<PathBuf>,
    isolation: &IsolationOptions,
) -> anyhow::Result<(GivenKernels, Box<dyn BuildKernels>)> {
    let bad = |error: &dyn std::fmt::Display| BadInput::new(error.to_string());
    let folder = KernelFolder::find(folder).map_err(|error| bad(&error))?;
    if let Some(missing) = include_dirs.iter().find(|dir| !dir.is_dir()) {
        return Err(BadInput::new(format!("include {}: is not a folder", missing.display())).into());
    }
    let builder = Builder::new(None).map_err(|error| bad(&error))?;
    Ok((GivenKernels { folder, include_dirs }, isolation.apply(builder)))
}
