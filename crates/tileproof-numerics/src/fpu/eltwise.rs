//! ELWADD, ELWSUB and ELWMUL over a tile.
//!
//! The broadcast forms are the same functions on a SrcB tile that
//! [`broadcast`](super::broadcast) has spread. ELWMUL adds to Dst whatever the kernel meant; nothing
//! here may hide that. Start at [`eltwise_mul`].

use super::lanes::Back;
use super::{Class, FpuMode, operand_mask, plain};
use crate::simd::{Lanes, vectorized};
use crate::tile::{TILE_DATUMS, Tile};

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
        (true, true) => vectorized(Add::<true, true> {
            mode,
            a,
            b,
            dst,
            flip,
        }),
        (true, false) => vectorized(Add::<true, false> {
            mode,
            a,
            b,
            dst,
            flip,
        }),
        (false, true) => vectorized(Add::<false, true> {
            mode,
            a,
            b,
            dst,
            flip,
        }),
        (false, false) => vectorized(Add::<false, false> {
            mode,
            a,
            b,
            dst,
            flip,
        }),
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
        let back = Back::<DST_32>::new(self.mode);
        let (a_mask, b_mask) = (operand_mask(self.mode.src_a), operand_mask(self.mode.src_b));
        for ((d, &a), &b) in self.dst.iter_mut().zip(self.a).zip(self.b) {
            *d = back.elwadd::<ACCUMULATE>(a & a_mask, b & b_mask ^ self.flip, *d);
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
    if dst_is_zero {
        dst.0.fill(0);
    }
    let (a, b, dst) = (&a.0, &b.0, &mut dst.0);
    match (mode.dst_32, mode.fidelity.phases()) {
        (true, 1) => vectorized(Mul::<true, 1> { mode, a, b, dst }),
        (true, 2) => vectorized(Mul::<true, 2> { mode, a, b, dst }),
        (true, 3) => vectorized(Mul::<true, 3> { mode, a, b, dst }),
        (true, _) => vectorized(Mul::<true, 4> { mode, a, b, dst }),
        (false, 1) => vectorized(Mul::<false, 1> { mode, a, b, dst }),
        (false, 2) => vectorized(Mul::<false, 2> { mode, a, b, dst }),
        (false, 3) => vectorized(Mul::<false, 3> { mode, a, b, dst }),
        (false, _) => vectorized(Mul::<false, 4> { mode, a, b, dst }),
    }
}

struct Mul<'t, const DST_32: bool, const PHASES: u32> {
    mode: FpuMode,
    a: &'t [u32; TILE_DATUMS],
    b: &'t [u32; TILE_DATUMS],
    dst: &'t mut [u32; TILE_DATUMS],
}

impl<const DST_32: bool, const PHASES: u32> Lanes for Mul<'_, DST_32, PHASES> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let back = Back::<DST_32>::new(self.mode);
        let (a_mask, b_mask) = (operand_mask(self.mode.src_a), operand_mask(self.mode.src_b));
        for ((d, &a), &b) in self.dst.iter_mut().zip(self.a).zip(self.b) {
            let (a, b) = (a & a_mask, b & b_mask);
            let mut value = back.elwmul::<0>(a, b, *d);
            if PHASES > 1 {
                value = back.elwmul::<1>(a, b, value);
            }
            if PHASES > 2 {
                value = back.elwmul::<2>(a, b, value);
            }
            if PHASES > 3 {
                value = back.elwmul::<3>(a, b, value);
            }
            *d = value;
        }
    }
}
