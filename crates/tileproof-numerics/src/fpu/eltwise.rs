//! ELWADD, ELWSUB and ELWMUL over a tile.
//!
//! The broadcast forms are the same functions on a SrcB tile that
//! [`broadcast`](super::broadcast) has spread. ELWMUL adds to Dst whatever the kernel meant; nothing
//! here may hide that. Start at [`eltwise_mul`].

use super::exact::{FastAdd, FastMul};
use super::lanes::Back;
use super::mode::{Class, FpuMode, operand_mask};
use super::plain;
use crate::simd::{Lanes, vectorized};
use crate::tile::{ROW_DATUMS, TILE_DATUMS, Tile};

/// `dst = a + b`, or `dst += a + b` when the instruction accumulates (`acc_to_dest`).
pub fn eltwise_add(mode: FpuMode, a: &Tile, b: &Tile, dst: &mut Tile, accumulate: bool) {
    add_or_subtract(mode, a, b, dst, accumulate, 0);
}

/// `dst = a - b`, or `dst += a - b` when the instruction accumulates.
pub fn eltwise_sub(mode: FpuMode, a: &Tile, b: &Tile, dst: &mut Tile, accumulate: bool) {
    add_or_subtract(mode, a, b, dst, accumulate, 0x8000_0000);
}

fn add_or_subtract(mode: FpuMode, a: &Tile, b: &Tile, dst: &mut Tile, accumulate: bool, flip: u32) {
    if mode.class() != Class::B {
        for ((d, &a), &b) in dst.0.iter_mut().zip(&a.0).zip(&b.0) {
            *d = plain::elwadd(mode, a, b ^ flip, if accumulate { *d } else { 0 });
        }
        return;
    }
    let (a, b, dst) = (&a.0, &b.0, &mut dst.0);
    match (mode.dst_32, accumulate) {
        (true, true) => vectorized(Add::<true, true> { mode, a, b, dst, flip }),
        (true, false) => vectorized(Add::<true, false> { mode, a, b, dst, flip }),
        (false, true) => vectorized(Add::<false, true> { mode, a, b, dst, flip }),
        (false, false) => vectorized(Add::<false, false> { mode, a, b, dst, flip }),
    }
}

struct Add<'t, const DST_32: bool, const ACCUMULATE: bool> {
    mode: FpuMode,
    a: &'t [u32; TILE_DATUMS],
    b: &'t [u32; TILE_DATUMS],
    dst: &'t mut [u32; TILE_DATUMS],
    flip: u32,
}

impl<const DST_32: bool, const ACCUMULATE: bool> Lanes for Add<'_, DST_32, ACCUMULATE> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let masks = [operand_mask(self.mode.src_a), operand_mask(self.mode.src_b)];
        if !ACCUMULATE && FastAdd::<DST_32>::tile(self.a, self.b, masks, self.flip, self.dst) {
            return;
        }
        let back = Back::<DST_32>::new(self.mode);
        let rows = self.a.as_chunks::<ROW_DATUMS>().0.iter().zip(self.b.as_chunks::<ROW_DATUMS>().0);
        for (d, (a, b)) in self.dst.as_chunks_mut::<ROW_DATUMS>().0.iter_mut().zip(rows) {
            let (a, b) = (a.map(|a| a & masks[0]), b.map(|b| b & masks[1] ^ self.flip));
            if !ACCUMULATE && FastAdd::<DST_32>::row(&a, &b, d) {
                continue;
            }
            for i in 0..ROW_DATUMS {
                d[i] = back.elwadd::<ACCUMULATE>(a[i], b[i], d[i]);
            }
        }
    }
}

/// `dst += a * b`, phase by phase, rounded to Dst after each. With `dst_is_zero` the caller promises
/// that Dst reads as zero (undefined rows); its words are then ignored.
pub fn eltwise_mul(mode: FpuMode, a: &Tile, b: &Tile, dst: &mut Tile, dst_is_zero: bool) {
    if mode.class() != Class::B {
        for ((d, &a), &b) in dst.0.iter_mut().zip(&a.0).zip(&b.0) {
            *d = plain::elwmul(mode, a, b, if dst_is_zero { 0 } else { *d });
        }
        return;
    }
    let (a, b, dst) = (&a.0, &b.0, &mut dst.0);
    match (mode.dst_32, mode.fidelity.phases()) {
        (true, 1) => vectorized(Mul::<true, 1> { mode, a, b, dst, dst_is_zero }),
        (true, 2) => vectorized(Mul::<true, 2> { mode, a, b, dst, dst_is_zero }),
        (true, 3) => vectorized(Mul::<true, 3> { mode, a, b, dst, dst_is_zero }),
        (true, _) => vectorized(Mul::<true, 4> { mode, a, b, dst, dst_is_zero }),
        (false, 1) => vectorized(Mul::<false, 1> { mode, a, b, dst, dst_is_zero }),
        (false, 2) => vectorized(Mul::<false, 2> { mode, a, b, dst, dst_is_zero }),
        (false, 3) => vectorized(Mul::<false, 3> { mode, a, b, dst, dst_is_zero }),
        (false, _) => vectorized(Mul::<false, 4> { mode, a, b, dst, dst_is_zero }),
    }
}

struct Mul<'t, const DST_32: bool, const PHASES: u32> {
    mode: FpuMode,
    a: &'t [u32; TILE_DATUMS],
    b: &'t [u32; TILE_DATUMS],
    dst: &'t mut [u32; TILE_DATUMS],
    dst_is_zero: bool,
}

impl<const DST_32: bool, const PHASES: u32> Lanes for Mul<'_, DST_32, PHASES> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let back = Back::<DST_32>::new(self.mode);
        let masks = [operand_mask(self.mode.src_a), operand_mask(self.mode.src_b)];
        if self.dst_is_zero && FastMul::<DST_32, PHASES>::tile(self.a, self.b, masks, self.dst) {
            return;
        }
        let rows = self.a.as_chunks::<ROW_DATUMS>().0.iter().zip(self.b.as_chunks::<ROW_DATUMS>().0);
        for (d, (a, b)) in self.dst.as_chunks_mut::<ROW_DATUMS>().0.iter_mut().zip(rows) {
            let (a, b) = (a.map(|a| a & masks[0]), b.map(|b| b & masks[1]));
            if self.dst_is_zero {
                if FastMul::<DST_32, PHASES>::row(&a, &b, d) || FastMul::<DST_32, PHASES>::large_row(&a, &b, d) {
                    continue;
                }
                *d = [0; ROW_DATUMS];
            }
            for i in 0..ROW_DATUMS {
                let mut value = back.elwmul::<0>(a[i], b[i], d[i]);
                if PHASES > 1 {
                    value = back.elwmul::<1>(a[i], b[i], value);
                }
                if PHASES > 2 {
                    value = back.elwmul::<2>(a[i], b[i], value);
                }
                if PHASES > 3 {
                    value = back.elwmul::<3>(a[i], b[i], value);
                }
                d[i] = value;
            }
        }
    }
}
