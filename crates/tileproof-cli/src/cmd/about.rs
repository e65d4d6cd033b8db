//! `tileproof completions` and `tileproof man`: what shells and `man` are told of the command itself.
//!
//! It must never know a command by name: all comes from the description that clap has. Start at [`Completions`].

use clap::{Args, Command};
use clap_complete::Shell;

use crate::arguments::below;
use crate::bad_input::BadInput;
use crate::outcome::Outcome;
use crate::terminal::pass_on;

#[derive(Args)]
#[command(after_help = below(&[], &["completions bash > ~/.local/share/bash-completion/completions/tileproof"]))]
pub(crate) struct Completions {
    /// The shell.
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(self, mut command: Command) -> anyhow::Result<Outcome> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut command, "tileproof", &mut script);
        pass_on(&script)?;
        Ok(Outcome::Clean)
    }
}

#[derive(Args)]
#[command(after_help = below(&[], &["man > ~/.local/share/man/man1/tileproof.1", "man run > ~/.local/share/man/man1/tileproof-run.1"]))]
pub(crate) struct Man {
    /// The command whose page is wanted; the page of all of them when left out.
    command: Option<String>,
}

impl Man {
    pub(crate) fn run(self, mut command: Command) -> anyhow::Result<Outcome> {
        command.build();
        let described = match &self.command {
            None => Some(command.clone()),
            Some(name) => command.find_subcommand(name).cloned(),
        };
        let Some(described) = described else {
            let known: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
            let name = self.command.unwrap_or_default();
            return Err(
                BadInput::new(format!("man {name}: there is no such command; there are {}", known.join(", "))).into()
            );
        };
        let title = self.command.map_or("tileproof".into(), |name| format!("tileproof-{name}"));
        let mut page = Vec::new();
        clap_mangen::Man::new(described.disable_help_subcommand(true)).title(title).render(&mut page)?;
        pass_on(&page)?;
        Ok(Outcome::Clean)
    }
}
