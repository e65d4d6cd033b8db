//! Goes through a kernel from its entry, statement by statement, and follows the functions of its own files.
//!
//! Loops multiply where their count is plain, conditions are remembered, and both branches are gone through. Start at
//! [`analyse`].

mod expressions;
mod flow;
mod loops;
mod record;
mod walker;

use std::path::Path;

use super::analysis::{Analysis, Given};
use super::functions::{Function, Parts, behind};
use super::symbols::{Scope, Value, text};
use super::tokens::{Source, Token};
use expressions::hidden;
use flow::{Flow, Made, declarations, simple_end, statement_end};
use record::is_argument;
use walker::{Around, DEEPEST_STATEMENT, Walker};

/// What a kernel does; `None` if it has no entry.
pub(super) fn analyse(path: &Path, source: &Source, given: &Given) -> Option<Analysis> {
    let parts = Parts::of(source);
    let entry = parts.function("kernel_main").or_else(|| parts.function("MAIN"))?.clone();
    let of_compute = |name: &str| name.contains("compute") || name.starts_with("compute_kernel_api");
    let uses_compute = |t: &Token| t.is("tile_regs_acquire") || t.is("acquire_dst") || t.is("MAIN");
    let compute = source.includes.iter().any(|name| of_compute(name)) || source.tokens.iter().any(uses_compute);
    let mut walker = Walker {
        source,
        scope: Scope { compile_time_args: given.compile_time_args.clone(), ..Scope::default() },
        compute,
        around: Vec::new(),
        stack: vec![entry.name.clone()],
        followed: 0,
        depth: 0,
        exit: None,
        hidden: hidden(source, &parts),
        objects: Vec::new(),
        arguments: Vec::new(),
        operations: Vec::new(),
        found: Vec::new(),
        helpers: Vec::new(),
        counted: Vec::new(),
        other_calls: Vec::new(),
        unknown: Vec::new(),
        flow: Flow::of(&parts),
        parts,
    };
    for (name, value) in &given.defines {
        if let Ok(number) = value.parse() {
            walker.scope.set(name, Value::Number(number));
        }
    }
    for (name, value) in walker.parts.constants.clone() {
        walker.define(&name, &value);
    }
    walker.body(&entry);
    for conditional in &source.conditionals {
        let place = format!("{}:{}", source.files[conditional.file].display(), conditional.lines.0);
        walker.unknown.push(format!("{place}: both branches of {} are listed", conditional.text));
    }
    Some(walker.finish(path))
}

impl Walker<'_> {
    /// The directive that decides whether a token is there at all.
    fn directive(&self, token: &Token) -> Option<String> {
        let mut around = self.source.conditionals.iter().rev();
        let holds =
            |c: &&super::tokens::Conditional| c.file == token.file && c.lines.0 < token.line && token.line < c.lines.1;
        around.find(holds).map(|c| c.text.clone())
    }

    fn file(&self, token: &Token) -> String {
        self.source.files[token.file].display().to_string()
    }

    fn enter(&mut self, around: Around) {
        self.around.push(around);
        self.scope.level = self.around.len();
    }

    fn leave(&mut self) {
        self.around.pop();
        self.scope.level = self.around.len();
    }

    /// Names that tokens change are not known from here on. One that is only counted on is.
    fn changing(&mut self, tokens: &[Token]) {
        let is_sure = tokens.first().is_none_or(|first| self.directive(first).is_none());
        for name in self.flow.changed(tokens) {
            let value = match (self.scope.value_of(&name), flow::step(tokens, &name)) {
                (Some(Value::Number(number)), Some(by)) if is_sure => Value::Number(number.saturating_add(by)),
                _ => Value::changing(&name),
            };
            self.scope.change(&name, value);
        }
    }

    /// The same for what happens again and again: nothing is known, not even the first time.
    fn always_changing(&mut self, tokens: &[Token]) {
        for name in self.flow.changed(tokens) {
            self.scope.change(&name, Value::changing(&name));
        }
    }

    /// Goes through the body of a function. Ways out of it end with it.
    fn body(&mut self, function: &Function) {
        let exit = self.exit.take();
        let goto = function.body.iter().find(|token| token.is("goto"));
        if let Some(token) = goto {
            self.always_changing(&function.body);
            self.enter(Around::new(format!("goto in {}", function.name), token.line, None));
        }
        self.block(&function.body);
        if goto.is_some() {
            self.leave();
        }
        self.exit = exit;
    }

    /// Goes through the statements of a block; names of the block end with it. What stands behind a way out may not run.
    fn block(&mut self, tokens: &[Token]) {
        let names = self.scope.names.len();
        let objects = self.objects.len();
        let outer = self.exit.take();
        let mut left = None;
        let mut i = 0;
        while i < tokens.len() {
            i = self.statement(tokens, i);
            if let (Some(exit), None) = (&self.exit, &left) {
                left = Some(exit.clone());
                self.enter(exit.clone());
            }
        }
        if left.is_some() {
            self.leave();
        }
        self.exit = left.or(outer);
        self.scope.names.truncate(names);
        self.objects.truncate(objects);
    }

    /// Says once that not all was looked at.
    fn limit(&mut self, text: String) {
        if !self.unknown.contains(&text) {
            self.unknown.push(text);
        }
    }

    /// The place behind the statement at `i`.
    fn statement(&mut self, tokens: &[Token], i: usize) -> usize {
        if self.depth == DEEPEST_STATEMENT {
            self.limit(format!("statements nested deeper than {DEEPEST_STATEMENT} are not looked at"));
            return tokens.len();
        }
        self.depth += 1;
        let end = self.statement_within(tokens, i);
        self.depth -= 1;
        end
    }

    fn statement_within(&mut self, tokens: &[Token], i: usize) -> usize {
        match tokens[i].text.as_str() {
            ";" | "}" => i + 1,
            "{" => {
                let end = behind(tokens, i);
                self.block(&tokens[i + 1..end.saturating_sub(1).max(i + 1)]);
                end
            }
            "for" | "while" if tokens.get(i + 1).is_some_and(|t| t.is("(")) => {
                let close = behind(tokens, i + 1);
                let head = &tokens[i + 2..close.saturating_sub(1).max(i + 2)];
                let names = self.scope.names.len();
                let line = tokens[i].line;
                let body = &tokens[close.min(tokens.len())..statement_end(tokens, close)];
                let around = match tokens[i].text.as_str() {
                    "for" => self.for_loop(head, body, line),
                    _ => self.while_loop(head, body, line),
                };
                let end = self.within(around, tokens, close);
                self.scope.names.truncate(names);
                end
            }
            "do" => {
                self.always_changing(&tokens[i + 1..statement_end(tokens, i)]);
                let around = Around::new("do .. while".into(), tokens[i].line, None);
                let end = self.within(around, tokens, i + 1);
                tokens[end..].iter().position(|t| t.is(";")).map_or(tokens.len(), |semicolon| end + semicolon + 1)
            }
            "switch" if tokens.get(i + 1).is_some_and(|t| t.is("(")) => {
                let close = behind(tokens, i + 1);
                let head = &tokens[i + 2..close.saturating_sub(1).max(i + 2)];
                self.expression(head);
                self.changing(head);
                self.within(Around::new(format!("switch ({})", text(head)), tokens[i].line, None), tokens, close)
            }
            "case" | "default" => {
                let colon = tokens[i..].iter().position(|t| t.is(":") || t.is(";"));
                colon.map_or(tokens.len(), |colon| i + colon + 1)
            }
            "if" => {
                let open = if tokens.get(i + 1).is_some_and(|t| t.is("constexpr")) { i + 2 } else { i + 1 };
                let close = behind(tokens, open);
                let condition =
                    &tokens[(open + 1).min(tokens.len())..close.saturating_sub(1).max(open + 1).min(tokens.len())];
                self.expression(condition);
                let known = self.scope.value(condition);
                self.changing(condition);
                let branch = |yes: bool| {
                    let text = format!("{} ({})", if yes { "if" } else { "if not" }, text(condition));
                    let times = match &known {
                        Value::Number(number) => Some(Value::Number(i64::from((*number != 0) == yes))),
                        Value::Text(_) | Value::Unknown { .. } => None,
                    };
                    Around::new(text, tokens[i].line, times)
                };
                let mut end = self.within(branch(true), tokens, close);
                if tokens.get(end).is_some_and(|t| t.is("else")) {
                    end = self.within(branch(false), tokens, end + 1);
                }
                end
            }
            _ => {
                let end = simple_end(tokens, i);
                self.simple(&tokens[i..end]);
                (end + 1).min(tokens.len())
            }
        }
    }

    /// Goes through the statement at `i` with something around it; what never runs is left out.
    fn within(&mut self, around: Around, tokens: &[Token], i: usize) -> usize {
        if i >= tokens.len() {
            return i;
        }
        if around.times == Some(Value::Number(0)) {
            return statement_end(tokens, i);
        }
        let always = around.times == Some(Value::Number(1)) && around.text.starts_with("if");
        if !always {
            self.enter(around);
        }
        let end = self.statement(tokens, i);
        if !always {
            self.leave();
        }
        end
    }

    /// A declaration or an expression.
    fn simple(&mut self, tokens: &[Token]) {
        self.expression(tokens);
        match tokens {
            [word, ..] if word.is("return") => {
                let depends = Some(format!("the return in line {}", word.line));
                let text = "not returned before".to_string();
                self.exit.get_or_insert(Around { depends, ..Around::new(text, word.line, None) });
            }
            // A variable that is set where it always is has that value from here on.
            [name, equals, value @ ..] if name.is_name() && equals.is("=") => {
                let is_sure = self.directive(name).is_none()
                    && self.flow.changed(value).is_empty()
                    && !self.flow.is_aliased(&name.text);
                let value = self.valued(&name.text, value);
                self.changing(&tokens[2..]);
                let value = if is_sure { value } else { Value::changing(&name.text) };
                self.scope.change(&name.text, value);
            }
            _ => {
                let mut values = Vec::new();
                for (name, made) in declarations(tokens) {
                    let value = match made {
                        Made::Value(value) => self.valued(&name, value),
                        Made::Nothing => Value::changing(&name),
                        Made::Object => Value::Text(name.clone()),
                    };
                    values.push((name, value));
                }
                self.changing(tokens);
                for (name, value) in values {
                    self.scope.set(&name, value);
                }
            }
        }
        // `CircularBuffer cb(0)`: an object that stands for a buffer.
        if let [class, name, open, ..] = tokens
            && matches!(class.text.as_str(), "CircularBuffer" | "DataflowBuffer")
            && (open.is("(") || open.is("{"))
        {
            let end = behind(tokens, 2);
            let value = self.scope.value(&tokens[3..end.saturating_sub(1).max(3)]);
            self.objects.push((name.text.clone(), value));
        }
    }

    /// A name for a value. What an argument is called is remembered: it says more than its number.
    fn define(&mut self, name: &str, tokens: &[Token]) {
        let value = self.valued(name, tokens);
        self.scope.set(name, value);
    }

    fn valued(&mut self, name: &str, tokens: &[Token]) -> Value {
        let value = self.scope.value(tokens);
        let is_argument = is_argument(&value);
        let of_accessor = tokens.iter().any(|t| t.is("TensorAccessorArgs"));
        let part = format!("part of {name}");
        self.arguments_in(tokens, if is_argument || of_accessor { name } else { &part });
        if is_argument { Value::Text(name.to_string()) } else { value }
    }
}
