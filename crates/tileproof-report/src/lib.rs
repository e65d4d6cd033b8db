//! What people and programs read of a run: terminal text, one line a finding, JSON, SARIF, JUnit, tables.
//!
//! This crate computes nothing and reads no file: every number comes out of the record, every source line from the
//! [`Sources`] that the caller gives. Start at [`render::human`]; documents that leave the process are in [`json`].

pub mod json;
pub mod outside;
pub mod page;
pub mod render;
mod severity;
pub mod source;
pub mod style;
pub mod trace;

pub use outside::{for_log, visible};
pub use page::{ErrorMap, RunPage, render_compared_page, render_document_page, render_page};
pub use render::adversarial::render_adversarial;
pub use render::analysis::render_analysis;
pub use render::audit::render_audit;
pub use render::audit_picture::render_audit_picture;
pub use render::cache::render_cache;
pub use render::compare_runs::render_compare_runs;
pub use render::concise::{render_concise, render_concise_suppressed};
pub use render::github::render_github;
pub use render::grid::render_grid;
pub use render::human::render_human;
pub use render::junit::render_junit;
pub use render::layernorm::{LayerNormText, render_layernorm};
pub use render::ledger::render_ledger;
pub use render::op::{render_op, render_op_list, render_op_run};
pub use render::op_check::{OpCheckText, render_op_check};
pub use render::op_markdown::render_op_markdown;
pub use render::run::{ElementText, MapText, OutputText, RunText, render_run};
pub use render::suite::{render_suite, render_suite_junit, render_suite_markdown};
pub use render::summary::render_summary;
pub use render::sweep::{render_compare, render_sweep};
pub use render::table::{render_accuracy, render_outputs};
pub use source::{NoSources, Sources};
pub use style::{Ink, Style};
