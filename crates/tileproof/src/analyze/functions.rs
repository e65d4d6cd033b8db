//! The functions and constants of a kernel's text.
//!
//! Classes, enumerations and what templates are made of are skipped: nothing is said of them. Start at [`Parts::of`].

use super::tokens::{Source, Token};

/// A function with its body.
#[derive(Clone, Debug)]
pub(super) struct Function {
    pub(super) name: String,
    pub(super) parameters: Vec<String>,
    /// Whether each is a reference through which a change gets out.
    pub(super) by_reference: Vec<bool>,
    /// The tokens between its braces.
    pub(super) body: Vec<Token>,
    pub(super) file: usize,
    pub(super) line: u32,
}

/// What stands outside of functions.
#[derive(Clone, Default, Debug)]
pub(super) struct Parts {
    pub(super) functions: Vec<Function>,
    /// Names and the tokens of their values, in order.
    pub(super) constants: Vec<(String, Vec<Token>)>,
}

/// The place behind the bracket that closes the one at `open`, or the end.
pub(super) fn behind(tokens: &[Token], open: usize) -> usize {
    let mut depth = 0i32;
    for (i, token) in tokens.iter().enumerate().skip(open) {
        match token.text.as_str() {
            "(" | "{" | "[" => depth += 1,
            ")" | "}" | "]" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return i + 1;
        }
    }
    tokens.len()
}

/// The place behind the `>` that closes the `<` at `open`; `None` if that is no template argument list.
pub(super) fn behind_angle(tokens: &[Token], open: usize) -> Option<usize> {
    let mut depth = 0i32;
    let mut i = open;
    while i < tokens.len() {
        match tokens[i].text.as_str() {
            "<" => depth += 1,
            ">" => depth -= 1,
            "(" | "[" | "{" => {
                i = behind(tokens, i);
                continue;
            }
            ";" | ")" | "}" | "&&" | "||" => return None,
            _ => {}
        }
        i += 1;
        if depth == 0 {
            return Some(i);
        }
    }
    None
}

/// Pieces between commas that stand in no bracket.
pub(super) fn split(tokens: &[Token], at: &str) -> Vec<Vec<Token>> {
    let mut pieces = vec![Vec::new()];
    let mut i = 0;
    while i < tokens.len() {
        let end = match tokens[i].text.as_str() {
            "(" | "{" | "[" => behind(tokens, i),
            "<" => behind_angle(tokens, i).unwrap_or(i + 1),
            text if text == at => {
                pieces.push(Vec::new());
                i += 1;
                continue;
            }
            _ => i + 1,
        };
        if let Some(last) = pieces.last_mut() {
            last.extend_from_slice(&tokens[i..end]);
        }
        i = end;
    }
    if pieces.len() == 1 && pieces[0].is_empty() { Vec::new() } else { pieces }
}

impl Parts {
    pub(super) fn of(source: &Source) -> Parts {
        let mut parts = Parts { constants: source.defines.clone(), ..Parts::default() };
        let tokens = &source.tokens;
        let mut i = 0;
        while i < tokens.len() {
            i = parts.declaration(tokens, i);
        }
        parts
    }

    /// Reads what begins at `i`; the place behind it.
    fn declaration(&mut self, tokens: &[Token], i: usize) -> usize {
        match tokens[i].text.as_str() {
            "}" | ";" => return i + 1,
            "namespace" => {
                let open = tokens[i..].iter().position(|t| t.is("{") || t.is(";"));
                return open.map_or(tokens.len(), |open| i + open + 1);
            }
            "template" => return behind_angle(tokens, i + 1).unwrap_or(i + 2),
            "struct" | "class" | "enum" | "union" => {
                let stop = tokens[i..].iter().position(|t| t.is("{") || t.is(";")).map_or(tokens.len(), |p| i + p);
                return if stop < tokens.len() && tokens[stop].is("{") { behind(tokens, stop) } else { stop + 1 };
            }
            _ => {}
        }
        let mut end = i;
        while end < tokens.len() && !tokens[end].is(";") && !tokens[end].is("{") {
            end = if tokens[end].is("(") || tokens[end].is("[") { behind(tokens, end) } else { end + 1 };
        }
        let head = &tokens[i..end.min(tokens.len())];
        let equals = head.iter().position(|t| t.is("="));
        if let Some(equals) = equals.filter(|at| *at > 0) {
            let mut stop = i + equals;
            while stop < tokens.len() && !tokens[stop].is(";") {
                stop =
                    if matches!(tokens[stop].text.as_str(), "(" | "{" | "[") { behind(tokens, stop) } else { stop + 1 };
            }
            self.constants
                .push((head[equals - 1].text.clone(), tokens[i + equals + 1..stop.min(tokens.len())].to_vec()));
            return stop + 1;
        }
        if end >= tokens.len() || tokens[end].is(";") {
            return end + 1;
        }
        let close = behind(tokens, end);
        let body = tokens[end + 1..close.saturating_sub(1).max(end + 1)].to_vec();
        let open = head.iter().position(|t| t.is("("));
        // `void MAIN {` of the older headers has no parentheses.
        let (name, parameters, by_reference) = match open {
            Some(open) if open > 0 => {
                let inner = &head[open + 1..behind(head, open).saturating_sub(1).max(open + 1)];
                let last_name = |piece: &Vec<Token>| {
                    let piece = split(piece, "=").into_iter().next().unwrap_or_default();
                    piece.iter().rev().find(|t| t.is_name()).map_or(String::new(), |t| t.text.clone())
                };
                let reference = |piece: &Vec<Token>| {
                    piece.iter().any(|t| t.is("&") || t.is("&&")) && !piece.iter().any(|t| t.is("const"))
                };
                let pieces = split(inner, ",");
                (&head[open - 1], pieces.iter().map(last_name).collect(), pieces.iter().map(reference).collect())
            }
            _ => match head.last() {
                Some(last) => (last, Vec::new(), Vec::new()),
                None => return close,
            },
        };
        self.functions.push(Function {
            name: name.text.clone(),
            parameters,
            by_reference,
            body,
            file: name.file,
            line: name.line,
        });
        close
    }

    pub(super) fn function(&self, name: &str) -> Option<&Function> {
        self.functions.iter().find(|function| function.name == name)
    }
}

/// The brace that opens the body of a lambda at `i`, and the place behind that body.
pub(super) fn lambda(tokens: &[Token], i: usize) -> Option<(usize, usize)> {
    let begins = i == 0 || !(tokens[i - 1].is_name() || tokens[i - 1].is(")") || tokens[i - 1].is("]"));
    if !tokens[i].is("[") || !begins && !tokens[i - 1].is("return") {
        return None;
    }
    let mut open = behind(tokens, i);
    if tokens.get(open)?.is("(") {
        open = behind(tokens, open);
    }
    tokens.get(open)?.is("{").then(|| (open, behind(tokens, open)))
}
