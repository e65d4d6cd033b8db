//! What came of a request.
//!
//! It must never speak of this host but by its clock. Start at [`LayerNormResult`].

use tileproof_model::arch::Arch;
use tileproof_model::numerics::format::DataFormat;
use tileproof_model::record::RunRecord;
use tileproof_model::timeline::Timeline;

use crate::error_map::ErrorMap;
use crate::output::OutputResult;
use crate::phases::Phases;

/// What came of a request.
#[derive(Debug)]
pub struct LayerNormResult {
    /// Name of the op.
    pub op: &'static str,
    /// Shape of x.
    pub shape: Vec<u32>,
    /// Chip.
    pub arch: Arch,
    /// Format.
    pub format: DataFormat,
    /// `l1` or `block`.
    pub path: &'static str,
    /// Cores used.
    pub cores: u32,
    /// Host seconds that the parts of the run took.
    pub phases: Phases,
    /// Outputs; empty when the run did not complete.
    pub outputs: Vec<OutputResult>,
    /// The run.
    pub record: RunRecord,
    /// How far off outputs are tile by tile, where a timeline was asked for.
    pub errors: Vec<ErrorMap>,
    /// What each thread did when, if it was asked for; or why that is not known.
    pub timeline: Option<Result<Timeline, String>>,
}

impl LayerNormResult {
    /// Microseconds of the device.
    pub fn device_us(&self) -> f64 {
        self.record.cycles as f64 / f64::from(self.arch.constants().clock_mhz)
    }

    /// Host seconds from tensors in to tensors out, without those of the compiler.
    pub fn wall_s(&self) -> f64 {
        let Phases { to_pages, kernels: _, machine, from_pages } = self.phases;
        to_pages + machine + from_pages
    }

    /// Completed, nothing found, all outputs within tolerance.
    pub fn pass(&self) -> bool {
        self.record.is_clean() && self.outputs.iter().all(|o| o.pass)
    }
}
