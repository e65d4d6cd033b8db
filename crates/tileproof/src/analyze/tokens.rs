//! The text of a kernel as tokens: comments and strings gone, directives apart.
//!
//! It must never understand C++: that is for the walker, as far as it goes. Start at [`tokens`].

use std::path::{Path, PathBuf};

use crate::bounded::read_bytes;

/// A token.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Token {
    pub(super) text: String,
    /// Place in [`Source::files`].
    pub(super) file: usize,
    /// From 1.
    pub(super) line: u32,
}

impl Token {
    pub(super) fn is(&self, text: &str) -> bool {
        self.text == text
    }

    pub(super) fn is_name(&self) -> bool {
        self.text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
    }
}

/// A kernel with the files beside it that it includes.
#[derive(Clone, Default, Debug)]
pub(super) struct Source {
    pub(super) files: Vec<PathBuf>,
    pub(super) tokens: Vec<Token>,
    /// Headers that are not beside it.
    pub(super) includes: Vec<String>,
    /// `#define NAME value`, in tokens.
    pub(super) defines: Vec<(String, Vec<Token>)>,
    /// `#define NAME(..) text`, in tokens.
    pub(super) macros: Vec<(String, Vec<Token>)>,
    /// Conditions whose branches are both in `tokens`.
    pub(super) conditionals: Vec<Conditional>,
}

/// `#if` and its like.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Conditional {
    pub(super) file: usize,
    /// Its line, and that of its `#endif`.
    pub(super) lines: (u32, u32),
    pub(super) text: String,
}

/// Files that include each other deeper than this are not followed.
const DEEPEST: u32 = 8;

impl Source {
    /// Reads a kernel and what it includes from its own folder.
    pub(super) fn read(path: &Path) -> std::io::Result<Source> {
        let mut source = Source::default();
        source.add(path, 0)?;
        Ok(source)
    }

    fn add(&mut self, path: &Path, depth: u32) -> std::io::Result<()> {
        if self.files.iter().any(|known| known == path) || depth == DEEPEST {
            return Ok(());
        }
        let bytes = read_bytes(path)?;
        let text = String::from_utf8_lossy(&bytes);
        let file = self.files.len();
        self.files.push(path.to_path_buf());
        let text = without_comments(&text);
        let mut open: Vec<Option<usize>> = Vec::new();
        let mut lines = text.lines().zip(1u32..);
        while let Some((line, number)) = lines.next() {
            let Some(directive) = line.trim_start().strip_prefix('#') else {
                tokens(line, file, number, &mut self.tokens);
                continue;
            };
            let mut directive = directive.trim().to_string();
            while directive.ends_with('\\') {
                directive.pop();
                directive += lines.next().map_or("", |(line, _)| line);
            }
            self.directive(&directive, path, (file, number), depth, &mut open);
        }
        Ok(())
    }

    /// `open` are the conditions around it; those that decide nothing are `None`.
    fn directive(
        &mut self,
        directive: &str,
        path: &Path,
        (file, line): (usize, u32),
        depth: u32,
        open: &mut Vec<Option<usize>>,
    ) {
        let (word, rest) = directive.split_once(|c: char| !c.is_ascii_alphabetic()).unwrap_or((directive, ""));
        let rest = rest.trim();
        match word {
            "include" => {
                let name = directive["include".len()..].trim().trim_matches(['"', '<', '>']);
                let beside = path.parent().unwrap_or(Path::new("")).join(name);
                let is_there = beside.is_file() && self.add(&beside, depth + 1).is_ok();
                if !is_there && !self.includes.iter().any(|known| known == name) {
                    self.includes.push(name.to_string());
                }
            }
            "define" => {
                let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
                let (name, value) = rest.split_at(end);
                let mut of = Vec::new();
                tokens(value, file, line, &mut of);
                if value.starts_with('(') {
                    self.macros.push((name.to_string(), of));
                } else if !of.is_empty() {
                    self.defines.push((name.to_string(), of));
                }
            }
            "if" | "ifdef" | "ifndef" => {
                // An include guard decides nothing.
                let guard = word == "ifndef" && (rest.ends_with("_H") || rest.ends_with("_HPP"));
                open.push((!guard).then_some(self.conditionals.len()));
                if !guard {
                    let text = format!("#{directive}");
                    self.conditionals.push(Conditional { file, lines: (line, u32::MAX), text });
                }
            }
            "endif" => {
                if let Some(Some(last)) = open.pop() {
                    self.conditionals[last].lines.1 = line;
                }
            }
            _ => {}
        }
    }
}

/// Comments and the insides of strings become spaces; lines stay.
fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match (c, rest.peek()) {
            ('/', Some('/')) => {
                while rest.peek().is_some_and(|c| *c != '\n') {
                    rest.next();
                }
            }
            ('/', Some('*')) => {
                rest.next();
                let mut last = ' ';
                for c in rest.by_ref() {
                    if c == '\n' {
                        out.push('\n');
                    }
                    if last == '*' && c == '/' {
                        break;
                    }
                    last = c;
                }
                out.push(' ');
            }
            ('\'', Some(next)) if out.ends_with(|c: char| c.is_ascii_digit()) && next.is_ascii_digit() => {
                // 1'000: the mark is no character literal.
            }
            ('"' | '\'', _) => {
                let is_include = out.lines().last().is_some_and(|line| line.trim_start().starts_with('#'));
                out.push(c);
                let mut escaped = false;
                for inner in rest.by_ref() {
                    if inner == '\n' || inner == c && !escaped {
                        out.push(inner);
                        break;
                    }
                    escaped = inner == '\\' && !escaped;
                    if is_include {
                        out.push(inner);
                    }
                }
            }
            _ => out.push(c),
        }
    }
    out
}

/// The tokens of a line.
fn tokens(line: &str, file: usize, number: u32, out: &mut Vec<Token>) {
    const PAIRS: [&str; 15] =
        ["::", "->", "++", "--", "+=", "-=", "*=", "/=", "<=", ">=", "==", "!=", "&&", "||", "<<"];
    let mut rest = line.trim_start();
    while let Some(c) = rest.chars().next() {
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let length = if word(c) {
            let number = c.is_ascii_digit();
            rest.find(|c: char| !(word(c) || number && c == '.')).unwrap_or(rest.len())
        } else if PAIRS.iter().any(|pair| rest.starts_with(pair)) {
            2
        } else {
            c.len_utf8()
        };
        out.push(Token { text: rest[..length].to_string(), file, line: number });
        rest = rest[length..].trim_start();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_strings_are_gone_and_lines_stay() {
        let text = "a; // cb_push_back(0, 1)\n/* b;\n c */ d = \"e; \\\" f\";\nlong x = 1'000;";
        let plain = without_comments(text);
        assert_eq!(plain.lines().count(), 4);
        assert!(!plain.contains("cb_push_back") && !plain.contains('b') && !plain.contains('f'));
        assert!(plain.contains("1000"));
    }

    #[test]
    fn a_name_with_colons_is_three_tokens_and_a_number_is_one() {
        let mut out = Vec::new();
        tokens("tt::CBIndex::c_16 + 1.5f <= x->y", 0, 1, &mut out);
        let texts: Vec<&str> = out.iter().map(|t| t.text.as_str()).collect();
        assert_eq!(texts, ["tt", "::", "CBIndex", "::", "c_16", "+", "1.5f", "<=", "x", "->", "y"]);
    }
}
