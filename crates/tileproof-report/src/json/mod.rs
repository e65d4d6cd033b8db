//! Documents that leave the process: their fields are a contract and change by addition only.
//!
//! They are separate from the types inside, so that neither holds the other back; no field is computed here. Start at
//! [`run::RunDocument`] and [`layernorm::LayerNormDocument`]; both hold findings as [`finding::FindingDocument`].
//! A figure that is not finite is written as `null`, because JSON has no word for it.

mod figure;
pub mod finding;
pub mod grid;
pub mod layernorm;
pub mod run;
pub mod sarif;

pub use finding::{FindingDocument, LabelDocument, SuppressedDocument};
pub use grid::CellDocument;
pub use layernorm::{LayerNormDocument, LayerNormOutput};
pub use run::{
    ExploredDocument, LedgerCall, LedgerEntry, PrintEntry, RefusedDocument, RunDocument, RunOutput, TensorEntry,
};
pub use sarif::SarifDocument;

use serde::Serialize;

/// A document as indented JSON, with a newline at its end.
///
/// # Errors
/// If it cannot be serialized, which the documents of this module can.
pub fn to_text<T: Serialize>(document: &T) -> serde_json::Result<String> {
    serde_json::to_string_pretty(document).map(|text| text + "\n")
}
