//! What each document bears beside its fields: the name of its schema, and a version.
//!
//! A list has no fields, so each of its elements bears them. Start at [`to_text`].

use serde::Serialize;

use crate::outside::in_json;

/// Something that leaves the process by itself, and not as a part of something else.
pub trait Document: Serialize {
    /// The name of its schema, which is `docs/schema/NAME.json`.
    const SCHEMA: &'static str;
    /// One more where a field goes, or means something else; a new field changes nothing.
    const VERSION: u32 = 1;
}

#[derive(Serialize)]
struct Named<'a, D> {
    schema: &'static str,
    version: u32,
    #[serde(flatten)]
    document: &'a D,
}

fn named<D: Document>(document: &D) -> Named<'_, D> {
    Named { schema: D::SCHEMA, version: D::VERSION, document }
}

/// A document as indented JSON, with a newline at its end.
///
/// # Errors
/// If it cannot be serialized, which the documents of this crate can.
pub fn to_text<D: Document>(document: &D) -> serde_json::Result<String> {
    pretty(&named(document))
}

/// A list of documents, likewise.
///
/// # Errors
/// As [`to_text`].
pub fn list_to_text<D: Document>(documents: &[D]) -> serde_json::Result<String> {
    pretty(&documents.iter().map(named).collect::<Vec<_>>())
}

pub(super) fn pretty<T: Serialize>(value: &T) -> serde_json::Result<String> {
    serde_json::to_string_pretty(value).map(|text| in_json(text) + "\n")
}
