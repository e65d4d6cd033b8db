//! What the compute units did in a call, as they know it: which tiles, and which bytes of L1.

use tileproof_model::event::{DstTile, What};
use tileproof_model::op_word::OpWord;
use tileproof_numerics::format::DataFormat;
use tileproof_numerics::sfpu::SfpuOp;

/// An operand that UNPACK fetched.
#[derive(Clone, Copy)]
pub(crate) struct Fetched {
    /// The program that ran.
    pub(crate) word: OpWord,
    pub(crate) cb: u32,
    /// Tile index as the call gave it.
    pub(crate) tile: u32,
    /// Offset in L1, and bytes from the first to the last.
    pub(crate) offset: u32,
    pub(crate) bytes: u32,
    /// The format that it was read as, and that of the register.
    pub(crate) l1: DataFormat,
    pub(crate) register: DataFormat,
    pub(crate) to_b: bool,
    /// Distance of rows of a row-major block, or of tiles to be untilized.
    pub(crate) row_bytes: u32,
}

impl Fetched {
    /// Whether it is made of rows of a row-major block.
    pub(crate) fn is_tilized(&self) -> bool {
        self.word.tilizes() && !self.to_b
    }

    /// Whether it is the first face of a tile alone, which stands in the register for all four.
    pub(crate) fn is_one_face(&self) -> bool {
        self.word.tilizes() && self.to_b
    }
}

/// A call of the matrix unit: what it ran, and the tile of Dst as it was before.
#[derive(Clone, Copy)]
pub(crate) struct MatrixCall {
    pub(crate) word: OpWord,
    pub(crate) dst: DstTile,
}

impl MatrixCall {
    pub(crate) fn event(&self) -> What {
        let MatrixCall { word, dst } = *self;
        What::Math { word, dst }
    }
}

/// A call of the vector unit: the tiles of Dst as they were before it.
#[derive(Clone, Copy)]
pub(crate) struct VectorCall {
    pub(crate) op: SfpuOp,
    /// Its first parameter.
    pub(crate) parameter: u32,
    pub(crate) inputs: [DstTile; 3],
    pub(crate) output: DstTile,
    /// Some operations write the tile after their output too.
    pub(crate) beside: Option<DstTile>,
    /// The rows that it works on, by its vector mode.
    pub(crate) rows: u64,
}

impl VectorCall {
    pub(crate) fn event(&self) -> What {
        let VectorCall { op, parameter, inputs, output, rows, .. } = *self;
        What::Sfpu { op, parameter, inputs, output, rows }
    }

    /// The event of the tile beside the output. Operations that write it read no tile of Dst, so that its inputs say nothing.
    pub(crate) fn event_beside(&self) -> Option<What> {
        let VectorCall { op, inputs, beside, rows, .. } = *self;
        Some(What::Sfpu { op, parameter: 0, inputs, output: beside?, rows })
    }
}

/// A tile that PACK packed, or rows of one.
#[derive(Clone, Copy)]
pub(crate) struct Packed {
    /// The tile of Dst as it was before.
    pub(crate) dst: DstTile,
    pub(crate) cb: u32,
    /// Tile index as the call gave it, or the number of tiles packed since the last push.
    pub(crate) tile: u32,
    /// Offset in L1, and bytes from the first to the last.
    pub(crate) offset: u32,
    pub(crate) bytes: u32,
    /// It is one whole tile, face by face.
    pub(crate) is_tile: bool,
    /// Its rows lie apart, with those of other tiles in between.
    pub(crate) is_spread: bool,
    /// It was added to what began as undefined memory is filled.
    pub(crate) onto_poison: bool,
    /// The format that it was packed to, and the one that Dst was turned into first.
    pub(crate) l1: DataFormat,
    pub(crate) register: DataFormat,
    /// Distance of its rows, where they are row-major.
    pub(crate) row_bytes: u32,
}

/// Tiles that one call of `pack_untilize` packed: the first, and how the others follow.
#[derive(Clone, Copy)]
pub(crate) struct PackedBlock {
    pub(crate) first: Packed,
    /// Bytes from one tile to the next.
    pub(crate) step: u32,
    /// Dst tiles as they were before, in order.
    pub(crate) dst: [DstTile; MAX_BLOCK],
    pub(crate) count: usize,
}

/// Tiles that Dst has.
pub(crate) const MAX_BLOCK: usize = 16;

impl PackedBlock {
    /// Each tile.
    pub(crate) fn tiles(self) -> impl Iterator<Item = Packed> {
        let PackedBlock { first, step, dst, count } = self;
        dst.into_iter().take(count).enumerate().map(move |(number, dst)| {
            let number = number as u32;
            Packed { dst, tile: first.tile + number, offset: first.offset + number * step, ..first }
        })
    }
}
