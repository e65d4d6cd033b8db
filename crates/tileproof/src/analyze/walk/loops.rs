//! How often loops run, where their form is plain.
//!
//! A count that depends on the loop's own variable, or on anything that changes, is not known. Start at
//! [`Walker::for_loop`].

use super::super::functions::split;
use super::super::symbols::{Value, plus, text};
use super::super::tokens::Token;
use super::flow::way_out;
use super::walker::{Around, Walker};

impl Walker<'_> {
    /// `for (T i = a; i < b; i += c)` runs (b - a) / c times.
    pub(super) fn for_loop(&mut self, head: &[Token], body: &[Token], line: u32) -> Around {
        let written = text(head);
        let pieces = split(head, ";");
        let unknown = Around { depends: left(&written, body), ..Around::new(format!("for ({written})"), line, None) };
        let [first, condition, step] = &pieces[..] else {
            self.always_changing(&joined(&[head, body]));
            return unknown;
        };
        self.expression(first);
        self.expression(condition);
        let Some(equals) = first.iter().position(|t| t.is("=")).filter(|at| *at > 0) else {
            self.always_changing(&joined(&[condition, step, body]));
            return unknown;
        };
        let variable = first[equals - 1].text.clone();
        let from = self.scope.value(&first[equals + 1..]);
        let others = self.flow.changed(&joined(&[condition, body]));
        // A variable from before the loop has its last value behind it.
        self.always_changing(&joined(&[first, step, condition, body]));
        self.scope.set(&variable, Value::changing(&variable));
        let plain = condition.len() > 2 && condition[0].is(&variable);
        let less = plain && (condition[1].is("<") || condition[1].is("!="));
        let at_most = plain && condition[1].is("<=");
        let by = match step.iter().map(|t| t.text.as_str()).collect::<Vec<_>>()[..] {
            [name, "++"] | ["++", name] if name == variable => Some(Value::Number(1)),
            [name, "+=", ..] if name == variable => Some(self.scope.value(&step[2..])),
            _ => None,
        };
        let is_plain = unknown.depends.is_none() && !others.contains(&variable);
        let (Some(by), true) = (by, is_plain && (less || at_most)) else { return unknown };
        let to = self.scope.value(&condition[2..]);
        let to = if at_most { plus(&to, &Value::Number(1)) } else { to };
        let span = match (&from, &to) {
            (from, to) if from.unknown().or(to.unknown()).is_some() => return unknown,
            (Value::Number(0), to) => to.clone(),
            (Value::Number(a), Value::Number(b)) => Value::Number(b.saturating_sub(*a).max(0)),
            (Value::Text(from), Value::Text(to)) if to.starts_with(&format!("{from} + ")) => {
                Value::Text(to[from.len() + 3..].to_string())
            }
            (from, to) => Value::Text(format!("{to} - {from}")),
        };
        let times = match (&span, &by) {
            (span, Value::Number(1)) => span.clone(),
            (Value::Number(span), Value::Number(by)) if *by > 0 => Value::Number(span.saturating_add(by - 1) / by),
            (_, by) if by.unknown().is_some() => return unknown,
            (span, by) => Value::Text(format!("ceil({span} / {by})")),
        };
        let times = match times {
            // Numbers of calls are no longer words of the kernel where a name is the loop's own.
            Value::Text(text)
                if text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).any(|w| w == variable) =>
            {
                None
            }
            other => Some(other),
        };
        Around { times, ..unknown }
    }

    pub(super) fn while_loop(&mut self, head: &[Token], body: &[Token], line: u32) -> Around {
        self.always_changing(&joined(&[head, body]));
        self.expression(head);
        Around::new(format!("while ({})", text(head)), line, None)
    }
}

/// Parts of a loop, looked at as statements behind each other.
fn joined(parts: &[&[Token]]) -> Vec<Token> {
    let mut all = Vec::new();
    for part in parts {
        all.extend_from_slice(part);
        all.push(Token { text: ";".into(), file: 0, line: 0 });
    }
    all
}

/// What a loop depends on whose body has a way out.
fn left(head: &str, body: &[Token]) -> Option<String> {
    way_out(body).map(|word| format!("{} in line {}, in for ({head})", word.text, word.line))
}
