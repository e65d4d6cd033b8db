//! docs/your-first-op.md, command by command: each runs, and prints what the page shows.

use std::fs;
use std::path::Path;
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
        } else {
            shown = false;
        }
    }
    steps
}

#[test]
fn the_commands_of_the_tutorial_do_what_the_page_shows() {
    let root = Path::new(ROOT);
    let page = fs::read_to_string(root.join("docs/your-first-op.md")).unwrap();
    let folder = folder("tutorial");
    std::os::unix::fs::symlink(root.canonicalize().unwrap().join("examples"), folder.join("examples")).unwrap();
    let bin = Path::new(env!("CARGO_BIN_EXE_tileproof")).parent().unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let steps = steps(&page);
    assert!(steps.len() >= 12, "{}", steps.len());
    for Step { command, lines } in steps {
        let output =
            Command::new("sh").arg("-c").arg(&command).current_dir(&folder).env("PATH", &path).output().unwrap();
        let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        // Red is what the page shows, where it shows it.
        let red = lines.iter().any(|line| line.starts_with("FAIL"));
        assert_eq!(output.status.success(), !red, "{command}\n{text}");
        let mut printed = text.lines();
        for line in lines {
            // Times and the last figures differ: a line of the page is the beginning of one that is printed.
            assert!(printed.any(|printed| printed.trim().starts_with(&line)), "{command}\n{line}\n{text}");
        }
    }
    let log = fs::read_to_string(folder.join("rmsnorm.jsonl")).unwrap();
    let events: Vec<serde_json::Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(events[0]["event"], "check_started");
    assert_eq!(events.iter().filter(|event| event["event"] == "run").count(), 21);
    assert_eq!(events.last().unwrap()["pass"], true);
}
