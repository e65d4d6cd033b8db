//! What the tables of a program file may have, at a place of its text: for hover and completion.
//!
//! It must never say what the description of program files does not. Start at [`described`].

use serde_json::{Value, json};
use tileproof::described::program::{CALL, PROGRAM};
use tileproof::described::table::{Field, Left, Table, Type, with_its_tables};

/// Kinds of completions.
const FIELD: u8 = 5;
const VALUE: u8 = 12;
const MODULE: u8 = 9;

/// The table that a line stands in, by the headers above it.
fn table(text: &str, line: usize) -> Option<&'static Table> {
    let header = text.lines().take(line + 1).map(str::trim).filter(|line| line.starts_with('[')).last();
    let Some(header) = header else { return Some(root(text)) };
    let name = header.trim_start_matches('[').split(']').next()?.rsplit('.').next()?.trim();
    tables(text).into_iter().find(|table| bare(table.name) == name)
}

/// What the file is as a whole.
fn root(text: &str) -> &'static Table {
    let calls_an_op = text
        .lines()
        .take_while(|line| !line.starts_with('['))
        .any(|line| line.split_once('=').is_some_and(|(key, _)| key.trim() == "op"));
    if calls_an_op { &CALL } else { &PROGRAM }
}

fn tables(text: &str) -> Vec<&'static Table> {
    with_its_tables(root(text))
}

/// The name of a table without what is around it.
fn bare(name: &str) -> &str {
    let name = name.trim_matches(['`', '[', ']']);
    name.split(" = ").next().unwrap_or_default().rsplit('.').next().unwrap_or_default()
}

/// What a field means that is named at a line, as Markdown.
pub(super) fn described(text: &str, line: usize, name: &str) -> Option<String> {
    let own = table(text, line);
    let with = |table: &'static Table| table.field(name).map(|field| (table, field));
    // In a line there may be tables too.
    let (table, field) = own.and_then(with).or_else(|| tables(text).into_iter().find_map(with))?;
    let left = match field.left {
        Left::Never => "It must be there.".to_string(),
        Left::Is(value) => format!("Left out: {value}."),
    };
    let example = if field.example.is_empty() { String::new() } else { format!("\n\n    {name} = {}", field.example) };
    let of = table.name.trim_matches('`');
    Some(format!("**{name}** of `{of}`: {}\n\n{} {left}{example}", field.value.words(), field.text))
}

/// What may stand at a place of a line.
pub(super) fn completions(text: &str, number: usize, line: &str, at: usize) -> Vec<Value> {
    let before = line[..at].trim_start();
    match before.split_once('=') {
        Some((key, value)) => {
            let field = table(text, number).and_then(|table| table.field(key.trim()));
            field.map_or_else(Vec::new, |field| words(&field.value, value.contains('"')))
        }
        None if before.starts_with('[') => tables(text).iter().filter_map(|table| header(table, before)).collect(),
        None => table(text, number).map_or_else(Vec::new, |table| table.fields.iter().map(key).collect()),
    }
}

fn key(field: &Field) -> Value {
    let is_table = matches!(field.value, Type::Tables(_));
    let inserted = if is_table { format!("[[{}]]", field.name) } else { format!("{} = ", field.name) };
    json!({
        "label": field.name,
        "kind": FIELD,
        "detail": field.value.words(),
        "documentation": field.text,
        "insertText": inserted,
    })
}

fn header(table: &Table, before: &str) -> Option<Value> {
    let name = table.name.trim_matches('`');
    let rest = name.strip_prefix(before.trim_end()).filter(|_| name.starts_with('['))?;
    Some(json!({ "label": name, "kind": MODULE, "documentation": table.text, "insertText": rest }))
}

fn words(of: &Type, in_quotes: bool) -> Vec<Value> {
    match of {
        Type::Words(words) => words()
            .into_iter()
            .map(|word| {
                let inserted = if in_quotes { word.to_string() } else { format!("\"{word}\"") };
                json!({ "label": word, "kind": VALUE, "insertText": inserted })
            })
            .collect(),
        Type::Flag => ["true", "false"].map(|word| json!({ "label": word, "kind": VALUE })).into(),
        Type::Called(_, of) => words(of, in_quotes),
        Type::Either(parts) => parts.iter().flat_map(|part| words(part, in_quotes)).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "arch = \"wormhole\"\n\n[[tensor]]\ndtype = \"bfloat16\"\n\n[[kernel]]\nconfig = { compute = { math_fidelity = \"HiFi4\" } }\n";

    fn labels(number: usize, line: &str) -> Vec<String> {
        let items = completions(TEXT, number, line, line.len());
        items.iter().map(|item| item["label"].as_str().unwrap().to_string()).collect()
    }

    #[test]
    fn a_field_is_described_by_the_table_that_it_stands_in() {
        assert!(described(TEXT, 0, "arch").unwrap().contains("The chip."));
        let dtype = described(TEXT, 3, "dtype").unwrap();
        assert!(dtype.contains("of `[[tensor]]`") && dtype.contains("bfloat16"), "{dtype}");
        assert!(described(TEXT, 6, "math_fidelity").unwrap().contains("HiFi4"));
        assert_eq!(described(TEXT, 3, "nonsense"), None);
    }

    #[test]
    fn keys_words_and_tables_complete() {
        assert!(labels(3, "").contains(&"shape".to_string()));
        assert!(!labels(3, "").contains(&"kernel_source".to_string()));
        assert!(labels(6, "").contains(&"kernel_source".to_string()));
        assert!(labels(0, "arch = ").contains(&"blackhole".to_string()));
        assert!(labels(0, "").contains(&"kernel".to_string()));
        assert!(labels(0, "[[").contains(&"[[tensor]]".to_string()));
        assert_eq!(labels(0, "nonsense = "), Vec::<String>::new());
    }
}
