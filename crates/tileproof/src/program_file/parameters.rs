//! The tree of a program file with `"${NAME}"` replaced by what `[params]` or the command line says.
//!
//! A file of a few lines can name a value that has no end of memory, so each parameter is worked out once, without recursion,
//! and what all of them come to has a bound. It must never cost more than that and the length of the file. Start at [`tree`].

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use super::arithmetic::{evaluate, is_expression};
use super::value::{Entry, Kind, Problem, Value, parse};

/// Values, and pieces of text of as many bytes as one takes, that parameters may come to beside what the file itself has.
const MOST_VALUES: usize = 1 << 20;
/// Bytes of text that count as one value.
const PIECE: usize = 64;
/// Names that an error lists.
const LISTED: usize = 20;

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
    let substitution =
        Substitution { parameters: &parameters, known: RefCell::default(), left: Cell::new(MOST_VALUES + text.len()) };
    for entry in &mut entries {
        substitution.replace(&mut entry.value)?;
    }
    Ok(entries)
}

/// Names in an error: the first of them, and how many more there are.
pub(crate) fn listed<S: AsRef<str>>(names: impl ExactSizeIterator<Item = S>) -> String {
    let more = names.len().saturating_sub(LISTED);
    let names: Vec<S> = names.take(LISTED).collect();
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    match (names.is_empty(), more) {
        (true, _) => "none".into(),
        (_, 0) => names.join(", "),
        _ => format!("{} and {more} more", names.join(", ")),
    }
}

/// Replaces parameters. One may use others, but not itself.
struct Substitution<'a> {
    parameters: &'a BTreeMap<String, Value>,
    /// Those that were worked out, and how many values each is.
    known: RefCell<BTreeMap<&'a str, (Value, usize)>>,
    /// Values that parameters may still come to.
    left: Cell<usize>,
}

impl<'a> Substitution<'a> {
    /// Replaces what stands in a value of the file.
    fn replace(&self, value: &mut Value) -> Result<(), Problem> {
        let mut used = Vec::new();
        self.uses(value, &mut used);
        for (name, at) in used {
            self.work_out(name, at)?;
        }
        self.put_in(value)
    }

    /// The parameters that a value uses, and where.
    fn uses(&self, value: &Value, used: &mut Vec<(&'a str, usize)>) {
        match &value.kind {
            Kind::Text(text) => {
                for piece in text.split("${").skip(1) {
                    let name = piece.split('}').next().unwrap_or(piece);
                    let words = if self.parameters.contains_key(name) { vec![name] } else { words(name) };
                    let known = words.into_iter().filter_map(|word| self.parameters.get_key_value(word));
                    used.extend(known.map(|(name, _)| (name.as_str(), value.at)));
                }
            }
            Kind::Array(values) => values.iter().for_each(|value| self.uses(value, used)),
            Kind::Table(entries) => entries.iter().for_each(|entry| self.uses(&entry.value, used)),
            _ => {}
        }
    }

    /// Works out a parameter that is used at `at`, those that it uses first.
    fn work_out(&self, name: &'a str, at: usize) -> Result<(), Problem> {
        let mut begun = BTreeSet::new();
        let mut next = vec![(name, false)];
        while let Some((name, uses_are_known)) = next.pop() {
            if self.known.borrow().contains_key(name) {
                continue;
            }
            let value = &self.parameters[name];
            if !uses_are_known {
                if !begun.insert(name) {
                    return Err(Problem::new(at, format!("${{{name}}} uses itself")));
                }
                next.push((name, true));
                let mut used = Vec::new();
                self.uses(value, &mut used);
                next.extend(used.into_iter().map(|(name, _)| (name, false)));
                continue;
            }
            begun.remove(name);
            let mut value = value.clone();
            place(&mut value, at);
            self.put_in(&mut value)?;
            let size = size(&value);
            self.known.borrow_mut().insert(name, (value, size));
        }
        Ok(())
    }

    /// Puts parameters that were worked out into a value.
    fn put_in(&self, value: &mut Value) -> Result<(), Problem> {
        match &mut value.kind {
            Kind::Text(text) if text.contains("${") => {
                let text = std::mem::take(text);
                value.kind = self.replaced(&text, value.at)?;
                value.from_parameter = true;
                Ok(())
            }
            Kind::Array(values) => values.iter_mut().try_for_each(|value| self.put_in(value)),
            Kind::Table(entries) => entries.iter_mut().try_for_each(|entry| self.put_in(&mut entry.value)),
            _ => Ok(()),
        }
    }

    /// A text that is one parameter is that parameter's value; else parameters become part of the text.
    fn replaced(&self, text: &str, at: usize) -> Result<Kind, Problem> {
        if let Some(name) = text.strip_prefix("${").and_then(|rest| rest.strip_suffix('}'))
            && !name.contains("${")
        {
            return Ok(self.parameter(name, at)?.kind);
        }
        let mut out = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("${") {
            let Some((name, after)) = after.split_once('}') else {
                return Err(Problem::new(at, format!("\"{text}\": ${{ without }}")));
            };
            out.push_str(before);
            let value = self.parameter(name, at)?;
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

    /// What stands in `${}` as a value that stands at `at`.
    fn parameter(&self, name: &str, at: usize) -> Result<Value, Problem> {
        if !self.parameters.contains_key(name) && is_expression(name) {
            let kind = Kind::Integer(self.expression(name, at)?);
            return Ok(Value { kind, at, from_parameter: true });
        }
        let known = self.known.borrow();
        let Some((value, size)) = known.get(name) else {
            let known = listed(self.parameters.keys());
            return Err(Problem::new(at, format!("${{{name}}} is not in [params]; it has {known}")));
        };
        let left = self.left.get().checked_sub(*size).ok_or_else(|| {
            Problem::new(at, format!("the parameters come to more than {MOST_VALUES} values; ${{{name}}} has {size}"))
        })?;
        self.left.set(left);
        let mut value = value.clone();
        place(&mut value, at);
        Ok(value)
    }

    /// The value of what stands in `${}` when it is more than a name.
    fn expression(&self, text: &str, at: usize) -> Result<i64, Problem> {
        let named = |name: &str| {
            let value = self.parameter(name, at).map_err(|problem| problem.message)?;
            match &value.kind {
                Kind::Integer(number) => Ok(*number),
                Kind::Text(text) => {
                    text.trim().parse().map_err(|_| format!("{name} is {}, no whole number", value.shown()))
                }
                _ => Err(format!("{name} is {}, no whole number", value.shown())),
            }
        };
        evaluate(text, &named).map_err(|error| Problem::new(at, format!("\"${{{text}}}\": {error}")))
    }
}

/// The names in an expression, and its numbers.
fn words(expression: &str) -> Vec<&str> {
    expression.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty()).collect()
}

/// How many values there are in one, a long text being several.
fn size(value: &Value) -> usize {
    1 + match &value.kind {
        Kind::Text(text) => text.len() / PIECE,
        Kind::Array(values) => values.iter().map(size).sum(),
        Kind::Table(entries) => entries.iter().map(|entry| size(&entry.value)).sum(),
        _ => 0,
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

#[cfg(test)]
mod tests {
    use super::*;

    /// What a file comes to, and the time that it may take is that of the test.
    fn value(params: &str, used: &str) -> Result<Kind, String> {
        let file = format!("used = {used}\n[params]\n{params}");
        let entries = tree(&file, &[]).map_err(|problem| problem.message)?;
        Ok(entries.into_iter().next().expect("an entry").value.kind)
    }

    /// Parameters that use the next one twice, by `pattern`.
    fn doubled(depth: usize, pattern: &str, last: &str) -> String {
        let line = |n: usize| format!("L{n} = {}\n", pattern.replace('@', &format!("L{}", n + 1)));
        (0..depth).map(line).collect::<String>() + &format!("L{depth} = {last}\n")
    }

    #[test]
    fn a_sum_of_doubled_parameters_is_worked_out_once_each() {
        let params = doubled(60, "\"${@+@}\"", "3");
        assert!(matches!(value(&params, "\"${L0}\""), Ok(Kind::Integer(n)) if n == 3 << 60));
        let error = value(&doubled(100, "\"${@+@}\"", "3"), "\"${L0}\"").unwrap_err();
        assert!(error.contains("it does not fit in 64 bits"), "{error}");
    }

    #[test]
    fn lists_and_texts_of_doubled_parameters_have_a_bound() {
        for (pattern, last) in [("[\"${@}\", \"${@}\"]", "1"), ("\"${@}${@}\"", "\"ha\"")] {
            let error = value(&doubled(60, pattern, last), "\"${L0}\"").unwrap_err();
            assert!(error.contains("come to more than 1048576 values"), "{error}");
            assert!(value(&doubled(12, pattern, last), "\"${L0}\"").is_ok());
        }
    }

    #[test]
    fn parameters_may_use_each_other_as_deeply_as_there_are_some() {
        let params = doubled(50_000, "\"${@}\"", "7");
        assert!(matches!(value(&params, "\"${L0}\""), Ok(Kind::Integer(7))));
        assert_eq!(value("A = \"${B}\"\nB = \"${C + 1}\"\nC = \"${A}\"", "\"${B}\"").unwrap_err(), "${B} uses itself");
        assert!(matches!(value("A = \"${A}\"\nB = 1", "\"${B}\""), Ok(Kind::Integer(1))), "nobody uses A");
    }

    #[test]
    fn an_error_lists_some_names() {
        let error = value(&doubled(50_000, "1", "1"), "\"${M}\"").unwrap_err();
        assert!(error.ends_with(" and 49981 more") && error.len() < 400, "{error}");
    }
}
