//! What a LayerNorm came to, as people read it: the call, its time, its outputs beside float64, what was found.
//!
//! It judges nothing: what passes is said by the document. Start at [`render_layernorm`].

use tileproof_model::record::{RunRecord, Status};
use tileproof_model::wording::count;

use super::human::render_human;
use super::table::render_outputs;
use crate::json::LayerNormDocument;
use crate::source::Sources;
use crate::style::Style;
use tileproof_model::schedule::DEFAULT_SCHEDULE;

/// A result, and what is known of it beside its document.
pub struct LayerNormText<'a> {
    /// What came out.
    pub document: &'a LayerNormDocument,
    /// The run.
    pub record: &'a RunRecord,
    /// Microseconds of the device.
    pub device_us: f64,
    /// Tolerances, relative and absolute; `None` where they come of the operations.
    pub tolerances: Option<(f64, f64)>,
}

/// The text of a result.
pub fn render_layernorm(of: &LayerNormText<'_>, sources: &dyn Sources, style: Style) -> String {
    let LayerNormDocument { op, shape, dtype, arch, path, cycles, .. } = of.document;
    let shape: Vec<String> = shape.iter().map(u32::to_string).collect();
    let cores = count(of.document.cores.into(), "core");
    let mut text = format!("{op} {} {dtype} on a simulated {arch}: {path} path, {cores}\n", shape.join("x"));
    let (device_us, wall_s) = (of.device_us, of.document.wall_s);
    text += &format!("{cycles} cycles, {device_us:.1} us of device time, simulated in {wall_s:.3} s\n\n");
    if of.record.status == Status::Completed {
        text += &render_outputs(&of.document.outputs, style);
        text += &match of.tolerances {
            Some((rtol, atol)) => {
                format!("against float64; pass means within {atol:e} + {rtol:e} |reference| everywhere\n")
            }
            None => "against float64; pass means within what the operations of each element may lose\n".into(),
        };
    }
    let findings = render_human(&of.record.findings, &of.record.notes, DEFAULT_SCHEDULE, sources, style);
    if !findings.is_empty() {
        text += &format!("\n{findings}");
    }
    let verdict = match (of.record.status, of.document.pass) {
        (_, true) => "pass",
        (Status::Completed, false) => "FAIL",
        (Status::Deadlock, _) => "FAIL: deadlock",
        (Status::Crashed, _) => "FAIL: a kernel crashed",
        (Status::Stopped, _) => "FAIL: the run was stopped",
    };
    text + &format!("\n{verdict}\n")
}
