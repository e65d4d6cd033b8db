//! Counting tests out of what test runners print.
//!
//! It must never count a run that ended before its summary as passed: whoever runs a command adds its exit code. Start at
//! [`Tally::read_line`].

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

/// Tests that passed and failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
}

impl Tally {
    pub(crate) fn add(&mut self, other: Tally) {
        self.passed += other.passed;
        self.failed += other.failed;
    }

    /// One check of ours.
    pub(crate) fn check(passed: bool) -> Tally {
        Tally { passed: u64::from(passed), failed: u64::from(!passed) }
    }

    /// Takes the counts out of a summary line of `cargo test` or `cargo nextest`; other lines count nothing.
    pub(crate) fn read_line(&mut self, line: &str) {
        // Indented it is what nextest shows of a test that failed, which its summary counts.
        let (counts, is_nextest) =
            if let Some((_, counts)) = line.strip_prefix("test result:").and_then(|r| r.split_once(". ")) {
                (counts, false)
            } else if let Some((_, counts)) = line.trim().strip_prefix("Summary").and_then(|r| r.split_once("run: ")) {
                (counts, true)
            } else {
                return;
            };
        let mut read = Tally::default();
        for part in counts.split(if is_nextest { ',' } else { ';' }) {
            // nextest details passed tests in brackets: "9 passed (1 slow)".
            let part = part.split('(').next().unwrap_or(part).trim();
            let Some((number, word)) = part.split_once(' ') else { continue };
            let Ok(number) = number.parse::<u64>() else { continue };
            match word.trim() {
                "passed" => read.passed += number,
                "failed" | "timed out" | "exec failed" => read.failed += number,
                _ => {}
            }
        }
        self.add(read);
    }
}

/// Runs a command, shows what it prints, and counts its tests. A command that fails without a failed test counts as one.
pub(crate) fn run_tests(mut command: Command) -> Result<Tally> {
    let shown = format!("{command:?}");
    // Both runners can be told to leave out colours; nextest prints its summary on stderr.
    command.env("CARGO_TERM_COLOR", "never").stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().with_context(|| format!("cannot start {shown}"))?;
    let stderr = child.stderr.take().context("no stderr")?;
    let stdout = child.stdout.take().context("no stdout")?;
    let from_stderr = std::thread::spawn(move || forward(stderr, std::io::stderr()));
    let mut tally = forward(stdout, std::io::stdout())?;
    tally.add(from_stderr.join().map_err(|_| anyhow::anyhow!("reading stderr failed"))??);
    let status = child.wait()?;
    if !status.success() && tally.failed == 0 {
        tally.failed = 1;
    }
    Ok(tally)
}

fn forward(from: impl std::io::Read, mut to: impl Write) -> Result<Tally> {
    let mut tally = Tally::default();
    for line in BufReader::new(from).split(b'\n') {
        let line = line?;
        let line = String::from_utf8_lossy(&line);
        tally.read_line(&line);
        writeln!(to, "{line}")?;
    }
    Ok(tally)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> (u64, u64) {
        let mut tally = Tally::default();
        tally.read_line(line);
        (tally.passed, tally.failed)
    }

    #[test]
    fn summaries_of_both_runners_are_read() {
        assert_eq!(
            of("test result: ok. 12 passed; 0 failed; 3 ignored; 0 measured; 0 filtered out; finished in 0.00s"),
            (12, 0)
        );
        assert_eq!(of("test result: FAILED. 3 passed; 4 failed; 0 ignored; 0 measured; 0 filtered out"), (3, 4));
        assert_eq!(of("     Summary [   0.153s] 30 tests run: 28 passed (1 slow), 2 failed, 5 skipped"), (28, 2));
        assert_eq!(of("     Summary [   1.000s] 3/9 tests run: 1 passed, 1 failed, 1 timed out, 0 skipped"), (1, 2));
    }

    #[test]
    fn other_lines_count_nothing() {
        assert_eq!(of("running 12 tests"), (0, 0));
        assert_eq!(of("test tests::a_claim ... ok"), (0, 0));
        assert_eq!(of("    test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 6 filtered out"), (0, 0));
    }

    #[test]
    fn a_command_that_fails_in_silence_is_one_failure() {
        assert_eq!(run_tests(Command::new("false")).unwrap(), Tally { passed: 0, failed: 1 });
        assert_eq!(run_tests(Command::new("true")).unwrap(), Tally::default());
    }
}
