//! The page of environment variables.
//!
//! `reference.rs` of the tests compares the table with what the sources read. Start at [`VARIABLES`].

use std::fmt::Write;

use tileproof::build::heeded_variables;

/// A variable, what it may be, what holds without it, and what it does.
struct Variable(&'static str, &'static str, &'static str, &'static str);

/// What Tileproof reads itself; of a compiler's own see [`heeded_variables`].
const VARIABLES: &[(&str, &[Variable])] = &[
    (
        "Kernels and their cache",
        &[
            Variable("CXX", "a compiler", "`g++`, then `clang++`", "The compiler of C++ kernels."),
            Variable("PATH", "folders", "", "Where compilers are looked for."),
            Variable(
                "TILEPROOF_CACHE_DIR",
                "a folder",
                "`tileproof` below `XDG_CACHE_HOME`, else `~/.cache/tileproof`",
                "Where compiled kernels are kept.",
            ),
            Variable("XDG_CACHE_HOME", "a folder", "`~/.cache`", "See above."),
            Variable("HOME", "a folder", "", "See above; what lies in it is kept from compilers."),
            Variable("TILEPROOF_CACHE_MIB", "MiB", "2048", "What the cache may have."),
            Variable("TILEPROOF_COMPILER_LIMIT", "seconds", "60", "What one compilation may take."),
            Variable("TILEPROOF_COMPILER_BOX", "`off`", "on", "`off` lets the compiler read whatever you may."),
        ],
    ),
    (
        "What is printed",
        &[
            Variable("NO_COLOR", "anything", "", "No colours, unless `--color always`."),
            Variable("CLICOLOR_FORCE", "anything but 0", "", "Colours also where there is no terminal."),
            Variable("TERM", "`dumb`", "", "No colours and no lines of progress."),
        ],
    ),
    (
        "The Python package and host programs in C++",
        &[
            Variable(
                "TILEPROOF_ARCH",
                "a chip",
                "`wormhole`",
                "As `--arch` of the command, or `arch` of a program file.",
            ),
            Variable("TILEPROOF_CHECKS", "families", "`all`", "As `--checks`."),
            Variable("TILEPROOF_EXPLORE", "a number", "0", "As `--explore`."),
            Variable("TILEPROOF_SCHEDULE", "a token", "the default", "As `--schedule`."),
            Variable("TILEPROOF_THREADS", "a number", "as many as there are", "As `--threads`."),
        ],
    ),
    (
        "Host programs in C++ alone",
        &[
            Variable(
                "TILEPROOF_API",
                "a day or a commit",
                "what the included headers tell",
                "As `api` of a program file.",
            ),
            Variable("TILEPROOF_DEVICES", "1 to 64", "1", "How many devices there are."),
            Variable("TILEPROOF_EXIT", "0", "1", "0: findings do not make the program end with 1."),
            Variable(
                "TILEPROOF_FORMAT",
                "a format",
                "`human`, of runs that find something",
                "As `--format`; then every run is told.",
            ),
            Variable(
                "TILEPROOF_HOST_LIBRARY",
                "a file",
                "beside the command",
                "The library that `tileproof sdk` names.",
            ),
            Variable("TILEPROOF_IN_PROCESS", "1", "0", "As `--in-process`."),
            Variable("TILEPROOF_LIMIT", "seconds", "as `--limit`", "As `--limit`."),
            Variable(
                "TILEPROOF_RECORD",
                "a folder",
                "nothing is kept",
                "Each launch is kept there, as `tileproof record` does.",
            ),
            Variable("TILEPROOF_REPORT", "a file", "stderr", "Where reports are added."),
        ],
    ),
];

/// The page.
pub(super) fn page() -> String {
    let mut text =
        String::from("# Environment variables\n\nA program file and a command line decide over all of these.\n");
    for (group, variables) in VARIABLES {
        let _ = writeln!(text, "\n## {group}\n\n| variable | value | without it | what |\n|---|---|---|---|");
        for Variable(name, value, without, what) in *variables {
            let _ = writeln!(text, "| `{name}` | {value} | {without} | {what} |");
        }
    }
    let names: Vec<String> = heeded_variables().into_iter().map(|name| format!("`{name}`")).collect();
    let _ = write!(
        text,
        "\n## Of compilers\n\nWhat g++ and clang++ heed is heeded, and a kernel is compiled anew when it changes \
         ([the cache](../../cache.md)):\n{}.\nNobody else's build can know of these, which are taken away from the compiler: {}.\n",
        names.join(",\n"),
        tileproof::build::TAKEN_AWAY.map(|name| format!("`{name}`")).join(", ")
    );
    text
}
