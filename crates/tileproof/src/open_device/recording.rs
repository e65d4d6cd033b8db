//! Launches of an open device as program files: what `tileproof record` keeps.
//!
//! A folder a launch, with the program, what its tensors held before and what they held behind it, so that it runs again without
//! the host program, bit for bit: tensors lie where they lay. Kernels are named where they are. It must never change a launch.
//! Start at [`Recording::begin`].

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tileproof_model::numerics::format::DataFormat;
use tileproof_model::program::{CbFormatDescriptor, KernelSource, Layout, MemoryConfig, TensorDescriptor};
use tileproof_model::record::Status;

use super::held::did;
use crate::elements;
use crate::fill::Fill;
use crate::npy::{self, NpyError};
use crate::program_file::{Closeness, Expect, Expected, ProgramFile, Standing, TensorData, write};
use crate::run_file::RunResult;

/// The variable that names the folder in which the launches of a process are kept.
pub const RECORD_VARIABLE: &str = "TILEPROOF_RECORD";

/// The name of a program file.
const PROGRAM: &str = "program.toml";

/// Rows and columns of a tile.
const TILE_SIDE: u32 = 32;

/// Folders that are tried for one launch: several processes may record side by side.
const TRIES: u32 = 1_000_000;

/// Why a launch cannot be kept.
#[derive(thiserror::Error, Debug)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum NotRecorded {
    #[error("record: {}: {error}", path.display())]
    Io { path: PathBuf, error: io::Error },
    #[error("record: {0}")]
    Npy(#[from] NpyError),
    #[error("record: kernel {0} is in Rust: there is no file of it")]
    Native(String),
}

/// A launch that is being kept.
pub(super) struct Recording {
    folder: PathBuf,
    /// The program as it is written, without what comes out.
    file: ProgramFile,
}

impl Recording {
    /// Keeps a launch that is about to run.
    pub(super) fn begin(into: &Path, file: &ProgramFile) -> Result<Recording, NotRecorded> {
        let file = by_itself(file)?;
        let recording = Recording { folder: new_folder(into, &file)?, file };
        for (tensor, data) in recording.file.program.tensors.iter().zip(&recording.file.tensors) {
            if let (Some(_), Some(standing)) = (&data.fill, &data.standing) {
                recording.values(&write::values_file(tensor, false), tensor, &standing.pages)?;
            }
        }
        recording.write(&recording.file)?;
        Ok(recording)
    }

    /// Keeps what has come out, where the launch came to its end.
    pub(super) fn end(self, before: &ProgramFile, result: &RunResult, after: &[Standing]) -> Result<(), NotRecorded> {
        if result.record.status != Status::Completed {
            return Ok(());
        }
        let mut file = self.file.clone();
        for (i, (data, standing)) in before.tensors.iter().zip(after).enumerate() {
            let tensor = &file.program.tensors[i];
            let is_as_before = data.standing.as_ref().is_some_and(|before| before.pages == standing.pages);
            // What is written may be what was there.
            let name = &before.program.tensors[i].name;
            let is_written = did(name, &result.record.ledgers, |tensor| tensor.pages_written > 0);
            if is_as_before && !is_written || !is_decoded(tensor) {
                continue;
            }
            let name = write::values_file(tensor, true);
            self.values(&name, tensor, &standing.pages)?;
            let values = Expected::Fill(Fill::Npy(PathBuf::from(name)));
            file.expects.push(Expect { tensor: i, sums: None, values, closeness: Closeness::Bits, line: 0 });
            file.tensors[i].output = true;
        }
        self.write(&file)
    }

    fn values(&self, name: &str, tensor: &TensorDescriptor, pages: &[u8]) -> Result<(), NotRecorded> {
        let path = self.folder.join(name);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).map_err(|error| NotRecorded::Io { path: parent.to_path_buf(), error })?;
        }
        let words = elements::decode(tensor, pages).unwrap_or_default();
        Ok(npy::write_elements(&path, &tensor.shape, tensor.format, &words)?)
    }

    /// Writes the program file; one that is there is replaced as a whole.
    fn write(&self, file: &ProgramFile) -> Result<(), NotRecorded> {
        let (path, new) = (self.folder.join(PROGRAM), self.folder.join(".program.toml"));
        let text = format!(
            "# A launch of {}, with what its buffers held; `tileproof run` runs it again.\n{}",
            self.file.path.display(),
            write::text(file)
        );
        let written = std::fs::write(&new, text).and_then(|()| std::fs::rename(&new, &path));
        written.map_err(|error| NotRecorded::Io { path, error })
    }
}

/// A folder for the next launch.
fn new_folder(into: &Path, file: &ProgramFile) -> Result<PathBuf, NotRecorded> {
    std::fs::create_dir_all(into).map_err(|error| NotRecorded::Io { path: into.to_path_buf(), error })?;
    let stem = file.path.file_stem().map_or_else(|| "launch".into(), |stem| stem.to_string_lossy());
    let mut number = 1 + std::fs::read_dir(into).map_or(0, Iterator::count) as u32;
    let last = number.saturating_add(TRIES);
    loop {
        let folder = into.join(format!("{number:04}-{}", file_name(&stem)));
        match std::fs::create_dir(&folder) {
            Ok(()) => return Ok(folder),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < last => number += 1,
            Err(error) => return Err(NotRecorded::Io { path: folder, error }),
        }
    }
}

/// A launch as a program that needs no device which is open: names that a file may have, fills, and paths from anywhere.
fn by_itself(file: &ProgramFile) -> Result<ProgramFile, NotRecorded> {
    let mut file = file.clone();
    for launch in &mut file.program.launches {
        for (tensor, _) in launch.cbs.iter_mut().filter_map(|cb| cb.tensor.as_mut()) {
            *tensor = file_name(tensor);
        }
        for kernel in &mut launch.kernels {
            match &mut kernel.source {
                KernelSource::Cpp(path) => *path = absolute(path),
                KernelSource::Native(kernel) => return Err(NotRecorded::Native(kernel.name().to_string())),
            }
            kernel.include_dirs.iter_mut().for_each(|folder| *folder = absolute(folder));
        }
    }
    let launches = file.program.launches.iter();
    let formats: Vec<CbFormatDescriptor> =
        launches.flat_map(|launch| &launch.cbs).flat_map(|cb| cb.format_descriptors.clone()).collect();
    for (tensor, data) in file.program.tensors.iter_mut().zip(&mut file.tensors) {
        tensor.name = file_name(&tensor.name);
        as_tiles(tensor, &formats);
        *data = filled(tensor, data);
    }
    Ok(file)
}

/// Bytes whose pages are as large as the tiles of one circular buffer, and of no other format: they are read as its tiles.
fn as_tiles(tensor: &mut TensorDescriptor, formats: &[CbFormatDescriptor]) {
    let pages = tensor.pages();
    let is_in_pages = !matches!(tensor.memory, MemoryConfig::Sharded(_)) && tensor.layout == Layout::RowMajor;
    if tensor.format != DataFormat::UInt8 || !is_in_pages {
        return;
    }
    let is_tile = |cb: &&CbFormatDescriptor| {
        cb.page_size == tensor.page_bytes()
            && cb.data_format.tile_bytes() == cb.page_size
            // What shares an exponent has more than one way to be written.
            && !cb.data_format.is_block_float()
    };
    let mut of_tiles = formats.iter().filter(is_tile).map(|cb| cb.data_format);
    let Some(format) = of_tiles.next().filter(|format| npy::dtype_of(*format).is_some()) else { return };
    if of_tiles.all(|other| other == format) {
        *tensor = TensorDescriptor {
            shape: vec![pages, TILE_SIDE, TILE_SIDE],
            format,
            layout: Layout::Tile,
            ..tensor.clone()
        };
    }
}

/// A tensor that stands on a device, by a fill and an address.
fn filled(tensor: &TensorDescriptor, data: &TensorData) -> TensorData {
    let Some(standing) = &data.standing else { return data.clone() };
    let is_filled = standing.holds_something() && is_decoded(tensor);
    let undefined_pages = if is_filled { data.empty_pages(tensor) } else { Vec::new() };
    TensorData {
        // The text names the file by the tensor.
        fill: is_filled.then(|| Fill::Npy(PathBuf::new())),
        address: Some(standing.address),
        undefined_pages,
        standing: Some(Arc::clone(standing)),
        ..data.clone()
    }
}

/// Whether the host knows the elements of a tensor bit by bit: those of blocks that share an exponent it writes as values.
fn is_decoded(tensor: &TensorDescriptor) -> bool {
    npy::dtype_of(tensor.format).is_some()
}

/// A name as tensors of program files, and folders, may have it.
fn file_name(name: &str) -> String {
    let name: String = name.chars().map(|c| if c.is_alphanumeric() || "_-.".contains(c) { c } else { '-' }).collect();
    let name = name.trim_matches(['-', '.']);
    if name.is_empty() { "unnamed".into() } else { name.into() }
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf())
}
