//! Rules on the text of files: length, paths, spaces, ignored tests, names.
//!
//! Each rule looks at one line or one name at a time. Start at any of them.

use super::files::{File, Files};
use super::rust_code::code;

/// Lines of a source file; who needs more has two subjects.
const HARD_LIMIT: usize = 1_200;

pub(super) fn too_long(files: &Files) -> Vec<String> {
    let sources = files.0.iter().filter(|f| f.has_extension(&["rs", "h", "hpp", "cpp", "py"]));
    let long = sources.map(|f| (f, f.text.lines().count())).filter(|(_, lines)| *lines > HARD_LIMIT);
    long.map(|(f, lines)| format!("{}: {lines} lines, the limit is {HARD_LIMIT}", f.path)).collect()
}

/// Folders that only one machine has. Put together here so that this file does not name them.
const MACHINE: [&str; 4] =
    [concat!("/", "home/"), concat!("/", "root/"), concat!("/", "Users/"), concat!("/", "work/")];

pub(super) fn machine_paths(files: &Files) -> Vec<String> {
    lines_that(
        files,
        |_| true,
        |line| {
            let hit = MACHINE.iter().find(|folder| {
                let starts = line.match_indices(*folder).map(|(at, _)| line[..at].chars().next_back());
                // Inside a longer path these are ordinary folder names.
                starts.into_iter().any(|before| !before.is_some_and(|c| c.is_alphanumeric() || "._-/*}".contains(c)))
            })?;
            Some(format!("a path below {hit}"))
        },
    )
}

pub(super) fn trailing_space(files: &Files) -> Vec<String> {
    // Recorded outputs are kept as they were.
    let ours = |f: &File| !f.path.starts_with("tests/golden/");
    let mut found = lines_that(files, ours, |line| line.ends_with([' ', '\t', '\r']).then(|| "trailing space".into()));
    for file in files.0.iter().filter(|f| ours(f) && !f.text.is_empty()) {
        if !file.text.ends_with('\n') || file.text.ends_with("\n\n") {
            found.push(format!("{}: ends without a newline, or with more than one", file.path));
        }
    }
    found
}

/// What a merge leaves where two sides differ. Put together here so that this file does not hold it.
const UNMERGED: [&str; 2] = [concat!("<<<<", "<<< "), concat!(">>>>", ">>> ")];

pub(super) fn unmerged(files: &Files) -> Vec<String> {
    let breach = |line: &str| UNMERGED.iter().any(|mark| line.starts_with(mark));
    lines_that(files, |_| true, |line| breach(line).then(|| "two sides of a merge".into()))
}

pub(super) fn ignored_tests(files: &Files) -> Vec<String> {
    let mut found = Vec::new();
    for file in files.rust() {
        for (number, line) in code(&file.text).lines().enumerate() {
            if line.contains("#[ignore") {
                found.push(format!("{}:{}: a test that does not run holds nothing", file.path, number + 1));
            }
        }
    }
    found
}

/// Rustdoc reads a whole crate to find its examples: it is told of the crates that have none.
pub(super) fn unread_examples(files: &Files) -> Vec<String> {
    let is_documentation = |line: &str| line.starts_with("///") || line.starts_with("//!");
    let has_example =
        |text: &str| text.lines().map(str::trim).any(|line| is_documentation(line) && line.contains("```"));
    let skips = |folder: &str| {
        let manifest = files.get(&format!("{folder}/Cargo.toml"));
        manifest.is_some_and(|manifest| manifest.text.lines().any(|line| line == "doctest = false"))
    };
    let with_examples = files.rust().filter(|file| has_example(&file.text));
    let unread = with_examples.filter(|file| file.path.split_once("/src/").is_some_and(|(folder, _)| skips(folder)));
    unread.map(|file| format!("{}: an example of a crate with `doctest = false` is never run", file.path)).collect()
}

pub(super) fn vague_names(files: &Files) -> Vec<String> {
    let vague = |name: &str| {
        let words = ["util", "utils", "helper", "helpers", "common", "manager", "misc"];
        name.trim_end_matches(".rs").split('_').any(|word| words.contains(&word))
    };
    files
        .rust()
        .filter(|f| f.path.split('/').any(vague))
        .map(|f| format!("{}: name it after its subject", f.path))
        .collect()
}

fn lines_that(files: &Files, of: impl Fn(&File) -> bool, breach: impl Fn(&str) -> Option<String>) -> Vec<String> {
    let mut found = Vec::new();
    for file in files.0.iter().filter(|f| of(f)) {
        for (number, line) in file.text.split('\n').enumerate() {
            found.extend(breach(line).map(|what| format!("{}:{}: {what}", file.path, number + 1)));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(path: &str, text: &str) -> Files {
        Files(vec![File::new(path, text)])
    }

    #[test]
    fn a_file_over_the_limit_is_a_breach() {
        assert_eq!(too_long(&one("a.rs", &"x\n".repeat(1_201))).len(), 1);
        assert_eq!(too_long(&one("a.rs", &"x\n".repeat(1_200))).len(), 0);
    }

    #[test]
    fn a_path_of_a_machine_is_a_breach_and_a_folder_of_that_name_is_not() {
        assert_eq!(machine_paths(&one("a.md", &format!("see {}me/x", MACHINE[0]))).len(), 1);
        assert_eq!(machine_paths(&one("a.md", &format!("see docs{}me/x", MACHINE[0]))).len(), 0);
    }

    #[test]
    fn trailing_space_and_a_missing_newline_are_breaches() {
        assert_eq!(trailing_space(&one("a.rs", "x \ny\n")).len(), 1);
        assert_eq!(trailing_space(&one("a.rs", "x")).len(), 1);
        assert_eq!(trailing_space(&one("a.rs", "x\n")).len(), 0);
    }

    #[test]
    fn a_mark_of_a_merge_is_a_breach_and_a_shift_is_not() {
        assert_eq!(unmerged(&one("a.md", &format!("{}HEAD\n", UNMERGED[0]))).len(), 1);
        assert_eq!(unmerged(&one("a.md", "1 <<<<<<< 2\n")).len(), 0);
    }

    #[test]
    fn an_ignored_test_is_a_breach_unless_in_prose() {
        assert_eq!(ignored_tests(&one("a.rs", concat!("#[", "ignore]\nfn f() {}\n"))).len(), 1);
        assert_eq!(ignored_tests(&one("a.rs", concat!("// #[", "ignore]\n"))).len(), 0);
    }

    #[test]
    fn an_example_that_is_never_run_is_a_breach() {
        let count = |manifest: &str, source: &str| {
            let source = File::new("crates/x/src/lib.rs", source);
            unread_examples(&Files(vec![File::new("crates/x/Cargo.toml", manifest), source])).len()
        };
        let example = concat!("/// ``", "`\n/// f();\n");
        assert_eq!(count("[lib]\ndoctest = false\n", example), 1);
        assert_eq!(count("[package]\n", example), 0);
        assert_eq!(count("[lib]\ndoctest = false\n", "/// No example.\n"), 0);
    }

    #[test]
    fn a_vague_name_is_a_breach() {
        assert_eq!(vague_names(&one("crates/x/src/test_utils.rs", "")).len(), 1);
        assert_eq!(vague_names(&one("crates/x/src/commonwealth.rs", "")).len(), 0);
    }
}
