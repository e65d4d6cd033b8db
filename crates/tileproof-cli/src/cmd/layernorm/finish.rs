//! What came of a request, in the format that was asked for.
//!
//! Start at [`finish`].

use tileproof::layernorm::{LayerNormError, LayerNormResult};
use tileproof::model::schedule::DEFAULT_SCHEDULE;
use tileproof::stop;
use tileproof_report::json::FindingDocument;
use tileproof_report::json::layernorm::LayerNormDocument;
use tileproof_report::json::to_text;
use tileproof_report::{LayerNormText, render_layernorm};

use crate::arguments::FormatArg;
use crate::bad_input::BadInput;
use crate::outcome::Outcome;
use crate::pictures::{PictureOptions, Pictured};
use crate::results::beside_reference;
use crate::source_files::SourceFiles;
use crate::terminal::{self, say};

/// A request that cannot be carried out: bad input, unless this host is the reason.
pub(super) fn refused(error: LayerNormError) -> anyhow::Error {
    match error {
        host if host.is_host() => anyhow::Error::new(host),
        other => BadInput::found(other.to_string(), other.findings()).into(),
    }
}

/// Prints a result, or turns an error into an exit code.
pub(super) fn finish(
    result: Result<LayerNormResult, LayerNormError>,
    format: FormatArg,
    tolerances: Option<(f64, f64)>,
    pictures: &PictureOptions,
) -> anyhow::Result<Outcome> {
    let result = result.map_err(refused)?;
    if stop::is_interrupted() {
        return Ok(Outcome::Found);
    }
    pictures.write(&Pictured {
        title: format!("{} {} {}", result.op, shape_text(&result.shape), result.format.short_name()),
        record: &result.record,
        outputs: &result.outputs,
        errors: &result.errors,
        timeline: result.timeline.as_ref(),
        help: None,
        pass: result.pass(),
    })?;
    let document = document(&result);
    let text = LayerNormText { document: &document, record: &result.record, device_us: result.device_us(), tolerances };
    say(match format {
        FormatArg::Json => to_text(&document)?,
        FormatArg::Human => render_layernorm(&text, &SourceFiles::default(), terminal::style()),
    })?;
    Ok(if result.pass() { Outcome::Clean } else { Outcome::Found })
}

/// A shape as titles have it.
pub(super) fn shape_text(shape: &[u32]) -> String {
    shape.iter().map(u32::to_string).collect::<Vec<_>>().join("x")
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
        wall_s: result.wall_s(),
        outputs: result.outputs.iter().map(beside_reference).collect(),
        findings: FindingDocument::all(&result.record.findings, DEFAULT_SCHEDULE),
        notes: FindingDocument::all(&result.record.notes, DEFAULT_SCHEDULE),
        pass: result.pass(),
    }
}
