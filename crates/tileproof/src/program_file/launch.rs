//! Reads what one launch consists of: `[[cb]]`, `[[kernel]]` and `[[semaphore]]`.
//! It must never let two descriptors claim the same thing on the same core. Start reading at [`launch`].

use tileproof_model::program::{
    CbDescriptor, CbFormatDescriptor, KernelDescriptor, Launch, MemoryConfig, SemaphoreDescriptor,
};

use super::arguments::Surroundings;
use super::fields::Fields;
use super::kernel::kernel;
use super::tensor::no_such_tensor;
use super::value::{Problem, Value};
use crate::described::program as described;
use crate::dtypes::buffer_words;
use crate::launch_rules::{self, SEMAPHORES};

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

impl LaunchLines {
    /// Those of a launch that stands in no file.
    pub fn nowhere(launch: &Launch) -> LaunchLines {
        LaunchLines {
            cbs: vec![0; launch.cbs.len()],
            kernels: vec![0; launch.kernels.len()],
            semaphores: vec![0; launch.semaphores.len()],
        }
    }
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
            if let Some(core) = launch_rules::same_semaphore(&semaphore, other) {
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
    let Some((index, core)) = launch_rules::same_index(cb, other) else { return Ok(()) };
    let message = format!("cb: buffer_index {index} is on core {core} twice; the first is at line {line}");
    Err(Problem::new(at, message))
}

fn threads_differ(kernel: &KernelDescriptor, other: &KernelDescriptor, line: usize, at: usize) -> Result<(), Problem> {
    let Some((thread, core)) = launch_rules::same_thread(kernel, other) else { return Ok(()) };
    let message = format!("kernel: core {core} has a kernel on {thread} already, the one at line {line}");
    Err(Problem::new(at, message))
}

fn cb(table: &Value, around: &Surroundings<'_>) -> Result<CbDescriptor, Problem> {
    let fields = Fields::new("cb", table, &described::BUFFER)?;
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
    let fields = Fields::new("cb: format_descriptors", table, &described::BUFFER_FORMAT)?;
    let last = i64::from(around.arch.circular_buffers) - 1;
    let buffer_index = fields.integer("buffer_index", fields.require("buffer_index")?, 0, last)? as u8;
    let value = fields.require("data_format")?;
    let data_format = fields.choice("data_format", value, &buffer_words())?;
    let value = fields.require("page_size")?;
    let page_size = fields.unsigned("page_size", value, 1)?;
    if let Some(message) = launch_rules::uneven_pages(buffer_index, total_size, page_size) {
        return Err(Problem::new(value.at, message));
    }
    if let Some(value) = fields.get("tile") {
        let [height, width] = fields.list("tile", value, "[height, width]")? else {
            return Err(fields.wrong("tile", value, "[height, width]"));
        };
        let tile = [fields.unsigned("tile", height, 1)?, fields.unsigned("tile", width, 1)?];
        if let Some(message) = launch_rules::no_such_tile(buffer_index, tile) {
            return Err(Problem::new(value.at, message));
        }
    }
    Ok(CbFormatDescriptor { buffer_index, data_format, page_size })
}

fn semaphore(table: &Value, around: &Surroundings<'_>) -> Result<SemaphoreDescriptor, Problem> {
    let fields = Fields::new("semaphore", table, &described::SEMAPHORE)?;
    let id = fields.integer("id", fields.require("id")?, 0, i64::from(SEMAPHORES) - 1)? as u32;
    if let Some(value) = fields.get("core_type") {
        fields.choice("core_type", value, &[("WORKER", ())])?;
    }
    let initial_value = match fields.get("initial_value") {
        Some(value) => fields.unsigned("initial_value", value, 0)?,
        None => 0,
    };
    Ok(SemaphoreDescriptor { id, core_ranges: fields.core_ranges(around.arch.grid)?, initial_value })
}
