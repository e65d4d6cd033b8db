//! `tileproof record`: a host program, with each launch that it makes kept as a program file.
//!
//! It must never run anything but what it is told to. Start at [`Record::run`].

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use clap::Args;
use tileproof::open_device::RECORD_VARIABLE;

use crate::arguments::below;
use crate::bad_input::BadInput;
use crate::outcome::Outcome;
use crate::terminal::say;

const EXAMPLES: [&str; 3] = ["record build/add", "record --into kept build/add --size 64", "record python train.py"];

const WHAT: &str = "\
The program is a tt-metal host program built against `tileproof sdk`, or a Python script that uses tileproof.ttnn. Each launch gets a
folder with a program file, what its buffers held, and what came out of it as what is expected; kernels are named where they are.
Then `tileproof run`, `--explore`, `audit` and all else need the host program no more.
";

#[derive(Args)]
#[command(after_help = below(&[WHAT], &EXAMPLES))]
pub(crate) struct Record {
    /// The folder that launches are kept in.
    #[arg(long, value_name = "DIR", default_value = "recorded")]
    into: PathBuf,
    /// The program, and its arguments.
    #[arg(required = true, num_args = 1.., trailing_var_arg = true, allow_hyphen_values = true, value_name = "PROGRAM")]
    program: Vec<OsString>,
}

impl Record {
    pub(crate) fn run(self) -> anyhow::Result<Outcome> {
        let refused = |what: &Path, error: std::io::Error| BadInput::new(format!("{}: {error}", what.display()));
        std::fs::create_dir_all(&self.into).map_err(|error| refused(&self.into, error))?;
        let into = std::path::absolute(&self.into).map_err(|error| refused(&self.into, error))?;
        let before = programs(&into);
        let [program, arguments @ ..] = &self.program[..] else { unreachable!("clap asks for a program") };
        let status = Command::new(program).args(arguments).env(RECORD_VARIABLE, &into).status();
        let status = status.map_err(|error| refused(Path::new(program), error))?;
        let kept: Vec<PathBuf> = programs(&into).into_iter().filter(|program| !before.contains(program)).collect();
        let name = Path::new(program).display();
        if kept.is_empty() {
            let message = format!(
                "{name}: nothing was launched through Tileproof, so that nothing is kept; a host program in C++ is built against \
                 `tileproof sdk`, and one in Python imports tileproof.ttnn{}",
                ended(status).map_or_else(String::new, |how| format!(". It {how}"))
            );
            return Err(BadInput::new(message).into());
        }
        for path in &kept {
            let folder = path.strip_prefix(&into).unwrap_or(path);
            say(format!("{}\n", self.into.join(folder).display()))?;
        }
        match ended(status) {
            None => Ok(Outcome::Clean),
            Some(how) => {
                say(format!("{name} {how}\n"))?;
                Ok(Outcome::Found)
            }
        }
    }
}

/// How a program ended that did not end well.
fn ended(status: ExitStatus) -> Option<String> {
    match status.code() {
        Some(0) => None,
        Some(code) => Some(format!("ended with {code}")),
        None => Some(format!("was ended: {status}")),
    }
}

/// The program files of a folder that launches are kept in, in their order.
fn programs(into: &Path) -> Vec<PathBuf> {
    let folders = std::fs::read_dir(into).into_iter().flatten().flatten();
    let programs = folders.map(|entry| entry.path().join("program.toml")).filter(|path| path.is_file());
    let mut programs: Vec<PathBuf> = programs.collect();
    programs.sort();
    programs
}
