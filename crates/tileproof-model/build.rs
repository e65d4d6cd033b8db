//! Makes the registry of finding codes of the explain pages: a page's first line is its code and title, its third its name and class;
//! and the constants of the timing model of a file a chip, whose lines are `name = [VALUE, "SOURCE"]`.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

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
    println!("cargo::rerun-if-changed=chips");
    let cycles: String = ["wormhole", "blackhole"].map(|chip| cycles(&root, chip)).concat();
    fs::write(out.join("cycles.rs"), cycles).expect("the folder that cargo gives");
}

/// The constants of a chip, as Rust.
fn cycles(root: &Path, chip: &str) -> String {
    let file = root.join("chips").join(chip).with_extension("toml");
    let text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let (mut fields, mut sources) = (String::new(), String::new());
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.is_empty() && !line.starts_with('#')) {
        let Some((name, value, source)) = constant(line) else {
            panic!("{}:{}: {line:?} is not `name = [VALUE, \"SOURCE\"]`", file.display(), number + 1);
        };
        let _ = write!(fields, "{name}: {value}, ");
        let _ = writeln!(sources, "Sourced {{ name: {name:?}, value: {value}, source: {source:?} }},");
    }
    let upper = chip.to_uppercase();
    format!(
        "pub(crate) const {upper}: Cycles = Cycles {{ {fields} }};\n\
         pub(crate) const {upper}_SOURCES: &[Sourced] = &[{sources}];\n"
    )
}

/// Name, value and source of a line.
fn constant(line: &str) -> Option<(&str, u64, &str)> {
    let (name, rest) = line.split_once(" = [")?;
    let (value, source) = rest.strip_suffix("\"]")?.split_once(", \"")?;
    let is_plain = !source.is_empty() && !source.contains(['"', '\\']);
    is_plain.then_some((name, value.parse().ok()?, source))
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
