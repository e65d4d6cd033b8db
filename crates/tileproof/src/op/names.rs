//! The names of a description, and expressions that are made of them.
//!
//! It must never let one through that stands for nothing. Start at [`Names`].

use super::expression::Expression;
use super::spec::is_name;
use crate::program_file::fields::Fields;
use crate::program_file::value::{Kind, Problem, Value};

/// What follows from the shape and format of a tensor: `x.w` and so on.
const OF_TENSOR: [&str; 9] = ["rank", "n", "h", "w", "ht", "wt", "pages", "page_size", "tile_size"];
/// What is known of a core.
const OF_CORE: [&str; 3] = ["first", "count", "core"];

/// The names that a description has made so far.
#[derive(Default)]
pub(super) struct Names {
    pub(super) tensors: Vec<String>,
    pub(super) attributes: Vec<String>,
}

impl Names {
    /// A new name, which must not be taken.
    pub(super) fn add(&mut self, fields: &Fields<'_>, tensor: bool) -> Result<String, Problem> {
        let value = fields.require("name")?;
        let name = fields.text("name", value, "letters, digits and _")?.to_string();
        if !is_name(&name) {
            return Err(fields.wrong("name", value, "letters, digits and _, a letter first"));
        }
        if self.tensors.contains(&name) || self.attributes.contains(&name) || OF_CORE.contains(&name.as_str()) {
            return Err(Problem::new(value.at, format!("{}: the name {name} is taken", fields.what)));
        }
        if tensor { &mut self.tensors } else { &mut self.attributes }.push(name.clone());
        Ok(name)
    }

    /// An expression for a number.
    pub(super) fn number(
        &self,
        fields: &Fields<'_>,
        key: &str,
        value: &Value,
        with_core: bool,
    ) -> Result<Expression, Problem> {
        let known = |name: &str| {
            let of_tensor = name
                .split_once('.')
                .is_some_and(|(tensor, what)| self.tensors.iter().any(|t| t == tensor) && OF_TENSOR.contains(&what));
            of_tensor || self.attributes.iter().any(|a| a == name) || with_core && OF_CORE.contains(&name)
        };
        let there_are = || {
            let of_tensors = self.tensors.iter().map(|t| format!("{t}.{{{}}}", OF_TENSOR.join(",")));
            let of_core = OF_CORE.iter().filter(|_| with_core).map(|name| name.to_string());
            of_tensors.chain(self.attributes.iter().cloned()).chain(of_core).collect::<Vec<_>>().join(", ")
        };
        expression(fields, key, value, &known, &there_are)
    }

    pub(super) fn has_tensor(&self, fields: &Fields<'_>, key: &str, at: usize, name: &str) -> Result<String, Problem> {
        if self.tensors.iter().any(|tensor| tensor == name) {
            return Ok(name.to_string());
        }
        let there_are = self.tensors.join(", ");
        Err(Problem::new(at, format!("{}: {key}: there is no tensor {name}; there are {there_are}", fields.what)))
    }
}

/// Reads an expression whose names must all be known. The place of an error is within the text.
pub(crate) fn expression(
    fields: &Fields<'_>,
    key: &str,
    value: &Value,
    known: &dyn Fn(&str) -> bool,
    there_are: &dyn Fn() -> String,
) -> Result<Expression, Problem> {
    let text = match &value.kind {
        Kind::Text(text) => text.clone(),
        Kind::Integer(number) => number.to_string(),
        Kind::Float(number) => number.to_string(),
        _ => return Err(fields.wrong(key, value, "an expression, as \"2 * x.wt\", or a number")),
    };
    let inside = |at: usize, message: String| {
        // The quote stands before the text.
        let quote = usize::from(matches!(value.kind, Kind::Text(_)));
        Problem::new(value.at + quote + at, format!("{}: {key}: {message}", fields.what))
    };
    let expression = Expression::parse(&text).map_err(|error| inside(error.at, error.message))?;
    if let Some((name, at)) = expression.names().into_iter().find(|(name, _)| !known(name)) {
        return Err(inside(at, format!("there is no {name}; there are {}", there_are())));
    }
    Ok(expression)
}
