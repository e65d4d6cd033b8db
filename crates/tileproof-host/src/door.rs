//! The functions that the headers call; `tileproof/door.hpp` of `tileproof-sdk` declares them for C++.
//!
//! Each gives a status. What is wrong is kept as text for the thread that asked, until it asks again. Start at [`answer`].

#![allow(unsafe_code)]

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::ptr;

use tileproof::model::finding::Code;
use tileproof::model::numerics::format::DataFormat;
use tileproof::model::numerics::host;
use tileproof::model::numerics::tile::TILE_DATUMS;
use tileproof::model::thread::CoreCoord;
use tileproof::open_device::{OpenDevice, TensorId, accessor_words_of_none};

use crate::devices::{self, BufferSpec, Refused, Shards};
use crate::settings::Settings;
use crate::sources;
use crate::told::{Program, Row, Stale, Text, Where};
use crate::verdict::{self, Verdict};

/// It was done.
const DONE: u32 = 0;
/// It cannot be done: the text says why.
const REFUSED: u32 = 1;
/// A program ran to its end, and something is wrong with it.
const FOUND: u32 = 2;
/// A program did not come to its end.
const ENDED: u32 = 3;

thread_local! {
    /// The last text for this thread: an error, or a path that was asked for. It ends with a zero.
    static TEXT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

fn keep(text: &str) {
    let bytes = text.bytes().filter(|byte| *byte != 0).chain([0]).collect();
    TEXT.with(|kept| *kept.borrow_mut() = bytes);
}

/// Does what was asked, and keeps why it cannot be done.
fn answer(asked: &Where, work: impl FnOnce() -> Result<u32, Refused>) -> u32 {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(status)) => status,
        Ok(Err(Refused { at, why })) => {
            let place = at.unwrap_or_else(|| asked.place());
            // The library names the file itself where it knows a line of it.
            let is_placed = why.starts_with(&format!("{}:", place.path.display()));
            keep(&if is_placed { why } else { format!("{place}: {why}") });
            REFUSED
        }
        Err(_) => {
            keep(&format!("{}: this is a fault of Tileproof; please report it", asked.place()));
            REFUSED
        }
    }
}

/// What is known of a device.
#[repr(C)]
pub(crate) struct Facts {
    grid: [u32; 2],
    dram_grid: [u32; 2],
    dram_banks: u32,
    l1_bytes: u32,
    l1_base: u32,
    dram_base: u32,
    dram_bank_bytes: u64,
    dram_alignment: u32,
    l1_alignment: u32,
    clock_mhz: u32,
    /// The name of the chip; it stays.
    arch: *const u8,
    arch_bytes: usize,
}

/// A buffer, as the headers describe it.
#[repr(C)]
pub(crate) struct Buffer {
    page_size: u32,
    pages: u32,
    in_l1: bool,
    is_sharded: bool,
    buffer_in_pages: [u32; 2],
    shard_in_pages: [u32; 2],
    cores: Row<[u32; 2]>,
}

/// Runs `work` with what a pointer leads to.
macro_rules! given {
    ($($name:ident),*) => {
        // SAFETY: the headers give pointers to values of their own, which outlive the call and are not written meanwhile.
        $(let $name = unsafe { &*$name };)*
    };
}

/// The last text for the thread that asks: valid until it asks for anything else.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn tileproof_text() -> *const u8 {
    TEXT.with(|kept| {
        let mut kept = kept.borrow_mut();
        if kept.is_empty() {
            kept.push(0);
        }
        kept.as_ptr()
    })
}

/// Whether headers fit this library.
///
/// # Safety
/// As all of these: pointers are those of `tileproof/door.hpp`.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn tileproof_fits(version: *const Text, asked: *const Where) -> u32 {
    given!(version, asked);
    answer(asked, || {
        if version.text() == tileproof_sdk::interface() {
            return Ok(DONE);
        }
        Err("the library is another version's than the headers: run `tileproof sdk`, and build the program again"
            .into())
    })
}

/// Whether the process is to end with 1.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn tileproof_fails() -> bool {
    verdict::fails()
}

/// How many devices there are.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn tileproof_devices(count: *mut u32, asked: *const Where) -> u32 {
    given!(asked);
    answer(asked, || {
        let devices = Settings::of_environment()?.devices;
        // SAFETY: a place of the caller's.
        unsafe { count.write(devices) };
        Ok(DONE)
    })
}

/// Opens a device.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn tileproof_open(chip: u32, number: *mut u64, asked: *const Where) -> u32 {
    given!(asked);
    answer(asked, || {
        let opened = devices::open(chip)?;
        // SAFETY: a place of the caller's.
        unsafe { number.write(opened) };
        Ok(DONE)
    })
}

/// Closes a device; one that is closed stays so.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn tileproof_close(device: u64) -> bool {
    let Some(closed) = devices::close(device) else { return false };
    let said = catch_unwind(AssertUnwindSafe(|| {
        let mut findings = closed.with(OpenDevice::close);
        // Settings that are wrong were refused when it was opened.
        let Ok(settings) = Settings::of_environment() else { return };
        findings.retain(|finding| settings.options.checks.count(finding.code));
        if !findings.is_empty() {
            let _ = verdict::tell_without_run(findings, &settings);
        }
    }));
    // Whoever closes a device has no use for an error: it is closed.
    drop(said);
    true
}

/// What is known of a device.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn tileproof_facts(device: u64, facts: *mut Facts, asked: *const Where) -> u32 {
    given!(asked);
    answer(asked, || {
        let arch = devices::device(device)?.with(|device| device.arch());
        let chip = arch.constants();
        let known = Facts {
            grid: [chip.grid.0, chip.grid.1],
            dram_grid: [chip.dram_banks, 1],
            dram_banks: chip.dram_banks,
            l1_bytes: chip.l1_bytes,
            l1_base: chip.l1_unreserved_base,
            dram_base: chip.dram_unreserved_base,
            dram_bank_bytes: chip.dram_bank_bytes,
            dram_alignment: chip.dram_alignment,
            l1_alignment: chip.l1_alignment,
            clock_mhz: chip.clock_mhz,
            arch: chip.name.as_ptr(),
            arch_bytes: chip.name.len(),
        };
        // SAFETY: a place of the caller's.
        unsafe { facts.write(known) };
        Ok(DONE)
    })
}

/// Makes a buffer.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn tileproof_allocate(
    device: u64,
    buffer: *const Buffer,
    id: *mut u64,
    address: *mut u32,
    asked: *const Where,
) -> u32 {
    given!(buffer, asked);
    answer(asked, || {
        let cores = buffer.cores.get().iter().map(|[x, y]| CoreCoord { x: *x, y: *y }).collect();
        let shards = Shards { buffer: buffer.buffer_in_pages, shard: buffer.shard_in_pages, cores };
        let spec = BufferSpec {
            page_size: buffer.page_size,
            pages: buffer.pages,
            in_l1: buffer.in_l1,
            shards: buffer.is_sharded.then_some(shards),
        };
        let (made, at) = devices::device(device)?.allocate(spec, asked.place())?;
        // SAFETY: places of the caller's.
        unsafe {
            id.write(made);
            address.write(at);
        }
        Ok(DONE)
    })
}

/// Frees a buffer; one that is free, or whose device is closed, stays so.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn tileproof_free(device: u64, buffer: u64) {
    if let Ok(device) = devices::device(device) {
        device.with(|device| device.free(TensorId(buffer)));
    }
}

/// Puts bytes into a buffer.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn tileproof_write(
    device: u64,
    buffer: u64,
    from: u64,
    bytes: *const Row<u8>,
    asked: *const Where,
) -> u32 {
    given!(bytes, asked);
    answer(asked, || {
        let device = devices::device(device)?;
        device.with(|device| device.write_bytes(TensorId(buffer), from as usize, bytes.get()))?;
        Ok(DONE)
    })
}

/// Reads bytes of a buffer.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn tileproof_read(
    device: u64,
    buffer: u64,
    from: u64,
    bytes: *mut u8,
    count: u64,
    asked: *const Where,
) -> u32 {
    given!(asked);
    answer(asked, || {
        let device = devices::device(device)?;
        device.with(|device| -> Result<u32, Refused> {
            let part = device.bytes(TensorId(buffer), from as usize, count as usize)?;
            // SAFETY: the caller has room for `count` bytes there, which the headers hold not to be at null unless there are none,
            // and which are none of the device's. What the room holds is not read: it may be uninitialised.
            unsafe { ptr::copy_nonoverlapping(part.as_ptr(), bytes, part.len()) };
            Ok(DONE)
        })
    })
}

/// The words of a buffer's accessor, of which there may be `count`; there are so many then. Device 0 asks for those of no buffer.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn tileproof_accessor_words(
    device: u64,
    buffer: u64,
    words: *mut u32,
    count: *mut u64,
    asked: *const Where,
) -> u32 {
    given!(asked);
    answer(asked, || {
        let found = if device == 0 {
            accessor_words_of_none(Settings::of_environment()?.api)
        } else {
            devices::device(device)?.with(|device| device.accessor_words(TensorId(buffer)))?
        };
        // SAFETY: places of the caller's, of which the second says how many words the first has.
        unsafe {
            if found.len() as u64 > count.read() {
                return Err(format!("an accessor of {} words is longer than can be", found.len()).into());
            }
            words.copy_from_nonoverlapping(found.as_ptr(), found.len());
            count.write(found.len() as u64);
        }
        Ok(DONE)
    })
}

/// Packs a matrix of values, `width` of them a row, into the bytes of its tiles.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn tileproof_encode_tiles(
    data_format: u8,
    values: *const Row<f32>,
    width: u32,
    bytes: *mut u8,
    count: u64,
    asked: *const Where,
) -> u32 {
    given!(values, asked);
    answer(asked, || {
        let values = values.get();
        let (format, rows, columns) = tiles(data_format, values.len(), width)?;
        let packed = host::encode_tiles(format, values, rows, columns);
        let packed = packed.filter(|packed| packed.len() as u64 == count).ok_or_else(|| no_tiles(format))?;
        // SAFETY: room of the caller's for so many bytes, which is not read.
        unsafe { bytes.copy_from_nonoverlapping(packed.as_ptr(), packed.len()) };
        Ok(DONE)
    })
}

/// The values of the tiles of a matrix, `width` of them a row.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn tileproof_decode_tiles(
    data_format: u8,
    bytes: *const Row<u8>,
    width: u32,
    values: *mut f32,
    count: u64,
    asked: *const Where,
) -> u32 {
    given!(bytes, asked);
    answer(asked, || {
        let (format, rows, columns) = tiles(data_format, count as usize, width)?;
        let bytes = bytes.get();
        if bytes.len() != count as usize / TILE_DATUMS * format.tile_bytes() as usize {
            return Err(no_tiles(format).into());
        }
        let found = host::decode_tiles(format, bytes, rows, columns).ok_or_else(|| no_tiles(format))?;
        // SAFETY: room of the caller's for so many values, which is not read.
        unsafe { values.copy_from_nonoverlapping(found.as_ptr(), found.len()) };
        Ok(DONE)
    })
}

/// The format of that number, and the rows and columns of a matrix of whole tiles.
fn tiles(data_format: u8, values: usize, width: u32) -> Result<(DataFormat, usize, usize), String> {
    let format = DataFormat::from_code(data_format);
    let format = format.ok_or_else(|| format!("data_format {data_format:#x}: there is none of that number"))?;
    let columns = width as usize;
    match values.checked_div(columns) {
        Some(rows) if rows * columns == values && rows.is_multiple_of(32) && columns.is_multiple_of(32) => {
            Ok((format, rows, columns))
        }
        _ => Err(format!("{values} values in rows of {columns} are no whole tiles")),
    }
}

fn no_tiles(format: DataFormat) -> String {
    format!("tiles of {} are not packed by the host, or not into so many bytes", format.name())
}

/// NoC coordinates of a logical core.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn tileproof_noc_of(
    device: u64,
    x: u32,
    y: u32,
    at: *mut [u32; 2],
    asked: *const Where,
) -> u32 {
    given!(asked);
    answer(asked, || {
        let found = devices::device(device)?.with(|device| device.noc_of(CoreCoord { x, y }));
        let (x, y) = found.ok_or_else(|| format!("core ({x}, {y}) is outside of the compute grid"))?;
        // SAFETY: a place of the caller's.
        unsafe { at.write([x, y]) };
        Ok(DONE)
    })
}

/// NoC coordinates of a DRAM bank.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn tileproof_dram_node(
    device: u64,
    bank: u32,
    at: *mut [u32; 2],
    asked: *const Where,
) -> u32 {
    given!(asked);
    answer(asked, || {
        let nodes = devices::device(device)?.with(|device| device.arch()).constants().noc.dram_nodes;
        let (x, y) = *nodes.get(bank as usize).ok_or_else(|| format!("bank {bank}: DRAM has {}", nodes.len()))?;
        // SAFETY: a place of the caller's.
        unsafe { at.write([x, y]) };
        Ok(DONE)
    })
}

/// Finds the file of a kernel, which is the thread's text then; behind a line break, the folder that its path is seen from.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn tileproof_find_kernel(path: *const Text, asked: *const Where) -> u32 {
    given!(path, asked);
    answer(asked, || {
        let found = sources::find(Path::new(&path.text()), &asked.place().path)?;
        keep(&format!("{}\n{}", found.file.display(), found.root.display()));
        Ok(DONE)
    })
}

/// Keeps the text of a kernel in a file, whose path is the thread's text then.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn tileproof_keep_kernel(text: *const Text, asked: *const Where) -> u32 {
    given!(text, asked);
    answer(asked, || {
        keep(&sources::keep(&text.text())?.display().to_string());
        Ok(DONE)
    })
}

/// Whether programs that are kept are to be held against what is made anew. Settings that are wrong are refused by the run.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn tileproof_looks_for_stale() -> bool {
    Settings::of_environment().is_ok_and(|settings| settings.options.checks.count(Code::STALE_ADDRESS))
}

/// Says what a program that is kept has of an earlier call, before it runs.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn tileproof_stale(device: u64, stale: *const Stale, asked: *const Where) -> u32 {
    given!(stale, asked);
    answer(asked, || {
        let settings = Settings::of_environment()?;
        devices::device(device)?.with(OpenDevice::stale_is_told);
        verdict::tell_without_run(vec![stale.finding()], &settings)?;
        Ok(FOUND)
    })
}

/// Runs a program, and says what it came to.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn tileproof_run(device: u64, program: *const Program, asked: *const Where) -> u32 {
    given!(program, asked);
    answer(asked, || {
        let settings = Settings::of_environment()?;
        let at = asked.place();
        let device = devices::device(device)?;
        let result = device.run(program, &at, &settings)?;
        Ok(match verdict::tell(&result, device.chip, &at, &settings)? {
            Verdict::Clean => DONE,
            Verdict::Found => FOUND,
            Verdict::Ended => ENDED,
        })
    })
}
