//! docs/your-first-op.md and docs/numerics/testing.md, command by command: each runs, and prints what the page shows.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::run::{ROOT, folder};

/// A command of the page, and the lines that it must print, in order.
struct Step {
    command: String,
    lines: Vec<String>,
}

fn steps(page: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut shown = false;
    for line in page.lines() {
        if let Some(command) = line.strip_prefix("    $ ") {
            steps.push(Step { command: command.into(), lines: Vec::new() });
            shown = true;
        } else if let (true, Some(text)) = (shown, line.strip_prefix("    ")) {
            if text != "..." {
                steps.last_mut().unwrap().lines.push(text.trim().into());
            }
        } else if !line.is_empty() {
            shown = false;
        }
    }
    steps
}

/// Runs the commands of a page in a folder of their own: each ends, and prints, as the page shows.
fn follow(page: &str, name: &str) -> (PathBuf, usize) {
    let root = Path::new(ROOT);
    let page = fs::read_to_string(root.join("docs").join(page)).unwrap();
    let folder = folder(name);
    for there in ["examples", "specimens"] {
        std::os::unix::fs::symlink(root.canonicalize().unwrap().join(there), folder.join(there)).unwrap();
    }
    let bin = Path::new(env!("CARGO_BIN_EXE_tileproof")).parent().unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let steps = steps(&page);
    for Step { command, lines } in &steps {
        let output =
            Command::new("sh").arg("-c").arg(command).current_dir(&folder).env("PATH", &path).output().unwrap();
        let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        // Red is what the page shows, where it shows it.
        let red = lines.iter().any(|line| line.starts_with("FAIL"));
        assert_eq!(output.status.success(), !red, "{command}\n{text}");
        let mut printed = text.lines();
        for line in lines {
            // Times and the last figures differ: a line of the page is the beginning of one that is printed.
            assert!(printed.any(|printed| printed.trim().starts_with(line)), "{command}\n{line}\n{text}");
        }
    }
    (folder, steps.len())
}

#[test]
fn the_commands_of_the_page_on_testing_do_what_it_shows() {
    let (_, steps) = follow("numerics/testing.md", "testing");
    assert!(steps >= 2, "{steps}");
}

#[test]
fn the_commands_of_the_tutorial_do_what_the_page_shows() {
    let (folder, steps) = follow("your-first-op.md", "tutorial");
    assert!(steps >= 12, "{steps}");
    let log = fs::read_to_string(folder.join("rmsnorm.jsonl")).unwrap();
    let events: Vec<serde_json::Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(events[0]["event"], "check_started");
    assert_eq!(events.iter().filter(|event| event["event"] == "run").count(), 21);
    assert_eq!(events.last().unwrap()["pass"], true);
}
