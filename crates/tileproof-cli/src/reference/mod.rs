//! The reference: pages and schemas that are made of what the program itself reads and knows.
//!
//! docs/book/reference holds the pages as they are printed; `reference.rs` of the tests compares them. It must never say what is
//! not looked up. Start at [`PAGES`].

pub(crate) mod calls;
mod codes;
mod command_line;
mod cycles;
mod files;
mod fills;
mod precision;
pub(crate) mod schema;
mod variables;

use clap::Command;

/// A page.
pub(crate) struct Page {
    /// Its name, and that of its file.
    pub(crate) name: &'static str,
    /// What it lists.
    pub(crate) about: &'static str,
    /// Its text, given the description of the command line.
    pub(crate) text: fn(Command) -> String,
}

/// The pages.
pub(crate) const PAGES: &[Page] = &[
    Page { name: "program-file", about: "fields of program files", text: |_| files::program() },
    Page { name: "op-file", about: "fields of op.toml", text: |_| files::op() },
    Page { name: "sweep-file", about: "fields of files of sweeps", text: |_| files::sweep() },
    Page { name: "command-line", about: "commands and their options", text: command_line::page },
    Page { name: "codes", about: "finding codes", text: |_| codes::page() },
    Page { name: "fills", about: "what data may be", text: |_| fills::page() },
    Page { name: "calls", about: "calls of the kernel API and headers, by chip and day", text: |_| calls::page() },
    Page { name: "precision", about: "what operations keep, and what functions lose", text: |_| precision::page() },
    Page {
        name: "cycles",
        about: "what operations cost in cycles, and where that comes from",
        text: |_| cycles::page(),
    },
    Page { name: "environment", about: "environment variables", text: |_| variables::page() },
];
