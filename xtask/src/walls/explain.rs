//! Every explain page can be read on a terminal.
//!
//! What a page says is for people to judge; here only its shape is. Its head, which the registry of codes is made of, the build
//! script of the model reads. Start at [`breaches`].

use super::files::Files;

const FOLDER: &str = "docs/explain/TP";
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
    let pages = files.0.iter().filter(|file| file.path.starts_with(FOLDER));
    let found: Vec<_> =
        pages.flat_map(|file| faults(&file.text).map(|fault| format!("{}: {fault}", file.path))).collect();
    if files.0.iter().any(|file| file.path.starts_with(FOLDER)) {
        found
    } else {
        vec![format!("there is no page {FOLDER}*")]
    }
}

fn faults(page: &str) -> impl Iterator<Item = String> {
    let lines = page.lines().count();
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
    length.into_iter().chain(missing).chain(wide)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_must_have_all_headings_in_order() {
        let body: String = HEADINGS.iter().map(|h| format!("{h}\n{}", "text\n".repeat(8))).collect();
        let page = format!("# TP0601: stuck\n\n{body}");
        assert_eq!(faults(&page).count(), 0);
        assert_eq!(faults(&page.replace("## What it cannot see\n", "")).count(), 1);
        assert_eq!(faults(&format!("{page}{}\n", "x".repeat(101))).count(), 1);
        assert!(faults("# TP0601: stuck\n").count() >= 7);
    }
}
