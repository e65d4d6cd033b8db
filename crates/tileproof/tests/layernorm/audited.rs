//! Audits of LayerNorm: what stands in a result where there is no time.

use std::time::Duration;

use tileproof::Nobody;
use tileproof::audit::{AuditOptions, Verdict};
use tileproof::layernorm::{BackwardRequest, audit_backward};

#[test]
fn an_audit_without_time_runs_no_mutant_and_is_no_pass() {
    let options = AuditOptions { budget: Some(Duration::ZERO), ..AuditOptions::default() };
    let audit = audit_backward(&BackwardRequest::new([1, 1, 32, 32]), None, &options, &Nobody).expect("an audit");
    assert!(audit.baseline_passes() && !audit.tried.is_empty());
    assert!(audit.tried.iter().all(|tried| tried.verdict == Verdict::NotRun("the time was up")));
    assert!(!audit.pass() && audit.advice.is_empty() && audit.what_if.is_empty());
}
