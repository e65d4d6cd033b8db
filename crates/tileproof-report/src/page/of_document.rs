//! Any JSON document as a page: lists of things as tables, things as their fields.
//!
//! It knows no document: what a field means its schema says (`docs/schema`). Start at [`render_document_page`].

use maud::{Markup, html};
use serde_json::{Map, Value};

use super::document::{Section, render_document};
use super::drawing::amount;
use crate::outside::visible;

/// Columns that a table has; a list of things with more fields is told one by one.
const COLUMNS: usize = 12;

/// Fields that a page leaves out: the verdict is told, and how long the host took is another each time.
const UNTOLD: [&str; 4] = ["schema", "version", "pass", "wall_s"];

/// The page of a document, with its verdict and the command that makes it again.
pub fn render_document_page(title: &str, pass: bool, command: &str, document: &Value) -> String {
    let none = Map::new();
    let fields = document.as_object().unwrap_or(&none);
    let (few, large): (Vec<_>, Vec<_>) = fields.iter().partition(|(_, value)| is_plain(value));
    let header = html! {
        p class=(if pass { "verdict pass" } else { "verdict fail" }) { (if pass { "pass" } else { "FAIL" }) }
        (listed(few.into_iter().filter(|(name, _)| !UNTOLD.contains(&name.as_str()))))
    };
    let mut sections: Vec<Section> = Vec::new();
    for (number, (name, value)) in large.into_iter().enumerate() {
        if !is_empty(value) {
            sections.push(Section::new(format!("part-{}", number + 1), titled(name), shown(value)));
        }
    }
    sections.push(Section::new("again", "Run it again", html! { pre tabindex="0" { code { (visible(command)) } } }));
    render_document(title, &header, &sections)
}

fn is_plain(value: &Value) -> bool {
    !matches!(value, Value::Array(_) | Value::Object(_))
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        _ => false,
    }
}

/// A name of a field as a heading has it.
fn titled(name: &str) -> String {
    let words = name.replace('_', " ");
    let mut letters = words.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

fn listed<'a>(fields: impl Iterator<Item = (&'a String, &'a Value)>) -> Markup {
    html! {
        dl.facts {
            @for (name, value) in fields.filter(|(_, value)| !is_empty(value)) { div { dt { (name.replace('_', " ")) } dd { (shown(value)) } } }
        }
    }
}

fn shown(value: &Value) -> Markup {
    match value {
        Value::Null => html! { "none" },
        Value::Bool(truth) => html! { (if *truth { "yes" } else { "no" }) },
        Value::Number(number) => {
            html! { (if number.is_f64() { amount(number.as_f64().unwrap_or(f64::NAN)) } else { number.to_string() }) }
        }
        Value::String(text) if text.contains('\n') => html! { pre tabindex="0" { (visible(text)) } },
        Value::String(text) => html! { (visible(text)) },
        Value::Object(fields) => listed(fields.iter()),
        Value::Array(items) => list(items),
    }
}

fn list(items: &[Value]) -> Markup {
    let things: Vec<&Map<String, Value>> = items.iter().filter_map(Value::as_object).collect();
    if things.len() != items.len() || things.is_empty() {
        let plain = items.iter().all(is_plain);
        return html! {
            @if plain {
                @for (number, item) in items.iter().enumerate() { @if number > 0 { ", " } (shown(item)) }
            } @else {
                ul { @for item in items { li { (shown(item)) } } }
            }
        };
    }
    let mut columns: Vec<&str> = Vec::new();
    for (name, value) in things.iter().flat_map(|thing| thing.iter()) {
        if !is_empty(value) && !columns.contains(&name.as_str()) {
            columns.push(name);
        }
    }
    if columns.len() > COLUMNS {
        return html! { @for thing in things { article.finding { (listed(thing.iter())) } } };
    }
    html! {
        div.wide tabindex="0" {
            table {
                thead { tr { @for column in &columns { th scope="col" { (column.replace('_', " ")) } } } }
                tbody {
                    @for thing in things {
                        tr { @for column in &columns { td class=[thing.get(*column).filter(|v| v.is_number()).map(|_| "number")] { @if let Some(value) = thing.get(*column).filter(|v| !is_empty(v)) { (shown(value)) } } } }
                    }
                }
            }
        }
    }
}
