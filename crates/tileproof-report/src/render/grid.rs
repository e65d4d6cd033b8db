//! The table of a grid: a row and column a cell, then each thing that is wrong once, with the cells that have it.
//!
//! It must never hide a cell that does not pass. Start at [`render_grid`].

use tileproof_model::finding::Code;
use tileproof_model::wording::count;

use crate::json::CellDocument;
use crate::style::{Ink, Style};

/// Cells that are listed of one thing that is wrong.
const LISTED_CELLS: usize = 4;

/// The cells of a grid whose axes are `axes`, in the order in which they were run: the last axis fastest. `see_first` is the
/// command that runs the first cell again that does not pass.
pub fn render_grid(
    axes: &[(String, Vec<String>)],
    cells: &[CellDocument],
    see_first: Option<&str>,
    style: Style,
) -> String {
    let passing = cells.iter().filter(|cell| cell.pass).count();
    let mut text = table(axes, cells, style) + &failures(cells);
    text += &format!("\n{passing} of {} cells pass\n", cells.len());
    let mut not_checked: Vec<&str> = Vec::new();
    for what in cells.iter().flat_map(|cell| &cell.run).flat_map(|run| &run.not_checked) {
        if !not_checked.contains(&what.as_str()) {
            not_checked.push(what);
        }
    }
    if !not_checked.is_empty() {
        text += &format!("not checked: {}\n", not_checked.join("; "));
    }
    text + &see_first.map_or("\npass\n".into(), |command| format!("see the first: {command}\n\nFAIL\n"))
}

fn table(axes: &[(String, Vec<String>)], cells: &[CellDocument], style: Style) -> String {
    let shown: Vec<String> = cells.iter().map(CellDocument::shown).collect();
    let Some(((last, columns), rows)) = axes.split_last() else { return String::new() };
    // The last axis goes across where it fits, else every cell has a row.
    let titles: Vec<String> = columns.iter().map(|value| format!("{last}={value}")).collect();
    let cell_width = shown.iter().chain(&titles).map(|text| text.chars().count()).max().unwrap_or(0) + 2;
    let across = !rows.is_empty() && columns.len() * cell_width + 24 <= style.width.max(80);
    let per_row = if across { columns.len().max(1) } else { 1 };
    let mut header: Vec<String> = rows.iter().map(|(name, _)| name.clone()).collect();
    if across {
        header.extend(titles);
    } else {
        header.extend([last.clone(), "result".into()]);
    }
    let listed = if across { rows } else { axes };
    let mut lines: Vec<Vec<String>> = vec![header];
    for (cells, shown) in cells.chunks(per_row).zip(shown.chunks(per_row)) {
        let values = listed.iter().map(|(name, _)| cells[0].params.get(name).cloned().unwrap_or_default());
        lines.push(values.chain(shown.iter().cloned()).collect());
    }
    let width = |column: usize| lines.iter().map(|l| l[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..lines[0].len()).map(width).collect();
    let mut text = String::new();
    for (number, line) in lines.iter().enumerate() {
        let mut row = String::new();
        for (column, (value, width)) in line.iter().zip(&widths).enumerate() {
            let padded = format!("{value:<width$}");
            let ink = match (number, value.as_str()) {
                (0, _) => Ink::Head,
                _ if column < listed.len() => Ink::Plain,
                (_, "pass") => Ink::Good,
                _ => Ink::Bad,
            };
            row += if column == 0 { "" } else { "  " };
            row += &style.paint(&padded, ink);
        }
        text += row.trim_end();
        text.push('\n');
    }
    text
}

/// Each thing that is wrong, once, and the cells that have it.
fn failures(cells: &[CellDocument]) -> String {
    let mut groups: Vec<(String, Vec<String>)> = Vec::new();
    for cell in cells.iter().filter(|cell| !cell.pass) {
        let values: Vec<String> = cell.params.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let values = values.join(" ");
        for what in wrong(cell) {
            match groups.iter_mut().find(|(known, _)| *known == what) {
                Some((_, cells)) => cells.push(values.clone()),
                None => groups.push((what, vec![values.clone()])),
            }
        }
    }
    let mut text = String::new();
    for (what, cells) in groups {
        let more = cells.len().saturating_sub(LISTED_CELLS);
        let more = if more > 0 { format!(", and {}", count(more as u64, "other cell")) } else { String::new() };
        let listed: Vec<&str> = cells.iter().take(LISTED_CELLS).map(String::as_str).collect();
        text += &format!("\n{what}\n    in {}{more}\n", listed.join(", "));
    }
    text
}

/// What is wrong with a cell, a line each.
fn wrong(cell: &CellDocument) -> Vec<String> {
    if let Some(error) = &cell.error {
        return vec![format!("refused: {error}")];
    }
    let Some(run) = &cell.run else { return Vec::new() };
    let mut list: Vec<String> = Vec::new();
    for finding in &run.findings {
        // The title is the same in every cell, as the message with its numbers is not.
        let title = Code::parse(&finding.code).map_or("", |code| code.title());
        let line = format!("{} at {}:{}, {}: {title}", finding.code, finding.file, finding.line, finding.thread);
        if !list.contains(&line) {
            list.push(line);
        }
    }
    if run.status == "completed" {
        let outputs = run.outputs.iter().filter(|output| !output.pass);
        list.extend(outputs.map(|output| format!("wrong: output {} is not as expected", output.name)));
    }
    list
}
