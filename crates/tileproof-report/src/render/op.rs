//! An op as people read it, a section a subject, and one call of it.
//!
//! It leaves nothing of the description out. Start at [`render_op`].

use tileproof_model::finding::Finding;

use super::human::render_human;
use super::table::render_accuracy;
use crate::json::op::{OpDocument, OpEntry, OpRunDocument, OpTensor};
use crate::source::Sources;
use crate::style::Style;
use tileproof_model::schedule::DEFAULT_SCHEDULE;

/// Ops, a line each.
pub fn render_op_list(ops: &[OpEntry]) -> String {
    let longest = ops.iter().map(|op| op.name.len()).max().unwrap_or(0);
    ops.iter().map(|op| format!("{:<longest$}  {}\n", op.name, op.summary)).collect()
}

/// An op: what it takes, refuses and is made of.
pub fn render_op(of: &OpDocument) -> String {
    let mut text = format!("{}: {}\n", of.name, of.summary);
    let mut section = |title: &str, lines: Vec<Vec<String>>| {
        if !lines.is_empty() {
            text += &format!("\n{title}\n{}", columns(&lines));
        }
    };
    let tensor = |tensor: &OpTensor| {
        vec![tensor.name.clone(), tensor.dtypes.join("|"), tensor.layouts.join("|"), format!("shape: {}", tensor.shape)]
    };
    section("Inputs", of.inputs.iter().map(tensor).collect());
    section("Outputs", of.outputs.iter().map(tensor).collect());
    let attributes = of
        .attributes
        .iter()
        .map(|a| vec![a.name.clone(), a.kind.clone(), format!("default {}", a.default), a.allowed.clone()]);
    section("Attributes", attributes.collect());
    section("What validation demands", of.conditions.iter().map(|condition| vec![condition.clone()]).collect());
    let title = match &of.cbs_of {
        Some(call) => format!("Circular buffers of {call}"),
        None => "Circular buffers".to_string(),
    };
    let cbs = of.cbs.iter().map(|cb| {
        let pages = format!("{} pages of {}", cb.pages, cb.page_size);
        vec![cb.cb.clone(), cb.format.clone(), pages, cb.content.clone()]
    });
    section(&title, cbs.collect());
    let mut kernels = Vec::new();
    for kernel in &of.kernels {
        kernels.push(vec![kernel.role.clone(), kernel.source.clone()]);
        for (kind, arguments) in [("compile-time", &kernel.compile_time_args), ("runtime", &kernel.runtime_args)] {
            if !arguments.is_empty() {
                kernels.push(vec![String::new(), format!("{kind}: {}", arguments.join(", "))]);
            }
        }
    }
    section("Kernels", kernels);
    section("Paths", of.paths.iter().map(|path| vec![path.name.clone(), path.when.clone()]).collect());
    section("Reference", of.reference.iter().map(|line| vec![line.clone()]).collect());
    section("How it is called", of.calls.iter().map(|call| vec![call.clone()]).collect());
    section("Files", of.files.iter().map(|file| vec![file.clone()]).collect());
    text
}

/// One call of an op: its outputs beside their references, and what was found. Findings and notes are those of the document.
pub fn render_op_run(
    run: &OpRunDocument,
    findings: &[Finding],
    notes: &[Finding],
    sources: &dyn Sources,
    style: Style,
) -> String {
    let mut text = format!("{} {}: {}, {} cycles\n\n", run.op, run.call, run.status, run.cycles);
    text += &render_accuracy(&run.outputs, style);
    let found = render_human(findings, notes, DEFAULT_SCHEDULE, sources, style);
    if !found.is_empty() {
        text += &format!("\n{found}");
    }
    text + if run.pass { "\npass\n" } else { "\nFAIL\n" }
}

/// Lines with their words below each other.
fn columns(lines: &[Vec<String>]) -> String {
    let count = lines.iter().map(Vec::len).max().unwrap_or(0);
    let wide = |i: usize| {
        let in_column = lines.iter().filter(|line| line.len() > i + 1).map(|line| line[i].chars().count());
        in_column.max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..count).map(wide).collect();
    let mut text = String::new();
    for line in lines {
        let words: Vec<String> = line.iter().zip(&widths).map(|(word, width)| format!("{word:<width$}")).collect();
        text += &format!("  {}\n", words.join("  ").trim_end());
    }
    text
}
