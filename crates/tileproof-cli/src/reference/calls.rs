//! The page of calls and headers, from the shim as a compiler's preprocessor sees it.
//!
//! Start at [`page`].

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use tileproof::build::{Declared, Kind, Support, declared, headers};
use tileproof::model::arch::Arch;
use tileproof::model::program::{ComputeConfig, DataMovementConfig, KernelConfig};
use tileproof::program_file::Api;

/// Subjects, and the headers of the shim that have them; what stands in none is other, or of macros.
const SUBJECTS: [(&str, &[&str]); 11] = [
    ("Circular buffers", &["circular_buffer.h", "buffer_objects.h"]),
    ("Arguments and where a kernel runs", &["arguments.h", "bindings.h", "tensor_accessor.h"]),
    ("NoC and semaphores", &["noc.h", "dataflow.h", "noc_state.h", "noc_objects.h", "noc_registers.h", "endpoints.h"]),
    ("Dst, start-up and formats", &["startup.h"]),
    ("Matrix unit: tiles, broadcasts, matmul, reduce, copies", &["fpu.h"]),
    ("Vector unit", &["sfpu.h", "sfpu_tiles.h", "sfpu_older_names.h"]),
    ("Packer, tilize, untilize", &["pack.h"]),
    (
        "Vector code of a kernel's own",
        &["sfpi.h", "sfpi_functions.h", "sfpi_run.h", "sfpi_words.h", "sfpi_raw_words.h", "sfpi_registers.h"],
    ),
    ("Older names, and the layer below", &["older_names.h", "older_llk.h", "llk.h"]),
    (OBJECTS, &[]),
    ("Printing and debugging", &["dprint.h"]),
];
/// What names of types stand under, wherever they are.
const OBJECTS: &str = "Types, with their methods";
/// Macros of no other subject: qualifiers, constants, what watchers and profilers are told.
const MACROS: &str = "Macros";
const OTHER: &str = "Other";
const STOP: &str = "Not modelled";

/// What is known of a name.
struct Name {
    header: String,
    kind: Kind,
    /// For each chip and day what a call comes to, if it is there.
    on: BTreeMap<(usize, usize), Support>,
}

type Seen = BTreeMap<String, Name>;

/// Each call by subject; which run on one chip, or mean something on some days, alone.
pub(super) fn page() -> String {
    let days = [Api::V0_66, Api::V0_79].map(Api::day);
    let mut text = String::from(HEAD);
    let movement = KernelConfig::DataMovement(DataMovementConfig::READER);
    let kinds =
        [("Compute kernels", KernelConfig::Compute(ComputeConfig::default())), ("Data-movement kernels", movement)];
    for (title, config) in kinds {
        let mut seen = Seen::new();
        for (chip, arch) in Arch::ALL.into_iter().enumerate() {
            for (age, day) in days.into_iter().enumerate() {
                match declared(arch, &config, day) {
                    Ok(all) => all.into_iter().for_each(|one| {
                        let Declared { name, header, support, kind } = one;
                        let seen = seen.entry(name).or_insert_with(|| Name { header, kind, on: BTreeMap::new() });
                        seen.on.insert((chip, age), support);
                    }),
                    Err(why) => return format!("{text}\nThe calls cannot be listed: {why}\n"),
                }
            }
        }
        let _ = writeln!(text, "\n## {title}");
        subjects(&mut text, &seen);
    }
    let _ = write!(
        text,
        "\n## Headers\n\nEach is where the device has it, in some generation.\n\n{}\n",
        wrapped(&headers().iter().map(|header| format!("`{header}`")).collect::<Vec<_>>())
    );
    text
}

const HEAD: &str = "\
# Calls and headers

What kernels can call, functions and macros, made of the headers that kernels are compiled with. What is not here, nor C++'s or the
kernel's own, does not compile, and the nearest names are told. One that is not modelled compiles, and ends the kernel by its name where it is reached (TP9001); so does an
argument that no source describes. What a call meant on which day is in [Which day's headers](../../api.md).

A name is followed by what is particular to it: `wh` or `bh`, it runs on Wormhole or on Blackhole alone; `some`, of its
forms some stop; `0.66` or `0.79`, only the headers of that generation have it.
";

fn subjects(text: &mut String, seen: &Seen) {
    let titles = SUBJECTS.iter().map(|(title, _)| *title).chain([MACROS, OTHER, STOP]);
    for title in titles {
        let names: Vec<String> =
            seen.iter().filter(|(_, one)| subject(one) == title).map(|(name, one)| noted(name, &one.on)).collect();
        if !names.is_empty() {
            let _ = write!(text, "\n### {title}\n\n{}\n", wrapped(&names));
        }
    }
}

fn subject(one: &Name) -> &'static str {
    if one.on.values().all(|support| *support == Support::Stops) {
        return STOP;
    }
    if one.kind == Kind::Type {
        return OBJECTS;
    }
    let other = if one.kind == Kind::Macro { MACROS } else { OTHER };
    SUBJECTS.iter().find(|(_, headers)| headers.contains(&one.header.as_str())).map_or(other, |(title, _)| title)
}

/// The page as it stands in the book.
const BOOK: &str = include_str!("../../../../docs/book/reference/calls.md");

/// What the page has on a name.
pub(crate) struct Listed<'a> {
    pub(crate) name: &'a str,
    /// Kernels that can call it: a title of the page.
    pub(crate) kernels: &'a str,
    /// Its subject, a title of the page.
    pub(crate) subject: &'a str,
    /// What is particular to it.
    pub(crate) particular: Option<&'a str>,
}

impl Listed<'_> {
    /// It ends a kernel by its name.
    pub(crate) fn is_not_modelled(&self) -> bool {
        self.subject == STOP
    }
}

/// Each place of the page in which a name stands.
pub(crate) fn listed(name: &str) -> Vec<Listed<'static>> {
    let mut found = Vec::new();
    for part in BOOK.split("\n## ").skip(1) {
        let (kernels, subjects) = part.split_once('\n').unwrap_or((part, ""));
        for part in subjects.split("\n### ").skip(1) {
            let (subject, names) = part.split_once('\n').unwrap_or((part, ""));
            let pieces: Vec<&str> = names.split('`').collect();
            let at = (1..pieces.len()).step_by(2).find(|at| pieces[*at] == name);
            found.extend(at.map(|at| {
                let behind = pieces.get(at + 1).and_then(|behind| behind.strip_prefix(" ("));
                let particular = behind.and_then(|behind| behind.split(')').next());
                Listed { name: pieces[at], kernels, subject, particular }
            }));
        }
    }
    found
}

/// Whether kernels of a kind, `compute` or `data movement`, have a name that ends them.
pub(crate) fn is_not_modelled(name: &str, kind: &str) -> bool {
    let of_kind = |one: &Listed<'_>| one.kernels.to_ascii_lowercase().replace('-', " ").starts_with(kind);
    let listed = listed(name);
    let mut own = listed.iter().filter(|one| of_kind(one)).peekable();
    own.peek().is_some() && own.all(Listed::is_not_modelled)
}

/// A name with what is particular to it.
fn noted(name: &str, on: &BTreeMap<(usize, usize), Support>) -> String {
    let chips: BTreeSet<usize> = on.iter().filter(|(_, s)| **s != Support::Stops).map(|((chip, _), _)| *chip).collect();
    let ages: BTreeSet<usize> = on.keys().map(|(_, age)| *age).collect();
    let mut notes = Vec::new();
    if let [only] = chips.into_iter().collect::<Vec<_>>()[..] {
        notes.push(["wh", "bh"][only]);
    }
    if on.values().any(|support| *support == Support::InPart) {
        notes.push("some");
    }
    if let [only] = ages.into_iter().collect::<Vec<_>>()[..] {
        notes.push(["0.66", "0.79"][only]);
    }
    let notes = if notes.is_empty() { String::new() } else { format!(" ({})", notes.join(", ")) };
    format!("`{name}`{notes}")
}

/// Names with commas between, in lines.
fn wrapped(names: &[String]) -> String {
    const WIDTH: usize = 118;
    let (mut text, mut column) = (String::new(), 0);
    for name in names {
        if column > 0 {
            let fits = column + name.len() + 3 <= WIDTH;
            text.push_str(if fits { ", " } else { ",\n" });
            column = if fits { column + 2 } else { 0 };
        }
        text.push_str(name);
        column += name.len();
    }
    text
}
