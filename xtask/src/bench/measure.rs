//! How a command is measured, and the line that a measure becomes.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

/// A measure beside its targets.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Row {
    /// The table that it is in.
    pub(super) of: String,
    /// What was measured.
    pub(super) what: String,
    pub(super) measured: f64,
    pub(super) unit: &'static str,
    /// What calls the work done, and what is aimed at; `None` for a figure that others are compared with.
    pub(super) targets: Option<(f64, f64)>,
    pub(super) more_is_better: bool,
}

impl Row {
    /// How it stands to its targets.
    pub(super) fn verdict(&self) -> &'static str {
        let Some((floor, goal)) = self.targets else { return "" };
        let reaches = |target: f64| if self.more_is_better { self.measured >= target } else { self.measured <= target };
        match (reaches(floor), reaches(goal)) {
            (_, true) => "goal",
            (true, _) => "floor",
            _ => "MISSED",
        }
    }
}

/// All that was measured, which is printed as it comes.
#[derive(Default)]
pub(super) struct Table {
    pub(super) rows: Vec<Row>,
    of: String,
}

impl Table {
    /// What the next rows are of.
    pub(super) fn heading(&mut self, text: &str) {
        println!("\n{text:<70} {:>9} {:<6} {:>9} {:>9}", "measured", "", "floor", "goal");
        self.of = text.into();
    }

    /// A measure, its unit, and its floor and goal. Where `more_is_better` is false, less is.
    pub(super) fn row(
        &mut self,
        what: &str,
        measured: f64,
        unit: &'static str,
        targets: (f64, f64),
        more_is_better: bool,
    ) {
        self.add(what, measured, unit, Some(targets), more_is_better);
    }

    /// A figure without a target.
    pub(super) fn figure(&mut self, what: &str, measured: f64, unit: &'static str) {
        self.add(what, measured, unit, None, true);
    }

    fn add(
        &mut self,
        what: &str,
        measured: f64,
        unit: &'static str,
        targets: Option<(f64, f64)>,
        more_is_better: bool,
    ) {
        let row = Row { of: self.of.clone(), what: what.into(), measured, unit, targets, more_is_better };
        let (floor, goal) = targets.map_or(Default::default(), |(floor, goal)| (floor.to_string(), goal.to_string()));
        println!("{what:<70} {measured:>9.4} {unit:<6} {floor:>9} {goal:>9}  {}", row.verdict());
        self.rows.push(row);
    }
}

/// How one run of a command went.
pub(super) struct Run {
    /// Process start to exit.
    pub(super) whole: Duration,
    /// Most memory that was resident, bytes.
    pub(super) peak: u64,
    pub(super) document: Value,
}

/// Runs a command whose standard output is JSON.
pub(super) fn json(command: &mut Command) -> Result<Run> {
    let begin = Instant::now();
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let status = format!("/proc/{}/status", child.id());
    let (done, ended) = std::sync::mpsc::channel::<()>();
    // The kernel keeps the peak while the process lives; the last look before its end is the answer.
    let watch = std::thread::spawn(move || {
        let mut peak = 0;
        loop {
            peak = peak.max(high_water(&status).unwrap_or(0));
            if ended.recv_timeout(Duration::from_millis(2)) != Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
                return peak;
            }
        }
    });
    // Both pipes at the same time: a child stands still when one of them is full and nobody reads it.
    let errors = child.stderr.take().map(|pipe| std::thread::spawn(move || std::io::read_to_string(pipe)));
    let text = std::io::read_to_string(child.stdout.take().context("no standard output")?)?;
    let exit = child.wait()?;
    let whole = begin.elapsed();
    drop(done);
    let peak = watch.join().map_err(|_| anyhow::anyhow!("watching the memory failed"))?;
    // 1 means findings or a missed tolerance: still a document.
    if !matches!(exit.code(), Some(0 | 1)) {
        let errors = errors.and_then(|reader| reader.join().ok()?.ok()).unwrap_or_default();
        bail!("{command:?} failed: {}", errors.trim());
    }
    let document = serde_json::from_str(&text).with_context(|| format!("{command:?} printed no JSON"))?;
    Ok(Run { whole, peak, document })
}

/// `VmHWM` of a process, in bytes.
fn high_water(status: &str) -> Option<u64> {
    let text = std::fs::read_to_string(status).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
}

/// The peak of memory of a run of `tileproof`, in bytes.
pub(super) fn peak_of(binary: &str, arguments: &[&str]) -> Result<u64> {
    let run = json(Command::new(binary).args(arguments).args(["--format", "json"]))?;
    ensure!(run.document["pass"] == true, "{arguments:?} does not pass");
    Ok(run.peak)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_measure_stands_to_its_targets_from_the_side_that_is_better() {
        let mut table = Table::default();
        table.heading("speed");
        for measured in [1.0, 5.0, 20.0] {
            table.row("times as fast", measured, "x", (2.0, 10.0), true);
            table.row("seconds", measured, "s", (10.0, 2.0), false);
        }
        table.figure("bytes a second", 3.0, "GB/s");
        let verdicts: Vec<&str> = table.rows.iter().map(Row::verdict).collect();
        assert_eq!(verdicts, ["MISSED", "goal", "floor", "floor", "goal", "MISSED", ""]);
    }

    #[test]
    fn a_child_that_fills_its_standard_error_is_read_to_its_end() {
        // 300,000 bytes are more than a pipe holds; `timeout` ends a child that stands still.
        let script = "head -c 300000 /dev/zero >&2; echo '{\"wall_s\": 0.5}'";
        let run = json(Command::new("timeout").args(["20", "sh", "-c", script])).unwrap();
        assert_eq!(run.document["wall_s"], 0.5);
    }

    #[test]
    fn a_failure_shows_what_the_child_says() {
        let Err(error) = json(Command::new("sh").args(["-c", "echo no such shape >&2; exit 2"])) else { panic!() };
        assert!(error.to_string().ends_with("failed: no such shape"), "{error}");
    }
}
