//! What a kernel does, as people read it: arguments, buffers, operations in the order of the text with their loops.
//!
//! It leaves nothing of the document out. Start at [`render_analysis`].

use std::fmt::Write;

use tileproof_model::wording::count;

use crate::json::analysis::{AnalysisDocument, BufferEntry, HelperEntry, OperationEntry};
use crate::outside::{in_backticks, in_markdown};

/// The threads of a compute kernel.
const THREADS: [&str; 3] = ["UNPACK", "MATH", "PACK"];

/// The text of an analysis, in markdown or plain.
pub fn render_analysis(of: &AnalysisDocument, markdown: bool) -> String {
    let main = &of.file;
    // The kernel's own lines need no file.
    let place = |file: &str, line: u32| if file == *main { format!("line {line}") } else { format!("{file}:{line}") };
    let mut text = if markdown {
        format!("# {}\n\nA {} kernel.\n", in_backticks(main), of.kind)
    } else {
        format!("{main}: {} kernel\n", of.kind)
    };
    let mut section = |title: &str, lines: Vec<String>| {
        if lines.is_empty() {
            return;
        }
        let _ = if markdown { write!(text, "\n## {title}\n\n") } else { writeln!(text, "\n{title}") };
        for line in lines {
            let _ = if markdown {
                writeln!(text, "{}- {}", if line.starts_with(' ') { "  " } else { "" }, in_markdown(line.trim_start()))
            } else {
                writeln!(text, "  {line}")
            };
        }
    };
    section(
        "Arguments",
        of.arguments
            .iter()
            .map(|a| {
                let name = if a.name.is_empty() { String::new() } else { format!("  {}", a.name) };
                format!("{} {}{name}  ({})", a.kind, a.index, place(&a.file, a.line))
            })
            .collect(),
    );
    section("Circular buffers", of.buffers.iter().flat_map(|buffer| buffer_lines(buffer, &place)).collect());
    if of.kind == "compute" {
        for thread in THREADS {
            let of_thread = of.operations.iter().filter(|operation| operation.threads.iter().any(|of| of == thread));
            section(&format!("{thread}, in the order of the text"), operation_lines(of_thread, &place));
        }
        let none = of.operations.iter().filter(|operation| operation.threads.is_empty());
        section("On all threads", operation_lines(none, &place));
    } else {
        section("Operations, in the order of the text", operation_lines(of.operations.iter(), &place));
    }
    let helper = |h: &HelperEntry| {
        format!("{}  ({}, called at {})", h.name, place(&h.file, h.line), count(h.calls as u64, "place"))
    };
    section("Helpers of its own", of.helpers.iter().map(helper).collect());
    section("Other calls", of.other_calls.clone());
    section("Headers", of.includes.clone());
    section("Not known from the text", of.unknown.clone());
    text
}

fn buffer_lines(buffer: &BufferEntry, place: &dyn Fn(&str, u32) -> String) -> Vec<String> {
    let roles = if buffer.roles.is_empty() { "used".to_string() } else { buffer.roles.join(" and ") };
    let total = |verb: &str, pages: &Option<String>| pages.as_ref().map_or(String::new(), |p| format!(", {verb} {p}"));
    let head = format!(
        "{}  {roles}{}{}",
        buffer.name,
        total("pushes in all", &buffer.pushed),
        total("pops in all", &buffer.popped)
    );
    let lines = buffer.uses.iter().map(|u| {
        let pages = match (&u.pages, &u.total) {
            (Some(pages), Some(total)) if pages == total => format!("  {pages}"),
            (Some(pages), Some(total)) if total.starts_with("unknown") => format!("  {pages} a call, in all {total}"),
            (Some(pages), Some(total)) => format!("  {pages} a call, {total} in all"),
            _ => String::new(),
        };
        format!("  {:<8} {}{pages}  ({})", u.action, u.call, place(&u.file, u.line))
    });
    std::iter::once(head).chain(lines).collect()
}

/// Operations with their loops; a loop is named when it begins.
fn operation_lines<'a>(
    operations: impl Iterator<Item = &'a OperationEntry>,
    place: &dyn Fn(&str, u32) -> String,
) -> Vec<String> {
    let mut lines = Vec::new();
    let mut open: Vec<String> = Vec::new();
    for operation in operations {
        let same = open.iter().zip(&operation.within).take_while(|(a, b)| a == b).count();
        open.truncate(same);
        for around in &operation.within[same..] {
            lines.push(format!("{}{around}", "  ".repeat(open.len())));
            open.push(around.clone());
        }
        let init = if operation.init { "init " } else { "" };
        let indent = "  ".repeat(open.len());
        let (call, arguments) = (&operation.call, &operation.arguments);
        lines.push(format!("{indent}{init}{call}({arguments})  ({})", place(&operation.file, operation.line)));
    }
    lines
}
