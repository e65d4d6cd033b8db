//! JSON Schemas of files of TOML, for editors, from the tables that their readers take names from.
//!
//! Draft 7, which editors know. A schema must never refuse what the reader takes; what depends on other parts of a file, as the
//! name of a tensor, is for the reader alone. Start at [`of_program`].

use serde_json::{Map, Value, json};
use tileproof::described::op::OP;
use tileproof::described::program::{CALL, PROGRAM};
use tileproof::described::sweep::SWEEP;
use tileproof::described::table::{Field, Left, Table, Type, with_its_tables};

/// Of program files, which describe their program or call an op.
pub(crate) fn of_program() -> Value {
    let mut schema = start("Tileproof program file", &[&PROGRAM, &CALL]);
    // Editors complete from the properties; which of them may be there is for the two kinds.
    let mut all = Map::new();
    for field in PROGRAM.fields.iter().chain(CALL.fields) {
        all.entry(field.name).or_insert_with(|| json!({ "description": field.text }));
    }
    schema.insert("properties".into(), all.into());
    schema.insert("if".into(), json!({ "required": ["op"] }));
    schema.insert("then".into(), reference(&CALL));
    schema.insert("else".into(), reference(&PROGRAM));
    schema.into()
}

/// Of op.toml.
pub(crate) fn of_op() -> Value {
    of_root("Tileproof op description", &OP)
}

/// Of files of sweeps.
pub(crate) fn of_sweep() -> Value {
    of_root("Tileproof sweep", &SWEEP)
}

fn of_root(title: &str, root: &'static Table) -> Value {
    let mut schema = start(title, &[root]);
    schema.insert("allOf".into(), json!([reference(root)]));
    schema.into()
}

fn start(title: &str, roots: &[&'static Table]) -> Map<String, Value> {
    let mut schema = Map::new();
    schema.insert("$schema".into(), "http://json-schema.org/draft-07/schema#".into());
    schema.insert("title".into(), title.into());
    schema.insert("type".into(), "object".into());
    let tables = roots.iter().flat_map(|root| with_its_tables(root));
    let definitions: Map<String, Value> = tables.map(|table| (key(table), of_table(table))).collect();
    schema.insert("definitions".into(), definitions.into());
    schema
}

/// What a table is called among the definitions: its name without what TOML puts around it.
fn key(table: &Table) -> String {
    table.name.split('=').next().unwrap_or_default().chars().filter(|c| c.is_alphanumeric() || *c == '_').collect()
}

fn reference(table: &Table) -> Value {
    json!({ "$ref": format!("#/definitions/{}", key(table)) })
}

fn of_table(table: &Table) -> Value {
    let properties: Map<String, Value> =
        table.fields.iter().map(|field| (field.name.to_string(), of_field(field))).collect();
    let required: Vec<&str> =
        table.fields.iter().filter(|field| field.left == Left::Never).map(|field| field.name).collect();
    let mut schema = json!({
        "type": "object",
        "description": table.text,
        "properties": properties,
        "additionalProperties": false,
    });
    if table.one {
        (schema["minProperties"], schema["maxProperties"]) = (1.into(), 1.into());
    } else if !required.is_empty() {
        schema["required"] = required.into();
    }
    schema
}

fn of_field(field: &Field) -> Value {
    let text = match field.left {
        Left::Is(value) if !value.is_empty() => format!("{} Left out: {value}.", field.text),
        _ => field.text.to_string(),
    };
    // Beside a reference nothing else is heeded.
    json!({ "description": text, "allOf": [or_parameter(&field.value)] })
}

/// A value, or text in which a parameter stands for it.
fn or_parameter(value: &Type) -> Value {
    let plain = of_value(value);
    match value {
        Type::Text | Type::Any => plain,
        _ => json!({ "anyOf": [plain, { "type": "string", "pattern": r"\$\{" }] }),
    }
}

fn of_value(value: &Type) -> Value {
    match value {
        Type::Text => json!({ "type": "string", "minLength": 1 }),
        Type::Words(words) => json!({ "enum": words() }),
        Type::Pattern(pattern, _) => json!({ "type": "string", "pattern": pattern }),
        Type::Integer(least, greatest) => json!({ "type": "integer", "minimum": least, "maximum": greatest }),
        Type::Tolerance => json!({ "type": "number", "minimum": 0 }),
        Type::Number => json!({ "type": "number" }),
        Type::Flag => json!({ "type": "boolean" }),
        Type::List(of, least, most) => {
            let mut schema = json!({ "type": "array", "items": or_parameter(of), "minItems": least });
            if let Some(most) = most {
                schema["maxItems"] = (*most).into();
            }
            schema
        }
        Type::Each(parts) => json!({
            "type": "array",
            "items": parts.iter().map(or_parameter).collect::<Vec<_>>(),
            "additionalItems": false,
            "minItems": parts.len(),
        }),
        Type::Any => json!({}),
        Type::Called(_, of) => of_value(of),
        Type::Table(table) => reference(table),
        Type::Tables(table) => json!({ "type": "array", "items": or_parameter(&Type::Table(table)) }),
        Type::Named(of) => json!({ "type": "object", "additionalProperties": or_parameter(of) }),
        Type::Either(parts) => json!({ "anyOf": parts.iter().map(or_parameter).collect::<Vec<_>>() }),
    }
}
