//! Program files: TOML with the field names of ttnn's `ProgramDescriptor` family, and what is beside it to run one.
//! It must never guess what a file means: every field is known, and whatever is wrong is named with its line.
//! Start reading at [`ProgramFile::read`].

mod api;
mod arguments;
mod arithmetic;
pub(crate) mod fields;
mod file;
pub(crate) mod kernel;
mod launch;
pub(crate) mod lines;
pub(crate) mod parameters;
mod program;
mod read;
mod suppress;
mod tensor;
pub(crate) mod value;
pub(crate) mod write;

pub use api::Api;
pub(crate) use file::at;
pub use file::{ProgramFile, ProgramFileError};
pub use launch::LaunchLines;
pub use suppress::Suppression;
pub use tensor::{Closeness, Expect, Expected, Standing, TensorData};
