//! Text from outside: names, messages, prints and source lines, which somebody else may have written.
//!
//! A terminal obeys escape sequences, and the log of a CI service lines that begin with `::` or hold `##[`. None of that may come
//! out of a text that is only quoted; what is changed stays visible. Start at [`for_log`].

use std::borrow::Cow;
use std::fmt::Write;

/// Whether a character moves, hides or turns round what stands beside it: controls, and the marks of direction that make a line
/// read otherwise than it is compiled (Unicode TR 36, "bidirectional text spoofing").
fn is_control(c: char) -> bool {
    c.is_control() || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A text with its control characters written out, except for ends of lines and tabs.
pub fn visible(text: &str) -> Cow<'_, str> {
    let is_kept = |c: char| !is_control(c) || c == '\n' || c == '\t';
    if text.chars().all(is_kept) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_kept(c) { shown.push(c) } else { shown.extend(c.escape_default()) }
    }
    Cow::Owned(shown)
}

/// The same in one line.
pub(crate) fn in_one_line(text: &str) -> Cow<'_, str> {
    let text = visible(text);
    if text.contains('\n') { Cow::Owned(text.replace('\n', " ")) } else { text }
}

/// A text for a terminal or a log: control characters written out, and with a backslash what a CI service would take for a
/// command of its own. With `color`, colours stay.
pub fn for_log(text: &str, color: bool) -> Cow<'_, str> {
    let mut out = String::new();
    let mut copied = 0;
    let mut at = 0;
    let mut begins = true;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let (length, instead) = if begins && rest.starts_with("::") && !rest.starts_with(":::") {
            (2, Some("\\::".to_string()))
        } else if let Some(length) = command(rest) {
            (length, Some(format!("{}\\[", &rest[..length - 1])))
        } else if let Some(length) = Some(rest).filter(|_| color).and_then(colour) {
            (length, None)
        } else if is_control(c) && c != '\n' && c != '\t' {
            (c.len_utf8(), Some(c.escape_default().to_string()))
        } else {
            (c.len_utf8(), None)
        };
        if let Some(instead) = instead {
            out.push_str(&text[copied..at]);
            out.push_str(&instead);
            copied = at + length;
        }
        // Services look behind the blanks that a line begins with.
        begins = c == '\n' || (begins && (c.is_whitespace() || (length > 1 && c == '\x1b')));
        at += length;
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[copied..]);
    Cow::Owned(out)
}

/// Bytes of the beginning of a command that services find anywhere in a line: `##[`, `##vso[`, `##teamcity[`.
fn command(text: &str) -> Option<usize> {
    let name = text.strip_prefix("##")?;
    let end = name.find(|c: char| !c.is_ascii_alphabetic()).filter(|end| name[*end..].starts_with('['))?;
    Some(2 + end + 1)
}

/// What sequences set that are written here and for the command line's errors: nothing, bold, underlined, red, green, yellow.
const COLOURS: [&str; 6] = ["0", "1", "4", "31", "32", "33"];

/// Bytes of a sequence that sets a colour (ECMA-48, SGR) of those. Others can hide text: 8 conceals it, and 30 makes it as black
/// as what is behind it.
fn colour(text: &str) -> Option<usize> {
    let parameters = text.strip_prefix("\x1b[")?;
    let end =
        parameters.find(|c: char| !c.is_ascii_digit() && c != ';').filter(|e| parameters[*e..].starts_with('m'))?;
    parameters[..end].split(';').all(|parameter| COLOURS.contains(&parameter)).then_some(2 + end + 1)
}

/// JSON text in which strings cannot be taken for anything else by what prints it: they are the same strings.
pub(crate) fn in_json(text: String) -> String {
    if !text.chars().any(|c| is_control(c) && c != '\n') && !text.contains("##") {
        return text;
    }
    let mut out = String::with_capacity(text.len() + 64);
    let mut rest = text.as_str();
    while let Some(c) = rest.chars().next() {
        if command(rest).is_some() || (is_control(c) && c != '\n') {
            let _ = write!(out, "\\u{:04x}", u32::from(c));
        } else {
            out.push(c);
        }
        rest = &rest[c.len_utf8()..];
    }
    out
}

/// Text in XML, also in an attribute. What XML 1.0 cannot hold becomes a question mark.
pub(crate) fn in_xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\n' | '\t' | '\r' => {
                let _ = write!(out, "&#{};", u32::from(c));
            }
            c if c < ' ' || c == '\u{fffe}' || c == '\u{ffff}' => out.push('?'),
            c if is_control(c) || command(&text[at..]).is_some() => {
                let _ = write!(out, "&#{};", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out
}

/// Text in markdown, within a line: it makes no tag, no list and no heading.
pub(crate) fn in_markdown(text: &str) -> String {
    in_one_line(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Text between backticks.
pub(crate) fn in_backticks(text: &str) -> String {
    format!("`{}`", in_one_line(text).replace('`', "'"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOSTILE: &str =
        "a\x1b]0;title\x07b\x1b[2Jc\u{9b}31md\re\u{202e}f\n::error::g\n \t::add-mask::h ##[command]i ##vso[task]j";

    #[test]
    fn a_log_gets_no_sequence_and_no_command() {
        let text = for_log(HOSTILE, false);
        assert_eq!(
            text,
            "a\\u{1b}]0;title\\u{7}b\\u{1b}[2Jc\\u{9b}31md\\re\\u{202e}f\n\\::error::g\n \t\\::add-mask::h \
             ##\\[command]i ##vso\\[task]j"
        );
        assert!(matches!(for_log(&text, false), Cow::Borrowed(_)), "it stays as it is");
    }

    #[test]
    fn what_is_no_sequence_and_no_command_stays() {
        for text in ["a\tb\nc\n", "f: x::y(::z) # ## [a]", "  ::: path.cpp:3:4\n", "C# ##", "\u{e9}\u{1f600}"] {
            assert!(matches!(for_log(text, false), Cow::Borrowed(same) if same == text), "{text}");
            assert!(matches!(visible(text), Cow::Borrowed(_)), "{text}");
        }
    }

    #[test]
    fn colours_stay_where_there_are_some_and_nothing_else_does() {
        let text = "\x1b[1;31mred\x1b[0m\x1b[H\x1b[31\n\x1b[1m::error::";
        assert_eq!(for_log(text, true), "\x1b[1;31mred\x1b[0m\\u{1b}[H\\u{1b}[31\n\x1b[1m\\::error::");
        assert!(!for_log(text, false).contains('\x1b'));
    }

    #[test]
    fn a_sequence_that_can_hide_text_is_no_colour() {
        for sequence in ["[8m", "[1;8m", "[30m", "[40m", "[38;5;0m", "[m", "[1;m", "[7m"] {
            let text = format!("a\x1b{sequence}b");
            assert_eq!(for_log(&text, true), format!("a\\u{{1b}}{sequence}b"));
        }
        for sequence in ["[0m", "[1m", "[4m", "[1;31m", "[31m", "[32m", "[33m"] {
            let text = format!("a\x1b{sequence}b");
            assert_eq!(for_log(&text, true), text);
        }
    }

    #[test]
    fn json_and_xml_hold_the_same_text_and_no_command() {
        let json = in_json(serde_json::to_string(HOSTILE).unwrap());
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), HOSTILE);
        let xml = in_xml(HOSTILE);
        for text in [&json, &xml] {
            assert!(!text.contains("##[") && !text.contains("##vso["), "{text}");
            assert!(!text.chars().any(is_control), "{text}");
        }
    }

    #[test]
    fn markdown_stays_in_its_line_and_makes_no_tag() {
        assert_eq!(in_markdown("a\n# b <img src=x>"), "a # b &lt;img src=x&gt;");
        assert_eq!(in_backticks("a`b\nc"), "`a'b c`");
    }
}
