//! `tileproof op audit`: what the test of a call would miss.

use clap::Args;
use tileproof::audit::OfOp;
use tileproof::build::Builder;
use tileproof::op::call_file::default_fill;
use tileproof::op::run::{OpError, Source};

use super::call::{CallArguments, TestArguments, find};
use crate::arguments::{FILLS, below};
use crate::bad_input::BadInput;
use crate::cmd::audit::{AuditArguments, finish};
use crate::isolation::IsolationOptions;
use crate::outcome::Outcome;

#[derive(Args)]
#[command(after_help = below(&[FILLS], &["op audit layernorm_bw --shape 1,1,32,64 --rtol 1e-3 --atol 0.5"]))]
pub(crate) struct AuditOp {
    /// Name of a shipped op, or folder of another.
    #[arg(value_name = "NAME|DIR")]
    op: String,
    #[command(flatten)]
    call: CallArguments,
    #[command(flatten)]
    test: TestArguments,
    #[command(flatten)]
    audit: AuditArguments,
    #[command(flatten)]
    isolation: IsolationOptions,
}

impl AuditOp {
    pub(crate) fn run(self) -> anyhow::Result<Outcome> {
        let op = find(&self.op)?.op;
        let fills = self.test.fills(&op.describe())?;
        let closeness = self.test.closeness(op.as_ref())?;
        let call = self.call.call(op.as_ref())?;
        let builder = self.isolation.apply(Builder::new(None).map_err(|error| BadInput::new(error.to_string()))?);
        let source = Source { seed: 0, fills: &|input| default_fill(&fills, input) };
        let audited = OfOp::new(op.as_ref(), &call, &source, closeness).map_err(|error| match error {
            OpError::Run(error) if error.is_host() => anyhow::Error::new(error),
            other => BadInput::found(other.to_string(), other.findings()).into(),
        })?;
        finish(&format!("{} {call}", op.describe().name), &audited, &self.audit, &*builder)
    }
}
