//! Source files as the compiler reads them, for walls that look at functions and names.

use syn::{Attribute, Meta};

use super::files::File;

/// True for the sources of a crate, its tests and generated text apart.
pub(super) fn is_source(path: &str) -> bool {
    (path.starts_with("crates/") || path.starts_with("xtask/")) && path.contains("/src/")
}

/// The file parsed, or a message.
pub(super) fn parse(file: &File) -> Result<syn::File, String> {
    syn::parse_file(&file.text).map_err(|error| format!("{}: not Rust: {error}", file.path))
}

/// True if an item is there for tests alone.
pub(super) fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::Path(path) => path.is_ident("test"),
        Meta::List(list) => list.path.is_ident("cfg") && list.tokens.to_string() == "test",
        Meta::NameValue(_) => false,
    })
}
