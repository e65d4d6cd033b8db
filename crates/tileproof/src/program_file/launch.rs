//! Reads what one launch consists of: `[[cb]]`, `[[kernel]]` and `[[semaphore]]`.
//! It must never let two descriptors claim the same thing on the same core. Start reading at [`launch`].

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use tileproof_model::arch::Chip;
use tileproof_model::program::{
    Argument, CbDescriptor, CbFormatDescriptor, ComputeConfig, DataMovementConfig, KernelConfig, KernelDescriptor,
    KernelSource, Launch, MathFidelity, MemoryConfig, NocMode, SemaphoreDescriptor, TensorDescriptor,
};
use tileproof_model::thread::{CoreRange, Thread};

use super::fields::{Fields, shared_core};
use super::tensor::no_such_tensor;
use super::value::{Kind, Problem, Value};
use crate::dtypes::buffer_words;

/// Semaphore ids a core (tt-metal `semaphore.hpp`, `NUM_SEMAPHORES`).
const SEMAPHORES: i64 = 16;

/// What the parts of a launch may refer to.
pub(crate) struct Surroundings<'a> {
    pub(crate) arch: &'static Chip,
    pub(crate) tensors: &'a [TensorDescriptor],
    pub(crate) folder: &'a Path,
    pub(crate) line_of: &'a dyn Fn(usize) -> usize,
}

/// Lines of the tables of a launch, in their order.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct LaunchLines {
    /// Circular buffers.
    pub cbs: Vec<usize>,
    /// Kernels.
    pub kernels: Vec<usize>,
    /// Semaphores.
    pub semaphores: Vec<usize>,
}

/// Reads a launch from the table that holds its `cb`, `kernel` and `semaphore`.
pub(crate) fn launch(fields: &Fields<'_>, around: &Surroundings<'_>) -> Result<(Launch, LaunchLines), Problem> {
    let mut launch = Launch::default();
    let mut lines = LaunchLines::default();
    for table in fields.tables("cb")? {
        let cb = cb(table, around)?;
        for (other, line) in launch.cbs.iter().zip(&lines.cbs) {
            cbs_differ(&cb, other, *line, table.at)?;
        }
        launch.cbs.push(cb);
        lines.cbs.push((around.line_of)(table.at));
    }
    for table in fields.tables("semaphore")? {
        let semaphore = semaphore(table, around)?;
        for (other, line) in launch.semaphores.iter().zip(&lines.semaphores) {
            if other.id == semaphore.id
                && let Some(core) = shared_core(&semaphore.core_ranges, &other.core_ranges)
            {
                let message =
                    format!("semaphore {} is on core {core} twice; the first is at line {line}", semaphore.id);
                return Err(Problem::new(table.at, message));
            }
        }
        launch.semaphores.push(semaphore);
        lines.semaphores.push((around.line_of)(table.at));
    }
    let tables = fields.tables("kernel")?;
    if tables.is_empty() {
        return Err(Problem::new(fields.at, format!("{}: there is no [[kernel]]", fields.what)));
    }
    for table in tables {
        let kernel = kernel(table, around, &launch.semaphores)?;
        for (other, line) in launch.kernels.iter().zip(&lines.kernels) {
            threads_differ(&kernel, other, *line, table.at)?;
        }
        launch.kernels.push(kernel);
        lines.kernels.push((around.line_of)(table.at));
    }
    Ok((launch, lines))
}

fn cbs_differ(cb: &CbDescriptor, other: &CbDescriptor, line: usize, at: usize) -> Result<(), Problem> {
    for format in &cb.format_descriptors {
        let index = format.buffer_index;
        if other.format_descriptors.iter().any(|f| f.buffer_index == index)
            && let Some(core) = shared_core(&cb.core_ranges, &other.core_ranges)
        {
            let message = format!("cb: buffer_index {index} is on core {core} twice; the first is at line {line}");
            return Err(Problem::new(at, message));
        }
    }
    Ok(())
}

fn threads_differ(kernel: &KernelDescriptor, other: &KernelDescriptor, line: usize, at: usize) -> Result<(), Problem> {
    let threads = kernel.config.threads();
    if threads == other.config.threads()
        && let Some(core) = shared_core(&kernel.core_ranges, &other.core_ranges)
    {
        let message = format!("kernel: core {core} has a kernel on {} already, the one at line {line}", threads[0]);
        return Err(Problem::new(at, message));
    }
    Ok(())
}

fn cb(table: &Value, around: &Surroundings<'_>) -> Result<CbDescriptor, Problem> {
    let fields =
        Fields::new("cb", table, &["total_size", "core_ranges", "format_descriptors", "tensor", "address_offset"])?;
    let offset = match fields.get("address_offset") {
        Some(value) => fields.unsigned("address_offset", value, 0)?,
        None => 0,
    };
    let tensor = match fields.get("tensor") {
        Some(value) => {
            let name = fields.text("tensor", value, "the name of a tensor")?;
            let Some(tensor) = around.tensors.iter().find(|tensor| tensor.name == name) else {
                return Err(no_such_tensor(&fields.what, name, value.at, around.tensors));
            };
            // Only a sharded tensor can back a circular buffer (ttnn `cb_descriptor_from_sharded_tensor`).
            if !matches!(tensor.memory, MemoryConfig::Sharded(_)) {
                return Err(Problem::new(value.at, format!("cb: tensor \"{name}\" is not sharded")));
            }
            Some((name.to_string(), offset))
        }
        None if offset != 0 => {
            let message = "cb: address_offset is an offset into the tensor that backs the buffer, and there is none";
            return Err(Problem::new(fields.at, message));
        }
        None => None,
    };
    let total = fields.require("total_size")?;
    let total_size = fields.unsigned("total_size", total, 1)?;
    let core_ranges = fields.core_ranges(around.arch.grid)?;
    let value = fields.require("format_descriptors")?;
    let list = fields.list("format_descriptors", value, "a list of tables")?;
    if list.is_empty() {
        return Err(fields.wrong("format_descriptors", value, "at least one table"));
    }
    let mut format_descriptors: Vec<CbFormatDescriptor> = Vec::new();
    for table in list {
        let format = cb_format(table, total_size, around)?;
        if format_descriptors.iter().any(|f| f.buffer_index == format.buffer_index) {
            let message = format!("cb: buffer_index {} is there twice", format.buffer_index);
            return Err(Problem::new(table.at, message));
        }
        format_descriptors.push(format);
    }
    Ok(CbDescriptor { total_size, tensor, core_ranges, format_descriptors })
}

fn cb_format(table: &Value, total_size: u32, around: &Surroundings<'_>) -> Result<CbFormatDescriptor, Problem> {
    let fields = Fields::new("cb: format_descriptors", table, &["buffer_index", "data_format", "page_size", "tile"])?;
    let last = i64::from(around.arch.circular_buffers) - 1;
    let buffer_index = fields.integer("buffer_index", fields.require("buffer_index")?, 0, last)? as u8;
    let value = fields.require("data_format")?;
    let data_format = fields.choice("data_format", value, &buffer_words())?;
    let value = fields.require("page_size")?;
    let page_size = fields.unsigned("page_size", value, 1)?;
    // As tt-metal refuses it (`circular_buffer_config.cpp`).
    if !total_size.is_multiple_of(page_size) {
        let message = format!("cb {buffer_index}: total_size {total_size} is not a multiple of page_size {page_size}");
        return Err(Problem::new(value.at, message));
    }
    if let Some(value) = fields.get("tile") {
        let [height, width] = fields.list("tile", value, "[height, width]")? else {
            return Err(fields.wrong("tile", value, "[height, width]"));
        };
        let tile = [fields.unsigned("tile", height, 1)?, fields.unsigned("tile", width, 1)?];
        if tile != [32, 32] {
            let message = format!("cb {buffer_index}: tiles of {tile:?} are not modelled yet; only [32, 32]");
            return Err(Problem::new(value.at, message));
        }
    }
    Ok(CbFormatDescriptor { buffer_index, data_format, page_size })
}

fn semaphore(table: &Value, around: &Surroundings<'_>) -> Result<SemaphoreDescriptor, Problem> {
    let fields = Fields::new("semaphore", table, &["id", "core_ranges", "initial_value", "core_type"])?;
    let id = fields.integer("id", fields.require("id")?, 0, SEMAPHORES - 1)? as u32;
    if let Some(value) = fields.get("core_type") {
        fields.choice("core_type", value, &[("WORKER", ())])?;
    }
    let initial_value = match fields.get("initial_value") {
        Some(value) => fields.unsigned("initial_value", value, 0)?,
        None => 0,
    };
    Ok(SemaphoreDescriptor { id, core_ranges: fields.core_ranges(around.arch.grid)?, initial_value })
}

fn kernel(
    table: &Value,
    around: &Surroundings<'_>,
    semaphores: &[SemaphoreDescriptor],
) -> Result<KernelDescriptor, Problem> {
    let fields = Fields::new(
        "kernel",
        table,
        &[
            "kernel_source",
            "core_ranges",
            "config",
            "compile_time_args",
            "named_compile_time_args",
            "defines",
            "include_dirs",
            "runtime_args",
            "common_runtime_args",
        ],
    )?;
    let value = fields.require("kernel_source")?;
    let source = within(around.folder, fields.text("kernel_source", value, "a C++ file")?);
    if !source.is_file() {
        let message = format!("{}: there is no file {}", fields.what, source.display());
        return Err(Problem::new(value.at, message));
    }
    let arguments = Arguments { fields: &fields, around, semaphores };
    let core_ranges = fields.core_ranges(around.arch.grid)?;
    let mut include_dirs = Vec::new();
    for value in fields.list_or_empty("include_dirs", "a list of folders")? {
        let folder = around.folder.join(fields.text("include_dirs", value, "a folder")?);
        if !folder.is_dir() {
            let message = format!("{}: include_dirs: there is no folder {}", fields.what, folder.display());
            return Err(Problem::new(value.at, message));
        }
        include_dirs.push(folder);
    }
    Ok(KernelDescriptor {
        config: config(&fields, around.arch)?,
        compile_time_args: arguments.list("compile_time_args")?,
        named_compile_time_args: arguments.named()?,
        defines: defines(&fields)?,
        include_dirs,
        runtime_args: arguments.by_core(&core_ranges)?,
        common_runtime_args: arguments.list("common_runtime_args")?,
        source: KernelSource::Cpp(source),
        core_ranges,
    })
}

fn config(fields: &Fields<'_>, arch: &Chip) -> Result<KernelConfig, Problem> {
    const EXPECTED: &str = "\"reader\", \"writer\", { data_movement = { .. } } or { compute = { .. } }";
    let value = fields.require("config")?;
    match &value.kind {
        Kind::Text(text) if text == "reader" => Ok(KernelConfig::DataMovement(DataMovementConfig::READER)),
        Kind::Text(text) if text == "writer" => Ok(KernelConfig::DataMovement(DataMovementConfig::WRITER)),
        Kind::Table(entries) if entries.len() == 1 && entries[0].key == "data_movement" => {
            let what = format!("{}: data_movement", fields.what);
            let fields = Fields::new(what, &entries[0].value, &["processor", "noc", "noc_mode"])?;
            data_movement(&fields).map(KernelConfig::DataMovement)
        }
        Kind::Table(entries) if entries.len() == 1 && entries[0].key == "compute" => {
            let fields = Fields::new(
                format!("{}: compute", fields.what),
                &entries[0].value,
                &[
                    "math_fidelity",
                    "fp32_dest_acc_en",
                    "math_approx_mode",
                    "dst_full_sync_en",
                    "bfp8_pack_precise",
                    "unpack_to_dest_fp32",
                ],
            )?;
            compute(&fields, arch).map(KernelConfig::Compute)
        }
        _ => Err(fields.wrong("config", value, EXPECTED)),
    }
}

/// The defaults are those of ttnn's `DataMovementConfigDescriptor`.
fn data_movement(fields: &Fields<'_>) -> Result<DataMovementConfig, Problem> {
    let mut config = DataMovementConfig { processor: Thread::Brisc, noc: 0, noc_mode: NocMode::Dedicated };
    if let Some(value) = fields.get("processor") {
        let processors = [("RISCV_0", Thread::Brisc), ("RISCV_1", Thread::Ncrisc)];
        config.processor = fields.choice("processor", value, &processors)?;
    }
    if let Some(value) = fields.get("noc") {
        config.noc = fields.integer("noc", value, 0, 1)? as u8;
    }
    if let Some(value) = fields.get("noc_mode") {
        let modes = [("DM_DEDICATED_NOC", NocMode::Dedicated), ("DM_DYNAMIC_NOC", NocMode::Dynamic)];
        config.noc_mode = fields.choice("noc_mode", value, &modes)?;
    }
    Ok(config)
}

fn compute(fields: &Fields<'_>, arch: &Chip) -> Result<ComputeConfig, Problem> {
    let mut config = ComputeConfig {
        fp32_dest_acc_en: fields.flag("fp32_dest_acc_en")?,
        math_approx_mode: fields.flag("math_approx_mode")?,
        dst_full_sync_en: fields.flag("dst_full_sync_en")?,
        bfp8_pack_precise: fields.flag("bfp8_pack_precise")?,
        ..ComputeConfig::default()
    };
    if let Some(value) = fields.get("math_fidelity") {
        let fidelities = [
            ("LoFi", MathFidelity::LoFi),
            ("HiFi2", MathFidelity::HiFi2),
            ("HiFi3", MathFidelity::HiFi3),
            ("HiFi4", MathFidelity::HiFi4),
        ];
        config.math_fidelity = fields.choice("math_fidelity", value, &fidelities)?;
    }
    let last = i64::from(arch.circular_buffers) - 1;
    for value in fields.list_or_empty("unpack_to_dest_fp32", "a list of buffer indices")? {
        let cb = fields.integer("unpack_to_dest_fp32", value, 0, last)? as u8;
        if !config.unpack_to_dest_fp32.contains(&cb) {
            config.unpack_to_dest_fp32.push(cb);
        }
    }
    Ok(config)
}

fn defines(fields: &Fields<'_>) -> Result<Vec<(String, String)>, Problem> {
    const EXPECTED: &str = "a list of [\"NAME\", \"value\"]";
    let mut defines = Vec::new();
    for pair in fields.list_or_empty("defines", EXPECTED)? {
        let [name, value] = fields.list("defines", pair, EXPECTED)? else {
            return Err(fields.wrong("defines", pair, EXPECTED));
        };
        let value = match &value.kind {
            Kind::Text(text) => text.clone(),
            // A parameter that is a number, or a number: what the preprocessor sees is the same.
            Kind::Integer(_) | Kind::Float(_) | Kind::Boolean(_) => value.shown(),
            _ => return Err(fields.wrong("defines", value, EXPECTED)),
        };
        defines.push((fields.text("defines", name, EXPECTED)?.to_string(), value));
    }
    Ok(defines)
}

/// Reads the arguments of a kernel.
struct Arguments<'a> {
    fields: &'a Fields<'a>,
    around: &'a Surroundings<'a>,
    semaphores: &'a [SemaphoreDescriptor],
}

impl Arguments<'_> {
    fn list(&self, key: &str) -> Result<Vec<Argument>, Problem> {
        let values = self.fields.list_or_empty(key, "a list of arguments")?;
        values.iter().map(|value| self.argument(key, value)).collect()
    }

    fn named(&self) -> Result<Vec<(String, u32)>, Problem> {
        const KEY: &str = "named_compile_time_args";
        const EXPECTED: &str = "a list of [\"name\", integer]";
        let mut named: Vec<(String, u32)> = Vec::new();
        for pair in self.fields.list_or_empty(KEY, EXPECTED)? {
            let [name, value] = self.fields.list(KEY, pair, EXPECTED)? else {
                return Err(self.fields.wrong(KEY, pair, EXPECTED));
            };
            let name = self.fields.text(KEY, name, EXPECTED)?;
            if named.iter().any(|(other, _)| other == name) {
                let message = format!("{}: {KEY}: \"{name}\" is there twice", self.fields.what);
                return Err(Problem::new(pair.at, message));
            }
            named.push((name.to_string(), self.word(KEY, value)?));
        }
        Ok(named)
    }

    fn by_core(
        &self,
        core_ranges: &[CoreRange],
    ) -> Result<BTreeMap<tileproof_model::thread::CoreCoord, Vec<Argument>>, Problem> {
        const KEY: &str = "runtime_args";
        let mut by_core = BTreeMap::new();
        for table in self.fields.list_or_empty(KEY, "a list of { core = [x, y], args = [..] }")? {
            let what = format!("{}: {KEY}", self.fields.what);
            let fields = Fields::new(what, table, &["core", "args"])?;
            let core_value = fields.require("core")?;
            let core = fields.core("core", core_value)?;
            if !core_ranges.iter().any(|range| range.contains(core)) {
                let message = format!("{}: core {core} is not in core_ranges", fields.what);
                return Err(Problem::new(core_value.at, message));
            }
            let values = fields.list("args", fields.require("args")?, "a list of arguments")?;
            let arguments = values.iter().map(|value| self.argument(KEY, value)).collect::<Result<_, _>>()?;
            if by_core.insert(core, arguments).is_some() {
                let message = format!("{}: core {core} is there twice", fields.what);
                return Err(Problem::new(core_value.at, message));
            }
        }
        Ok(by_core)
    }

    /// A 32-bit word; a negative number is its two's complement.
    fn word(&self, key: &str, value: &Value) -> Result<u32, Problem> {
        let number = self.fields.integer(key, value, i64::from(i32::MIN), i64::from(u32::MAX))?;
        Ok(number as u32)
    }

    fn argument(&self, key: &str, value: &Value) -> Result<Argument, Problem> {
        const EXPECTED: &str = "an integer, { tensor_accessor = \"..\" }, { address = \"..\" }, \
            { semaphore = id }, { noc_x = [x, y] }, { noc_y = [x, y] } or { cb = i }";
        let fields = self.fields;
        let Kind::Table(entries) = &value.kind else {
            if matches!(value.kind, Kind::Integer(_)) || value.from_parameter {
                return self.word(key, value).map(Argument::Word);
            }
            return Err(fields.wrong(key, value, EXPECTED));
        };
        let [entry] = entries.as_slice() else { return Err(fields.wrong(key, value, EXPECTED)) };
        let inner = &entry.value;
        match entry.key.as_str() {
            "tensor_accessor" => self.tensor(key, inner).map(Argument::TensorAccessor),
            "address" => self.tensor(key, inner).map(Argument::Address),
            "semaphore" => {
                let id = fields.integer(key, inner, 0, SEMAPHORES - 1)? as u32;
                if !self.semaphores.iter().any(|semaphore| semaphore.id == id) {
                    let message = format!("{}: {key}: there is no [[semaphore]] with id {id}", fields.what);
                    return Err(Problem::new(inner.at, message));
                }
                Ok(Argument::Semaphore(id))
            }
            "noc_x" | "noc_y" => {
                let core = fields.core(key, inner)?;
                let (columns, rows) = self.around.arch.grid;
                if core.x >= columns || core.y >= rows {
                    let message =
                        format!("{}: {key}: {core} is outside the grid of {columns} x {rows} cores", fields.what);
                    return Err(Problem::new(inner.at, message));
                }
                Ok(if entry.key == "noc_x" { Argument::NocX(core) } else { Argument::NocY(core) })
            }
            "cb" => {
                let last = i64::from(self.around.arch.circular_buffers) - 1;
                Ok(Argument::Cb(fields.integer(key, inner, 0, last)? as u8))
            }
            other => {
                let message = format!("{}: {key}: unknown argument {other}; expected {EXPECTED}", fields.what);
                Err(Problem::new(entry.key_at, message))
            }
        }
    }

    fn tensor(&self, key: &str, value: &Value) -> Result<String, Problem> {
        let name = self.fields.text(key, value, "the name of a tensor")?;
        if self.around.tensors.iter().any(|tensor| tensor.name == name) {
            return Ok(name.to_string());
        }
        let what = format!("{}: {key}", self.fields.what);
        Err(no_such_tensor(&what, name, value.at, self.around.tensors))
    }
}

/// `path` as seen from `folder`. A `..` takes away the folder before it, so that reports name files as people do; where
/// that folder is a link to elsewhere the path stays as it is written.
fn within(folder: &Path, path: &str) -> PathBuf {
    let mut whole = folder.to_path_buf();
    for part in Path::new(path).components() {
        let is_plain = whole.file_name().is_some() && !whole.is_symlink();
        match part {
            Component::ParentDir if is_plain => drop(whole.pop()),
            Component::CurDir => {}
            part => whole.push(part),
        }
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_goes_up_loses_the_folder_that_it_leaves() {
        let of = |folder: &str, path: &str| within(Path::new(folder), path).display().to_string();
        assert_eq!(of("programs/hang", "../add/./add.cpp"), "programs/add/add.cpp");
        assert_eq!(of("", "../add.cpp"), "../add.cpp");
        assert_eq!(of("..", "../add.cpp"), "../../add.cpp");
        assert_eq!(of("programs", "/kernels/add.cpp"), "/kernels/add.cpp");
    }
}
