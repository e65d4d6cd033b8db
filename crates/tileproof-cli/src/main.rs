//! `tileproof`: arguments in, exit code out. All of it is in the library beside this file.

use std::ffi::OsString;
use std::process::ExitCode;

fn main() -> ExitCode {
    let itself = std::env::current_exe().map_or_else(|_| "tileproof".into(), OsString::from);
    ExitCode::from(tileproof_cli::run(std::env::args_os(), &[itself]))
}
