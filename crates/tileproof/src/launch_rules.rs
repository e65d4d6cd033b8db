//! What no launch may be, whoever describes it: a program file or a program of ttnn's descriptors.
//!
//! It must never say where a description stands: that is for who reads it. Start at [`check`], which applies all rules to a launch
//! that is whole.

use tileproof_model::arch::Chip;
use tileproof_model::program::{CbDescriptor, CbFormatDescriptor, KernelDescriptor, Launch, SemaphoreDescriptor};
use tileproof_model::thread::{CoreCoord, CoreRange, Thread};

/// Semaphore ids a core (tt-metal `semaphore.hpp`, `NUM_SEMAPHORES`).
pub(crate) const SEMAPHORES: u32 = 16;

/// A core of both.
pub(crate) fn shared_core(a: &[CoreRange], b: &[CoreRange]) -> Option<CoreCoord> {
    a.iter().flat_map(CoreRange::cores).find(|core| b.iter().any(|range| range.contains(*core)))
}

/// An index that two circular buffers have on a core.
pub(crate) fn same_index(cb: &CbDescriptor, other: &CbDescriptor) -> Option<(u8, CoreCoord)> {
    let known = |format: &&CbFormatDescriptor| {
        other.format_descriptors.iter().any(|other| other.buffer_index == format.buffer_index)
    };
    let index = cb.format_descriptors.iter().find(known)?.buffer_index;
    Some((index, shared_core(&cb.core_ranges, &other.core_ranges)?))
}

/// A core that has a semaphore twice.
pub(crate) fn same_semaphore(semaphore: &SemaphoreDescriptor, other: &SemaphoreDescriptor) -> Option<CoreCoord> {
    if other.id == semaphore.id { shared_core(&semaphore.core_ranges, &other.core_ranges) } else { None }
}

/// A thread that two kernels have on a core.
pub(crate) fn same_thread(kernel: &KernelDescriptor, other: &KernelDescriptor) -> Option<(Thread, CoreCoord)> {
    let threads = kernel.config.threads();
    let core = shared_core(&kernel.core_ranges, &other.core_ranges);
    if threads == other.config.threads() { Some((threads[0], core?)) } else { None }
}

/// Why a circular buffer cannot be divided into pages, as tt-metal refuses it (`circular_buffer_config.cpp`).
pub(crate) fn uneven_pages(index: u8, total_size: u32, page_size: u32) -> Option<String> {
    if page_size == 0 {
        return Some(format!("cb {index}: page_size is 0, and its total_size {total_size}"));
    }
    let is_uneven = !total_size.is_multiple_of(page_size);
    is_uneven.then(|| format!("cb {index}: total_size {total_size} is not a multiple of page_size {page_size}"))
}

/// Why tiles of a size cannot be.
pub fn no_such_tile(index: u8, tile: [u32; 2]) -> Option<String> {
    (tile != [32, 32]).then(|| format!("cb {index}: tiles of {tile:?} are not modelled yet; only [32, 32]"))
}

/// The first rule that a launch breaks.
///
/// # Errors
/// If there is one.
pub(crate) fn check(launch: &Launch, chip: &Chip) -> Result<(), String> {
    for (number, cb) in launch.cbs.iter().enumerate() {
        of_cb(cb, chip)?;
        for other in &launch.cbs[..number] {
            if let Some((index, core)) = same_index(cb, other) {
                return Err(format!("cb: buffer_index {index} is on core {core} twice"));
            }
        }
    }
    for (number, semaphore) in launch.semaphores.iter().enumerate() {
        let id = semaphore.id;
        in_grid(&format!("semaphore {id}"), &semaphore.core_ranges, chip)?;
        if id >= SEMAPHORES {
            return Err(format!("semaphore id {id}: ids are 0 to {}", SEMAPHORES - 1));
        }
        if let Some(core) = launch.semaphores[..number].iter().find_map(|other| same_semaphore(semaphore, other)) {
            return Err(format!("semaphore id {id} is on core {core} twice"));
        }
    }
    for (number, kernel) in launch.kernels.iter().enumerate() {
        in_grid("kernel", &kernel.core_ranges, chip)?;
        for other in &launch.kernels[..number] {
            if let Some((thread, core)) = same_thread(kernel, other) {
                return Err(format!("kernel: core {core} has a kernel on {thread} already"));
            }
        }
        let outside = |core: &&CoreCoord| !kernel.core_ranges.iter().any(|range| range.contains(**core));
        if let Some(core) = kernel.runtime_args.keys().find(outside) {
            return Err(format!("kernel: runtime_args for core {core}, which is not in its core_ranges"));
        }
    }
    Ok(())
}

fn of_cb(cb: &CbDescriptor, chip: &Chip) -> Result<(), String> {
    in_grid("cb", &cb.core_ranges, chip)?;
    if cb.format_descriptors.is_empty() {
        return Err("cb: format_descriptors is empty; a circular buffer has at least one".into());
    }
    for (number, format) in cb.format_descriptors.iter().enumerate() {
        let index = format.buffer_index;
        if u32::from(index) >= chip.circular_buffers {
            let count = chip.circular_buffers;
            return Err(format!("buffer_index {index}: a core has {count} circular buffers, 0 to {}", count - 1));
        }
        if let Some(why) = uneven_pages(index, cb.total_size, format.page_size) {
            return Err(why);
        }
        if cb.format_descriptors[..number].iter().any(|other| other.buffer_index == index) {
            return Err(format!("cb: buffer_index {index} is there twice"));
        }
    }
    if cb.total_size == 0 {
        return Err(format!("cb {}: total_size is 0", cb.format_descriptors[0].buffer_index));
    }
    Ok(())
}

/// All cores of a description are cores of the chip.
fn in_grid(what: &str, ranges: &[CoreRange], chip: &Chip) -> Result<(), String> {
    let (columns, rows) = chip.grid;
    match ranges.iter().find(|range| range.end.x >= columns || range.end.y >= rows) {
        None => Ok(()),
        Some(range) => {
            let core = range.end;
            Err(format!("{what}: core {core} is outside the compute grid of {columns} x {rows} cores"))
        }
    }
}
