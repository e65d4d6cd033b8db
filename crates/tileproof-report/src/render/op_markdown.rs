//! The report on an implementation, in markdown: everything in it is from the check that was just run.
//!
//! Start at [`render_op_markdown`].

use std::fmt::Write;

use super::op_check::OpCheckText;
use super::table::figure;
use crate::json::LedgerEntry;
use crate::json::op::{OpAttribute, OpBuffer, OpTensor};
use crate::outside::{in_backticks, in_markdown, in_one_line};

/// The report.
pub fn render_op_markdown(check: &OpCheckText<'_>) -> String {
    let document = check.document;
    let mut out = format!("# {}\n\n## Summary\n\n", in_markdown(&document.op));
    if let Some(description) = check.description {
        let _ = writeln!(out, "{}.\n", in_markdown(description.summary.trim_end_matches('.')));
        let names =
            |list: &[OpTensor]| list.iter().map(|tensor| in_backticks(&tensor.name)).collect::<Vec<_>>().join(", ");
        let _ = writeln!(out, "From {} to {}.", names(&description.inputs), names(&description.outputs));
        if !description.attributes.is_empty() {
            let attribute = |a: &OpAttribute| {
                format!("{} ({}; default {})", in_backticks(&a.name), in_markdown(&a.allowed), in_markdown(&a.default))
            };
            let list: Vec<String> = description.attributes.iter().map(attribute).collect();
            let _ = writeln!(out, "Attributes: {}.", list.join("; "));
        }
        out.push_str("\n```\n");
        for line in &description.reference {
            let _ = writeln!(out, "{}", in_one_line(line).replace("```", "` ` `"));
        }
        out.push_str("```\n\n");
    }
    let verdict = match check.red() {
        None => "All seven gates are green".to_string(),
        Some(gate) => format!("Gate {}, \"{}\", is red", gate.gate, gate.name),
    };
    let _ = writeln!(out, "{verdict}; {} runs in {:.1} s.\n\n## Gates\n", document.runs, document.wall_s);
    out.push_str("| gate | | what was looked at |\n|---|---|---|\n");
    for gate in &document.gates {
        let state = match gate.state.as_str() {
            "pass" => "green",
            "fail" => "**red**",
            _ => "not reached",
        };
        let reason = gate.reason.as_ref().unwrap_or(&gate.detail);
        let _ = writeln!(out, "| {} {} | {state} | {} |", gate.gate, gate.name, cell(reason));
    }
    if let Some(help) = check.red().and_then(|gate| gate.help.as_ref()) {
        let _ = writeln!(out, "\n{}", in_markdown(help));
    }
    buffers(&mut out, check);
    errors(&mut out, check);
    findings(&mut out, check);
    if let Some(description) = check.description {
        out.push_str("\n## Files\n\n");
        for file in &description.files {
            let _ = writeln!(out, "- {}", in_backticks(file));
        }
        out.push_str("\n## How it is called\n\n");
        for call in &description.calls {
            let _ = writeln!(out, "- {}", in_markdown(call));
        }
    }
    out
}

/// A text in a cell of a table.
fn cell(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(in_markdown).collect();
    lines.join("<br>").replace('|', "\\|")
}

fn buffers(out: &mut String, check: &OpCheckText<'_>) {
    out.push_str("\n## Circular buffers\n\n");
    let Some(call) = &check.document.ledger_of else {
        out.push_str("No run completed, so there is no ledger.\n");
        return;
    };
    let _ = writeln!(out, "From the ledger of {call}.\n");
    let cbs = check.description.map_or(&[][..], |description| &description.cbs);
    out.push_str("| launch | buffer | holds | format | pages | page size | pushed by | popped by | pushed | popped | most at a time | cores |\n");
    out.push_str("|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    for entry in &check.document.ledger {
        let by = |action: &str| {
            let mut threads: Vec<&str> =
                entry.calls.iter().filter(|call| call.action == action).map(|call| call.thread.as_str()).collect();
            threads.dedup();
            if threads.is_empty() { "nobody".to_string() } else { threads.join(", ") }
        };
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
            entry.launch,
            entry.cb,
            cell(&holds(cbs, entry)),
            entry.format,
            entry.capacity,
            entry.page_size,
            by("push"),
            by("pop"),
            entry.pushed,
            entry.popped,
            entry.high_water,
            entry.cores.len()
        );
    }
}

/// What the description says of a buffer; of one that each launch has anew, that of the launch.
fn holds(cbs: &[OpBuffer], entry: &LedgerEntry) -> String {
    let same: Vec<&str> = cbs.iter().filter(|cb| cb.cb == entry.cb).map(|cb| cb.content.as_str()).collect();
    let launch = format!("(launch {})", entry.launch);
    let of_launch = same.iter().find(|content| content.ends_with(&launch)).or(same.first());
    of_launch.map_or(String::new(), |content| content.trim_end_matches(&launch).trim_end().to_string())
}

fn errors(out: &mut String, check: &OpCheckText<'_>) {
    out.push_str("\n## Accuracy\n\n");
    if check.document.accuracy.is_empty() {
        out.push_str("Nothing was compared.\n");
        return;
    }
    let (rtol, atol) = check.tolerances;
    let _ = writeln!(
        out,
        "Against float64, within {atol:e} + {rtol:e} |reference|; the run with the largest error of each output, format and kind \
         of data, of {} outputs compared.\n",
        check.document.accuracy.len()
    );
    out.push_str(
        "| output | dtype | data | max diff | mean diff | max ulp | of | |\n|---|---|---|---|---|---|---|---|\n",
    );
    for row in check.worst {
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} | {} | {:.2} | {} | {} |",
            cell(&row.output),
            row.dtype,
            cell(&row.data),
            figure(row.max_diff),
            figure(row.mean_diff),
            row.max_ulp,
            cell(&row.call),
            if row.pass { "pass" } else { "**missed**" }
        );
    }
}

fn findings(out: &mut String, check: &OpCheckText<'_>) {
    out.push_str("\n## Findings\n\n");
    let found = check.red().map_or(&[][..], |gate| &gate.findings);
    if found.is_empty() {
        out.push_str("None.\n");
    }
    for (what, list) in [("", found), ("note ", &check.document.notes)] {
        for finding in list {
            let _ = writeln!(
                out,
                "- {what}{} at {}: {}",
                finding.code,
                in_backticks(&format!("{}:{}", finding.file, finding.line)),
                in_markdown(&finding.message)
            );
        }
    }
}
