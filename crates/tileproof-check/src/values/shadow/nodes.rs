//! The operations of a run, each with the tile that it gave and where its operands came from.
//!
//! Tiles of long ago are dropped where there are too many: what came of them goes on. Must never hold a place in a source,
//! only calls. Start at [`Nodes`].

use std::rc::Rc;

use tileproof_model::abi::Site;
use tileproof_model::op_word::{OpWord, describe_math, flag, pack_kind, unpack_kind};
use tileproof_model::thread::Thread;
use tileproof_model::wording::cb_name;
use tileproof_numerics::sfpu::SfpuOp;
use tileproof_numerics::tile::TILE_DATUMS;

use super::origin::Origin;
use super::planes::Planes;

/// Tiles that are kept, 20 to 50 KB each.
const KEPT: usize = 12_000;

/// A call of a kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Call {
    pub(super) launch: usize,
    pub(super) core: usize,
    pub(super) thread: Thread,
    pub(super) site: Site,
}

/// What an operation is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Op {
    Unpack {
        cb: u32,
        word: OpWord,
    },
    Math(OpWord),
    /// With its parameters, and the rows that it works on, by its vector mode.
    Vector {
        op: SfpuOp,
        parameters: [u32; 4],
        rows: u64,
    },
    Pack {
        cb: u32,
        accumulates: bool,
        edge: u32,
        word: OpWord,
    },
}

/// Whether UNPACK exchanges rows and columns of a tile.
pub(super) fn transposes(word: OpWord) -> bool {
    word.kind() == unpack_kind::A && word.has(flag::TRANSPOSE)
}

/// Whether UNPACK turns rows into tiles or tiles into rows.
pub(super) fn moves_rows(word: OpWord) -> bool {
    word.tilizes() || word.kind() == unpack_kind::UNTILIZE
}

impl Op {
    /// What it is called in a report.
    pub(super) fn name(self) -> String {
        match self {
            Op::Unpack { cb, word } if moves_rows(word) => {
                let (width, does) = (word.wide(), if word.tilizes() { "tilizing" } else { "untilizing" });
                format!("{does} {} in blocks {width} tiles wide, rows of {} elements,", cb_name(cb), 32 * width)
            }
            Op::Unpack { cb, word } if transposes(word) => format!("unpacking {} transposed", cb_name(cb)),
            Op::Unpack { cb, .. } => format!("unpacking {}", cb_name(cb)),
            Op::Math(word) => describe_math(word),
            Op::Vector { op, .. } => op.name().into(),
            Op::Pack { cb, accumulates: true, .. } => format!("adding to {} in L1", cb_name(cb)),
            Op::Pack { cb, word, .. } if word.kind() == pack_kind::UNTILIZE => {
                let (block, row) = word.block_and_row();
                format!("untilizing to {}, {block} of {row} tiles wide,", cb_name(cb))
            }
            Op::Pack { cb, .. } => format!("packing to {}", cb_name(cb)),
        }
    }
}

/// An operation that ran.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) call: Call,
    pub(super) op: Op,
    /// The operands: SrcA and SrcB, tiles of Dst, or the tile that was packed.
    pub(super) inputs: [Option<u32>; 3],
    /// What lay where the result went, if it counts.
    pub(super) before: Option<u32>,
    /// Dropped where it is long ago.
    pub(super) tile: Option<Rc<Planes>>,
    /// Where each datum was read, or what a pack added to.
    pub(super) origins: Option<Box<[Origin; TILE_DATUMS]>>,
}

/// All of them, in order.
#[derive(Default, Debug)]
pub(super) struct Nodes {
    all: Vec<Node>,
    dropped: usize,
}

impl Nodes {
    pub(super) fn add(&mut self, node: Node) -> u32 {
        self.all.push(node);
        if self.all.len() - self.dropped > KEPT {
            let old = &mut self.all[self.dropped];
            (old.tile, old.origins) = (None, None);
            self.dropped += 1;
        }
        (self.all.len() - 1) as u32
    }

    pub(super) fn get(&self, number: u32) -> Option<&Node> {
        self.all.get(number as usize)
    }

    /// Whether tiles of long ago are not there any more.
    pub(super) fn has_dropped(&self) -> bool {
        self.dropped > 0
    }

    /// All of them, in order.
    pub(super) fn all(&self) -> &[Node] {
        &self.all
    }

    /// The tile that an operation gave.
    pub(super) fn tile(&self, number: Option<u32>) -> Option<&Rc<Planes>> {
        self.get(number?)?.tile.as_ref()
    }
}
