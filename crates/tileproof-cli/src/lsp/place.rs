//! Places as editors have them: URIs for paths, and lines from 0 with columns in units of UTF-16.
//!
//! It must never fail on a place that is not there: that becomes the nearest one. Start at [`range`].

use std::ffi::OsStr;
use std::fmt::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

const SCHEME: &str = "file://";

/// The path of a URI, if it is one of a file.
pub(super) fn path_of(uri: &str) -> Option<PathBuf> {
    let path = uri.strip_prefix(SCHEME)?;
    let path = &path[path.find('/')?..];
    let mut bytes = Vec::new();
    let mut rest = path.as_bytes().iter();
    while let Some(byte) = rest.next() {
        let digits = rest.as_slice().get(..2).and_then(|two| std::str::from_utf8(two).ok());
        match digits.filter(|_| *byte == b'%').and_then(|two| u8::from_str_radix(two, 16).ok()) {
            Some(meant) => {
                bytes.push(meant);
                rest.nth(1);
            }
            None => bytes.push(*byte),
        }
    }
    Some(PathBuf::from(OsStr::from_bytes(&bytes)))
}

/// The URI of a path.
pub(super) fn uri_of(path: &Path) -> String {
    let mut uri = SCHEME.to_string();
    for byte in path.as_os_str().as_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' => uri.push(char::from(*byte)),
            _ => {
                let _ = write!(uri, "%{byte:02X}");
            }
        }
    }
    uri
}

/// What a line and a column of a finding stand for, both from 1, the column in bytes: the name that begins there, or else what is
/// left of the line. Of column 0 it is all of the line; line 0 is the first.
pub(super) fn range(text: &str, line: u32, column: u32) -> Value {
    let line = line.saturating_sub(1);
    let of_line = text.lines().nth(line as usize).unwrap_or_default();
    let all = of_line.trim_end();
    let indent = all.len() - all.trim_start().len();
    let start = if column == 0 { indent } else { floor(all, column as usize - 1) };
    let name = all[start..].find(|c: char| !is_of_name(c)).filter(|end| column > 0 && *end > 0);
    let end = name.map_or(all.len(), |end| start + end);
    let units = |bytes: usize| all[..floor(all, bytes)].encode_utf16().count();
    json!({
        "start": { "line": line, "character": units(start) },
        "end": { "line": line, "character": units(end) },
    })
}

/// The last place of a text at or before one, that is between two characters.
fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

pub(super) fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// A line of a text, and where in it a position is, in bytes.
pub(super) fn in_line<'a>(text: &'a str, position: &Value) -> Option<(&'a str, usize)> {
    let line = text.lines().nth(usize::try_from(position["line"].as_u64()?).ok()?)?;
    let units = position["character"].as_u64()?;
    let mut passed = 0;
    for (at, c) in line.char_indices() {
        if passed >= units {
            return Some((line, at));
        }
        passed += c.len_utf16() as u64;
    }
    Some((line, line.len()))
}

/// The name at a place of a line, with the namespaces before it, and where it begins.
pub(super) fn name_at(line: &str, at: usize) -> Option<(&str, usize)> {
    let is_of = |c: char| is_of_name(c) || c == ':';
    let begin = line[..at]
        .rfind(|c| !is_of(c))
        .map_or(0, |before| before + line[before..].chars().next().map_or(1, char::len_utf8));
    let end = line[at..].find(|c: char| !is_of_name(c)).map_or(line.len(), |end| at + end);
    let name = line[begin..end].trim_start_matches(':');
    (!name.is_empty()).then_some((name, end - name.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_are_paths_and_back() {
        for (uri, path) in [("file:///a/b.cpp", "/a/b.cpp"), ("file:///a%20b/%C3%A4.toml", "/a b/\u{e4}.toml")] {
            assert_eq!(path_of(uri).unwrap(), Path::new(path));
            assert_eq!(uri_of(Path::new(path)), uri);
        }
        assert_eq!(path_of("file://localhost/a%2").unwrap(), Path::new("/a%2"));
        assert_eq!(path_of("untitled:Untitled-1"), None);
        assert_eq!(path_of("file://x"), None);
    }

    #[test]
    fn columns_are_units_of_utf16() {
        let columns = |text: &str, line, column| {
            let range = range(text, line, column);
            [&range["start"], &range["end"]]
                .map(|end| (end["line"].as_u64().unwrap(), end["character"].as_u64().unwrap()))
        };
        let text = "x\n  \u{1d11e} push(1);  \n";
        // The clef has four bytes and two units.
        assert_eq!(columns(text, 2, 8), [(1, 5), (1, 9)]);
        assert_eq!(columns(text, 2, 0), [(1, 2), (1, 13)]);
        // In the middle of a character, at what is no name, behind the end, and where no line is.
        assert_eq!(columns(text, 2, 4), [(1, 2), (1, 13)]);
        assert_eq!(columns(text, 2, 12), [(1, 9), (1, 13)]);
        assert_eq!(columns(text, 2, 99), [(1, 13), (1, 13)]);
        assert_eq!(columns(text, 9, 3), [(8, 0), (8, 0)]);
        assert_eq!(columns(text, 0, 0), [(0, 0), (0, 1)]);
    }

    #[test]
    fn the_name_at_a_place_has_its_namespaces() {
        let line = "  x = sfpi::abs(y);";
        for at in [6, 9, 12, 14, 15] {
            assert_eq!(
                name_at(line, at).map(|(name, _)| name),
                Some(if at < 10 { "sfpi" } else { "sfpi::abs" }),
                "{at}"
            );
        }
        assert_eq!(name_at(line, 1), None);
        assert_eq!(name_at("\u{e4} b", 3), Some(("b", 3)));
        let position = json!({ "line": 0, "character": 2 });
        assert_eq!(in_line("\u{1d11e}a", &position), Some(("\u{1d11e}a", 4)));
        assert_eq!(in_line("a", &json!({ "line": 1, "character": 0 })), None);
    }
}
