//! The tree of a program file: values that know where they stand, with `"${NAME}"` already replaced.
//! It must never interpret a field: that a number is a core or a tensor is for the readers to say.
//! Start reading at [`tree`].

use std::collections::BTreeMap;

use toml::de::{DeInteger, DeTable, DeValue};

use super::arithmetic::{evaluate, is_expression};

/// Something is wrong with the byte at `at` of the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Problem {
    /// Byte offset in the file; `None` where no place in it is to blame.
    pub(crate) at: Option<usize>,
    /// One sentence.
    pub(crate) message: String,
}

impl Problem {
    pub(crate) fn new(at: impl Into<Option<usize>>, message: impl Into<String>) -> Problem {
        Problem { at: at.into(), message: message.into() }
    }
}

/// A value of the file.
#[derive(Clone, Debug)]
pub(crate) struct Value {
    /// What it is.
    pub(crate) kind: Kind,
    /// Byte offset in the file.
    pub(crate) at: usize,
    /// A parameter took part: text then stands for a number where a number is expected.
    pub(crate) from_parameter: bool,
}

/// The kinds of values.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Text(String),
    Integer(i64),
    Float(f64),
    Boolean(bool),
    Array(Vec<Value>),
    Table(Vec<Entry>),
    Date(String),
}

/// A key and its value.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) key_at: usize,
    pub(crate) value: Value,
}

impl Value {
    /// The value as an error shows it.
    pub(crate) fn shown(&self) -> String {
        match &self.kind {
            Kind::Text(text) => format!("\"{text}\""),
            Kind::Integer(number) => number.to_string(),
            Kind::Float(number) => number.to_string(),
            Kind::Boolean(flag) => flag.to_string(),
            Kind::Array(_) => "a list".into(),
            Kind::Table(_) => "a table".into(),
            Kind::Date(date) => date.clone(),
        }
    }
}

/// The names in `[params]`.
pub(crate) fn parameter_names(text: &str) -> Result<Vec<String>, Problem> {
    let entries = parse(text)?;
    let params = entries.into_iter().find(|entry| entry.key == "params").map(|entry| entry.value.kind);
    let Some(Kind::Table(defined)) = params else { return Ok(Vec::new()) };
    let mut names: Vec<String> = defined.into_iter().map(|entry| entry.key).collect();
    names.sort();
    Ok(names)
}

fn parse(text: &str) -> Result<Vec<Entry>, Problem> {
    let table = DeTable::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        Problem::new(at, format!("not TOML: {}", error.message()))
    })?;
    entries(table.into_inner())
}

/// Parses the file and replaces parameters by `overrides`, or else by what the table `params` says.
pub(crate) fn tree(text: &str, overrides: &[(String, String)]) -> Result<Vec<Entry>, Problem> {
    let mut entries = parse(text)?;
    let mut parameters = BTreeMap::new();
    if let Some(params) = entries.iter().position(|entry| entry.key == "params") {
        let params = entries.remove(params);
        let Kind::Table(defined) = params.value.kind else {
            return Err(Problem::new(params.key_at, "params is not a table of names and values"));
        };
        parameters.extend(defined.into_iter().map(|entry| (entry.key, entry.value)));
    }
    for (name, value) in overrides {
        let Some(parameter) = parameters.get_mut(name) else {
            let known = listed(parameters.keys());
            return Err(Problem::new(None, format!("parameter {name} is not in [params]; it has {known}")));
        };
        parameter.kind = Kind::Text(value.clone());
    }
    let substitution = Substitution { parameters: &parameters };
    for entry in &mut entries {
        substitution.replace(&mut entry.value, &[])?;
    }
    Ok(entries)
}

fn listed<'a>(names: impl Iterator<Item = &'a String>) -> String {
    let names: Vec<&str> = names.map(String::as_str).collect();
    if names.is_empty() { "none".into() } else { names.join(", ") }
}

fn entries(table: DeTable<'_>) -> Result<Vec<Entry>, Problem> {
    let mut entries = Vec::new();
    for (key, value) in table {
        let key_at = key.span().start;
        let at = value.span().start;
        entries.push(Entry { key: key.into_inner().into_owned(), key_at, value: value_at(value.into_inner(), at)? });
    }
    entries.sort_by_key(|entry| entry.key_at);
    Ok(entries)
}

fn value_at(value: DeValue<'_>, at: usize) -> Result<Value, Problem> {
    let kind = match value {
        DeValue::String(text) => Kind::Text(text.into_owned()),
        DeValue::Integer(number) => Kind::Integer(integer(&number, at)?),
        DeValue::Float(number) => match number.as_str().parse() {
            Ok(number) => Kind::Float(number),
            Err(_) => return Err(Problem::new(at, format!("{} is not a number", number.as_str()))),
        },
        DeValue::Boolean(flag) => Kind::Boolean(flag),
        DeValue::Datetime(date) => Kind::Date(date.to_string()),
        DeValue::Array(array) => {
            let mut values = Vec::new();
            for value in array {
                let at = value.span().start;
                values.push(value_at(value.into_inner(), at)?);
            }
            Kind::Array(values)
        }
        DeValue::Table(table) => Kind::Table(entries(table)?),
    };
    Ok(Value { kind, at, from_parameter: false })
}

fn integer(number: &DeInteger<'_>, at: usize) -> Result<i64, Problem> {
    i64::from_str_radix(number.as_str(), number.radix())
        .map_err(|_| Problem::new(at, format!("{} does not fit in 64 bits", number.as_str())))
}

/// Replaces parameters. `within` are those being replaced already: a parameter may use others, but not itself.
struct Substitution<'a> {
    parameters: &'a BTreeMap<String, Value>,
}

impl Substitution<'_> {
    fn replace(&self, value: &mut Value, within: &[&str]) -> Result<(), Problem> {
        match &mut value.kind {
            Kind::Text(text) if text.contains("${") => {
                let text = std::mem::take(text);
                value.kind = self.replaced(&text, value.at, within)?;
                value.from_parameter = true;
            }
            Kind::Array(values) => {
                for value in values {
                    self.replace(value, within)?;
                }
            }
            Kind::Table(entries) => {
                for entry in entries {
                    self.replace(&mut entry.value, within)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// A text that is one parameter is that parameter's value; else parameters become part of the text.
    fn replaced(&self, text: &str, at: usize, within: &[&str]) -> Result<Kind, Problem> {
        if let Some(name) = text.strip_prefix("${").and_then(|rest| rest.strip_suffix('}'))
            && !name.contains("${")
        {
            return Ok(self.parameter(name, at, within)?.kind);
        }
        let mut out = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("${") {
            let Some((name, after)) = after.split_once('}') else {
                return Err(Problem::new(at, format!("\"{text}\": ${{ without }}")));
            };
            out.push_str(before);
            let value = self.parameter(name, at, within)?;
            match &value.kind {
                Kind::Text(text) => out.push_str(text),
                Kind::Array(_) | Kind::Table(_) => {
                    return Err(Problem::new(at, format!("\"{text}\": {name} is {}, not text", value.shown())));
                }
                _ => out.push_str(&value.shown()),
            }
            rest = after;
        }
        out.push_str(rest);
        Ok(Kind::Text(out))
    }

    fn parameter(&self, name: &str, at: usize, within: &[&str]) -> Result<Value, Problem> {
        if !self.parameters.contains_key(name) && is_expression(name) {
            let kind = Kind::Integer(self.expression(name, at, within)?);
            return Ok(Value { kind, at, from_parameter: true });
        }
        let Some(value) = self.parameters.get(name) else {
            let known = listed(self.parameters.keys());
            return Err(Problem::new(at, format!("${{{name}}} is not in [params]; it has {known}")));
        };
        if within.contains(&name) {
            return Err(Problem::new(at, format!("${{{name}}} uses itself")));
        }
        let mut value = value.clone();
        place(&mut value, at);
        self.replace(&mut value, &[within, &[name]].concat())?;
        Ok(value)
    }

    /// The value of what stands in `${}` when it is more than a name.
    fn expression(&self, text: &str, at: usize, within: &[&str]) -> Result<i64, Problem> {
        let named = |name: &str| {
            let value = self.parameter(name, at, within).map_err(|problem| problem.message)?;
            match &value.kind {
                Kind::Integer(number) => Ok(*number),
                Kind::Text(text) => text.trim().parse().map_err(|_| format!("{name} is \"{text}\", no whole number")),
                _ => Err(format!("{name} is {}, no whole number", value.shown())),
            }
        };
        evaluate(text, &named).map_err(|error| Problem::new(at, format!("\"${{{text}}}\": {error}")))
    }
}

/// A value that came from a parameter stands where it is used.
fn place(value: &mut Value, at: usize) {
    value.at = at;
    value.from_parameter = true;
    match &mut value.kind {
        Kind::Array(values) => values.iter_mut().for_each(|value| place(value, at)),
        Kind::Table(entries) => entries.iter_mut().for_each(|entry| place(&mut entry.value, at)),
        _ => {}
    }
}

/// A text as a basic string of TOML. Rust's own quotes have escapes that TOML does not know, as `\u{1b}`.
pub(crate) fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => quoted += &format!("\\u{:04X}", u32::from(c)),
            c => quoted.push(c),
        }
    }
    quoted + "\""
}
