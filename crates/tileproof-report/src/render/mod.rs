//! One file a format; each turns data into text and decides nothing else.
//!
//! They must never compute a figure or drop a fact in silence. Start at [`human`], the format that people see.

pub mod adversarial;
pub mod analysis;
pub mod audit;
pub mod audit_picture;
pub mod cache;
pub mod compare_runs;
pub mod concise;
pub mod github;
pub mod grid;
pub mod human;
pub mod junit;
pub mod layernorm;
pub mod ledger;
pub mod op;
pub mod op_check;
pub mod op_markdown;
pub mod run;
mod snippet;
pub mod suite;
pub mod summary;
pub mod sweep;
pub mod table;
