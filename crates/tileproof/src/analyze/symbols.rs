//! Values as far as the text gives them: a number, or an expression in the names of arguments.
//!
//! It must never guess: what is not known stays a text that names what it depends on. Start at [`Scope::value`].

use super::functions::{behind, behind_angle, split};
use super::tokens::Token;
use crate::op::expression::Expression;
use crate::op::tensor::number;

/// A value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Value {
    Number(i64),
    Text(String),
    /// A text whose names do not keep their values. What is worked out with it depends on `what` too.
    Unknown {
        what: String,
        text: String,
    },
}

impl Value {
    /// As part of a product or sum.
    fn part(&self) -> String {
        match self {
            Value::Number(number) => number.to_string(),
            Value::Text(text) | Value::Unknown { text, .. } if is_product(text) => text.clone(),
            Value::Text(text) | Value::Unknown { text, .. } => format!("({text})"),
        }
    }

    /// A name that does not keep its value.
    pub(super) fn changing(name: &str) -> Value {
        Value::Unknown { what: format!("{name}, which changes"), text: name.into() }
    }

    /// What it depends on, if it is not known.
    pub(super) fn unknown(&self) -> Option<&String> {
        if let Value::Unknown { what, .. } = self { Some(what) } else { None }
    }

    /// The same, not known if one of others is not.
    fn unless(self, others: &[&Value]) -> Value {
        match (others.iter().find_map(|other| other.unknown()), self) {
            (Some(what), Value::Text(text)) => Value::Unknown { what: what.clone(), text },
            (_, value) => value,
        }
    }

    pub(super) fn number(&self) -> Option<u32> {
        if let Value::Number(number) = self { u32::try_from(*number).ok() } else { None }
    }
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Value::Number(number) => write!(f, "{number}"),
            Value::Text(text) | Value::Unknown { text, .. } => f.write_str(text),
        }
    }
}

/// Whether a text can be a factor as it is: names, calls, and products of them.
fn is_product(text: &str) -> bool {
    let mut depth = 0;
    text.chars().all(|c| {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            _ => {}
        }
        depth > 0 || c.is_ascii_alphanumeric() || "_.()[]* :".contains(c)
    })
}

/// A text as a number of times something.
fn coefficient(text: &str) -> (i64, &str) {
    let split = text.split_once(" * ").and_then(|(number, rest)| Some((number.parse().ok()?, rest)));
    split.filter(|_| is_product(text)).unwrap_or((1, text))
}

/// a times b.
pub(super) fn times(a: &Value, b: &Value) -> Value {
    match (a, b) {
        (Value::Number(0), _) | (_, Value::Number(0)) => Value::Number(0),
        (Value::Number(1), other) | (other, Value::Number(1)) => other.clone(),
        (Value::Number(a), Value::Number(b)) => Value::Number(a.saturating_mul(*b)),
        _ => Value::Text(format!("{} * {}", a.part(), b.part())).unless(&[a, b]),
    }
}

/// a plus b.
pub(super) fn plus(a: &Value, b: &Value) -> Value {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => Value::Number(a.saturating_add(*b)),
        (Value::Text(a), Value::Text(b)) if coefficient(a).1 == coefficient(b).1 => times(
            &Value::Number(coefficient(a).0.saturating_add(coefficient(b).0)),
            &Value::Text(coefficient(a).1.into()),
        ),
        _ => Value::Text(format!("{a} + {b}")).unless(&[a, b]),
    }
}

/// A name, its value, and how many loops and conditions were around its declaration.
#[derive(Clone, Debug)]
pub(super) struct Name {
    name: String,
    value: Value,
    level: usize,
}

/// Names and their values, the innermost last.
#[derive(Clone, Default, Debug)]
pub(super) struct Scope {
    pub(super) names: Vec<Name>,
    /// Loops and conditions around what is being looked at.
    pub(super) level: usize,
    /// Names that change and were never declared here: those of headers.
    pub(super) foreign: Vec<String>,
    /// Compile-time arguments that are given.
    pub(super) compile_time_args: Vec<Option<u32>>,
}

/// Brackets within brackets deeper than this are not looked into.
pub(super) const DEEPEST: usize = 64;

/// How deeply brackets stand within brackets.
pub(super) fn nesting(tokens: &[Token]) -> usize {
    let (mut depth, mut deepest) = (0usize, 0);
    for token in tokens {
        match token.text.as_str() {
            "(" | "{" | "[" => depth += 1,
            ")" | "}" | "]" => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

/// Ways to read an argument.
pub(super) const COMPILE_TIME: [&str; 2] = ["get_compile_time_arg_val", "get_ct_arg"];
pub(super) const RUNTIME: [&str; 2] = ["get_arg_val", "get_arg"];
pub(super) const COMMON: [&str; 1] = ["get_common_arg_val"];

impl Scope {
    pub(super) fn set(&mut self, name: &str, value: Value) {
        self.names.push(Name { name: name.to_string(), value, level: self.level });
    }

    fn get(&self, name: &str) -> Option<&Value> {
        self.names.iter().rev().find(|known| known.name == name).map(|known| &known.value)
    }

    /// The value that a name has.
    pub(super) fn value_of(&self, name: &str) -> Option<Value> {
        self.get(name).cloned()
    }

    /// A name gets another value, which it keeps behind the block. That is known only where the change always happens.
    pub(super) fn change(&mut self, name: &str, value: Value) {
        match self.names.iter_mut().rev().find(|known| known.name == name) {
            Some(known) => known.value = if known.level == self.level { value } else { Value::changing(name) },
            None if self.foreign.iter().any(|known| known == name) => {}
            None => self.foreign.push(name.to_string()),
        }
    }

    /// What tokens come to.
    pub(super) fn value(&self, tokens: &[Token]) -> Value {
        if nesting(tokens) > DEEPEST {
            return Value::Text(text(tokens));
        }
        let mut parts: Vec<String> = Vec::new();
        let mut unknown: Option<Value> = None;
        let mut i = 0;
        while i < tokens.len() {
            let token = &tokens[i];
            if token.is("::") || tokens.get(i + 1).is_some_and(|next| next.is("::")) {
                // `tt::CBIndex::c_0` is known by its last name.
                i += 1;
                continue;
            }
            // `i++` has the value from before, `++i` that from behind.
            let counted = |at: usize| tokens.get(at).is_some_and(|t| t.is("++") || t.is("--"));
            if counted(i) && i > 0 && tokens[i - 1].is_name() {
                i += 1;
                continue;
            }
            if counted(i) && tokens.get(i + 1).is_some_and(Token::is_name) {
                let by = Value::Number(if token.is("++") { 1 } else { -1 });
                let (value, next) = self.name(tokens, i + 1);
                let sum = plus(&value, &by);
                parts.push(sum.part());
                unknown = unknown.or(sum.unknown().map(|_| sum.clone()));
                i = next;
                continue;
            }
            if !token.is_name() {
                parts.push(plain_number(&token.text));
                i += 1;
                continue;
            }
            let (value, next) = self.name(tokens, i);
            unknown = unknown.or(value.unknown().map(|_| value.clone()));
            let alone = next - i == tokens.len();
            parts.push(if alone { value.to_string() } else { value.part() });
            i = next;
        }
        let text = spaced(&parts);
        let value = folded(&text).map_or(Value::Text(text), Value::Number);
        match unknown {
            Some(unknown) => value.unless(&[&unknown]),
            None => value,
        }
    }

    /// The value of a name, or of a call, and the place behind it.
    fn name(&self, tokens: &[Token], i: usize) -> (Value, usize) {
        let name = tokens[i].text.as_str();
        let mut open = i + 1;
        if tokens.get(open).is_some_and(|t| t.is("<"))
            && let Some(close) = behind_angle(tokens, open)
            && tokens.get(close).is_some_and(|t| t.is("("))
        {
            open = close;
        }
        if !tokens.get(open).is_some_and(|t| t.is("(")) {
            return (self.plain(name), i + 1);
        }
        let end = behind(tokens, open);
        let arguments = split(&tokens[open + 1..end.saturating_sub(1).max(open + 1)], ",");
        if matches!(name, "uint32_t" | "int" | "uint16_t" | "size_t" | "static_cast") && arguments.len() == 1 {
            return (self.value(&arguments[0]), end);
        }
        let values: Vec<Value> = arguments.iter().map(|argument| self.value(argument)).collect();
        // An argument is one however its index is worked out.
        let first = values.first().map_or(String::new(), Value::to_string);
        if COMPILE_TIME.contains(&name) {
            let index = values.first().and_then(Value::number).map(|index| index as usize);
            let given = index.and_then(|index| self.compile_time_args.get(index).copied().flatten());
            return (given.map_or(Value::Text(format!("compile_time_arg[{first}]")), |v| Value::Number(v.into())), end);
        }
        if RUNTIME.contains(&name) {
            return (Value::Text(format!("runtime_arg[{first}]")), end);
        }
        if COMMON.contains(&name) {
            return (Value::Text(format!("common_runtime_arg[{first}]")), end);
        }
        let list: Vec<String> = values.iter().map(Value::to_string).collect();
        let of: Vec<&Value> = values.iter().collect();
        (Value::Text(format!("{name}({})", list.join(", "))).unless(&of), end)
    }

    fn plain(&self, name: &str) -> Value {
        if let Some(value) = self.get(name) {
            return value.clone();
        }
        if self.foreign.iter().any(|known| known == name) {
            return Value::changing(name);
        }
        // `CBIndex::c_16` and the older `CB::c_in0`, `c_out0`, `c_intermed0` (tt-metal `circular_buffer_constants.h`).
        let numbered = |prefix: &str, from: i64| name.strip_prefix(prefix)?.parse::<i64>().ok()?.checked_add(from);
        let index = numbered("c_in", 0).or(numbered("c_out", 16)).or(numbered("c_intermed", 24)).or(numbered("c_", 0));
        match (index, name) {
            (Some(index), _) => Value::Number(index),
            (None, "true") => Value::Number(1),
            (None, "false") => Value::Number(0),
            _ => Value::Text(name.to_string()),
        }
    }
}

/// A literal without its suffix.
fn plain_number(text: &str) -> String {
    if !text.starts_with(|c: char| c.is_ascii_digit()) {
        return text.to_string();
    }
    if let Some(digits) = text.strip_prefix("0x") {
        return i64::from_str_radix(digits.trim_end_matches(['u', 'U', 'l', 'L']), 16)
            .map_or_else(|_| text.to_string(), |number| number.to_string());
    }
    text.trim_end_matches(['u', 'U', 'l', 'L']).to_string()
}

/// Tokens with spaces where people put them.
pub(super) fn spaced(parts: &[String]) -> String {
    const OPEN: [&str; 6] = ["(", "[", ".", "::", "->", "!"];
    const CLOSE: [&str; 9] = ["(", ")", "[", "]", ".", "::", ",", "->", ";"];
    let mut text = String::new();
    let mut angles = 0;
    let mut tight = true;
    for (i, part) in parts.iter().enumerate() {
        let part = part.as_str();
        let opens = part == "<" && is_template(&parts[i..]);
        let closes = part == ">" && angles > 0;
        let counts = matches!(part, "++" | "--");
        if !(tight || CLOSE.contains(&part) && !(part == "(" && text.ends_with(',')) || opens || closes || counts) {
            text.push(' ');
        }
        text += part;
        angles += i32::from(opens) - i32::from(closes);
        tight = OPEN.contains(&part) || opens;
    }
    text
}

/// Whether `<` begins template arguments: names and numbers up to its `>`.
fn is_template(parts: &[String]) -> bool {
    let inner = |part: &str| part == "::" || part == "," || part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let close = parts.iter().skip(1).position(|part| !inner(part));
    close.is_some_and(|close| parts[close + 1] == ">")
}

/// The tokens as text.
pub(super) fn text(tokens: &[Token]) -> String {
    spaced(&tokens.iter().map(|token| token.text.clone()).collect::<Vec<_>>())
}

/// The number that a text of numbers comes to, in whole numbers.
fn folded(text: &str) -> Option<i64> {
    if let Ok(number) = text.parse() {
        return Some(number);
    }
    let expression = Expression::parse(text).ok()?;
    let whole = number(&expression, &|_| None).ok()?;
    // C++ divides whole numbers towards zero; more than one division in a text would need that at each.
    (whole.is_finite() && text.matches('/').count() <= 1 && !text.contains('.')).then_some(whole.trunc() as i64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyze::tokens::Token;

    fn tokens(text: &str) -> Vec<Token> {
        text.split_whitespace().map(|t| Token { text: t.into(), file: 0, line: 1 }).collect()
    }

    #[test]
    fn what_is_known_becomes_a_number_and_the_rest_names_what_it_depends_on() {
        let mut scope = Scope::default();
        scope.set("n", Value::Text("runtime_arg[2]".into()));
        scope.set("block", Value::Number(4));
        let of = |text: &str| scope.value(&tokens(text)).to_string();
        assert_eq!(of("tt :: CBIndex :: c_16"), "16");
        assert_eq!(of("block * 2 + 1"), "9");
        assert_eq!(of("7 / block"), "1");
        assert_eq!(of("n * block"), "runtime_arg[2] * 4");
        assert_eq!(of("get_compile_time_arg_val ( 3 )"), "compile_time_arg[3]");
        assert_eq!(of("c_intermed1"), "25");
    }

    #[test]
    fn text_is_spaced_as_people_write_it() {
        let of = |source: &str| text(&tokens(source));
        assert_eq!(of("uint32_t row = 0 ; row < count ; row ++"), "uint32_t row = 0; row < count; row++");
        assert_eq!(of("f < A :: B , 3 > ( x , - y )"), "f<A::B, 3>(x, - y)");
    }

    #[test]
    fn a_factor_of_one_is_not_shown() {
        let pages = Value::Text("pages".into());
        assert_eq!(times(&Value::Number(1), &pages).to_string(), "pages");
        assert_eq!(times(&Value::Text("a + b".into()), &pages).to_string(), "(a + b) * pages");
        assert_eq!(plus(&plus(&pages, &pages), &pages).to_string(), "3 * pages");
    }
}
