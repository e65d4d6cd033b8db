//! The page of the command line, from the description that clap has.
//!
//! Start at [`page`].

use std::fmt::Write;

use clap::{Arg, Command};

use crate::arguments::EXIT_CODES;

/// Each command with its arguments and options.
pub(super) fn page(mut command: Command) -> String {
    command.build();
    let mut text = format!(
        "# Command line\n\n`tileproof COMMAND --help` prints the same with examples. `--color WHEN` and `--help` are options of every \
         command.\n\n{EXIT_CODES}\n",
    );
    for command in command.get_subcommands() {
        commands(&mut text, command, "tileproof");
    }
    text
}

fn commands(text: &mut String, command: &Command, before: &str) {
    if command.is_hide_set() || command.get_name() == "help" {
        return;
    }
    let name = format!("{before} {}", command.get_name());
    let about = command.get_about().map(|about| about.to_string()).unwrap_or_default();
    let _ = writeln!(text, "\n## {name}\n\n{}{}", about.trim_end_matches('.'), if about.is_empty() { "" } else { "." });
    let ours = |argument: &&Arg| !argument.is_hide_set() && !argument.is_global_set() && argument.get_id() != "help";
    let arguments: Vec<&Arg> = command.get_arguments().filter(ours).collect();
    if !arguments.is_empty() && !command.has_subcommands() {
        let _ = writeln!(text, "\n| argument | default | what |\n|---|---|---|");
        for argument in arguments {
            let _ = writeln!(text, "{}", row(argument));
        }
    }
    for inner in command.get_subcommands() {
        commands(text, inner, &name);
    }
}

fn row(argument: &Arg) -> String {
    let values: Vec<String> =
        argument.get_value_names().unwrap_or_default().iter().map(|name| name.to_string()).collect();
    let takes = argument.get_action().takes_values();
    let shown = match argument.get_long() {
        Some(long) if takes => format!("--{long} {}", values.join(" ")),
        Some(long) => format!("--{long}"),
        None => values.join(" "),
    };
    let more = match (argument.get_long(), argument.get_num_args().map(|n| n.max_values() > 1)) {
        (None, Some(true)) => " ..",
        _ => "",
    };
    let default: Vec<String> =
        argument.get_default_values().iter().map(|value| format!("`{}`", value.to_string_lossy())).collect();
    let default = match (takes, argument.is_required_set()) {
        (false, _) => String::new(),
        (_, true) => "must be given".into(),
        (_, false) => default.join(" "),
    };
    let help = argument.get_long_help().or(argument.get_help()).map(|help| help.to_string()).unwrap_or_default();
    let choices: Vec<String> = match takes {
        true => argument.get_possible_values(),
        false => Vec::new(),
    }
    .iter()
    .filter(|value| !value.is_hide_set())
    .map(|value| match value.get_help() {
        Some(help) => format!("`{}` ({})", value.get_name(), help.to_string().trim_end_matches('.')),
        None => format!("`{}`", value.get_name()),
    })
    .collect();
    let choices = if choices.is_empty() { String::new() } else { format!(". One of {}", choices.join(", ")) };
    let help = help.trim_end_matches('.').split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|");
    format!("| `{}{more}` | {default} | {help}{choices} |", shown.replace('|', "\\|"))
}
