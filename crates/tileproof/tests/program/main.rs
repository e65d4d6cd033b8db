//! Program files: what is read and refused, whole programs, the examples, and public bugs as cases.

mod examples;
mod files;
mod kernel_folder;
mod l1_tensors;
mod public_bugs;
mod runs;
mod values;
