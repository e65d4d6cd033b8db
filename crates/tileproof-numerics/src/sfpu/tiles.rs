//! Loads, stores and the loop over a tile.
//!
//! Must never leave a store's rule out: a 16-bit Dst truncates, and a float store flushes
//! denormals (ISA documentation, `TensixCoprocessor/SFPSTORE.md`). Start reading at [`unary`].

use super::lreg::{LANES, LReg, Sfpu};
use super::run::Faces;
use crate::dst::Dst;
use crate::simd::{Lanes, vectorized};
use crate::tile::{FACE_DATUMS, Tile};

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

/// The register numbers of the faces asked for.
pub(super) fn registers(faces: Faces) -> impl Iterator<Item = usize> {
    (0..4).filter(move |&f| faces.contains(f)).flat_map(|f| f * FACE_REGISTERS..(f + 1) * FACE_REGISTERS)
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
fn stored(value: LReg, layout: Layout, dst_32: bool) -> LReg {
    match layout {
        Layout::Float if dst_32 => value.flushed(),
        Layout::Float => value.flushed() & LReg::splat(0xffff_0000),
        Layout::Int32 => value,
        Layout::Low16 => value.shl(16),
    }
}

/// SFPSTORE of register `k` of a tile.
#[inline(always)]
pub(super) fn store(tile: &mut Tile, k: usize, value: LReg, layout: Layout, dst_32: bool) {
    *register_mut(tile, k) = stored(value, layout, dst_32).0;
}

/// The operands of one call: tiles of Dst and which of their faces.
#[derive(Clone, Copy)]
pub(super) struct Operands {
    pub(super) inputs: [usize; 3],
    pub(super) output: usize,
    pub(super) faces: Faces,
}

/// Runs `f` over a tile: one input.
#[inline(always)]
pub(super) fn unary_as(unit: Sfpu, dst: &mut Dst, at: Operands, layout: [Layout; 2], f: impl Fn(LReg) -> LReg) {
    for k in registers(at.faces) {
        let x = load(dst.tile(at.inputs[0]), k, layout[0]);
        store(dst.tile_mut(at.output), k, f(x), layout[1], unit.dst_32);
    }
}

/// Runs `f` over a tile of floats: one input.
#[inline(always)]
pub(super) fn unary(unit: Sfpu, dst: &mut Dst, at: Operands, f: impl Fn(LReg) -> LReg) {
    unary_as(unit, dst, at, [Layout::Float; 2], f);
}

/// Runs `f` over a tile of floats and stores only the lanes of the condition it returns.
#[inline(always)]
pub(super) fn unary_masked(unit: Sfpu, dst: &mut Dst, at: Operands, f: impl Fn(LReg) -> (LReg, LReg)) {
    for k in registers(at.faces) {
        let x = load(dst.tile(at.inputs[0]), k, Layout::Float);
        let (condition, value) = f(x);
        let value = value.flushed();
        let value = if unit.dst_32 { value } else { value & LReg::splat(0xffff_0000) };
        let kept = load(dst.tile(at.output), k, Layout::Int32);
        store(dst.tile_mut(at.output), k, value.where_(condition, kept), Layout::Int32, unit.dst_32);
    }
}

/// Stores the same word everywhere.
pub(super) fn fill(unit: Sfpu, dst: &mut Dst, at: Operands, value: LReg, layout: Layout) {
    let word = stored(value, layout, unit.dst_32).0[0];
    let tile = dst.tile_mut(at.output);
    if at.faces == Faces::RC {
        tile.0.fill(word);
    } else {
        for k in registers(at.faces) {
            register_mut(tile, k).fill(word);
        }
    }
}

/// Runs `f` over two tiles.
#[inline(always)]
pub(super) fn binary_as(unit: Sfpu, dst: &mut Dst, at: Operands, layout: Layout, f: impl Fn(LReg, LReg) -> LReg) {
    for k in registers(at.faces) {
        let x = load(dst.tile(at.inputs[0]), k, layout);
        let y = load(dst.tile(at.inputs[1]), k, layout);
        store(dst.tile_mut(at.output), k, f(x, y), layout, unit.dst_32);
    }
}

/// Runs `f` over two tiles of floats.
#[inline(always)]
pub(super) fn binary(unit: Sfpu, dst: &mut Dst, at: Operands, f: impl Fn(LReg, LReg) -> LReg) {
    binary_as(unit, dst, at, Layout::Float, f);
}

/// Runs `f` over three tiles.
#[inline(always)]
pub(super) fn ternary_as(
    unit: Sfpu,
    dst: &mut Dst,
    at: Operands,
    layout: Layout,
    f: impl Fn(LReg, LReg, LReg) -> LReg,
) {
    for k in registers(at.faces) {
        let x = load(dst.tile(at.inputs[0]), k, layout);
        let y = load(dst.tile(at.inputs[1]), k, layout);
        let z = load(dst.tile(at.inputs[2]), k, layout);
        store(dst.tile_mut(at.output), k, f(x, y, z), layout, unit.dst_32);
    }
}

/// A loop over tiles of raw words, to be compiled for several instruction sets: only for functions
/// that are inlined whole.
struct Words<'a, F> {
    dst: &'a mut Dst,
    at: Operands,
    f: F,
}

impl<F: Fn(u32, u32) -> u32> Lanes for Words<'_, F> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        for k in registers(self.at.faces) {
            let x = *register(self.dst.tile(self.at.inputs[0]), k);
            let y = *register(self.dst.tile(self.at.inputs[1]), k);
            let out = register_mut(self.dst.tile_mut(self.at.output), k);
            for i in 0..LANES {
                out[i] = (self.f)(x[i], y[i]);
            }
        }
    }
}

/// Runs `f` over two tiles of raw words with the widest vectors of the host.
#[inline(always)]
pub(super) fn words(dst: &mut Dst, at: Operands, f: impl Fn(u32, u32) -> u32) {
    vectorized(Words { dst, at, f });
}
