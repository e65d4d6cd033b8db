//! How often loops run, where their form is plain.
//!
//! A count that depends on the loop's own variable, or on anything that changes, is not known. Start at
//! [`Walker::for_loop`].

use super::super::functions::split;
use super::super::symbols::{Value, plus, text};
use super::super::tokens::Token;
use super::{Around, Walker};

impl Walker<'_> {
    /// `for (T i = a; i < b; i += c)` runs (b - a) / c times.
    pub(super) fn for_loop(&mut self, head: &[Token], line: u32) -> Around {
        let written = text(head);
        let pieces = split(head, ";");
        let unknown = Around { text: format!("for ({written})"), line, times: None };
        let [first, condition, step] = &pieces[..] else { return unknown };
        self.expression(first);
        self.expression(condition);
        let Some(equals) = first.iter().position(|t| t.is("=")).filter(|at| *at > 0) else { return unknown };
        let variable = first[equals - 1].text.clone();
        let from = self.scope.value(&first[equals + 1..]);
        let shadow = Value::Text(variable.clone());
        self.scope.set(&variable, shadow);
        let plain = condition.len() > 2 && condition[0].is(&variable);
        let less = plain && (condition[1].is("<") || condition[1].is("!="));
        let at_most = plain && condition[1].is("<=");
        let by = match step.iter().map(|t| t.text.as_str()).collect::<Vec<_>>()[..] {
            [name, "++"] | ["++", name] if name == variable => Some(Value::Number(1)),
            [name, "+=", ..] if name == variable => Some(self.scope.value(&step[2..])),
            _ => None,
        };
        let (Some(by), true) = (by, less || at_most) else { return unknown };
        let to = self.scope.value(&condition[2..]);
        let to = if at_most { plus(&to, &Value::Number(1)) } else { to };
        let span = match (&from, &to) {
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
        Around { text: format!("for ({written})"), line, times }
    }

    pub(super) fn while_loop(&mut self, head: &[Token], line: u32) -> Around {
        self.expression(head);
        Around { text: format!("while ({})", text(head)), line, times: None }
    }
}
