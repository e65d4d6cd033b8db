//! `tileproof`: arguments in, exit code out. All of it is in the library beside this file.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(tileproof_cli::run(std::env::args_os()))
}
