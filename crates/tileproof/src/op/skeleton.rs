//! `op new`: from a configuration to a complete op whose kernels are stubs.
//!
//! It must never overwrite anything, and writes nothing unless all of it is right. Start at [`create`];
//! `skeleton/stubs.rs` writes the kernels.

mod stubs;

use std::fmt::Write;
use std::path::{Path, PathBuf};

use tileproof_model::program::Layout;

use super::call::{Call, dtype_name, shape_name};
use super::file::{OpFileError, UserOp, is_name};
use super::spec::{CbSpec, TensorSpec};

/// What `op new` makes without a configuration.
const DEFAULT: &str = r#"ranks = [2, 4]

[[input]]
name = "x"
dtypes = ["bfloat16"]
layouts = ["tile"]

[[output]]
name = "y"
dtypes = ["bfloat16"]
layouts = ["tile"]
"#;

/// Why no op is written.
#[derive(thiserror::Error, Debug)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum NewError {
    #[error("op new: the name {0} must be letters, digits and _, a letter first")]
    Name(String),
    #[error(transparent)]
    Config(#[from] OpFileError),
    #[error("{}: {problem}", path.display())]
    Incomplete { path: PathBuf, problem: String },
    #[error("{}: exists already and is not empty; op new overwrites nothing", folder.display())]
    Exists { folder: PathBuf },
    #[error("{}: {error}", path.display())]
    Write { path: PathBuf, error: std::io::Error },
}

/// A tensor with its buffer, and how stubs go through it.
struct Bound<'a> {
    tensor: &'a TensorSpec,
    cb: u8,
    /// It has a page for each piece of work; else all of its pages are gone through at once.
    streamed: bool,
    /// Rows may be pages: then a page can be larger or smaller than a tile of the buffer.
    sticks: bool,
}

/// Writes the op `name` into `folder`; the files that were written.
///
/// # Errors
/// If the configuration is wrong, or the folder is not empty.
pub fn create(name: &str, config: Option<&Path>, folder: &Path) -> Result<Vec<PathBuf>, NewError> {
    if !is_name(name) {
        return Err(NewError::Name(name.into()));
    }
    let (path, text) = match config {
        None => (folder.join(UserOp::FILE), DEFAULT.to_string()),
        Some(path) => {
            let text =
                std::fs::read_to_string(path).map_err(|error| NewError::Write { path: path.to_path_buf(), error })?;
            (path.to_path_buf(), text)
        }
    };
    let near = path.parent().unwrap_or(Path::new(""));
    let op = UserOp::parse_named(&path, near, &text, Some(name))?;
    let incomplete = |problem: String| NewError::Incomplete { path: path.clone(), problem };
    if !op.kernels.is_empty() {
        return Err(incomplete("it has [[kernel]] tables, which op new writes".into()));
    }
    if op.inputs.is_empty() || op.outputs.is_empty() {
        return Err(incomplete("it needs at least one [[input]] and one [[output]]".into()));
    }
    if std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some()) {
        return Err(NewError::Exists { folder: folder.to_path_buf() });
    }
    let (bound, new_cbs) = bind(&op).map_err(incomplete)?;
    let description = described(name, &op, &text, &bound, &new_cbs).map_err(incomplete)?;
    let files = [
        ("op.toml", description),
        ("kernels/reader.cpp", stubs::reader(&bound, &op)),
        ("kernels/compute.cpp", stubs::compute(&bound, &op)),
        ("kernels/writer.cpp", stubs::writer(&bound, &op)),
    ];
    let mut written = Vec::new();
    for (file, text) in files {
        let path = folder.join(file);
        let write = || {
            std::fs::create_dir_all(path.parent().unwrap_or(folder))?;
            std::fs::write(&path, text)
        };
        write().map_err(|error| NewError::Write { path: path.clone(), error })?;
        written.push(path);
    }
    Ok(written)
}

/// Buffers that the configuration does not have, with the tensors that they are for.
type NewBuffers<'a> = Vec<(u8, &'a TensorSpec)>;

/// A buffer for each tensor: the one that the configuration gives, or a new one.
fn bind(op: &UserOp) -> Result<(Vec<Bound<'_>>, NewBuffers<'_>), String> {
    let first = &op.inputs[0];
    let mut bound = Vec::new();
    let mut new = Vec::new();
    let mut taken: Vec<u8> = op.cbs.iter().map(|cb| cb.index).collect();
    let inputs = op.inputs.iter().map(|tensor| (tensor, 0));
    for (tensor, from) in inputs.chain(op.outputs.iter().map(|tensor| (tensor, 16))) {
        let of = |cb: &&CbSpec| cb.of.as_deref() == Some(tensor.name.as_str());
        let cb = match op.cbs.iter().find(of) {
            Some(cb) if cb.page_size.is_some() => {
                return Err(format!(
                    "cb {} of {} has a page_size: stubs go by tiles; leave it out, and write it into op.toml with the kernels",
                    cb.index, tensor.name
                ));
            }
            Some(cb) => cb.index,
            None => {
                let free = (from..32).find(|index| !taken.contains(index));
                let index = free.ok_or_else(|| format!("there is no circular buffer left for {}", tensor.name))?;
                taken.push(index);
                new.push((index, tensor));
                index
            }
        };
        let streamed = tensor.shape.is_none() && tensor.layouts == first.layouts;
        bound.push(Bound { tensor, cb, streamed, sticks: tensor.layouts.contains(&Layout::RowMajor) });
    }
    Ok((bound, new))
}

/// The description: the configuration, and what it left out.
fn described(
    name: &str,
    op: &UserOp,
    config: &str,
    bound: &[Bound<'_>],
    new_cbs: &[(u8, &TensorSpec)],
) -> Result<String, String> {
    let mut text = String::new();
    let lacks = |key: &str| !config.lines().any(|line| line.trim_start().starts_with(key) && line.contains('='));
    if lacks("name") || !config.contains(&format!("\"{name}\"")) {
        let _ = writeln!(text, "name = \"{name}\"");
    }
    if op.summary.is_empty() {
        let _ = writeln!(text, "summary = \"{name}: say here what it computes\"");
    }
    text.push_str(config.trim_end());
    text.push('\n');
    for (index, tensor) in new_cbs {
        let pages = if tensor.layouts.contains(&Layout::RowMajor) {
            format!("2 * ceil({0}.page_size / {0}.tile_size)", tensor.name)
        } else {
            "2".into()
        };
        let name = &tensor.name;
        let _ = write!(text, "\n[[cb]]\nindex = {index}\ncontent = \"{name}\"\nof = \"{name}\"\npages = \"{pages}\"\n");
    }
    let units = &op.inputs[0].name;
    if op.units.is_none() {
        let _ = write!(
            text,
            "\n# Pieces of work are divided over the cores; a kernel gets the first of its core and how many there are.\n\
             [work]\nunits = \"{units}.pages\"\n"
        );
    }
    for (role, arguments) in [
        ("reader", stubs::reader_arguments(bound, op)),
        ("compute", stubs::compute_arguments(bound, op)),
        ("writer", stubs::writer_arguments(bound, op)),
    ] {
        let quoted = |list: &[String]| list.iter().map(|a| format!("\"{a}\"")).collect::<Vec<_>>().join(", ");
        let _ = write!(text, "\n[[kernel]]\nrole = \"{role}\"\nfile = \"kernels/{role}.cpp\"\n");
        if !arguments.0.is_empty() {
            let _ = writeln!(text, "compile_time_args = [{}]", quoted(&arguments.0));
        }
        let _ = writeln!(text, "runtime_args = [{}]", quoted(&arguments.1));
        if role == "compute" {
            text.push_str("compute = { math_fidelity = \"HiFi4\", fp32_dest_acc_en = true }\n");
        }
    }
    if op.reference.is_empty() {
        text.push_str("\n# Each output in float64, from inputs and attributes; earlier lines may be used in later ones.\n[reference]\n");
        for output in &op.outputs {
            let value = if output.shape.is_none() { op.inputs[0].name.as_str() } else { "1" };
            let _ = writeln!(text, "{} = \"{value}\"", output.name);
        }
    }
    if op.grid.shapes.is_empty() {
        let shapes = shapes(op)?;
        let _ = write!(
            text,
            "\n# What the op is proved on, with every kind of data: constant, ramp, one_hot, mean_zero, large_offset, adversarial.\n\
             [grid]\nshapes = {shapes:?}\nrtol = 1e-2\natol = 1e-2\n"
        );
    }
    Ok(text)
}

/// Shapes that the configuration's own conditions accept.
fn shapes(op: &UserOp) -> Result<Vec<Vec<u32>>, String> {
    let with_rank = |sides: [u32; 2]| {
        let rank = op.ranks.0 as usize;
        let shape = [vec![1; rank.saturating_sub(2)], sides.to_vec()].concat();
        shape[shape.len() - rank.max(1)..].to_vec()
    };
    let candidates = [[32, 32], [64, 96], [96, 256], [32, 1024]].map(with_rank);
    let mut refusal = String::new();
    let accepted: Vec<Vec<u32>> = candidates
        .into_iter()
        .filter(|shape| {
            let call = Call::new(shape, op.dtypes()[0], op.layouts()[0]);
            match op.resolve(&call) {
                Ok(_) => true,
                Err(error) => {
                    refusal = format!("{} {}: {}", shape_name(shape), dtype_name(call.dtype), error.message);
                    false
                }
            }
        })
        .take(3)
        .collect();
    if accepted.is_empty() {
        return Err(format!("give [grid] shapes: its conditions accept none of the usual ones ({refusal})"));
    }
    Ok(accepted)
}
