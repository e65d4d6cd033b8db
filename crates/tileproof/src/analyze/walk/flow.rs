//! What statements do to what comes behind them: ways out of loops and functions, and names that change.
//!
//! Tokens are looked at before they are gone through, for a loop is not known by its first turn. Where it is not clear
//! whether a name changes, it does; what functions of headers do to arguments that they take by reference is not known. Start at [`Flow::changed`] and [`way_out`].

use super::super::functions::{Function, Parts, behind, behind_angle, lambda, split};
use super::super::tokens::Token;

/// Words that stand before a name and are no type of it.
const NO_TYPES: [&str; 8] = ["return", "else", "do", "case", "goto", "throw", "delete", "new"];

/// The place behind the statement at `i`.
pub(super) fn statement_end(tokens: &[Token], mut i: usize) -> usize {
    let mut ifs = 0usize;
    let mut dos = 0usize;
    loop {
        let at = |i: usize| tokens.get(i).map_or("", |token| token.text.as_str());
        let mut end = match at(i) {
            "" => return tokens.len(),
            "{" => behind(tokens, i),
            "for" | "while" | "switch" if at(i + 1) == "(" => {
                i = behind(tokens, i + 1);
                continue;
            }
            "if" => {
                ifs += 1;
                i = behind(tokens, if at(i + 1) == "constexpr" { i + 2 } else { i + 1 });
                continue;
            }
            "do" => {
                dos += 1;
                i += 1;
                continue;
            }
            _ => simple_end(tokens, i) + 1,
        };
        if dos > 0 && at(end) == "while" {
            dos -= 1;
            end = simple_end(tokens, end) + 1;
        }
        if ifs > 0 && at(end) == "else" {
            ifs -= 1;
            i = end + 1;
            continue;
        }
        return end.min(tokens.len());
    }
}

/// The `;` that ends a declaration or an expression.
pub(super) fn simple_end(tokens: &[Token], mut i: usize) -> usize {
    while i < tokens.len() && !tokens[i].is(";") {
        i = if matches!(tokens[i].text.as_str(), "(" | "{" | "[") { behind(tokens, i) } else { i + 1 };
    }
    i
}

/// The first word by which the body of a loop is left, or a turn of it cut short.
pub(super) fn way_out(body: &[Token]) -> Option<&Token> {
    let (mut breaks_from, mut continues_from) = (0, 0);
    let mut i = 0;
    while i < body.len() {
        if let Some((_, end)) = lambda(body, i) {
            i = end;
            continue;
        }
        match body[i].text.as_str() {
            "for" | "while" | "do" => {
                let end = statement_end(body, i);
                breaks_from = end.max(breaks_from);
                continues_from = end.max(continues_from);
            }
            "switch" => breaks_from = statement_end(body, i).max(breaks_from),
            "break" if i >= breaks_from => return Some(&body[i]),
            "continue" if i >= continues_from => return Some(&body[i]),
            "return" | "goto" => return Some(&body[i]),
            _ => {}
        }
        i += 1;
    }
    None
}

/// What a declaration makes of a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Made<'a> {
    /// `T a = value`, or `T a{value}`.
    Value(&'a [Token]),
    /// `T a`: it has no value yet.
    Nothing,
    /// `T a(..)` or `T a[..]`.
    Object,
}

/// The names that a declaration makes; none if it is no declaration.
pub(super) fn declarations(tokens: &[Token]) -> Vec<(String, Made<'_>)> {
    let bracket = |token: &Token| matches!(token.text.as_str(), "(" | "{" | "[");
    let stop = tokens.iter().position(|token| token.is("=") || token.is(",") || bracket(token));
    let stop = stop.unwrap_or(tokens.len());
    if stop < 2 || !is_declared(tokens, stop - 1) {
        return Vec::new();
    }
    let mut declared = Vec::new();
    let mut begin = 0;
    for piece in split(tokens, ",") {
        let piece = &tokens[begin..begin + piece.len()];
        let equals = piece.iter().position(|token| token.is("=") || bracket(token)).unwrap_or(piece.len());
        if let Some(name) = piece[..equals].last().filter(|name| name.is_name()) {
            let made = match piece.get(equals).map(|token| token.text.as_str()) {
                Some("=") => Made::Value(&piece[equals + 1..]),
                Some("{") if behind(piece, equals) == piece.len() => {
                    Made::Value(&piece[equals + 1..piece.len().saturating_sub(1).max(equals + 1)])
                }
                Some(_) => Made::Object,
                None => Made::Nothing,
            };
            declared.push((name.text.clone(), made));
        }
        begin += piece.len() + 1;
    }
    declared
}

/// Whether what stands before the name at `i` is its type.
fn is_declared(tokens: &[Token], i: usize) -> bool {
    let Some(before) = i.checked_sub(1).map(|before| &tokens[before]) else { return false };
    let types = tokens[i].is_name() && !NO_TYPES.contains(&tokens[i].text.as_str());
    types
        && match before.text.as_str() {
            ">" => i >= 2,
            "*" | "&" | "&&" => i >= 2 && (tokens[i - 2].is_name() || tokens[i - 2].is(">") || tokens[i - 2].is("*")),
            word => before.is_name() && !NO_TYPES.contains(&word),
        }
}

/// The operator behind the operand that ends before `i` changes it.
fn changes(tokens: &[Token], i: usize) -> bool {
    let is = |i: usize, text: &str| tokens.get(i).is_some_and(|token| token.is(text));
    let operator = tokens.get(i).map_or("", |token| token.text.as_str());
    match operator {
        "=" | "+=" | "-=" | "*=" | "/=" | "++" | "--" => true,
        "%" | "&" | "|" | "^" | "<<" => is(i + 1, "="),
        ">" => is(i + 1, ">="),
        _ => false,
    }
}

/// By how much tokens count a name on, if that is all that they do with it, and in any case.
pub(super) fn step(tokens: &[Token], name: &str) -> Option<i64> {
    let may_not_happen = |token: &Token| matches!(token.text.as_str(), "?" | "&&" | "||" | "{" | "[");
    let mut places = (0..tokens.len()).filter(|at| tokens[*at].is(name));
    let (Some(at), None) = (places.next(), places.next()) else { return None };
    let before = at.checked_sub(1).map_or("", |at| tokens[at].text.as_str());
    let after = tokens.get(at + 1).map_or("", |token| token.text.as_str());
    match (before, after) {
        _ if tokens.iter().any(may_not_happen) => None,
        (_, "++") | ("++", _) => Some(1),
        (_, "--") | ("--", _) => Some(-1),
        _ => None,
    }
}

/// Finds the names that tokens change.
#[derive(Default)]
pub(super) struct Flow {
    /// The functions of the kernel, with the names from outside of their bodies that these change: parameters among them.
    functions: Vec<(Function, Vec<String>)>,
    /// Names of theirs that something else may change at any time.
    aliased: Vec<String>,
}

impl Flow {
    pub(super) fn of(parts: &Parts) -> Flow {
        let functions = parts.functions.iter().map(|f| (f.clone(), Vec::new())).collect();
        let mut flow = Flow { functions, aliased: Vec::new() };
        // What a function changes through others is known once that of the others is. It only grows, so this ends.
        loop {
            let changed: Vec<Vec<String>> = flow.functions.iter().map(|(f, _)| flow.changed(&f.body)).collect();
            let is_known = flow.functions.iter().zip(&changed).all(|((_, known), new)| known == new);
            flow.functions.iter_mut().zip(changed).for_each(|((_, known), new)| *known = new);
            if is_known {
                flow.aliased = flow.functions.iter().flat_map(|(f, _)| flow.aliases(&f.body)).collect();
                return flow;
            }
        }
    }

    /// What a call of a function of the kernel changes, or one of those that have its name.
    pub(super) fn changed_by_call(&self, name: &str, arguments: &[Vec<Token>]) -> Vec<String> {
        let mut names = Vec::new();
        for (function, changed) in self.functions.iter().filter(|(function, _)| function.name == name) {
            let handed = function.parameters.iter().zip(&function.by_reference).zip(arguments);
            let handed = handed.filter(|((parameter, by_reference), _)| **by_reference && changed.contains(parameter));
            names.extend(
                handed.filter_map(|(_, argument)| argument.first().filter(|t| t.is_name()).map(|t| t.text.clone())),
            );
            names.extend(changed.iter().filter(|name| !function.parameters.contains(name)).cloned());
        }
        names
    }

    /// Whether a name has another that changes it: a reference, a pointer, or a lambda.
    pub(super) fn is_aliased(&self, name: &str) -> bool {
        self.aliased.iter().any(|aliased| aliased == name)
    }

    fn aliases(&self, tokens: &[Token]) -> Vec<String> {
        let mut names = Vec::new();
        for i in 0..tokens.len() {
            if tokens[i].is_name() {
                names.extend(aliased_at(tokens, i));
            }
            if let Some((open, end)) = lambda(tokens, i) {
                names.extend(self.changed(&tokens[open..end]));
            }
        }
        names
    }

    /// Names from outside of the tokens that they change, each once, in order.
    pub(super) fn changed(&self, tokens: &[Token]) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        // Names of blocks and of the heads of loops, with the places where these end.
        let mut frames: Vec<(usize, Vec<String>)> = vec![(tokens.len(), Vec::new())];
        for (i, token) in tokens.iter().enumerate() {
            frames.retain(|(end, _)| *end > i);
            match token.text.as_str() {
                "{" => frames.push((behind(tokens, i), Vec::new())),
                "for" => frames.push((statement_end(tokens, i), Vec::new())),
                _ => {}
            }
            let before = |back: usize| i.checked_sub(back).map_or("", |at| tokens[at].text.as_str());
            let begins = matches!(before(1), "" | ";" | "{" | "}") || before(1) == "(" && before(2) == "for";
            if begins && let Some((_, frame)) = frames.last_mut() {
                frame.extend(declarations(&tokens[i..simple_end(tokens, i)]).into_iter().map(|(name, _)| name));
            }
            let mut found = Vec::new();
            if token.is_name() {
                found = changed_at(tokens, i);
                let is_ours = || self.functions.iter().any(|(function, _)| token.is(&function.name));
                let angle = tokens.get(i + 1).filter(|t| t.is("<")).and_then(|_| behind_angle(tokens, i + 1));
                let open = angle.unwrap_or(i + 1);
                if tokens.get(open).is_some_and(|t| t.is("(")) && is_ours() {
                    let inner = &tokens[open + 1..behind(tokens, open).saturating_sub(1).max(open + 1)];
                    found.extend(self.changed_by_call(&token.text, &split(inner, ",")));
                }
            }
            for name in found {
                let is_inner = frames.iter().any(|(_, frame)| frame.contains(&name));
                if !is_inner && !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        names
    }
}

/// The names that an operator beside the name at `i` changes.
fn changed_at(tokens: &[Token], i: usize) -> Vec<String> {
    let before = |back: usize| i.checked_sub(back).map_or("", |at| tokens[at].text.as_str());
    if matches!(before(1), "." | "->" | "::") {
        return Vec::new();
    }
    // `a.b = `, `a[0] = ` and `a->b++` change a.
    let mut end = i + 1;
    while end < tokens.len() {
        end = match tokens[end].text.as_str() {
            "[" => behind(tokens, end),
            "." | "->" => end + 2,
            _ => break,
        };
    }
    let is_new = end == i + 1 && is_declared(tokens, i) && tokens.get(end).is_some_and(|t| t.is("="));
    let steps = matches!(before(1), "++" | "--");
    let mut names = aliased_at(tokens, i);
    if changes(tokens, end) && !is_new || steps {
        names.push(tokens[i].text.clone());
    }
    names
}

/// The name that something else stands for from the name at `i` on: `auto& other = name` makes `name` what changes with
/// `other`, and `&name` hands it out.
fn aliased_at(tokens: &[Token], i: usize) -> Vec<String> {
    let before = |back: usize| i.checked_sub(back).map_or("", |at| tokens[at].text.as_str());
    let is_new = is_declared(tokens, i) && tokens.get(i + 1).is_some_and(|t| t.is("="));
    let mut names = Vec::new();
    if before(1) == "&" && matches!(before(2), "" | "(" | "," | "=" | "return" | "{") {
        names.push(tokens[i].text.clone());
    }
    let is_reference = is_new && matches!(before(1), "&" | "&&") && before(3) != "const" && before(4) != "const";
    if is_reference && let Some(of) = tokens.get(i + 2).filter(|of| of.is_name()) {
        names.push(of.text.clone());
    }
    names
}
