//! Circular-buffer tables: one row a buffer, from which the program, the L1 budget and the reports are made.

use tileproof_kernel::model::numerics::format::DataFormat;
use tileproof_kernel::model::program::{CbDescriptor, CbFormatDescriptor};
use tileproof_kernel::model::thread::CoreRange;
use tileproof_kernel::model::wording::cb_name;

/// One circular buffer of an op.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CbRow {
    /// Index, c_0 to c_31.
    pub index: u8,
    /// What a page holds.
    pub content: &'static str,
    /// Element format; a page is one tile of it.
    pub format: DataFormat,
    /// Pages.
    pub pages: u32,
}

impl CbRow {
    /// Bytes of L1 it takes.
    pub fn bytes(&self) -> u64 {
        u64::from(self.format.tile_bytes()) * u64::from(self.pages)
    }

    /// The descriptor of this buffer on some cores.
    pub fn descriptor(&self, core_ranges: &[CoreRange]) -> CbDescriptor {
        let page_size = self.format.tile_bytes();
        CbDescriptor {
            total_size: page_size * self.pages,
            tensor: None,
            core_ranges: core_ranges.to_vec(),
            format_descriptors: vec![CbFormatDescriptor {
                buffer_index: self.index,
                data_format: self.format,
                page_size,
            }],
        }
    }
}

/// Bytes of L1 that a table takes.
pub(crate) fn table_bytes(table: &[CbRow]) -> u64 {
    table.iter().map(CbRow::bytes).sum()
}

/// The table as text, a buffer a line, for an error that says that it does not fit.
pub(crate) fn table_map(table: &[CbRow]) -> String {
    let line = |row: &CbRow| {
        let name = cb_name(row.index);
        format!("  {name:<5} {:>9} bytes  {} x {:?}, {}", row.bytes(), row.pages, row.format, row.content)
    };
    table.iter().map(line).collect::<Vec<_>>().join("\n")
}
