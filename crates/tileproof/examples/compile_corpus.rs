//! Compiles the kernels of a folder and says of each what keeps it from compiling: the work behind `cargo xtask corpus`.
//!
//! `compile_corpus FOLDER CACHE [API]`: files in C++ below the folder that have an entry point. It must never run one, and
//! must never know a kernel by name: what one needs to compile is guessed from its text alone. Start at `main`; a line a kernel is
//! printed, `PATH <tab> KIND <tab> REASON <tab> REASON ..`, without a reason where it compiles. `=NAME` stands there for a
//! definition that its host gives, which was guessed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::{env, fs, io, thread};

use tileproof::program_file::Api;
use tileproof_build::{BuildError, Builder, CircularBufferFormat, CompileRequest};
use tileproof_model::arch::Arch;
use tileproof_model::numerics::format::DataFormat;
use tileproof_model::program::{ComputeConfig, DataMovementConfig, KernelConfig};

/// What a kernel gets for compile-time arguments, which its text does not tell: as a tensor accessor "interleaved, in DRAM".
const ARGUMENTS: [u32; 64] = [2; 64];
/// Folders of a checkout that kernels include from.
const ROOTS: [&str; 4] = ["", "ttnn/cpp", "ttnn", "tt-train/sources/ttml"];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [folder, cache, api @ ..] = arguments.as_slice() else {
        return Err("usage: compile_corpus FOLDER CACHE [API]".into());
    };
    let api = match api {
        [] => None,
        [word, ..] => Some(Api::parse(word).ok_or_else(|| format!("{word}: expected {}", Api::CHOICES))?),
    };
    let folder = Path::new(folder);
    let mut all = Vec::new();
    collect(folder, &mut all)?;
    all.sort();
    let is = |path: &&PathBuf, ends: &[&str]| path.extension().is_some_and(|end| ends.iter().any(|own| end == *own));
    let files: Vec<&PathBuf> = all.iter().filter(|path| is(path, &["cpp", "cc"])).collect();
    let headers: Vec<&PathBuf> = all.iter().filter(|path| is(path, &["h", "hpp", "inl"])).collect();
    let builder = Builder::new(Some(PathBuf::from(cache)))?;
    let next = Mutex::new(files.iter());
    let print = Mutex::new(());
    let work = || {
        loop {
            let Some(file) = next.lock().expect("list of kernels").next() else { break };
            let Ok(text) = fs::read(file).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()) else { continue };
            let Some(kind) = kind(file, &text) else { continue };
            let request = request(file, &text, kind, api, roots(folder, file, &text, &headers));
            let reasons = attempt(&builder, request);
            let _turn = print.lock();
            let path = file.strip_prefix(folder).unwrap_or(file).display();
            let reasons: String = reasons.iter().map(|reason| format!("\t{reason}")).collect();
            println!("{path}\t{kind}{reasons}");
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

/// How often a kernel is compiled again with definitions that were missing.
const ROUNDS: usize = 4;

/// What keeps a kernel from compiling, after what its host may define was guessed; with the names that were.
fn attempt(builder: &Builder, mut request: CompileRequest) -> Vec<String> {
    let before = request.defines.len();
    for _ in 0..ROUNDS {
        let Err(error) = builder.build(std::slice::from_ref(&request)) else {
            return request.defines[before..].iter().map(|(name, _)| format!("={name}")).collect();
        };
        let reasons = reasons(&error);
        let missing = reasons.iter().filter_map(|reason| definition(reason));
        let new: Vec<_> = missing.filter(|(name, _)| request.defines.iter().all(|(known, _)| known != name)).collect();
        if new.is_empty() {
            return reasons;
        }
        request.defines.extend(new);
    }
    vec!["definitions of its host".to_string()]
}

/// What tt-metal's hosts define for kernels that take their operation so (`binary_op_utils`, tests of broadcasts and reductions).
const OPERATIONS: [(&str, &str); 13] = [
    ("ELTWISE_OP", "add_tiles"),
    ("ELTWISE_OP_CODE", "0"),
    ("ELTWISE_OP_TYPE", "EltwiseBinaryType::ELWADD"),
    ("BCAST_LLKOP", "EltwiseBinaryType::ELWADD"),
    ("BCAST_DIM", "BroadcastType::ROW"),
    ("BCAST_DIM_0", "BroadcastType::ROW"),
    ("BROADCAST_TYPE", "BroadcastType::COL"),
    ("BCAST_OP", "add_tiles_bcast"),
    ("REDUCE_OP", "PoolType::SUM"),
    ("REDUCE_DIM", "ReduceDim::REDUCE_ROW"),
    ("EXP_APPROX_MODE", "false"),
    ("SFPU_OP_INIT_0", ""),
    ("SFPU_OP_FUNC_0", ""),
];

/// The definition that a reason asks for: a name in capitals that nothing declares is a number, unless hosts are known to give
/// something else.
fn definition(reason: &str) -> Option<(String, String)> {
    let name = reason.strip_prefix('\'')?.strip_suffix("' was not declared in this scope")?;
    let is_one = name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    let value = OPERATIONS.iter().find(|(known, _)| *known == name).map_or("2", |(_, value)| value);
    is_one.then(|| (name.to_string(), value.to_string()))
}

/// Files below a folder, links aside.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (path, kind) = (entry.path(), entry.file_type()?);
        if kind.is_dir() && !entry.file_name().to_string_lossy().starts_with('.') {
            collect(&path, files)?;
        } else if kind.is_file() {
            files.push(path);
        }
    }
    Ok(())
}

/// The text without comments.
fn code(text: &str) -> String {
    text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

/// Which processor a file is a kernel for; none where it has no entry point.
fn kind(file: &Path, text: &str) -> Option<&'static str> {
    let code = code(text);
    let has_main = code.contains("void MAIN") || code.contains("void kernel_main(");
    // A host program may hold a kernel's text.
    if !has_main || code.contains("int main(") {
        return None;
    }
    const COMPUTE: [&str; 8] = [
        "void MAIN",
        "compute_kernel_api",
        "api/compute",
        "tile_regs_acquire",
        "acquire_dst",
        "pack_tile(",
        "llk_unpack_",
        "llk_pack",
    ];
    // What a kernel includes may say so alone.
    let folder = file.parent().and_then(Path::file_name);
    if COMPUTE.iter().any(|word| code.contains(word)) || folder.is_some_and(|name| name == "compute") {
        return Some("compute");
    }
    let name = file.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    Some(if name.contains("writer") || name.contains("write") { "writer" } else { "reader" })
}

fn request(file: &Path, text: &str, kind: &str, api: Option<Api>, include_dirs: Vec<PathBuf>) -> CompileRequest {
    let config = match kind {
        "reader" => KernelConfig::DataMovement(DataMovementConfig::READER),
        "writer" => KernelConfig::DataMovement(DataMovementConfig::WRITER),
        _ => KernelConfig::Compute(ComputeConfig::default()),
    };
    CompileRequest {
        source: file.to_path_buf(),
        config,
        compile_time_args: ARGUMENTS.to_vec(),
        named_compile_time_args: names(text),
        defines: api.map(|api| ("TP_API".to_string(), api.day().to_string())).into_iter().collect(),
        include_dirs,
        circular_buffers: (0..32)
            .map(|index| CircularBufferFormat { index, format: DataFormat::Float16_b, page_size: 2048 })
            .collect(),
        arch: Arch::Wormhole,
    }
}

/// Where a kernel includes from: the folders above it up to the one that is looked through, what a checkout has below, and
/// where the headers are that it names. What comes with the device is not among those: it is shipped.
fn roots(folder: &Path, file: &Path, text: &str, headers: &[&PathBuf]) -> Vec<PathBuf> {
    let above: Vec<&Path> = file.ancestors().skip(1).take_while(|path| path.starts_with(folder)).collect();
    let checkout = above.iter().find(|path| path.join("tt_metal").is_dir() || path.join(".git").exists());
    let root = checkout.copied().unwrap_or(folder);
    let mut roots: Vec<PathBuf> = ROOTS.iter().map(|below| root.join(below)).filter(|path| path.is_dir()).collect();
    roots.extend(above.iter().take(3).map(|path| path.to_path_buf()).filter(|path| path != root));
    // A header without a folder may be the compiler's.
    let named =
        text.split("#include \"").skip(1).filter_map(|rest| rest.split('"').next()).filter(|name| name.contains('/'));
    for name in named {
        let is_found =
            roots.iter().chain(file.parent().map(PathBuf::from).iter()).any(|root| root.join(name).is_file());
        let suffix = Path::new(name);
        let of_device = |path: &Path| path.ancestors().any(|part| part.ends_with("hw/inc") || part.ends_with("tt-llk"));
        let named = headers.iter().filter(|path| path.ends_with(suffix) && !of_device(path));
        // The one that lies nearest to the kernel, in the part of the folder that is its own if there is one.
        let shared = |path: &Path| path.components().zip(file.components()).take_while(|(a, b)| a == b).count();
        let near = |path: &Path| (path.starts_with(top(folder, file)), shared(path));
        if let Some(found) = named.max_by_key(|path| near(path)).filter(|_| !is_found) {
            roots.extend(found.ancestors().nth(suffix.components().count()).map(Path::to_path_buf));
        }
    }
    roots
}

/// The folder right below the one that is looked through, which a kernel mostly shares with its own headers.
fn top(folder: &Path, file: &Path) -> PathBuf {
    file.ancestors().find(|path| path.parent() == Some(folder)).unwrap_or(folder).to_path_buf()
}

/// Compile-time arguments that the text asks for by name, each with a number.
fn names(text: &str) -> Vec<(String, u32)> {
    let mut found = Vec::new();
    for call in ["get_named_compile_time_arg_val(\"", "get_named_ct_arg(\""] {
        for (number, rest) in text.split(call).skip(1).enumerate() {
            let name = rest.split('"').next().unwrap_or_default().to_string();
            let value = if name.starts_with("cb") { number as u32 % 32 } else { 2 };
            if !found.iter().any(|(known, _)| *known == name) {
                found.push((name, value));
            }
        }
    }
    found
}

/// What keeps a kernel from compiling, each reason once, in the compiler's order.
fn reasons(error: &BuildError) -> Vec<String> {
    let messages: Vec<String> = match error {
        BuildError::Header { header, .. } => vec![format!("no header {header}")],
        BuildError::Compile { diagnostics, .. } => diagnostics.iter().map(|found| found.message.clone()).collect(),
        BuildError::Undefined { undefined, .. } => {
            undefined.iter().map(|found| format!("nothing defines {}", found.message)).collect()
        }
        other => vec![other.to_string().lines().next().unwrap_or_default().to_string()],
    };
    let mut seen = BTreeSet::new();
    let reasons = messages.into_iter().map(|message| short(&message)).filter(|reason| seen.insert(reason.clone()));
    reasons.collect()
}

/// A message without what differs from kernel to kernel: suggestions, and the rest of long types.
fn short(message: &str) -> String {
    let message = message.split("; did you mean").next().unwrap_or_default();
    message.replace('\t', " ").chars().take(160).collect()
}
