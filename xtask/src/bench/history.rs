//! What earlier runs measured, a line of JSON a run: for seeing what became faster or slower.
//!
//! Start at [`add`].

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::measure::Row;
use crate::workspace::root;

/// Adds a run; those that were there, the oldest first. A line that cannot be read is left out.
///
/// # Errors
/// If the file cannot be written.
pub(super) fn add(file: &Path, rows: &[Row]) -> Result<Vec<Value>> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    let text = fs::read_to_string(file).unwrap_or_default();
    let earlier = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let measured: serde_json::Map<String, Value> =
        rows.iter().map(|row| (format!("{}: {}", row.of, name(&row.what)), json!(row.measured))).collect();
    let when = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let run = json!({ "seconds": when, "commit": commit(), "processor": processor(), "measured": measured });
    let mut open =
        OpenOptions::new().create(true).append(true).open(file).with_context(|| file.display().to_string())?;
    writeln!(open, "{run}")?;
    Ok(earlier)
}

/// What a row is called in every run: without the times that stand in brackets behind it.
pub(super) fn name(what: &str) -> &str {
    what.split_once(" (").map_or(what, |(name, _)| name)
}

/// What earlier runs measured of a row, the oldest first.
pub(super) fn of(row: &Row, earlier: &[Value]) -> Vec<f64> {
    let key = format!("{}: {}", row.of, name(&row.what));
    earlier.iter().filter_map(|run| run["measured"][&key].as_f64()).collect()
}

fn commit() -> String {
    let output = Command::new("git").args(["rev-parse", "--short", "HEAD"]).current_dir(root()).output();
    output.map_or(String::new(), |output| String::from_utf8_lossy(&output.stdout).trim().to_string())
}

/// The processor's own name.
fn processor() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("model name"));
    line.and_then(|line| line.split_once(':')).map_or(String::new(), |(_, name)| name.trim().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(what: &str, measured: f64) -> Row {
        Row { of: "speed".into(), what: what.into(), measured, unit: "x", targets: None, more_is_better: true }
    }

    #[test]
    fn a_run_is_added_behind_those_that_are_there_and_rows_are_found_by_their_names() {
        let folder = std::env::temp_dir().join(format!("xtask-history-{}", std::process::id()));
        let file = folder.join("history.jsonl");
        assert!(add(&file, &[row("forward (3.0 ms, peer 60)", 20.0)]).unwrap().is_empty());
        fs::write(&file, fs::read_to_string(&file).unwrap() + "half a li").unwrap();
        fs::write(&file, fs::read_to_string(&file).unwrap() + "\n").unwrap();
        let earlier = add(&file, &[row("forward (2.0 ms, peer 61)", 30.0)]).unwrap();
        assert_eq!(of(&row("forward (1.0 ms, peer 60)", 0.0), &earlier), [20.0]);
        assert_eq!(of(&row("backward", 0.0), &earlier), [0.0; 0]);
        let earlier = add(&file, &[]).unwrap();
        assert_eq!(of(&row("forward", 0.0), &earlier), [20.0, 30.0]);
        fs::remove_dir_all(folder).unwrap();
    }
}
