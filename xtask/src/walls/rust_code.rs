//! Rust text without its comments and strings, line for line.
//!
//! A scanner, not a parser: it must only never take a word in prose for code. Start at [`code`].

/// The text with comments, strings and character literals blanked; line numbers stay.
pub(super) fn code(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let length = match c {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |n| n + 2),
            '"' => string(rest),
            'r' | 'b' if !ends_in_word(&out) && raw_string(rest).is_some() => raw_string(rest).unwrap_or(1),
            '\'' => character(rest),
            _ => 0,
        };
        if length == 0 {
            out.push(c);
            rest = &rest[c.len_utf8()..];
        } else {
            out.extend(rest[..length].chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
            rest = &rest[length..];
        }
    }
    out
}

fn ends_in_word(text: &str) -> bool {
    text.chars().next_back().is_some_and(|c| c.is_alphanumeric() || c == '_')
}

/// Length of a string literal at the start.
fn string(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Length of a raw string literal at the start, if there is one.
fn raw_string(text: &str) -> Option<usize> {
    let after = text.strip_prefix("br").or_else(|| text.strip_prefix('r'))?;
    let hashes = after.len() - after.trim_start_matches('#').len();
    let body = after[hashes..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    let start = text.len() - body.len();
    Some(body.find(&end).map_or(text.len(), |n| start + n + end.len()))
}

/// Length of a character literal at the start; 0 for a lifetime.
fn character(text: &str) -> usize {
    let mut chars = text.char_indices().skip(1);
    match chars.next() {
        Some((_, '\\')) => text[2..].find('\'').map_or(0, |n| if n == 0 { 4 } else { 2 + n + 1 }).min(text.len()),
        Some(_) => match chars.next() {
            Some((at, '\'')) => at + 1,
            _ => 0,
        },
        None => 0,
    }
}

/// True if `word` stands in `line` as a word of its own.
pub(super) fn has_word(line: &str, word: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(at, _)| {
        !line[..at].chars().next_back().is_some_and(is_word)
            && !line[at + word.len()..].chars().next().is_some_and(is_word)
    })
}

/// The part before the tests of a source file.
pub(super) fn without_tests(code: &str) -> &str {
    code.find("#[cfg(test)]").map_or(code, |at| &code[..at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_and_strings_are_blanked_and_code_stays() {
        let text = "let a = \"unsafe\"; // unsafe\n/* unsafe */ unsafe { b } r#\"unsafe \"x\" \"# '\"' end";
        let code = code(text);
        assert_eq!(code.matches("unsafe").count(), 1);
        assert_eq!(code.lines().count(), 2);
        assert!(code.ends_with("end"), "{code}");
    }

    #[test]
    fn a_lifetime_is_no_character() {
        assert_eq!(code("fn f<'a>(x: &'a str) -> char { '\\'' }").matches('\'').count(), 2);
        assert!(code("for<'a> F: Fn(&'a u8), 'b', unsafe").contains("unsafe"));
    }

    #[test]
    fn words_are_whole() {
        assert!(has_word("unsafe { x }", "unsafe"));
        assert!(!has_word("allow(unsafe_code)", "unsafe"));
    }
}
