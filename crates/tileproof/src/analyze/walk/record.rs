//! What the walker finds, written down: arguments, operations, uses of buffers, and in the end the whole analysis.
//!
//! Start at [`Walker::use_of`], which multiplies counts by the loops around them.

use std::path::Path;

use tileproof_model::wording::cb_name;

use super::super::analysis::{Analysis, ArgumentRead, Buffer, Operation, Use};
use super::super::calls::{Action, Known};
use super::super::functions::{behind, behind_angle};
use super::super::symbols::{COMMON, COMPILE_TIME, RUNTIME, Value, plus, text, times};
use super::super::tokens::Token;
use super::walker::{Found, MOST, Walker};

impl Walker<'_> {
    /// Remembers the arguments that an expression reads.
    pub(super) fn arguments_in(&mut self, tokens: &[Token], name: &str) {
        for (i, token) in tokens.iter().enumerate() {
            let kind = match token.text.as_str() {
                word if COMPILE_TIME.contains(&word) => "compile-time",
                word if RUNTIME.contains(&word) => "runtime",
                word if COMMON.contains(&word) => "common",
                "TensorAccessorArgs" => "accessor",
                _ => continue,
            };
            let mut open = i + 1;
            let angle = tokens.get(open).filter(|t| t.is("<")).and_then(|_| behind_angle(tokens, open));
            let index = match (kind, angle) {
                ("accessor", Some(close)) => match &tokens[open + 1..close - 1] {
                    [before, dot, next, ..] if dot.is(".") && next.is("next_compile_time_args_offset") => {
                        Value::Text(format!("behind {}", before.text))
                    }
                    offset => self.scope.value(offset),
                },
                _ => {
                    open = angle.unwrap_or(open);
                    if !tokens.get(open).is_some_and(|t| t.is("(")) {
                        continue;
                    }
                    let end = behind(tokens, open);
                    self.scope.value(&tokens[open + 1..end.saturating_sub(1).max(open + 1)])
                }
            };
            let read = ArgumentRead {
                kind,
                index: index.to_string(),
                name: name.to_string(),
                file: self.file(token),
                line: token.line,
            };
            let same = |known: &ArgumentRead| {
                known.kind == read.kind
                    && known.line == read.line
                    && known.file == read.file
                    && known.index == read.index
            };
            if !self.arguments.iter().any(same) {
                self.arguments.push(read);
            }
        }
    }

    pub(super) fn operation(&mut self, token: &Token, call: &str, known: &Known, arguments: &[Vec<Token>]) {
        if self.operations.len() == MOST {
            return self.limit(format!("only the first {MOST} calls are listed"));
        }
        self.operations.push(Operation {
            threads: known.threads.to_vec(),
            call: call.to_string(),
            arguments: arguments.iter().map(|argument| text(argument)).collect::<Vec<_>>().join(", "),
            init: known.init,
            within: self.around.iter().map(|around| format!("{}  (line {})", around.text, around.line)).collect(),
            file: self.file(token),
            line: token.line,
        });
    }

    pub(super) fn use_of(
        &mut self,
        token: &Token,
        call: &str,
        known: &Known,
        action: Action,
        buffer: Value,
        count: Option<Value>,
    ) {
        let mut total = count.clone();
        let mut depends: Option<String> = self.directive(token);
        for around in self.around.iter().rev() {
            match (&around.times, &mut total) {
                (Some(factor), Some(product)) => *product = times(factor, product),
                (None, _) => depends = Some(around.depends.clone().unwrap_or_else(|| around.text.clone())),
                _ => {}
            }
        }
        depends = depends.or(total.as_ref().and_then(Value::unknown).cloned());
        let shown = match (&total, &depends) {
            (None, _) => None,
            (Some(_), Some(depends)) => Some(format!("unknown: depends on {depends}")),
            (Some(total), None) => Some(total.to_string()),
        };
        let use_ = Use {
            call: call.to_string(),
            action: action.name(),
            threads: known.threads.to_vec(),
            pages: count.map(|count| count.to_string()),
            total: shown,
            file: self.file(token),
            line: token.line,
        };
        let total = total.filter(|_| depends.is_none());
        self.found.push(Found { buffer, action, use_, total });
    }

    pub(super) fn finish(mut self, path: &Path) -> Analysis {
        let mut buffers: Vec<(Value, Buffer, Vec<Found>)> = Vec::new();
        for found in std::mem::take(&mut self.found) {
            match buffers.iter_mut().find(|(value, ..)| *value == found.buffer) {
                Some((_, _, list)) => list.push(found),
                None => {
                    let index = found.buffer.number();
                    let name = match index {
                        Some(index) => cb_name(index),
                        None => format!("unknown: depends on {}", found.buffer),
                    };
                    let buffer =
                        Buffer { name, index, roles: Vec::new(), pushed: None, popped: None, uses: Vec::new() };
                    buffers.push((found.buffer.clone(), buffer, vec![found]));
                }
            }
        }
        buffers.sort_by_key(|(_, buffer, _)| buffer.index.unwrap_or(u32::MAX));
        let buffers = buffers.into_iter().map(|(_, mut buffer, found)| {
            let has = |action| found.iter().any(|f| f.action == action);
            if has(Action::Push) || has(Action::Reserve) {
                buffer.roles.push("producer");
            }
            if has(Action::Wait) || has(Action::Pop) {
                buffer.roles.push("consumer");
            }
            buffer.pushed = sum(&found, Action::Push);
            buffer.popped = sum(&found, Action::Pop);
            for found in found {
                if !buffer.uses.contains(&found.use_) {
                    buffer.uses.push(found.use_);
                }
            }
            buffer
        });
        Analysis {
            file: path.to_path_buf(),
            kind: if self.compute { "compute" } else { "data movement" },
            arguments: self.arguments,
            buffers: buffers.collect(),
            operations: self.operations,
            helpers: self.helpers,
            other_calls: self.other_calls,
            includes: self.source.includes.clone(),
            unknown: self.unknown,
        }
    }
}

/// Whether a value is an argument and nothing else.
pub(super) fn is_argument(value: &Value) -> bool {
    let Value::Text(text) = value else { return false };
    let kinds = ["runtime_arg[", "compile_time_arg[", "common_runtime_arg["];
    kinds.iter().any(|kind| text.starts_with(kind)) && text.ends_with(']') && text.matches('[').count() == 1
}

/// Pages of all calls of one kind; `None` if there is no such call.
fn sum(found: &[Found], action: Action) -> Option<String> {
    let mut total: Option<Value> = None;
    for found in found.iter().filter(|f| f.action == action) {
        let Some(pages) = &found.total else { return found.use_.total.clone() };
        total = Some(total.map_or_else(|| pages.clone(), |total| plus(&total, pages)));
    }
    total.map(|total| total.to_string())
}
