//! Every registered code has an explain page that can be read on a terminal.
//!
//! What a page says is for people to judge; here only its shape is. Start at [`breaches`]. The registry is read as text,
//! so that this builds when the crates do not.

use super::files::Files;

const REGISTRY: &str = "crates/tileproof-model/src/finding/codes.rs";
const HEADINGS: [&str; 7] = [
    "## What happened",
    "## Why the hardware does this",
    "## A kernel that does it",
    "## The same kernel, fixed",
    "## How sure the tool is",
    "## What it cannot see",
    "## Turning it off",
];
/// Shorter than this it says nothing, longer nobody reads it.
const LINES: std::ops::RangeInclusive<usize> = 40..=140;
const COLUMNS: usize = 100;

pub(super) fn breaches(files: &Files) -> Vec<String> {
    let Some(registry) = files.get(REGISTRY) else { return vec![format!("there is no {REGISTRY}")] };
    let codes = codes(&registry.text);
    let mut found = Vec::new();
    if codes.is_empty() {
        found.push(format!("{REGISTRY}: no code found"));
    }
    for (number, title) in &codes {
        let path = format!("docs/explain/TP{number}.md");
        match files.get(&path) {
            Some(page) => found.extend(faults(number, title, &page.text).map(|fault| format!("{path}: {fault}"))),
            None => found.push(format!("{path} does not exist")),
        }
    }
    found
}

/// Number and title of each line `NAME = 601 "0601", Class, "title";` of the registry.
fn codes(registry: &str) -> Vec<(&str, &str)> {
    let entries = registry.lines().filter_map(|line| {
        let mut quoted = line.trim().strip_suffix("\";")?.split('"').skip(1).step_by(2);
        let (number, title) = (quoted.next()?, quoted.next()?);
        (number.len() == 4 && number.bytes().all(|b| b.is_ascii_digit())).then_some((number, title))
    });
    entries.collect()
}

fn faults<'a>(number: &'a str, title: &'a str, page: &'a str) -> impl Iterator<Item = String> + 'a {
    let first = format!("# TP{number}: {title}");
    let lines = page.lines().count();
    let heading = (page.lines().next() != Some(&first)).then(|| format!("the first line is not {first:?}"));
    let length = (!LINES.contains(&lines)).then(|| format!("{lines} lines"));
    let mut at = 0;
    let missing = HEADINGS.iter().filter_map(move |heading| match page[at..].find(&format!("\n{heading}\n")) {
        Some(n) => {
            at += n + 1;
            None
        }
        None => Some(format!("lacks {heading:?}, or has it in another order")),
    });
    let wide = page.lines().enumerate().filter(|(_, line)| line.chars().count() > COLUMNS);
    let wide = wide.map(|(n, _)| format!("line {}: more than {COLUMNS} columns", n + 1));
    heading.into_iter().chain(length).chain(missing).chain(wide)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_registry_is_read() {
        let text = "    DEADLOCK = 601 \"0601\", Stuck, \"nothing can run\";\n    let x = \"abcd\";\n";
        assert_eq!(codes(text), [("0601", "nothing can run")]);
    }

    #[test]
    fn a_page_must_have_its_title_and_all_headings_in_order() {
        let body: String = HEADINGS.iter().map(|h| format!("{h}\n{}", "text\n".repeat(8))).collect();
        let page = format!("# TP0601: stuck\n\n{body}");
        assert_eq!(faults("0601", "stuck", &page).count(), 0);
        assert_eq!(faults("0601", "other", &page).count(), 1);
        assert_eq!(faults("0601", "stuck", &page.replace("## What it cannot see\n", "")).count(), 1);
        assert_eq!(faults("0601", "stuck", &format!("{page}{}\n", "x".repeat(101))).count(), 1);
        assert!(faults("0601", "stuck", "# TP0601: stuck\n").count() >= 8);
    }
}
