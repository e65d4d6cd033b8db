//! Reads the fields of a table, and says which field is wrong, what it is and what it may be.
//! It must never accept a field that nobody asked for. Start reading at [`Fields::new`].

use tileproof_model::thread::{CoreCoord, CoreRange};

use super::arithmetic::{evaluate, is_expression};
use super::value::{Entry, Kind, Problem, Value};
use crate::described::table::{Left, Table};

/// A table being read.
pub(crate) struct Fields<'a> {
    /// What the table describes, for errors: `tensor "in0"`.
    pub(crate) what: String,
    /// Byte offset of the table; `None` is the whole file.
    pub(crate) at: Option<usize>,
    entries: &'a [Entry],
    /// What is known of it; `None` of a table whose names are the user's own.
    table: Option<&'static Table>,
}

impl<'a> Fields<'a> {
    /// The fields of a table that may have those of its description only.
    pub(crate) fn new(what: impl Into<String>, value: &'a Value, table: &'static Table) -> Result<Fields<'a>, Problem> {
        let what = what.into();
        let entries = Fields::entries(&what, value)?;
        Fields::of_entries(what, Some(value.at), entries, table)
    }

    /// As [`Fields::new`], for entries without a value around them.
    pub(crate) fn of_entries(
        what: String,
        at: Option<usize>,
        entries: &'a [Entry],
        table: &'static Table,
    ) -> Result<Fields<'a>, Problem> {
        let allowed: Vec<&str> = table.names().collect();
        let fields = Fields::checked(what, at, entries, &allowed)?;
        Ok(Fields { table: Some(table), ..fields })
    }

    /// The fields of a table that may have some names which others in the file have made.
    pub(crate) fn named(what: String, value: &'a Value, names: &[&str]) -> Result<Fields<'a>, Problem> {
        let entries = Fields::entries(&what, value)?;
        Fields::checked(what, Some(value.at), entries, names)
    }

    /// No fields at all, for errors of a value that has none around it.
    pub(crate) fn none(what: String, at: usize) -> Fields<'a> {
        Fields { what, at: Some(at), entries: &[], table: None }
    }

    fn entries(what: &str, value: &'a Value) -> Result<&'a [Entry], Problem> {
        match &value.kind {
            Kind::Table(entries) => Ok(entries),
            _ => Err(Problem::new(value.at, format!("{what} is {}, not a table", value.shown()))),
        }
    }

    fn checked(what: String, at: Option<usize>, entries: &'a [Entry], allowed: &[&str]) -> Result<Fields<'a>, Problem> {
        // `name` and `kernel_source` say which table it is better than its number does.
        let named = entries.iter().find(|e| e.key == "name" || e.key == "kernel_source");
        let what = match named.map(|entry| &entry.value.kind) {
            Some(Kind::Text(name)) => format!("{what} \"{name}\""),
            _ => what,
        };
        if let Some(unknown) = entries.iter().find(|e| !allowed.contains(&e.key.as_str())) {
            let message = format!("{what}: unknown field {}; the fields are {}", unknown.key, allowed.join(", "));
            return Err(Problem::new(unknown.key_at, message));
        }
        Ok(Fields { what, at, entries, table: None })
    }

    /// The line of the table; 0 for the whole file.
    pub(crate) fn line(&self, line_of: &dyn Fn(usize) -> usize) -> usize {
        self.at.map_or(0, line_of)
    }

    pub(crate) fn get(&self, key: &str) -> Option<&'a Value> {
        debug_assert!(self.table.is_none_or(|table| table.field(key).is_some()), "{key} is not described");
        self.entries.iter().find(|entry| entry.key == key).map(|entry| &entry.value)
    }

    pub(crate) fn require(&self, key: &str) -> Result<&'a Value, Problem> {
        debug_assert!(
            self.table.and_then(|table| table.field(key)).is_none_or(|field| field.left == Left::Never),
            "{key} may be left out, as it is described"
        );
        self.get(key).ok_or_else(|| Problem::new(self.at, format!("{}: field {key} is missing", self.what)))
    }

    /// An error about a field.
    pub(crate) fn wrong(&self, key: &str, value: &Value, expected: &str) -> Problem {
        Problem::new(value.at, format!("{}: {key} is {}; expected {expected}", self.what, value.shown()))
    }

    pub(crate) fn text(&self, key: &str, value: &'a Value, expected: &str) -> Result<&'a str, Problem> {
        match &value.kind {
            Kind::Text(text) if !text.is_empty() => Ok(text),
            _ => Err(self.wrong(key, value, expected)),
        }
    }

    pub(crate) fn list(&self, key: &str, value: &'a Value, expected: &str) -> Result<&'a [Value], Problem> {
        match &value.kind {
            Kind::Array(values) => Ok(values),
            _ => Err(self.wrong(key, value, expected)),
        }
    }

    /// The values of a list field; none if it is absent.
    pub(crate) fn list_or_empty(&self, key: &str, expected: &str) -> Result<&'a [Value], Problem> {
        self.get(key).map_or(Ok(&[]), |value| self.list(key, value, expected))
    }

    /// The tables `[[key]]`.
    pub(crate) fn tables(&self, key: &str) -> Result<&'a [Value], Problem> {
        self.list_or_empty(key, &format!("tables [[{key}]]"))
    }

    pub(crate) fn integer(&self, key: &str, value: &Value, least: i64, greatest: i64) -> Result<i64, Problem> {
        let number = match &value.kind {
            Kind::Integer(number) => Some(*number),
            Kind::Text(text) if value.from_parameter => {
                match evaluate(text, &|name| Err(format!("{name} is no number"))) {
                    Err(reason) if is_expression(text) => {
                        return Err(Problem::new(value.at, format!("{}: {key} is \"{text}\": {reason}", self.what)));
                    }
                    number => number.ok(),
                }
            }
            _ => None,
        };
        number
            .filter(|number| (least..=greatest).contains(number))
            .ok_or_else(|| self.wrong(key, value, &format!("an integer from {least} to {greatest}")))
    }

    pub(crate) fn unsigned(&self, key: &str, value: &Value, least: u32) -> Result<u32, Problem> {
        Ok(self.integer(key, value, i64::from(least), i64::from(u32::MAX))? as u32)
    }

    /// A tolerance: everything would be within one that is infinite.
    pub(crate) fn number(&self, key: &str, value: &Value) -> Result<f64, Problem> {
        let number = match &value.kind {
            Kind::Integer(number) => Some(*number as f64),
            Kind::Float(number) => Some(*number),
            Kind::Text(text) if value.from_parameter => text.trim().parse().ok(),
            _ => None,
        };
        let number = number.filter(|number: &f64| *number >= 0.0 && number.is_finite());
        number.ok_or_else(|| self.wrong(key, value, "a finite number, 0 or above"))
    }

    /// A flag, false if absent.
    pub(crate) fn flag(&self, key: &str) -> Result<bool, Problem> {
        let Some(value) = self.get(key) else { return Ok(false) };
        match &value.kind {
            Kind::Boolean(flag) => Ok(*flag),
            Kind::Text(text) if value.from_parameter && text == "true" => Ok(true),
            Kind::Text(text) if value.from_parameter && text == "false" => Ok(false),
            _ => Err(self.wrong(key, value, "true or false")),
        }
    }

    /// One of the names in `choices`, and what it stands for.
    pub(crate) fn choice<T: Copy>(&self, key: &str, value: &Value, choices: &[(&str, T)]) -> Result<T, Problem> {
        if let Kind::Text(text) = &value.kind
            && let Some((_, choice)) = choices.iter().find(|(name, _)| name == text)
        {
            return Ok(*choice);
        }
        let names: Vec<String> = choices.iter().map(|(name, _)| format!("\"{name}\"")).collect();
        Err(self.wrong(key, value, &names.join(", ")))
    }

    /// A core `[x, y]`.
    pub(crate) fn core(&self, key: &str, value: &'a Value) -> Result<CoreCoord, Problem> {
        match self.list(key, value, "a core [x, y]")? {
            [x, y] => Ok(CoreCoord { x: self.unsigned(key, x, 0)?, y: self.unsigned(key, y, 0)? }),
            _ => Err(self.wrong(key, value, "a core [x, y]")),
        }
    }

    /// The field `core_ranges`: a list of `[start, end]`, both included, in a grid of `columns` x `rows` cores.
    pub(crate) fn core_ranges(&self, (columns, rows): (u32, u32)) -> Result<Vec<CoreRange>, Problem> {
        const EXPECTED: &str = "a list of [start, end], as [[[0, 0], [1, 3]]]";
        let value = self.require("core_ranges")?;
        let list = self.list("core_ranges", value, EXPECTED)?;
        if list.is_empty() {
            return Err(self.wrong("core_ranges", value, EXPECTED));
        }
        // Ranges of a set share no core, so there are no more of them.
        if list.len() as u64 > u64::from(columns) * u64::from(rows) {
            let message = format!("{}: core_ranges: {} ranges, and {columns} x {rows} cores", self.what, list.len());
            return Err(Problem::new(value.at, message));
        }
        let mut ranges = Vec::new();
        for range in list {
            let [start, end] = self.list("core_ranges", range, EXPECTED)? else {
                return Err(self.wrong("core_ranges", range, EXPECTED));
            };
            let (start, end) = (self.core("core_ranges", start)?, self.core("core_ranges", end)?);
            let problem = |text| Problem::new(range.at, format!("{}: core_ranges: {text}", self.what));
            if start.x > end.x || start.y > end.y {
                return Err(problem(format!("{start} to {end} has its start beyond its end")));
            }
            if end.x >= columns || end.y >= rows {
                return Err(problem(format!("{end} is outside the grid of {columns} x {rows} cores")));
            }
            ranges.push(CoreRange { start, end });
        }
        Ok(ranges)
    }
}
