//! Operations on one tile, by the example `tile_times` of the numerics; and the tables of docs/performance.md, which are written
//! from what it prints.

use std::fmt::Write as _;

use anyhow::{Context, Result, ensure};

use super::host_load::{self, Load};
use super::measure::Table;
use crate::workspace::{cargo, root};

/// The page with the tables, and the lines that they stand between.
const PAGE: &str = "docs/performance.md";
const TILES: [&str; 2] = ["<!-- written by cargo xtask bench --write -->\n", "<!-- end -->\n"];
const PROGRAMS: [&str; 2] = ["<!-- programs, written by cargo xtask bench --write -->\n", "<!-- end of programs -->\n"];
/// What the vector unit is measured on, as `tile_times` names it, and the head of its column.
const COLUMNS: [(&str, &str); 3] = [
    ("16-bit Dst", "16-bit Dst"),
    ("32-bit Dst of bf16", "32-bit Dst, words of bf16"),
    ("32-bit Dst", "32-bit Dst, float32"),
];

/// A tile operation: how `tile_times` calls it, floor and goal in microseconds.
const TILE_TARGETS: [(&str, f64, f64); 5] = [
    ("add, 16-bit Dst", 1.0, 0.3),
    ("mul HiFi4 onto zero, 16-bit Dst", 1.0, 0.3),
    ("copy_tile, 16-bit Dst", 1.0, 0.3),
    ("matmul LoFi, 16-bit Dst", 8.0, 3.0),
    ("matmul HiFi4, 16-bit Dst", 24.0, 10.0),
];

/// Floor and goal of every operation of the vector unit, microseconds.
const VECTOR_TARGETS: (f64, f64) = (10.0, 2.0);

/// Prints the times, and writes them where that is asked for.
pub(super) fn run(table: &mut Table, write: bool) -> Result<()> {
    let before = Load::now();
    let output = cargo()
        .args(["run", "--quiet", "--release", "-p", "tileproof-numerics", "--example", "tile_times"])
        .output()
        .context("cannot run the example tile_times")?;
    ensure!(output.status.success(), "tile_times failed: {}", String::from_utf8_lossy(&output.stderr).trim());
    let text = String::from_utf8(output.stdout)?;
    table.heading("one tile");
    for line in text.lines() {
        let Some((name, nanoseconds)) = time_of(line) else { continue };
        let microseconds = nanoseconds / 1e3;
        match TILE_TARGETS.iter().find(|(of, ..)| *of == name) {
            Some((_, floor, goal)) => table.row(name, microseconds, "us", (*floor, *goal), false),
            None if name.starts_with("sfpu ") => table.row(name, microseconds, "us", VECTOR_TARGETS, false),
            None => table.figure(name, microseconds, "us"),
        }
    }
    if write {
        let measured = format!(
            "\nOne tile, in microseconds: the best of 20 batches of 200 calls on one thread of {}, {}. Tiles differ\nfrom call to call, and the \
             time of bringing them into Dst is in.\n",
            host_load::processor(),
            before.told(),
        );
        write_page(TILES, &(measured + &tables(&text)))?;
    }
    Ok(())
}

/// Writes the table of programs.
pub(super) fn write_programs(text: &str) -> Result<()> {
    write_page(PROGRAMS, text)
}

fn write_page(marks: [&str; 2], text: &str) -> Result<()> {
    let page = root().join(PAGE);
    let old = std::fs::read_to_string(&page)?;
    let new = with_tables(&old, marks, text).with_context(|| format!("{PAGE} lacks {marks:?}"))?;
    Ok(std::fs::write(page, new)?)
}

/// The page with other tables.
fn with_tables(page: &str, [begin, end]: [&str; 2], tables: &str) -> Option<String> {
    let (before, rest) = page.split_once(begin)?;
    let (_, after) = rest.split_once(end)?;
    Some(format!("{before}{begin}{tables}{end}{after}"))
}

/// What `tile_times` printed, as tables: the vector unit an operation a row, the slowest first, then all else.
fn tables(text: &str) -> String {
    let times: Vec<(&str, f64)> = text.lines().filter_map(time_of).collect();
    let mut rows: Vec<(&str, [Option<f64>; 3])> = Vec::new();
    let mut others = String::from("\n| operation | us |\n|---|---|\n");
    for &(name, nanoseconds) in &times {
        let Some((operation, content)) = name.strip_prefix("sfpu ").and_then(|name| name.split_once(", ")) else {
            let _ = writeln!(others, "| {name} | {:.2} |", nanoseconds / 1e3);
            continue;
        };
        let Some(column) = COLUMNS.iter().position(|(named, _)| *named == content) else { continue };
        if !rows.iter().any(|(known, _)| *known == operation) {
            rows.push((operation, [None; 3]));
        }
        if let Some((_, row)) = rows.iter_mut().find(|(known, _)| *known == operation) {
            row[column] = Some(nanoseconds / 1e3);
        }
    }
    let slowest = |row: &[Option<f64>; 3]| row.iter().flatten().fold(0.0, |most: f64, time| most.max(*time));
    rows.sort_by(|a, b| slowest(&b.1).total_cmp(&slowest(&a.1)));
    let mut out = format!("\n| vector unit | {} |\n|---|---|---|---|\n", COLUMNS.map(|(_, head)| head).join(" | "));
    for (operation, row) in rows {
        let cells = row.map(|time| time.map_or(String::new(), |time| format!("{time:.2}")));
        let _ = writeln!(out, "| {operation} | {} |", cells.join(" | "));
    }
    out + &others
}

/// Name and nanoseconds of a line of `tile_times`.
fn time_of(line: &str) -> Option<(&str, f64)> {
    let (name, number) = line.trim_end().strip_suffix(" ns")?.trim_end().rsplit_once(' ')?;
    Some((name.trim(), number.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_tile_times_is_read() {
        let line = "matmul HiFi4, 16-bit Dst                          12345 ns";
        assert_eq!(time_of(line), Some(("matmul HiFi4, 16-bit Dst", 12345.0)));
        assert_eq!(time_of("warning: something"), None);
    }

    #[test]
    fn times_become_tables_with_the_slowest_operation_first() {
        let text = "add, 16-bit Dst  520 ns\nsfpu Abs, 16-bit Dst  300 ns\nsfpu Log, 16-bit Dst  650 ns\n\
                    sfpu Log, 32-bit Dst  4001 ns\nsfpu Log, 32-bit Dst of bf16  640 ns\n";
        let page = with_tables(&format!("a\n{}old\n{}b\n", TILES[0], TILES[1]), TILES, &tables(text)).unwrap();
        let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("| ")).collect();
        assert_eq!(rows[1..3], ["| Log | 0.65 | 0.64 | 4.00 |", "| Abs | 0.30 |  |  |"]);
        assert_eq!(rows[4], "| add, 16-bit Dst | 0.52 |");
        assert!(page.starts_with("a\n") && page.ends_with("b\n") && !page.contains("old"), "{page}");
        assert!(with_tables("no marks", TILES, "").is_none());
    }
}
