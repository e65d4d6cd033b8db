//! From what the workbench gives to the documents of the report crate.
//!
//! It must never measure anything: a row holds what the library gave. Start at [`check`].

use tileproof::model::schedule::DEFAULT_SCHEDULE;
use tileproof::op::Call;
use tileproof::op::description::{
    AttributeDescription, CbDescription, Description, KernelDescription, PathDescription, TensorDescription,
};
use tileproof::op::gates::{Check, Compared, Gate, State};
use tileproof::output::OutputResult;
use tileproof_report::json::op::{
    AccuracyEntry, GateEntry, OpAttribute, OpBuffer, OpCheckDocument, OpDocument, OpKernel, OpPath, OpTensor,
};
use tileproof_report::json::{FindingDocument, LedgerEntry, to_text};
use tileproof_report::{OpCheckText, render_op_check, render_op_markdown};

use crate::arguments::ReportFormat;
use crate::results::derived;
use crate::source_files::SourceFiles;
use crate::terminal;

/// What the gates came to.
pub(super) fn check(check: &Check) -> OpCheckDocument {
    OpCheckDocument {
        op: check.op.clone(),
        pass: check.pass(),
        red: check.red().map(|gate| gate.number),
        gates: check.gates.iter().map(gate).collect(),
        ledger_of: check.ledger_of.clone(),
        ledger: LedgerEntry::all(&check.ledgers),
        accuracy: check.accuracy.iter().map(compared).collect(),
        notes: FindingDocument::all(&check.notes, DEFAULT_SCHEDULE),
        runs: check.runs,
        wall_s: check.wall_s,
    }
}

/// A check in a format, `Markdown` being the report on an implementation.
pub(super) fn shown(of: &Check, format: ReportFormat) -> anyhow::Result<String> {
    let document = check(of);
    let description = of.description.clone().map(op);
    let worst: Vec<AccuracyEntry> = of.worst().into_iter().map(compared).collect();
    let failure = of.red().and_then(|gate| gate.failure.as_ref());
    let text = OpCheckText {
        document: &document,
        description: description.as_ref(),
        findings: failure.map_or(&[], |failure| &failure.findings),
        worst: &worst,
        tolerances: of.tolerances,
    };
    Ok(match format {
        ReportFormat::Human => render_op_check(&text, &SourceFiles::default(), terminal::style()),
        ReportFormat::Markdown => render_op_markdown(&text),
        ReportFormat::Json => to_text(&document)?,
    })
}

fn gate(gate: &Gate) -> GateEntry {
    let failure = gate.failure.as_ref();
    let state = match gate.state {
        State::Pass => "pass",
        State::Fail => "fail",
        State::NotReached => "not_reached",
    };
    GateEntry {
        gate: gate.number,
        name: gate.name.into(),
        state: state.into(),
        detail: gate.detail.clone(),
        reason: failure.map(|failure| failure.reason.clone()),
        help: failure.and_then(|failure| failure.help.clone()),
        findings: failure.map_or(Vec::new(), |failure| FindingDocument::all(&failure.findings, DEFAULT_SCHEDULE)),
        wall_s: gate.wall_s,
    }
}

/// One output of a run of gate 7.
pub(super) fn compared(row: &Compared) -> AccuracyEntry {
    accuracy(row.call.clone(), row.data, &row.output)
}

/// The outputs of one call, whose data the command line gives.
pub(super) fn of_call(call: &Call, outputs: &[OutputResult]) -> Vec<AccuracyEntry> {
    outputs.iter().map(|output| accuracy(call.to_string(), "given", output)).collect()
}

fn accuracy(call: String, data: &str, output: &OutputResult) -> AccuracyEntry {
    AccuracyEntry {
        call,
        data: data.into(),
        dtype: output.format.dtype_name().into(),
        output: output.name.clone(),
        max_diff: output.max_diff.unwrap_or(f64::NAN),
        mean_diff: output.mean_diff.unwrap_or(f64::NAN),
        max_ulp: output.max_ulp.unwrap_or(f64::NAN),
        pass: output.pass,
        worst: output.reason.clone(),
        derived: output.derived.map(derived),
    }
}

/// What is told of an op.
pub(super) fn op(of: Description) -> OpDocument {
    let attribute =
        |a: AttributeDescription| OpAttribute { name: a.name, kind: a.kind, default: a.default, allowed: a.allowed };
    let buffer = |cb: CbDescription| OpBuffer {
        cb: cb.cb,
        content: cb.content,
        format: cb.format,
        pages: cb.pages,
        page_size: cb.page_size,
    };
    let kernel = |kernel: KernelDescription| OpKernel {
        role: kernel.role,
        source: kernel.source,
        compile_time_args: kernel.compile_time_args,
        runtime_args: kernel.runtime_args,
    };
    let path = |path: PathDescription| OpPath { name: path.name, when: path.when };
    OpDocument {
        name: of.name,
        summary: of.summary,
        inputs: of.inputs.into_iter().map(tensor).collect(),
        outputs: of.outputs.into_iter().map(tensor).collect(),
        attributes: of.attributes.into_iter().map(attribute).collect(),
        conditions: of.conditions,
        cbs: of.cbs.into_iter().map(buffer).collect(),
        cbs_of: of.cbs_of,
        kernels: of.kernels.into_iter().map(kernel).collect(),
        paths: of.paths.into_iter().map(path).collect(),
        reference: of.reference,
        calls: of.calls,
        files: of.files.iter().map(|file| file.display().to_string()).collect(),
    }
}

fn tensor(of: TensorDescription) -> OpTensor {
    OpTensor { name: of.name, shape: of.shape, dtypes: of.dtypes, layouts: of.layouts }
}
