//! Tiles as text, for kernels that print them: pages of circular buffers and tiles of Dst.
//!
//! Printing shows what the memory holds, undefined or not, and changes nothing.

use std::fmt::Write;

use tileproof_model::abi::tile_source;
use tileproof_model::thread::Thread;
use tileproof_model::wording::cb_name;
use tileproof_numerics::format::DataFormat;
use tileproof_numerics::host;
use tileproof_numerics::tile::{ROW_DATUMS, face_index};

use crate::core::Core;

/// First, end and step, within 0 to 32.
fn range(slice: u64, shift: u32) -> impl Iterator<Item = usize> {
    let byte = |at: u32| (slice >> (shift + at) & 0xff) as usize;
    (byte(0).min(32)..byte(8).min(32)).step_by(byte(16).max(1))
}

impl Core {
    /// The datums of a slice of a tile, a line a row.
    pub(crate) fn tile_text(&mut self, thread: Thread, source: u32, index: u32, tile: u32, slice: u64) -> String {
        let datum: Box<dyn Fn(usize, usize) -> String> = if source == tile_source::DST {
            let half =
                if thread == Thread::Pack { self.tensix.math_pack.pack_half } else { self.tensix.math_pack.math_half };
            if tile >= self.config.dst_capacity() {
                return format!("Dst tile {tile} does not exist\n");
            }
            let physical = self.dst_base(half) + tile as usize;
            let (words, valid) = (self.tensix.dst.tile(physical).clone(), self.tensix.dst.valid_rows(physical));
            Box::new(move |row, column| {
                let at = face_index(row, column);
                let is_defined = valid >> (at / ROW_DATUMS) & 1 == 1;
                if is_defined { f32::from_bits(words.0[at]).to_string() } else { "undefined".into() }
            })
        } else {
            let Some(Some(buffer)) = self.cbs.get(index as usize) else {
                return format!("{} is not configured on this core\n", cb_name(index));
            };
            let format = buffer.format;
            let interface = self.hart(thread).cbs[index as usize];
            let base = if source == tile_source::READ { interface.fifo_rd_ptr } else { interface.fifo_wr_ptr };
            let offset = self.l1.offset(base.wrapping_add(tile.wrapping_mul(interface.fifo_page_size)));
            if !self.l1.contains(offset, format.tile_bytes()) {
                return format!("tile {tile} of {} is not in L1\n", cb_name(index));
            }
            let mut bytes = vec![0; format.tile_bytes() as usize];
            self.l1.read(offset, &mut bytes);
            match decode(format, &bytes) {
                Some(values) => Box::new(move |row, column| values[row * 32 + column].clone()),
                None => return format!("tiles of {format:?} cannot be printed\n"),
            }
        };
        let mut text = String::new();
        for row in range(slice, 0) {
            let line: Vec<String> = range(slice, 24).map(|column| datum(row, column)).collect();
            let _ = writeln!(text, "{}", line.join(" "));
        }
        text
    }
}

/// The datums of a tile as text, row by row.
fn decode(format: DataFormat, bytes: &[u8]) -> Option<Vec<String>> {
    use DataFormat::*;
    let width = match format {
        Int32 | UInt32 => 4,
        UInt16 => 2,
        Int8 | UInt8 => 1,
        _ => {
            let values = host::decode_tiles(format, bytes, 32, 32)?;
            return Some(values.iter().map(f32::to_string).collect());
        }
    };
    let rows = host::untilize(width, bytes, 32, 32);
    let word = |datum: &[u8]| datum.iter().rev().fold(0u32, |word, byte| word << 8 | u32::from(*byte));
    let text = |datum: &[u8]| match format {
        Int32 => (word(datum) as i32).to_string(),
        Int8 => (datum[0] as i8).to_string(),
        _ => word(datum).to_string(),
    };
    Some(rows.chunks_exact(width).map(text).collect())
}
