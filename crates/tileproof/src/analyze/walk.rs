//! Goes through a kernel from its entry, statement by statement, and follows the functions of its own files.
//!
//! Loops multiply where their count is plain, conditions are remembered, and both branches are gone through. Start at
//! [`analyse`].

mod loops;
mod record;

use std::path::Path;

use super::calls::{self, Action};
use super::functions::{Function, Parts, behind, behind_angle, split};
use super::symbols::{COMMON, COMPILE_TIME, RUNTIME, Scope, Value, text};
use super::tokens::{Source, Token};
use super::{Analysis, ArgumentRead, Given, Helper, Operation, Use};
use record::is_argument;

/// Functions within functions deeper than this are not followed.
const DEEPEST: usize = 12;
/// Operations listed at most: helpers that call helpers can make very many.
const MOST: usize = 4000;
/// Calls of helpers followed at most, for the same reason.
const MOST_FOLLOWED: usize = 2000;
/// Statements within statements deeper than this are not gone into.
const DEEPEST_STATEMENT: usize = 200;

/// A loop or a condition around a statement.
#[derive(Clone, Debug)]
struct Around {
    text: String,
    line: u32,
    /// How often; `None` if that depends on what `unknown` says.
    times: Option<Value>,
}

/// A use on its way into a buffer's list.
struct Found {
    buffer: Value,
    action: Action,
    use_: Use,
    total: Option<Value>,
}

struct Walker<'a> {
    source: &'a Source,
    parts: Parts,
    scope: Scope,
    compute: bool,
    around: Vec<Around>,
    /// Functions that are being gone through.
    stack: Vec<String>,
    /// Calls of helpers so far.
    followed: usize,
    /// Statements and calls around the one that is being looked at.
    depth: usize,
    /// Objects that stand for a circular buffer.
    objects: Vec<(String, Value)>,
    arguments: Vec<ArgumentRead>,
    operations: Vec<Operation>,
    found: Vec<Found>,
    helpers: Vec<Helper>,
    /// Calls of helpers that have been counted, by place.
    counted: Vec<(usize, u32, String)>,
    other_calls: Vec<String>,
    unknown: Vec<String>,
}

/// Words before a parenthesis that call nothing.
const NO_CALLS: [&str; 13] = [
    "TensorAccessor",
    "TensorAccessorArgs",
    "get_tile_size",
    "get_dataformat",
    "sizeof",
    "static_assert",
    "return",
    "alignof",
    "decltype",
    "defined",
    "reinterpret_cast",
    "static_cast",
    "uint32_t",
];

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
        objects: Vec::new(),
        arguments: Vec::new(),
        operations: Vec::new(),
        found: Vec::new(),
        helpers: Vec::new(),
        counted: Vec::new(),
        other_calls: Vec::new(),
        unknown: Vec::new(),
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
    walker.block(&entry.body);
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

    /// Goes through the statements of a block; names of the block end with it.
    fn block(&mut self, tokens: &[Token]) {
        let names = self.scope.names.len();
        let objects = self.objects.len();
        let mut i = 0;
        while i < tokens.len() {
            i = self.statement(tokens, i);
        }
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
                let around = if tokens[i].is("for") { self.for_loop(head, line) } else { self.while_loop(head, line) };
                let end = self.within(around, tokens, close);
                self.scope.names.truncate(names);
                end
            }
            "do" => {
                let around = Around { text: "do .. while".into(), line: tokens[i].line, times: None };
                let end = self.within(around, tokens, i + 1);
                tokens[end..].iter().position(|t| t.is(";")).map_or(tokens.len(), |semicolon| end + semicolon + 1)
            }
            "if" => {
                let open = if tokens.get(i + 1).is_some_and(|t| t.is("constexpr")) { i + 2 } else { i + 1 };
                let close = behind(tokens, open);
                let condition =
                    &tokens[(open + 1).min(tokens.len())..close.saturating_sub(1).max(open + 1).min(tokens.len())];
                self.expression(condition);
                let known = self.scope.value(condition);
                let branch = |yes: bool| {
                    let text = format!("{} ({})", if yes { "if" } else { "if not" }, text(condition));
                    let times = match &known {
                        Value::Number(number) => Some(Value::Number(i64::from((*number != 0) == yes))),
                        Value::Text(_) => None,
                    };
                    Around { text, line: tokens[i].line, times }
                };
                let mut end = self.within(branch(true), tokens, close);
                if tokens.get(end).is_some_and(|t| t.is("else")) {
                    end = self.within(branch(false), tokens, end + 1);
                }
                end
            }
            _ => {
                let mut end = i;
                while end < tokens.len() && !tokens[end].is(";") {
                    end = if matches!(tokens[end].text.as_str(), "(" | "{" | "[") {
                        behind(tokens, end)
                    } else {
                        end + 1
                    };
                }
                self.simple(&tokens[i..end]);
                end + 1
            }
        }
    }

    /// Goes through the statement at `i` with something around it; what never runs is left out.
    fn within(&mut self, around: Around, tokens: &[Token], i: usize) -> usize {
        if i >= tokens.len() {
            return i;
        }
        if around.times == Some(Value::Number(0)) {
            return self.skipped(tokens, i);
        }
        let always = around.times == Some(Value::Number(1)) && around.text.starts_with("if");
        if !always {
            self.around.push(around);
        }
        let end = self.statement(tokens, i);
        if !always {
            self.around.pop();
        }
        end
    }

    fn skipped(&mut self, tokens: &[Token], i: usize) -> usize {
        let (operations, found, arguments) = (self.operations.len(), self.found.len(), self.arguments.len());
        let (helpers, other, unknown) = (self.helpers.clone(), self.other_calls.len(), self.unknown.len());
        let end = self.statement(tokens, i);
        self.operations.truncate(operations);
        self.found.truncate(found);
        self.arguments.truncate(arguments);
        self.helpers = helpers;
        self.other_calls.truncate(other);
        self.unknown.truncate(unknown);
        end
    }

    /// A declaration or an expression.
    fn simple(&mut self, tokens: &[Token]) {
        self.expression(tokens);
        let brackets = |t: &Token| t.is("(") || t.is("{") || t.is("[");
        let equals = tokens.iter().position(|t| t.is("=") || brackets(t)).filter(|at| tokens[*at].is("="));
        match equals {
            Some(equals) if equals >= 2 && tokens[equals - 1].is_name() => {
                let name = tokens[equals - 1].text.clone();
                self.define(&name, &tokens[equals + 1..]);
            }
            Some(1) if tokens[0].is_name() => {
                // A variable that changes is no longer what it was.
                let name = tokens[0].text.clone();
                self.scope.set(&name, Value::Text(name.clone()));
            }
            _ => {}
        }
        if let [name, operator, ..] = tokens
            && matches!(operator.text.as_str(), "+=" | "-=" | "*=" | "++" | "--")
            && name.is_name()
        {
            self.scope.set(&name.text, Value::Text(name.text.clone()));
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
        let value = self.scope.value(tokens);
        let is_argument = is_argument(&value);
        let of_accessor = tokens.iter().any(|t| t.is("TensorAccessorArgs"));
        let part = format!("part of {name}");
        self.arguments_in(tokens, if is_argument || of_accessor { name } else { &part });
        self.scope.set(name, if is_argument { Value::Text(name.to_string()) } else { value });
    }

    /// All calls in an expression, in the order of the text.
    fn expression(&mut self, tokens: &[Token]) {
        if self.depth == DEEPEST_STATEMENT {
            return self.limit(format!("calls nested deeper than {DEEPEST_STATEMENT} are not looked at"));
        }
        self.depth += 1;
        self.calls_in(tokens);
        self.depth -= 1;
    }

    fn calls_in(&mut self, tokens: &[Token]) {
        let mut i = 0;
        while i < tokens.len() {
            if let Some((open, end)) = lambda(tokens, i) {
                let line = tokens[i].line;
                self.around.push(Around { text: "a lambda, called elsewhere".into(), line, times: None });
                self.block(&tokens[open + 1..end.saturating_sub(1).max(open + 1)]);
                self.around.pop();
                i = end;
                continue;
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
        let directive = self.directive(token).map(|text| Around { text, line: token.line, times: None });
        let is_directed = directive.is_some();
        self.around.extend(directive);
        self.block(&function.body);
        if is_directed {
            self.around.pop();
        }
        self.stack.pop();
        self.scope.names.truncate(names);
    }
}

/// The brace that opens the body of a lambda at `i`, and the place behind that body.
fn lambda(tokens: &[Token], i: usize) -> Option<(usize, usize)> {
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
