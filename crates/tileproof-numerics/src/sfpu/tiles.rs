//! Loads and stores: between a tile of Dst and registers.
//!
//! Must never leave a store's rule out: a 16-bit Dst truncates, and a float store flushes
//! denormals (ISA documentation, `TensixCoprocessor/SFPSTORE.md`). Start reading at [`load`].

use super::lreg::{LANES, LReg, Register};
use super::mode::Faces;
use crate::tile::{FACE_DATUMS, TILE_DATUMS, Tile};

/// How SFPLOAD and SFPSTORE see a datum.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    /// Mode DEFAULT: a float of Dst's own width.
    Float,
    /// Mode INT32: 32 raw bits.
    Int32,
    /// Mode LO16: the raw 16-bit word of a 16-bit Dst.
    Low16,
}

/// Registers to a face.
const FACE_REGISTERS: usize = FACE_DATUMS / LANES;

/// Registers of a tile that a call works on, a bit each.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Part(u32);

impl Part {
    /// The whole tile.
    pub(super) const ALL: Part = Part(u32::MAX);

    /// The first registers.
    pub(super) const fn first(count: usize) -> Part {
        Part(u32::MAX.unbounded_shr(32 - count as u32))
    }
}

impl From<Faces> for Part {
    fn from(faces: Faces) -> Part {
        let face = (1 << FACE_REGISTERS) - 1;
        Part((0..4).filter(|&f| faces.contains(f)).fold(0, |part, f| part | face << (f * FACE_REGISTERS)))
    }
}

/// The numbers of the registers of a part.
#[inline(always)]
pub(super) fn registers(part: Part) -> impl Iterator<Item = usize> {
    (0..TILE_DATUMS / LANES).filter(move |k| part.0 >> k & 1 == 1)
}

/// The words of register `k` of a tile.
#[inline(always)]
pub(super) fn register(tile: &Tile, k: usize) -> &[u32; LANES] {
    tile.0[k * LANES..].first_chunk().expect("a register of the tile")
}

/// [`register`] to write to.
#[inline(always)]
pub(super) fn register_mut(tile: &mut Tile, k: usize) -> &mut [u32; LANES] {
    tile.0[k * LANES..].first_chunk_mut().expect("a register of the tile")
}

/// SFPLOAD of register `k` of a tile.
#[inline(always)]
pub(super) fn load(tile: &Tile, k: usize, layout: Layout) -> LReg {
    let mut out = [0; LANES];
    out.copy_from_slice(&tile.0[k * LANES..(k + 1) * LANES]);
    match layout {
        Layout::Float | Layout::Int32 => LReg(out),
        Layout::Low16 => LReg(out).shr(16),
    }
}

/// What SFPSTORE writes of a register.
#[inline(always)]
pub(super) fn stored(value: LReg, layout: Layout, dst_32: bool) -> LReg {
    match layout {
        Layout::Float => value.stored(dst_32),
        Layout::Int32 => value,
        Layout::Low16 => value.shl(16),
    }
}

/// SFPSTORE of register `k` of a tile.
#[inline(always)]
pub(super) fn store(tile: &mut Tile, k: usize, value: LReg, layout: Layout, dst_32: bool) {
    *register_mut(tile, k) = stored(value, layout, dst_32).0;
}
