//! The layout of a compiled image: what of the file is loaded, and what of it the kernel can write.
//!
//! Only the few fields of ELF64 that a loader needs are read; a file that is not such an image must be refused, never
//! half-understood. Start at [`Layout::read`].

use std::ops::Range;

/// Program headers, reduced to what matters here.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Layout {
    /// Bytes of the file that a loader needs; sections of debug information come after.
    pub(crate) file_bytes: usize,
    /// End of the highest segment, from the load address.
    pub(crate) memory_end: u64,
    /// Variables of the kernel: the writable segment without what becomes read-only after relocation.
    pub(crate) variables: Option<Range<u64>>,
    /// Where in the variables those begin that the file holds nothing of: they are zero at first.
    pub(crate) zeroed: u64,
    /// Where the addresses of its constructors lie, 8 bytes each. The loader is not told of them: they are the kernel's code, which
    /// runs as a kernel.
    pub(crate) constructors: Range<u64>,
    /// Offsets in the file of the entries by which a loader would run code.
    runs_code: Vec<usize>,
}

/// An entry of the dynamic section that no loader knows: its range is the operating system's, and unused.
const IGNORED: u64 = 0x6000_00d0;
/// The entries by which a loader runs code when it opens and closes an image (System V ABI, "Dynamic Section").
const RUN_CODE: [u64; 5] = [DT_INIT, DT_FINI, DT_INIT_ARRAY, DT_FINI_ARRAY, DT_PREINIT_ARRAY];
const DT_INIT: u64 = 12;
const DT_FINI: u64 = 13;
const DT_INIT_ARRAY: u64 = 25;
const DT_FINI_ARRAY: u64 = 26;
const DT_INIT_ARRAYSZ: u64 = 27;
const DT_PREINIT_ARRAY: u64 = 32;
const DT_SYMTAB: u64 = 6;
/// Relocations with addends and those of calls: where, and how many bytes.
const RELOCATIONS: [[u64; 2]; 2] = [[7, 8], [23, 2]];
const RELOCATION: usize = 24;
/// A relocation whose value the loader asks code of the image for.
const IRELATIVE: u64 = if cfg!(target_arch = "aarch64") { 1032 } else { 37 };
/// The type of a symbol whose address the loader asks code of the image for.
const STT_GNU_IFUNC: u8 = 10;
const PT_DYNAMIC: u32 = 2;

const PT_LOAD: u32 = 1;
const PT_GNU_RELRO: u32 = 0x6474_e552;
const WRITABLE: u32 = 2;
const PROGRAM_HEADER: usize = 56;
/// Offsets in the file header: where sections are listed, how many, and which one names them.
const SECTION_FIELDS: [Range<usize>; 2] = [40..48, 60..64];

impl Layout {
    /// Reads the headers of a little-endian ELF64 file; `None` if it is none.
    pub(crate) fn read(file: &[u8]) -> Option<Layout> {
        if file.get(..6)? != b"\x7fELF\x02\x01" {
            return None;
        }
        let headers = word64(file, 32)? as usize;
        let count = usize::from(u16::from_le_bytes(file.get(56..58)?.try_into().ok()?));
        let mut layout = Layout {
            file_bytes: 64,
            memory_end: 0,
            variables: None,
            zeroed: 0,
            constructors: 0..0,
            runs_code: Vec::new(),
        };
        let (mut relocated, mut dynamic, mut segments) = (None, None, Vec::new());
        for index in 0..count {
            let header = file.get(headers + index * PROGRAM_HEADER..)?.get(..PROGRAM_HEADER)?;
            layout.file_bytes = layout.file_bytes.max(headers + (index + 1) * PROGRAM_HEADER);
            let (kind, flags) = (word32(header, 0)?, word32(header, 4)?);
            let (offset, address) = (word64(header, 8)?, word64(header, 16)?);
            let (in_file, in_memory) = (word64(header, 32)?, word64(header, 40)?);
            match kind {
                PT_LOAD => {
                    layout.file_bytes = layout.file_bytes.max((offset + in_file) as usize);
                    layout.memory_end = layout.memory_end.max(address + in_memory);
                    segments.push((address..address + in_file, offset));
                    if flags & WRITABLE != 0 {
                        layout.variables = Some(address..address + in_memory);
                        layout.zeroed = address + in_file;
                    }
                }
                PT_GNU_RELRO => relocated = Some(address + in_memory),
                PT_DYNAMIC => dynamic = Some((offset as usize, in_file as usize)),
                _ => {}
            }
        }
        if let (Some(variables), Some(end)) = (&mut layout.variables, relocated) {
            // The loader protects whole pages.
            variables.start = variables.start.max(end.next_multiple_of(4096));
        }
        layout.variables = layout.variables.filter(|v| v.start < v.end);
        if let Some(variables) = &layout.variables {
            layout.zeroed = layout.zeroed.clamp(variables.start, variables.end);
        }
        if let Some((offset, bytes)) = dynamic {
            let entries = file.get(offset..offset.checked_add(bytes)?)?;
            layout.read_dynamic(file, &Dynamic { offset, entries, segments })?;
        }
        (layout.file_bytes <= file.len()).then_some(layout)
    }

    /// What a loader would run; `None` if it would ask code of the image for addresses.
    fn read_dynamic(&mut self, file: &[u8], dynamic: &Dynamic<'_>) -> Option<()> {
        for (index, entry) in dynamic.entries.chunks_exact(16).enumerate() {
            if RUN_CODE.contains(&word64(entry, 0)?) {
                self.runs_code.push(dynamic.offset + 16 * index);
            }
        }
        let start = dynamic.value(DT_INIT_ARRAY).unwrap_or(0);
        self.constructors = start..start.checked_add(dynamic.value(DT_INIT_ARRAYSZ).unwrap_or(0))?;
        if self.constructors.end > self.memory_end {
            return None;
        }
        let symbols = dynamic.value(DT_SYMTAB).and_then(|address| dynamic.in_file(address));
        for [address, bytes] in RELOCATIONS {
            let Some((address, bytes)) = dynamic.value(address).zip(dynamic.value(bytes)) else { continue };
            let at = dynamic.in_file(address)?;
            for relocation in file.get(at..at.checked_add(bytes as usize)?)?.chunks_exact(RELOCATION) {
                let info = word64(relocation, 8)?;
                let (kind, symbol) = (info & 0xffff_ffff, (info >> 32) as usize);
                let symbol =
                    symbols.and_then(|at| file.get(at.checked_add(symbol.checked_mul(SYMBOL)?)?..)?.get(..SYMBOL));
                let is_asked_for = |symbol: &[u8]| symbol[4] & 15 == STT_GNU_IFUNC && symbol[6..8] != [0, 0];
                if kind == IRELATIVE || symbol.is_some_and(is_asked_for) {
                    return None;
                }
            }
        }
        Some(())
    }

    /// The file without sections that nobody loads, and without what a loader would run.
    pub(crate) fn loadable(&self, file: &[u8]) -> Vec<u8> {
        let mut bytes = file[..self.file_bytes].to_vec();
        for entry in &self.runs_code {
            bytes[*entry..entry + 8].copy_from_slice(&IGNORED.to_le_bytes());
        }
        for field in SECTION_FIELDS {
            bytes[field].fill(0);
        }
        bytes
    }
}

/// The dynamic section of an image.
struct Dynamic<'a> {
    offset: usize,
    entries: &'a [u8],
    /// Addresses of the segments, and where each begins in the file.
    segments: Vec<(Range<u64>, u64)>,
}

impl Dynamic<'_> {
    fn value(&self, tag: u64) -> Option<u64> {
        let found = self.entries.chunks_exact(16).find(|entry| word64(entry, 0) == Some(tag))?;
        word64(found, 8)
    }

    fn in_file(&self, address: u64) -> Option<usize> {
        let (segment, offset) = self.segments.iter().find(|(segment, _)| segment.contains(&address))?;
        Some((address - segment.start + offset) as usize)
    }
}

/// Where a section of an image is, by its name; an empty range if there is none, or only in a form that has to be unpacked.
pub(crate) fn section(file: &[u8], wanted: &str) -> Range<usize> {
    section_checked(file, wanted).unwrap_or(0..0)
}

fn section_checked(file: &[u8], wanted: &str) -> Option<Range<usize>> {
    const COMPRESSED: u64 = 1 << 11;
    let sections = Sections::of(file)?;
    let names = &file[sections.contents(sections.header(sections.names)?)?];
    let is_wanted = |header: &&[u8]| word32(header, 0).is_some_and(|at| is_name(names, at, wanted));
    let found = (0..sections.count).filter_map(|index| sections.header(index)).find(is_wanted)?;
    (word64(found, 8)? & COMPRESSED == 0).then(|| sections.contents(found))?
}

/// The list of the sections of a file.
struct Sections<'a> {
    file: &'a [u8],
    start: usize,
    count: usize,
    /// Which of them has their names.
    names: usize,
}

impl<'a> Sections<'a> {
    fn of(file: &'a [u8]) -> Option<Sections<'a>> {
        let half = |at: usize| Some(usize::from(u16::from_le_bytes(file.get(at..at + 2)?.try_into().ok()?)));
        Some(Sections { file, start: word64(file, 40)? as usize, count: half(60)?, names: half(62)? })
    }

    fn header(&self, index: usize) -> Option<&'a [u8]> {
        let at = self.start.checked_add(index.checked_mul(SECTION_HEADER)?)?;
        self.file.get(at..)?.get(..SECTION_HEADER)
    }

    /// Where the bytes of a section are in the file.
    fn contents(&self, header: &[u8]) -> Option<Range<usize>> {
        let (offset, size) = (word64(header, 24)? as usize, word64(header, 32)? as usize);
        let range = offset..offset.checked_add(size)?;
        self.file.get(range.clone()).map(|_| range)
    }
}

/// Whether in a table of names, each with a zero behind it, `wanted` is at a place.
fn is_name(names: &[u8], at: u32, wanted: &str) -> bool {
    let name = names.get(at as usize..).and_then(|rest| rest.get(..wanted.len() + 1));
    name.is_some_and(|name| name.split_last() == Some((&0, wanted.as_bytes())))
}

fn word32(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn word64(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}

const SECTION_HEADER: usize = 64;
const SHT_SYMTAB: u32 = 2;
const SYMBOL: usize = 24;

/// True if the symbol table of an image has `name` with a section behind it.
pub(crate) fn defines(file: &[u8], name: &str) -> bool {
    defines_checked(file, name).unwrap_or(false)
}

fn defines_checked(file: &[u8], name: &str) -> Option<bool> {
    let sections = Sections::of(file)?;
    for index in 0..sections.count {
        let header = sections.header(index)?;
        if word32(header, 4)? != SHT_SYMTAB {
            continue;
        }
        let names = &file[sections.contents(sections.header(word32(header, 40)? as usize)?)?];
        for symbol in file[sections.contents(header)?].chunks_exact(SYMBOL) {
            let is_defined = u16::from_le_bytes(symbol[6..8].try_into().ok()?) != 0;
            if is_defined && is_name(names, word32(symbol, 0)?, name) {
                return Some(true);
            }
        }
    }
    Some(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_image_is_refused() {
        assert_eq!(Layout::read(b"\x7fELF\x01\x01"), None);
        assert_eq!(Layout::read(b""), None);
        let mut truncated = b"\x7fELF\x02\x01".to_vec();
        truncated.resize(64, 0);
        truncated[56] = 9;
        assert_eq!(Layout::read(&truncated), None);
    }
}
