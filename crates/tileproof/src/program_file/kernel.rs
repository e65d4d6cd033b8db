//! Reads a `[[kernel]]`: its file, where it runs, and how it is compiled.
//! It must never take a field that the kind of kernel does not have. Start reading at [`kernel`].

use std::path::{Component, Path, PathBuf};

use tileproof_model::arch::Chip;
use tileproof_model::program::{
    ComputeConfig, DataMovementConfig, KernelConfig, KernelDescriptor, KernelSource, MathFidelity, NocMode,
    SemaphoreDescriptor,
};
use tileproof_model::thread::Thread;

use super::arguments::{Arguments, Surroundings};
use super::fields::Fields;
use super::value::{Kind, Problem, Value};
use crate::described::program as described;

pub(super) fn kernel(
    table: &Value,
    around: &Surroundings<'_>,
    semaphores: &[SemaphoreDescriptor],
) -> Result<KernelDescriptor, Problem> {
    let fields = Fields::new("kernel", table, &described::KERNEL)?;
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
            let fields = Fields::new(what, &entries[0].value, &described::DATA_MOVEMENT)?;
            data_movement(&fields).map(KernelConfig::DataMovement)
        }
        Kind::Table(entries) if entries.len() == 1 && entries[0].key == "compute" => {
            let what = format!("{}: compute", fields.what);
            let fields = Fields::new(what, &entries[0].value, &described::COMPUTE)?;
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

/// Settings of a compute kernel, in program files and in the descriptions of ops.
pub(crate) fn compute(fields: &Fields<'_>, arch: &Chip) -> Result<ComputeConfig, Problem> {
    let mut config = ComputeConfig {
        fp32_dest_acc_en: fields.flag("fp32_dest_acc_en")?,
        math_approx_mode: fields.flag("math_approx_mode")?,
        dst_full_sync_en: fields.flag("dst_full_sync_en")?,
        bfp8_pack_precise: fields.flag("bfp8_pack_precise")?,
        ..ComputeConfig::default()
    };
    if let Some(value) = fields.get("math_fidelity") {
        config.math_fidelity = fields.choice("math_fidelity", value, &MathFidelity::NAMED)?;
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
