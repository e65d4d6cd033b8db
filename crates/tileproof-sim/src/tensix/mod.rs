//! The compute engine of a core: Src queues, Dst, and the state of its three units.
//!
//! [`state`] is what inits program, [`source`] the hand-over of operands, [`window`] that of Dst; `unpack`, `math` with
//! `matrix` and `vector`, `pack` and `sections` do what the calls of a compute kernel ask, and say what they did ([`did`]).
//! State can be wrong: a unit runs what was programmed, and `checked` says so.

mod checked;
mod constants;
pub(crate) mod custom;
pub(crate) mod did;
mod loaded;
mod math;
mod matrix;
mod pack;
mod running;
mod sections;
pub(crate) mod source;
pub(crate) mod state;
mod unpack;
mod vector;
pub(crate) mod window;

use tileproof_numerics::dst::Dst;
use tileproof_numerics::tile::Tile;

use source::SourceQueue;
use state::{MathState, PackState, UnpackState};
use window::MathPack;

#[derive(Default)]
pub(crate) struct Tensix {
    pub(crate) unpack: UnpackState,
    pub(crate) math: MathState,
    pub(crate) pack: PackState,
    pub(crate) src_a: SourceQueue,
    pub(crate) src_b: SourceQueue,
    pub(crate) math_pack: MathPack,
    pub(crate) dst: Dst,
    /// Room for an operand on its way, so that no tile operation allocates.
    pub(crate) scratch: Scratch,
}

impl Tensix {
    /// What a launch finds: nothing programmed, Src empty, Dst as the last launch left it.
    pub(crate) fn reset(&mut self) {
        self.unpack = UnpackState::default();
        self.math = MathState::default();
        self.pack = PackState::default();
        self.src_a.reset();
        self.src_b.reset();
        self.math_pack = MathPack::default();
    }
}

/// Bytes of the largest tile.
pub(crate) const TILE_BYTES: usize = 4096;

pub(crate) struct Scratch {
    pub(crate) tiles: Box<[Tile; 2]>,
    /// A tile packed, and what lies in L1 where it will be added.
    pub(crate) packed: Box<[u8; TILE_BYTES]>,
    pub(crate) old: Box<[u8; TILE_BYTES]>,
}

impl Default for Scratch {
    fn default() -> Self {
        Scratch {
            tiles: Box::new([Tile::ZERO, Tile::ZERO]),
            packed: Box::new([0; TILE_BYTES]),
            old: Box::new([0; TILE_BYTES]),
        }
    }
}
