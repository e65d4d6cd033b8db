//! The tree of a program file: values that know where they stand.
//! It must never interpret a field: that a number is a core or a tensor is for the readers to say.
//! Start reading at [`parse`].

use toml::de::{DeInteger, DeTable, DeValue};

/// Letters of a text that an error shows.
const SHOWN: usize = 400;

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
            Kind::Text(text) if text.len() > SHOWN => {
                let start: String = text.chars().take(SHOWN).collect();
                format!("\"{start}\".. of {} bytes", text.len())
            }
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

/// Parses the file.
pub(super) fn parse(text: &str) -> Result<Vec<Entry>, Problem> {
    let table = DeTable::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        Problem::new(at, format!("not TOML: {}", error.message()))
    })?;
    entries(table.into_inner())
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
