//! Documents that leave the process: their fields are a contract and change by addition only.
//!
//! They are separate from the types inside, so that neither holds the other back; no field is computed here. Each bears the
//! name of its schema in `docs/schema`. Start at [`run::RunDocument`], which holds findings as [`finding::FindingDocument`].
//! A figure that is not finite is written as `null`, because JSON has no word for it.

pub mod adversarial;
pub mod analysis;
pub mod audit;
pub mod cache;
pub mod compare_runs;
pub mod derived;
pub mod document;
mod figure;
pub mod finding;
pub mod grid;
pub mod layernorm;
pub mod ledger;
pub mod op;
pub mod refused;
pub mod run;
pub mod sarif;
pub mod suite;
pub mod sweep;

pub use adversarial::{AdversarialDocument, KindEntry};
pub use analysis::AnalysisDocument;
pub use audit::{AdviceEntry, AuditDocument, MutantEntry, WhatIfEntry};
pub use cache::CacheDocument;
pub use compare_runs::CompareRunsDocument;
pub use derived::DerivedEntry;
pub use document::{Document, list_to_text, to_text};
pub use finding::{FindingDocument, LabelDocument, SuppressedDocument};
pub use grid::CellDocument;
pub use layernorm::{LayerNormDocument, LayerNormOutput};
pub use ledger::{LedgerCall, LedgerDocument, LedgerEntry, TensorEntry};
pub use op::{AccuracyEntry, GateEntry, OpCheckDocument, OpDocument, OpEntry, OpRunDocument};
pub use refused::RefusedDocument;
pub use run::{ExploredDocument, PrintEntry, RunDocument, RunOutput};
pub use sarif::SarifDocument;
pub use suite::SuiteDocument;
pub use sweep::{CompareDocument, SweepDocument};
