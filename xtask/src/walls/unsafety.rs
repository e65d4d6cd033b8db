//! `unsafe` stands only in the files that ARCHITECTURE.md lists, and each of those has some.
//!
//! The list is kept for readers; this keeps it true. Start at [`breaches`].

use super::files::Files;
use super::rust_code::{code, has_word};

const LIST: &str = "## Files that may contain `unsafe`";

pub(super) fn breaches(files: &Files) -> Vec<String> {
    let Some(architecture) = files.get("ARCHITECTURE.md") else { return vec!["there is no ARCHITECTURE.md".into()] };
    let Some(listed) = listed(&architecture.text) else { return vec![format!("ARCHITECTURE.md lacks {LIST:?}")] };
    let mut found = Vec::new();
    let mut unused: Vec<&str> = listed.clone();
    for file in files.rust() {
        let lines: Vec<usize> =
            code(&file.text).lines().enumerate().filter(|(_, l)| has_word(l, "unsafe")).map(|(n, _)| n + 1).collect();
        let Some(first) = lines.first() else { continue };
        if listed.contains(&file.path.as_str()) {
            unused.retain(|path| *path != file.path);
        } else {
            found.push(format!("{}:{first}: unsafe in a file that ARCHITECTURE.md does not list", file.path));
        }
    }
    found.extend(
        unused.iter().map(|path| format!("ARCHITECTURE.md lists {path}, which has no unsafe or does not exist")),
    );
    found
}

/// The paths in backticks at the start of the list's items.
fn listed(architecture: &str) -> Option<Vec<&str>> {
    let (_, section) = architecture.split_once(LIST)?;
    let section = section.split("\n## ").next()?;
    Some(section.lines().filter_map(|line| line.strip_prefix("- `")?.split_once('`')).map(|(path, _)| path).collect())
}

#[cfg(test)]
mod tests {
    use super::super::files::File;
    use super::*;

    #[test]
    fn an_unlisted_and_a_stale_file_are_breaches() {
        let list = format!("x\n{LIST}\n\n- `a.rs`: why\n- `b.rs`: why\n\n## Next\n- `c.rs`\n");
        let files = Files(vec![
            File::new("ARCHITECTURE.md", &list),
            File::new("a.rs", "unsafe fn f() {}"),
            File::new("b.rs", "// unsafe"),
            File::new("c.rs", "fn g() { unsafe { f() } }"),
        ]);
        let found = breaches(&files);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].starts_with("c.rs:1:") && found[1].contains("b.rs"));
    }
}
