//! Makes the registry of finding codes of the explain pages: a page's first line is its code and title, its third its name and class.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

/// What the registry takes from a page.
struct Page {
    number: u16,
    name: String,
    class: String,
    title: String,
    path: PathBuf,
}

/// Reads the head of a page; the error says what stands in which place.
fn read(path: PathBuf) -> Result<Page, String> {
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let lines: Vec<&str> = text.lines().take(3).collect();
    let refuse = |what: &str| format!("{}: {what}", path.display());
    let [first, _, third] = lines[..] else { return Err(refuse("a page has a title and a name")) };
    let code = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let title = first
        .strip_prefix(&format!("# {code}: "))
        .ok_or_else(|| refuse(&format!("line 1 is {first:?}, where \"# {code}: TITLE\" has to stand")))?;
    let number = code.strip_prefix("TP").filter(|digits| digits.len() == 4).and_then(|digits| digits.parse().ok());
    let number = number.ok_or_else(|| refuse("a page is called TP and four digits"))?;
    let parts =
        third.strip_prefix('`').and_then(|line| line.strip_suffix('.')).and_then(|line| line.split_once("`, class "));
    let (name, class) =
        parts.ok_or_else(|| refuse(&format!("line 3 is {third:?}, where \"`NAME`, class CLASS.\" has to stand")))?;
    let (name, class, title) = (name.to_string(), class.to_string(), title.to_string());
    Ok(Page { number, name, class, title, path })
}

fn main() {
    let root = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let folder = root.join("../../docs/explain");
    println!("cargo::rerun-if-changed={}", folder.display());
    println!("cargo::rerun-if-changed=build.rs");
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let paths = entries.map(|entry| entry.expect("a folder that can be read").path());
    let is_page = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "md");
    let pages: Result<Vec<Page>, String> = paths.filter(is_page).map(read).collect();
    let mut pages = pages.unwrap_or_else(|error| panic!("{error}"));
    pages.sort_by_key(|page| page.number);
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets it"));
    fs::write(out.join("codes.rs"), registry(&pages)).expect("the folder that cargo gives");
}

/// The constants and the table, as Rust.
fn registry(pages: &[Page]) -> String {
    let (mut constants, mut all, mut table) = (String::new(), String::new(), String::new());
    for Page { number, name, class, title, path } in pages {
        let _ = writeln!(constants, "#[doc = {title:?}] pub const {name}: Code = Code({number});");
        let _ = writeln!(all, "Code({number}),");
        let _ = writeln!(
            table,
            "Entry {{ number: {number}, class: Class::{class}, title: {title:?}, page: include_str!({path:?}) }},"
        );
    }
    format!(
        "impl Code {{ {constants} /// All codes, in order.\n pub const ALL: &'static [Code] = &[{all}]; }}\n\
         static ENTRIES: &[Entry] = &[{table}];"
    )
}
