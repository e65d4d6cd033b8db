//! Program files: what is read and refused, whole programs, and the examples.

mod bounds;
mod drawn;
mod examples;
mod files;
mod kernel_folder;
mod l1_tensors;
mod measured;
mod recorded;
mod runs;
#[path = "../support/mod.rs"]
mod support;
mod undefined;
mod values;
