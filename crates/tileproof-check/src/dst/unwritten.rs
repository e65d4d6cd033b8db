//! Dst tiles that are read though nothing wrote them since their section was released.
//!
//! A release clears the rows' valid flags, and leaves the data: the matrix unit and the packer take such rows for 0, what the
//! vector unit gets is not defined (ISA documentation, `TensixCoprocessor/Dst.md`, `ZEROACC.md`). A product or sum
//! onto a fresh tile is what the matrix unit expects and must never be reported, and a tile of
//! which some rows were written is a note: they may be all that counts. So is a tile that is packed to a page which nothing is
//! seen to read, and that is no output's: kernels that work in whole blocks pack spare tiles. Start reading at [`Unwritten::on`].

use tileproof_model::event::{DstTile, Event, NocPlace, What};
use tileproof_model::finding::Code;
use tileproof_model::observe::{Raised, Raises};

use crate::by_core::{TILES, of_core};
use crate::dst::operation::{operation, reuses_dst};
use crate::spans::Spans;

/// A page that an unwritten tile was packed to.
#[derive(Clone, Copy, Debug)]
struct Zeros {
    packed: Event,
    tile: DstTile,
    /// The page is an output's: the host reads it.
    is_output: bool,
    /// The tile's section had been released in this launch.
    was_released: bool,
}

/// The check.
#[derive(Default, Debug)]
pub struct Unwritten {
    /// By core, a bit for each tile that was written since its section was released.
    written: Vec<u32>,
    /// The same for each tile whose section was released in this launch.
    released: Vec<u32>,
    /// By core and offset in L1: what nothing has read yet.
    zeros: Vec<Spans<Zeros>>,
}

impl Unwritten {
    pub(crate) fn launch(&mut self, cores: usize) {
        (self.written, self.released) = (vec![0; cores], vec![0; cores]);
        self.zeros = (0..cores).map(|_| Spans::default()).collect();
    }

    pub(crate) fn on(&mut self, event: &Event, raised: &mut Raises) {
        let Some(written) = of_core(&mut self.written, event) else { return };
        let is_unwritten = |tile: &DstTile| tile.exists && *written >> tile.tile & 1 == 0;
        let released = self.released[event.core];
        let was_released = |tile: &DstTile| released >> tile.tile & 1 == 1;
        match event.what {
            What::Math { word, dst } => {
                let unwritten = reuses_dst(word) && is_unwritten(&dst);
                *written |= 1 << dst.tile;
                if unwritten {
                    self.report(event, dst, &operation(word), was_released(&dst), raised);
                }
            }
            What::Sfpu { op, inputs, output, rows, .. } => {
                let read = &inputs[..op.inputs()];
                let unwritten = read.iter().find(|tile| is_unwritten(tile));
                let in_part = read.iter().find(|tile| tile.exists && rows & !tile.rows != 0);
                *written |= 1 << output.tile;
                match (unwritten, in_part) {
                    (Some(tile), _) => self.report(event, *tile, op.name(), was_released(tile), raised),
                    (None, Some(tile)) => self.report_rows(event, *tile, rows, op.name(), raised),
                    _ => {}
                }
            }
            // Before a commit there is nothing to know: the window check speaks of that.
            What::Pack { dst, access, committed } => {
                let zeros = &mut self.zeros[event.core];
                if committed && is_unwritten(&dst) {
                    let (is_output, was_released) = (access.is_output, was_released(&dst));
                    let page = Zeros { packed: *event, tile: dst, is_output, was_released };
                    zeros.pack(&access, page, |_, _| ());
                } else if access.is_spread {
                    zeros.remove(access.offset);
                } else {
                    zeros.cover(access.offset, access.bytes, |_, _| ());
                }
            }
            What::Unpack { access } => self.read(event.core, access.offset, access.bytes, raised),
            What::NocWrite { from, bytes, .. } => self.read(event.core, from, bytes, raised),
            What::NocRead { from: NocPlace::L1(core, offset), bytes, .. } => self.read(core, offset, bytes, raised),
            What::Load { offset, bytes, .. } => self.read(event.core, offset, bytes, raised),
            What::Release { first, count } => {
                for tile in (first..first.saturating_add(count)).take(TILES) {
                    *written &= !(1 << tile);
                    self.released[event.core] |= 1 << tile;
                }
            }
            _ => {}
        }
    }

    /// What an unwritten tile was packed to is read: now it counts.
    fn read(&mut self, core: usize, offset: u32, bytes: u32, raised: &mut Raises) {
        let Some(zeros) = self.zeros.get_mut(core) else { return };
        for Zeros { packed, tile, was_released, .. } in zeros.take_touching(offset, bytes, |_| true) {
            self.report(&packed, tile, "pack_tile", was_released, raised);
        }
    }

    /// The kernels have ended: pages of zeros that nothing was seen to read are notes, unless they are an output's.
    pub(crate) fn end(&mut self, core: usize, raised: &mut Raises) {
        let Some(zeros) = self.zeros.get_mut(core) else { return };
        let (of_outputs, others): (Vec<Zeros>, Vec<Zeros>) =
            std::mem::take(zeros).into_values().partition(|page| page.is_output);
        for Zeros { packed, tile, was_released, .. } in of_outputs {
            self.report(&packed, tile, "pack_tile", was_released, raised);
        }
        for Zeros { packed, tile, was_released, .. } in others {
            if raised.first(Code::DST_UNWRITTEN, &packed) {
                let mut note = unwritten(&packed, tile, "pack_tile", was_released);
                note.is_note = true;
                raised.push(note.remark("nothing was seen to read the page that it went to"));
            }
        }
    }

    #[cold]
    fn report_rows(&mut self, event: &Event, tile: DstTile, rows: u64, what: &str, raised: &mut Raises) {
        if !raised.first(Code::DST_ROWS, event) {
            return;
        }
        let missing = rows & !tile.rows;
        let message = format!(
            "{what} reads {} rows of Dst tile {} that nothing has written, and makes them look written",
            missing.count_ones(),
            tile.index
        );
        let mut note = Raised::at(event, Code::DST_ROWS, message)
            .text(format!("row {} of 64 is the first", missing.trailing_zeros()))
            .fact("dst", tile.index)
            .fact("rows", missing.count_ones())
            .help("fill_tile before the operation that writes only some rows, if the other rows count");
        note.is_note = true;
        raised.push(note);
    }

    #[cold]
    fn report(&self, event: &Event, tile: DstTile, what: &str, was_released: bool, raised: &mut Raises) {
        if raised.first(Code::DST_UNWRITTEN, event) {
            raised.push(unwritten(event, tile, what, was_released));
        }
    }
}

fn unwritten(event: &Event, tile: DstTile, what: &str, was_released: bool) -> Raised {
    let since = if was_released { "since its section was released" } else { "in this launch" };
    // The vector unit does not look at the flags.
    let is_zero = was_released && !matches!(event.what, What::Sfpu { .. });
    let comes = if is_zero { "it reads as 0" } else { "the device gives what lay there" };
    let message = format!("{what} reads Dst tile {}, which nothing has written {since}: {comes}", tile.index);
    Raised::at(event, Code::DST_UNWRITTEN, message)
        .text(format!("reads Dst tile {}", tile.index))
        .fact("dst", tile.index)
        .help(format!("write tile {} first, or fill_tile({0}, 0.0f) if zeros are meant", tile.index))
}
