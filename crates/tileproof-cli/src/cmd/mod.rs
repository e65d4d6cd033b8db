//! One file a command.

pub(crate) mod about;
pub(crate) mod adversarial;
pub(crate) mod analyze;
pub(crate) mod audit;
pub(crate) mod cache;
pub(crate) mod compare;
mod compare_runs;
pub(crate) mod doctor;
pub(crate) mod explain;
pub(crate) mod layernorm;
pub(crate) mod ledger;
pub(crate) mod lsp;
pub(crate) mod mcp;
pub(crate) mod mend;
pub(crate) mod new;
pub(crate) mod op;
pub(crate) mod record;
pub(crate) mod reference;
pub(crate) mod run;
pub(crate) mod run_grid;
pub(crate) mod sdk;
pub(crate) mod sweep;
