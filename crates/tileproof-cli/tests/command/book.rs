//! The pages of the project: each command that a page shows with its output runs and prints that, links lead somewhere, and the book
//! has every page of `docs`.
//!
//! A command stands after `$ `. Two dots in an output stand for anything, a line of two dots for any lines. Start at [`follow`].

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

use crate::run::{ROOT, folder};

/// How README calls the command, for who has built nothing yet.
const FROM_SOURCE: &str = "cargo run -p tileproof-cli --";

/// A command of a page, and the lines that it must print, in order.
struct Step {
    command: String,
    lines: Vec<String>,
}

fn steps(page: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    // The column of the command whose output is being read.
    let mut shown: Option<usize> = None;
    for line in page.lines() {
        let column = line.len() - line.trim_start().len();
        if column >= 4 && line.trim_start().starts_with("$ ") {
            let command = line.trim_start()[2..].replace(FROM_SOURCE, "tileproof");
            steps.push(Step { command, lines: Vec::new() });
            shown = Some(column);
        } else if line.is_empty() {
            // An output may have empty lines; text of the page ends it.
        } else if shown.is_some_and(|start| column >= start) {
            steps.last_mut().unwrap().lines.push(line.trim().into());
        } else {
            shown = None;
        }
    }
    steps
}

/// Without what differs from run to run: times of the host.
fn settled(line: &str) -> String {
    let is_time = |word: &str| word.trim_end_matches(',').parse::<f64>().is_ok() && word.contains('.');
    let words: Vec<&str> = line.split(' ').collect();
    let next = |i: usize| words.get(i + 1).is_some_and(|next| next.trim_end_matches(',') == "s");
    let word = |i: usize| if is_time(words[i]) && next(i) { ".." } else { words[i] };
    (0..words.len()).map(word).collect::<Vec<_>>().join(" ")
}

/// Whether a printed line begins as a line of a page does, whose dots stand for anything.
fn begins_as(printed: &str, line: &str) -> bool {
    let (printed, line) = (settled(printed.trim()), settled(line));
    let mut parts = line.split("..");
    let Some(mut rest) = parts.next().and_then(|first| printed.strip_prefix(first)) else { return false };
    for part in parts {
        let Some((_, after)) = rest.split_once(part) else { return false };
        rest = after;
    }
    true
}

/// Runs the commands of a page in a folder of their own: each ends, and prints, as the page shows. The folder, and how many there are.
fn follow(page: &str) -> (PathBuf, usize) {
    let root = Path::new(ROOT).canonicalize().unwrap();
    let text = fs::read_to_string(root.join(page)).unwrap();
    let folder = folder(&format!("page-{}", page.replace('/', "-")));
    for there in ["examples", "specimens"] {
        std::os::unix::fs::symlink(root.join(there), folder.join(there)).unwrap();
    }
    let bin = Path::new(env!("CARGO_BIN_EXE_tileproof")).parent().unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let steps = steps(&text);
    for Step { command, lines } in &steps {
        let output =
            Command::new("sh").arg("-c").arg(command).current_dir(&folder).env("PATH", &path).output().unwrap();
        let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        // Red is what the page shows, where it shows it.
        let red = lines.iter().any(|line| line.starts_with("FAIL") || line.starts_with("the run did not complete"));
        assert_eq!(output.status.success(), !red, "{command}\n{text}");
        let mut printed = text.lines();
        for line in lines.iter().filter(|line| !line.trim_matches('.').is_empty()) {
            assert!(printed.any(|printed| begins_as(printed, line)), "{page}: {command}\n{line}\n{text}");
        }
    }
    pictures_are_those_of_the_page(&folder, &text);
    (folder, steps.len())
}

/// A picture that a command of a page draws is the one that the page shows.
fn pictures_are_those_of_the_page(folder: &Path, text: &str) {
    let drawn = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    for picture in drawn.filter(|path| path.extension().is_some_and(|kind| kind == "svg")) {
        let name = picture.file_name().unwrap().to_string_lossy().into_owned();
        assert!(text.contains(&format!("images/{name})")), "the page does not show {name}");
        let kept = Path::new(ROOT).join("docs/images").join(&name);
        let same = fs::read(&kept).is_ok_and(|kept| kept == fs::read(&picture).unwrap());
        assert!(same, "docs/images/{name} is not what its command draws: keep {}", picture.display());
    }
}

macro_rules! pages {
    ($($name:ident = $page:literal, $least:literal;)*) => {
        /// The pages whose commands are run.
        const RUN: &[&str] = &[$($page),*];

        $(#[test]
        fn $name() {
            let (_, steps) = follow($page);
            assert!(steps >= $least, "{steps}");
        })*
    };
}

pages! {
    the_commands_of_the_readme_do_what_it_shows = "README.md", 4;
    the_commands_of_the_start_do_what_it_shows = "docs/book/start.md", 3;
    the_commands_of_the_first_kernel_do_what_it_shows = "docs/book/first-kernel.md", 7;
    the_commands_on_hangs_do_what_the_page_shows = "docs/book/how-to/hang.md", 3;
    the_commands_on_wrong_values_do_what_the_page_shows = "docs/book/how-to/wrong-value.md", 2;
    the_commands_on_checkouts_do_what_the_page_shows = "docs/book/how-to/checkout.md", 1;
    the_commands_on_schedules_do_what_the_page_shows = "docs/book/how-to/schedules.md", 2;
    the_commands_of_the_page_on_testing_do_what_it_shows = "docs/numerics/testing.md", 2;
}

#[test]
fn the_commands_of_the_tutorial_do_what_the_page_shows() {
    let (folder, steps) = follow(TUTORIAL);
    assert!(steps >= 12, "{steps}");
    let log = fs::read_to_string(folder.join("rmsnorm.jsonl")).unwrap();
    let events: Vec<serde_json::Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(events[0]["event"], "check_started");
    assert_eq!(events.iter().filter(|event| event["event"] == "run").count(), 21);
    assert_eq!(events.last().unwrap()["pass"], true);
}

const TUTORIAL: &str = "docs/your-first-op.md";
/// Its kernels are those of a wheel, which no test downloads: `cargo xtask compat` holds it to what they give.
const OF_A_WHEEL: &str = "docs/numerics/layer_norm_16bit.md";

/// The markdown files of the repository that people read, by their paths.
fn markdown() -> Vec<String> {
    fn below(folder: &str, found: &mut Vec<String>) {
        for entry in fs::read_dir(Path::new(ROOT).join(folder)).unwrap().map(Result::unwrap) {
            let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
            if entry.path().is_dir() {
                below(&path, found);
            } else if path.ends_with(".md") {
                found.push(path.trim_start_matches("./").to_string());
            }
        }
    }
    let mut found: Vec<String> =
        ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"].map(String::from).to_vec();
    below("docs", &mut found);
    below("examples", &mut found);
    found.sort();
    found
}

#[test]
fn every_page_that_shows_what_a_command_prints_is_run() {
    let shows = |page: &&String| !steps(&fs::read_to_string(Path::new(ROOT).join(page)).unwrap()).is_empty();
    let pages = markdown();
    let shown: BTreeSet<&str> = pages.iter().filter(shows).map(String::as_str).collect();
    let run: BTreeSet<&str> = RUN.iter().copied().chain([TUTORIAL, OF_A_WHEEL]).collect();
    assert_eq!(shown, run);
}

/// The links of a page, without what stands in code.
fn links(text: &str) -> Vec<String> {
    let mut links = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with("    ") || line.trim_start().starts_with("- [")) {
        // Odd pieces are code.
        let prose: String = line.split('`').step_by(2).collect();
        links.extend(prose.split("](").skip(1).filter_map(|rest| Some(rest.split_once(')')?.0.to_string())));
    }
    links
}

/// The words by which a heading is linked to.
fn anchor(heading: &str) -> String {
    let kept = heading.trim_start_matches('#').trim().to_lowercase();
    kept.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c)).collect::<String>().replace(' ', "-")
}

/// A path without `..`.
fn plain(path: &Path) -> PathBuf {
    let mut whole = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(whole.pop()),
            part => whole.push(part),
        }
    }
    whole
}

#[test]
fn links_lead_to_what_is_there_and_those_of_the_book_stay_in_it() {
    let root = Path::new(ROOT);
    let mut seen = 0;
    for page in markdown() {
        let text = fs::read_to_string(root.join(&page)).unwrap();
        for link in links(&text).into_iter().filter(|link| !link.contains("://")) {
            let (path, wanted) = link.split_once('#').unwrap_or((&link, ""));
            let to = if path.is_empty() {
                PathBuf::from(&page)
            } else {
                plain(&Path::new(&page).parent().unwrap().join(path))
            };
            assert!(root.join(&to).exists(), "{page}: {link} leads nowhere");
            assert!(!page.starts_with("docs/") || to.starts_with("docs"), "{page}: {link} leads out of the book");
            if !wanted.is_empty() {
                let text = fs::read_to_string(root.join(&to)).unwrap();
                let found = text.lines().any(|line| line.starts_with('#') && anchor(line) == wanted);
                assert!(found, "{page}: {link}: there is no such heading");
            }
            seen += 1;
        }
    }
    assert!(seen > 150, "{seen}");
}

#[test]
fn the_book_has_every_page_of_docs_once() {
    let summary = fs::read_to_string(Path::new(ROOT).join("docs/SUMMARY.md")).unwrap();
    let mut listed = links(&summary);
    listed.sort();
    let pages = markdown();
    let there = pages.iter().filter_map(|page| page.strip_prefix("docs/")).filter(|page| *page != "SUMMARY.md");
    assert_eq!(listed, there.collect::<Vec<_>>(), "`cargo xtask reference` lists the codes");
}

#[test]
fn a_line_of_a_page_is_compared_with_its_dots_and_without_times() {
    assert!(begins_as("completed, 12 cycles, 0.034 s", "completed, 12 cycles, 1.5 s"));
    assert!(!begins_as("completed, 13 cycles, 0.034 s", "completed, 12 cycles, 1.5 s"));
    assert!(begins_as("c_0  Float16_b  2 pages, 2 pushed", "c_0 .. 2 pushed"));
    assert!(!begins_as("c_0  Float16_b  2 pages, 2 pushed", "c_0 .. 3 pushed"));
    assert_eq!(links("see [a](b.md) and `[c](d.md)`"), ["b.md"]);
    assert_eq!(anchor("## The kernels of a checkout"), "the-kernels-of-a-checkout");
}
