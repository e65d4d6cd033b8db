//! The makefile rule in which a compiler lists the files that it has read.
//!
//! It must never lose a file: what of the escapes of make is not used here stays as it is. Start at [`prerequisites`].

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

/// The prerequisites of a rule as `-MD` writes it; its target has no colon and no blank in its name.
pub(crate) fn prerequisites(rule: &[u8]) -> Vec<PathBuf> {
    let Some(colon) = rule.iter().position(|byte| *byte == b':') else { return Vec::new() };
    let mut paths = Vec::new();
    let mut path = Vec::new();
    let mut rest = rule[colon + 1..].iter().copied().peekable();
    while let Some(byte) = rest.next() {
        match byte {
            b'\\' => {
                let mut backslashes = 1;
                while rest.next_if_eq(&b'\\').is_some() {
                    backslashes += 1;
                }
                match rest.peek() {
                    // Before a blank each backslash of a name is written twice, and one more makes the blank a part of it.
                    Some(b' ' | b'\t') => {
                        path.extend(std::iter::repeat_n(b'\\', backslashes / 2));
                        if backslashes % 2 == 1 {
                            path.extend(rest.next());
                        }
                    }
                    Some(b'#' | b':') => {
                        path.extend(std::iter::repeat_n(b'\\', backslashes - 1));
                        path.extend(rest.next());
                    }
                    Some(b'\n') => path.extend(std::iter::repeat_n(b'\\', backslashes - 1)),
                    _ => path.extend(std::iter::repeat_n(b'\\', backslashes)),
                }
            }
            b'$' => {
                path.push(b'$');
                rest.next_if_eq(&b'$');
            }
            byte if byte.is_ascii_whitespace() => {
                if !path.is_empty() {
                    paths.push(PathBuf::from(OsString::from_vec(std::mem::take(&mut path))));
                }
            }
            byte => path.push(byte),
        }
    }
    if !path.is_empty() {
        paths.push(PathBuf::from(OsString::from_vec(path)));
    }
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prerequisites_may_hold_blanks_and_go_over_lines() {
        let rule = b"image: /k/my\\ kernel.cpp \\\n /k/b$$.h /k/\\#c.h /k/d\\e.h /k/f\\\\\\ g.h /k/h\\\\ /k/i\xff.h\n";
        let expected = ["/k/my kernel.cpp", "/k/b$.h", "/k/#c.h", "/k/d\\e.h", "/k/f\\ g.h", "/k/h\\"];
        let found = prerequisites(rule);
        assert_eq!(found[..6], expected.map(PathBuf::from));
        assert_eq!(found[6].as_os_str().as_encoded_bytes(), b"/k/i\xff.h");
    }
}
