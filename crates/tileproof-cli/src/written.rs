//! Commands and options that pages write: each is one that the command line takes.
//!
//! Those with an output are run as well, by `book.rs` of the command's tests. Start at [`commands`].

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use clap::{Command, CommandFactory, Parser};

use crate::Cli;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
/// How pages call the command.
const NAMES: [&str; 2] = ["tileproof ", "cargo run -p tileproof-cli -- "];
/// Options of others: of `cargo xtask`, and of the plugin for pytest.
const OF_OTHERS: [&str; 9] = [
    "--cfg",
    "--json",
    "--layer-norm",
    "--tileproof-as-ttnn",
    "--tileproof-checks",
    "--tileproof-explore",
    "--tileproof-schedule",
    "--tt-metal",
    "--write",
];

/// The pages that people read.
fn pages() -> Vec<PathBuf> {
    fn below(folder: &Path, found: &mut Vec<PathBuf>) {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                below(&path, found);
            } else if path.extension().is_some_and(|end| end == "md" || end == "txt") {
                found.push(path);
            }
        }
    }
    let root = Path::new(ROOT);
    let mut found: Vec<PathBuf> = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md"].map(|page| root.join(page)).into();
    below(&root.join("docs"), &mut found);
    below(&root.join("examples"), &mut found);
    found
}

/// What stands in code on a page: whole lines, joined where one goes on, and pieces of lines.
fn code(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let joined = text.replace("\\\n", " ");
    for line in joined.lines() {
        match line.strip_prefix("    ") {
            Some(line) => found.push(line.trim().trim_start_matches("$ ").to_string()),
            None => found.extend(line.split('`').skip(1).step_by(2).map(String::from)),
        }
    }
    found
}

/// The words of a command of a page behind its name, without what a page writes for any word; `None` where there is no command.
fn words(code: &str) -> Option<Vec<String>> {
    let rest = NAMES.iter().find_map(|name| code.strip_prefix(name))?;
    // What it does stands beside some.
    let rest = rest.split("   ").next()?;
    let mut words: Vec<String> = Vec::new();
    for word in rest.split_whitespace() {
        if ["|", "||", "&&", "#"].contains(&word) || word.starts_with('>') {
            break;
        }
        // Of several words that are possible the first.
        let word = word.split('|').next().unwrap_or_default();
        words.push(word.trim_matches(['[', ']', '"', '\'', ';', ',']).into());
    }
    (words.first().is_none_or(|verb| verb != "COMMAND")).then_some(words)
}

fn commands(text: &str) -> Vec<Vec<String>> {
    code(text).iter().filter_map(|code| words(code)).collect()
}

/// The long options of a command and of those below it.
fn options(of: &Command, found: &mut BTreeSet<String>) {
    for argument in of.get_arguments() {
        found.extend(argument.get_long_and_visible_aliases().into_iter().flatten().map(|name| format!("--{name}")));
    }
    of.get_subcommands().for_each(|command| options(command, found));
}

#[test]
fn every_command_that_a_page_writes_is_one_that_is_taken() {
    let mut wrong = Vec::new();
    let mut seen = 0;
    for page in pages() {
        for words in commands(&fs::read_to_string(&page).unwrap()) {
            seen += 1;
            let given = std::iter::once("tileproof").chain(words.iter().map(String::as_str));
            let Err(error) = Cli::try_parse_from(given) else { continue };
            // What a page leaves to the reader, as a name or a number, is no fault of the command.
            if matches!(error.kind(), ErrorKind::UnknownArgument | ErrorKind::InvalidSubcommand) {
                wrong.push(format!("{}: tileproof {}", page.display(), words.join(" ")));
            }
        }
    }
    assert!(seen > 100, "{seen}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_option_that_a_page_names_is_one_of_a_command() {
    let mut known = BTreeSet::from(["--help".to_string(), "--version".to_string()]);
    options(&Cli::command(), &mut known);
    let mut wrong = Vec::new();
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        for piece in code(&text).iter().filter(|piece| piece.starts_with("--") && !piece.starts_with("-->")) {
            let option = piece.split([' ', '=', '[', ',']).next().unwrap_or_default();
            if !known.contains(option) && !OF_OTHERS.contains(&option) {
                wrong.push(format!("{}: {option}", page.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
