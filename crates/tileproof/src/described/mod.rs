//! What files of TOML may say: each table and field with its type, what holds when it is left out, and an example.
//!
//! Readers take the names that a table may have from here, the command makes the JSON Schemas and the pages of the reference of
//! it; that the types are those that readers accept is held by `described.rs` of the tests. It must never read a file. Start at
//! [`table::Table`].

pub mod op;
pub mod program;
pub mod sweep;
pub mod table;
