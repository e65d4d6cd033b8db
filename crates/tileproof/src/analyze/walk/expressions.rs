//! Calls within expressions: those of the kernel API, and those of the kernel's own functions, which are followed.
//!
//! They are taken in the order of the text, what stands in arguments first. Start at [`Walker::expression`].

use super::super::analysis::Helper;
use super::super::calls;
use super::super::functions::{Function, Parts, behind, behind_angle, lambda, split};
use super::super::symbols::{COMMON, COMPILE_TIME, RUNTIME, Value, text};
use super::super::tokens::{Source, Token};
use super::record::is_argument;
use super::walker::{Around, DEEPEST, DEEPEST_STATEMENT, MOST_FOLLOWED, NO_CALLS, Walker};

impl Walker<'_> {
    /// All calls in an expression, in the order of the text.
    pub(super) fn expression(&mut self, tokens: &[Token]) {
        if self.depth == DEEPEST_STATEMENT {
            return self.limit(format!("calls nested deeper than {DEEPEST_STATEMENT} are not looked at"));
        }
        self.depth += 1;
        self.calls_in(tokens);
        self.depth -= 1;
    }

    /// The calls of an expression. What stands behind `?`, `&&` or `||` may not happen.
    fn called_in(&mut self, tokens: &[Token]) {
        let mut i = 0;
        while i < tokens.len() {
            if let Some((open, end)) = lambda(tokens, i) {
                let exit = self.exit.take();
                self.enter(Around::new("a lambda, called elsewhere".into(), tokens[i].line, None));
                self.block(&tokens[open + 1..end.saturating_sub(1).max(open + 1)]);
                self.leave();
                self.exit = exit;
                i = end;
                continue;
            }
            // `auto&& name = ..` is no operator.
            if tokens[i].is("&&") && tokens.get(i + 2).is_some_and(|t| t.is("=")) {
                i += 1;
                continue;
            }
            if matches!(tokens[i].text.as_str(), "?" | "&&" | "||") {
                if self.depth == DEEPEST_STATEMENT {
                    return self.limit(format!("operators nested deeper than {DEEPEST_STATEMENT} are not looked at"));
                }
                let end = operand_end(tokens, i + 1);
                self.depth += 1;
                self.enter(Around::new(text(&tokens[operand_begin(tokens, i)..=i]), tokens[i].line, None));
                self.called_in(&tokens[i + 1..end]);
                self.leave();
                self.depth -= 1;
                i = end;
                continue;
            }
            if let Some((name, why)) = self.hidden.iter().find(|(name, _)| tokens[i].is(name)) {
                let place = format!("{}:{}", self.file(&tokens[i]), tokens[i].line);
                let text = format!("{place}: the macro {name} is not gone through; it has {why}");
                self.limit(text);
            }
            if !tokens[i].is_name() || NO_CALLS.contains(&tokens[i].text.as_str()) {
                i += 1;
                continue;
            }
            let angle = tokens.get(i + 1).filter(|t| t.is("<")).and_then(|_| behind_angle(tokens, i + 1));
            let open = angle.unwrap_or(i + 1);
            if !tokens.get(open).is_some_and(|t| t.is("(")) {
                i += 1;
                continue;
            }
            let end = behind(tokens, open);
            let inner = &tokens[open + 1..end.saturating_sub(1).max(open + 1)];
            let arguments = split(inner, ",");
            let of_object = i >= 2 && (tokens[i - 1].is(".") || tokens[i - 1].is("->"));
            let is_declared =
                i >= 1 && tokens[i - 1].is_name() && !NO_CALLS.contains(&tokens[i - 1].text.as_str()) && !of_object;
            let object = of_object.then(|| tokens[i - 2].text.clone());
            // What stands in the arguments happens first.
            self.expression(inner);
            let template = if open > i + 1 { text(&tokens[i + 1..open]) } else { String::new() };
            if !is_declared {
                self.call(&tokens[i], object.as_deref(), &template, &arguments);
            }
            i = end;
        }
    }

    fn calls_in(&mut self, tokens: &[Token]) {
        self.called_in(tokens);
        if tokens.iter().any(|t| RUNTIME.contains(&t.text.as_str()) || COMPILE_TIME.contains(&t.text.as_str())) {
            let equals = tokens.iter().position(|t| t.is("=")).filter(|at| *at > 0);
            let named = equals.filter(|at| is_argument(&self.scope.value(&tokens[at + 1..])));
            let name = match (named, equals) {
                (Some(at), _) => tokens[at - 1].text.clone(),
                (None, Some(at)) if tokens[at - 1].is_name() => format!("part of {}", tokens[at - 1].text),
                _ => String::new(),
            };
            self.arguments_in(tokens, &name);
        }
    }

    fn call(&mut self, token: &Token, object: Option<&str>, template: &str, arguments: &[Vec<Token>]) {
        let name = token.text.as_str();
        if let Some(object) = object {
            let buffer = self.objects.iter().rev().find(|(known, _)| known == object).map(|(_, value)| value.clone());
            if let (Some(buffer), Some(known)) = (buffer, calls::method(name, self.compute)) {
                self.operation(token, &format!("{object}.{name}"), &known, arguments);
                let count = arguments.first().map(|count| self.scope.value(count));
                self.use_of(token, &format!("{object}.{name}"), &known, known.buffers[0].1, buffer, count);
            }
            return;
        }
        if let Some(function) = self.parts.function(name).cloned() {
            return self.follow(token, &function, arguments);
        }
        let Some(known) = calls::known(name, self.compute) else {
            let reads = COMPILE_TIME.contains(&name) || RUNTIME.contains(&name) || COMMON.contains(&name);
            if !reads && !self.other_calls.iter().any(|known| known == name) {
                self.other_calls.push(name.to_string());
            }
            return;
        };
        self.operation(token, &format!("{name}{template}"), &known, arguments);
        let count = known.count.and_then(|at| arguments.get(at)).map(|count| self.scope.value(count));
        for (at, action) in &known.buffers {
            // Some calls leave the last buffers out.
            let Some(argument) = arguments.get(*at) else { continue };
            let buffer = self.scope.value(argument);
            self.use_of(token, name, &known, *action, buffer, count.clone());
        }
    }

    /// Goes through a function of the kernel's own files, with what its parameters are here.
    fn follow(&mut self, token: &Token, function: &Function, arguments: &[Vec<Token>]) {
        let file = self.source.files[function.file].display().to_string();
        let place = (token.file, token.line, function.name.clone());
        let is_new = !self.counted.contains(&place);
        if is_new {
            self.counted.push(place);
        }
        match self.helpers.iter_mut().find(|helper| helper.name == function.name) {
            Some(helper) => helper.calls += usize::from(is_new),
            None => self.helpers.push(Helper { name: function.name.clone(), file, line: function.line, calls: 1 }),
        }
        if self.stack.contains(&function.name) || self.stack.len() == DEEPEST {
            self.unknown.push(format!(
                "{}:{}: {} calls itself; its calls are listed once",
                self.file(token),
                token.line,
                function.name
            ));
            return;
        }
        if self.followed == MOST_FOLLOWED {
            return self.limit(format!("only the first {MOST_FOLLOWED} calls of helpers are followed"));
        }
        self.followed += 1;
        let names = self.scope.names.len();
        let values: Vec<Value> = arguments.iter().map(|argument| self.scope.value(argument)).collect();
        for (parameter, value) in function.parameters.iter().zip(values) {
            self.scope.set(parameter, value);
        }
        self.stack.push(function.name.clone());
        let directive = self.directive(token).map(|text| Around::new(text, token.line, None));
        let is_directed = directive.is_some();
        if let Some(directive) = directive {
            self.enter(directive);
        }
        self.body(function);
        if is_directed {
            self.leave();
        }
        self.stack.pop();
        self.scope.names.truncate(names);
    }
}

/// The place behind the operand at `i` of `?`, `&&` or `||`, whatever follows in it.
fn operand_end(tokens: &[Token], mut i: usize) -> usize {
    while i < tokens.len() && !matches!(tokens[i].text.as_str(), ")" | "]" | "}" | "," | ";") {
        i = if matches!(tokens[i].text.as_str(), "(" | "{" | "[") { behind(tokens, i) } else { i + 1 };
    }
    i
}

/// The place where the operand before the operator at `i` begins.
fn operand_begin(tokens: &[Token], i: usize) -> usize {
    let mut depth = 0;
    for at in (0..i).rev() {
        match tokens[at].text.as_str() {
            ")" | "]" | "}" => depth += 1,
            "(" | "[" | "{" if depth > 0 => depth -= 1,
            "(" | "[" | "{" | "," | ";" | "=" | "return" if depth == 0 => return at + 1,
            _ => {}
        }
    }
    0
}

/// Macros that hide something: a call of the kernel API or of the kernel's own functions, or a way out.
pub(super) fn hidden(source: &Source, parts: &Parts) -> Vec<(String, String)> {
    let mut hidden: Vec<(String, String)> = Vec::new();
    loop {
        let known = hidden.len();
        for (name, text) in source.macros.iter().chain(&source.defines) {
            let calls = |i: usize| text.get(i + 1).is_some_and(|t| t.is("(") || t.is("<"));
            let hides = |(i, token): (usize, &Token)| {
                let word = token.text.as_str();
                let leaves = matches!(word, "return" | "break" | "continue" | "goto");
                let api = calls(i)
                    && (calls::known(word, true).is_some()
                        || calls::method(word, true).is_some()
                        || parts.function(word).is_some());
                leaves || api || hidden.iter().any(|(other, _)| other == word)
            };
            if !hidden.iter().any(|(other, _)| other == name)
                && let Some((_, token)) = text.iter().enumerate().find(|at| hides(*at))
            {
                hidden.push((name.clone(), token.text.clone()));
            }
        }
        if hidden.len() == known {
            return hidden;
        }
    }
}
