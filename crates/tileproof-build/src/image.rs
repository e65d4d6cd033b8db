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
}

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
        let mut layout = Layout { file_bytes: 64, memory_end: 0, variables: None };
        let mut relocated = None;
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
                    if flags & WRITABLE != 0 {
                        layout.variables = Some(address..address + in_memory);
                    }
                }
                PT_GNU_RELRO => relocated = Some(address + in_memory),
                _ => {}
            }
        }
        if let (Some(variables), Some(end)) = (&mut layout.variables, relocated) {
            // The loader protects whole pages.
            variables.start = variables.start.max(end.next_multiple_of(4096));
        }
        layout.variables = layout.variables.filter(|v| v.start < v.end);
        (layout.file_bytes <= file.len()).then_some(layout)
    }

    /// The file without sections that nobody loads.
    pub(crate) fn loadable(&self, file: &[u8]) -> Vec<u8> {
        let mut bytes = file[..self.file_bytes].to_vec();
        for field in SECTION_FIELDS {
            bytes[field].fill(0);
        }
        bytes
    }
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
    let sections = word64(file, 40)? as usize;
    let count = usize::from(u16::from_le_bytes(file.get(60..62)?.try_into().ok()?));
    let section = |index: usize| file.get(sections + index * SECTION_HEADER..)?.get(..SECTION_HEADER);
    let contents = |header: &[u8]| {
        let (offset, size) = (word64(header, 24)? as usize, word64(header, 32)? as usize);
        file.get(offset..offset.checked_add(size)?)
    };
    for index in 0..count {
        let header = section(index)?;
        if word32(header, 4)? != SHT_SYMTAB {
            continue;
        }
        let names = contents(section(word32(header, 40)? as usize)?)?;
        for symbol in contents(header)?.chunks_exact(SYMBOL) {
            let is_defined = u16::from_le_bytes(symbol[6..8].try_into().ok()?) != 0;
            let rest = names.get(word32(symbol, 0)? as usize..)?;
            if is_defined && rest.get(..name.len()) == Some(name.as_bytes()) && rest.get(name.len()) == Some(&0) {
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
