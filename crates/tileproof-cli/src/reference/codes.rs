//! The page of codes, from the explain pages.
//!
//! Start at [`page`].

use std::fmt::Write;

use tileproof::model::finding::Code;

/// A line each code, by family.
pub(super) fn page() -> String {
    let mut codes = Code::ALL.to_vec();
    codes.sort();
    let mut text = String::from(
        "# Codes\n\nWhat a finding may be. `tileproof explain TP0601` prints the page of one. The class says whose fault it is; the \
         first two digits are the family.\n\n| code | class | what |\n|---|---|---|\n",
    );
    for code in codes {
        let _ = writeln!(text, "| [{code}](../../explain/{code}.md) | {:?} | {} |", code.class(), code.title());
    }
    text
}
