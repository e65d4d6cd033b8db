//! Compiles kernels of an unpacked `ttnn` wheel and says of each whether it compiles: the work behind `cargo xtask compat`.
//!
//! `compile_kernels LIST WHEEL GENERATION CACHE`: the list is `xtask/compat/kernels.toml`, the wheel's folder is the one that
//! holds `ttnn` and `tt_metal`. It must not know any kernel by name: what one needs stands in the list or is found in its
//! text. Start at `main`; one line a kernel is printed, `ok PATH` or `no PATH: the compiler's first error`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::{env, fs, thread};

use serde::Deserialize;
use tileproof_build::{Builder, CircularBufferFormat, CompileRequest};
use tileproof_model::arch::Arch;
use tileproof_model::numerics::format::DataFormat;
use tileproof_model::program::{ComputeConfig, DataMovementConfig, KernelConfig};

/// The list.
#[derive(Deserialize)]
struct List {
    group: Vec<Group>,
}

/// Kernels that need the same to compile.
#[derive(Deserialize)]
struct Group {
    generations: Vec<String>,
    processor: String,
    #[serde(default)]
    compile_time_args: Vec<u32>,
    #[serde(default)]
    defines: Vec<(String, String)>,
    /// Values of names, where the number that every name gets will not do.
    #[serde(default)]
    named: Vec<(String, u32)>,
    kernels: Vec<String>,
}

/// What a kernel gets that the list gives no compile-time arguments.
const DEFAULT_ARGUMENTS: [u32; 64] = [2; 64];
/// Names that a kernel of generation 0.79 finds declared, and what their numbers are: a value for arguments, else a count.
const SCOPES: [&str; 5] = ["args", "dfb", "sem", "tensor", "scratch"];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [list, wheel, generation, cache] = arguments.as_slice() else {
        return Err("usage: compile_kernels LIST WHEEL GENERATION CACHE".into());
    };
    let list: List = toml::from_str(&fs::read_to_string(list)?)?;
    let wheel = Path::new(wheel);
    let mut jobs = Vec::new();
    for group in list.group.iter().filter(|group| group.generations.contains(generation)) {
        jobs.extend(group.kernels.iter().map(|kernel| (kernel.as_str(), group)));
    }
    let builder = Builder::new(Some(PathBuf::from(cache)))?;
    let next = Mutex::new(jobs.iter());
    let print = Mutex::new(());
    let work = || {
        loop {
            let Some((kernel, group)) = next.lock().expect("list of kernels").next() else { break };
            let result = builder.build(&[request(wheel, kernel, group)]);
            let _turn = print.lock();
            match result {
                Ok(_) => println!("ok {kernel}"),
                Err(error) => println!("no {kernel}: {}", first_error(&error.to_string())),
            }
        }
    };
    thread::scope(|scope| {
        for _ in 1..thread::available_parallelism().map_or(1, |n| n.get()) {
            scope.spawn(work);
        }
        work();
    });
    Ok(())
}

fn first_error(text: &str) -> String {
    let line = text.lines().find(|line| line.contains("error:")).or_else(|| text.lines().next()).unwrap_or_default();
    let message = line.split_once("error:").map_or(line, |(_, message)| message).trim();
    message.chars().take(120).collect()
}

fn request(wheel: &Path, kernel: &str, group: &Group) -> CompileRequest {
    let source = wheel.join("ttnn/cpp/ttnn").join(kernel);
    let roots = [wheel.to_path_buf(), wheel.join("ttnn/cpp"), wheel.join("ttnn")];
    let mut text = String::new();
    read_with_includes(&source, &roots, &mut BTreeSet::new(), &mut text);
    let config = match group.processor.as_str() {
        "reader" => KernelConfig::DataMovement(DataMovementConfig::READER),
        "writer" => KernelConfig::DataMovement(DataMovementConfig::WRITER),
        _ => KernelConfig::Compute(ComputeConfig::default()),
    };
    let given = &group.compile_time_args;
    let mut named = names(&text);
    for (name, value) in &mut named {
        *value = group.named.iter().find(|(other, _)| other == name).map_or(*value, |(_, given)| *given);
    }
    CompileRequest {
        source,
        config,
        compile_time_args: if given.is_empty() { DEFAULT_ARGUMENTS.to_vec() } else { given.clone() },
        named_compile_time_args: named,
        defines: group.defines.clone(),
        include_dirs: roots.to_vec(),
        circular_buffers: (0..32)
            .map(|index| CircularBufferFormat { index, format: DataFormat::Float16_b, page_size: 2048 })
            .collect(),
        arch: Arch::Wormhole,
    }
}

/// The text of a kernel and of the wheel's files that it includes, without comments.
fn read_with_includes(file: &Path, roots: &[PathBuf], seen: &mut BTreeSet<PathBuf>, text: &mut String) {
    if !seen.insert(file.to_path_buf()) {
        return;
    }
    let Ok(own) = fs::read_to_string(file) else { return };
    let own: String =
        own.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n");
    for line in own.lines() {
        let Some(name) = line.trim().strip_prefix("#include \"").and_then(|rest| rest.strip_suffix('"')) else {
            continue;
        };
        let beside = file.parent().map(|folder| folder.join(name));
        let found = beside.into_iter().chain(roots.iter().map(|root| root.join(name))).find(|path| path.is_file());
        if let Some(path) = found.filter(|path| !path.components().any(|part| part.as_os_str() == "tt_metal")) {
            read_with_includes(&fs::canonicalize(&path).unwrap_or(path), roots, seen, text);
        }
    }
    text.push_str(&own);
    text.push('\n');
}

/// Everything that the text calls by name, with a number: 2 for arguments, for the rest their place in the alphabet.
fn names(text: &str) -> Vec<(String, u32)> {
    let mut found: BTreeMap<String, u32> = BTreeMap::new();
    for scope in SCOPES {
        let mut names = BTreeSet::new();
        let marker = format!("{scope}::");
        for (at, _) in text.match_indices(&marker) {
            let before = text[..at].chars().next_back();
            let name = identifier(&text[at + marker.len()..]);
            if !before.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_' || c == ':') && !name.is_empty() {
                names.insert(name);
            }
        }
        for (number, name) in names.into_iter().enumerate() {
            let number = number as u32;
            found.insert(
                format!("{scope}::{name}"),
                if scope == "args" || scope == "tensor" { 2 * u32::from(scope == "args") } else { number },
            );
        }
    }
    for (number, rest) in text.split("get_named_compile_time_arg_val(\"").skip(1).enumerate() {
        let name = rest.split('"').next().unwrap_or_default();
        let value = if name.starts_with("cb_") { number as u32 % 32 } else { 2 };
        found.entry(name.to_string()).or_insert(value);
    }
    found.into_iter().collect()
}

fn identifier(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
    &text[..end]
}
