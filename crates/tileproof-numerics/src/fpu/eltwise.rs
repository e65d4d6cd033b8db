//! ELWADD, ELWSUB and ELWMUL over a tile.
//!
//! The broadcast forms are the same functions on a SrcB tile that
//! [`broadcast`](super::broadcast) has spread. ELWMUL adds to Dst whatever the kernel meant; nothing
//! here may hide that. Start at [`eltwise_mul`].

use super::{FpuMode, plain};
use crate::tile::Tile;

/// `dst = a + b`, or `dst += a + b` when the instruction accumulates (`acc_to_dest`).
pub fn eltwise_add(mode: FpuMode, a: &Tile, b: &Tile, dst: &mut Tile, accumulate: bool) {
    add_or_subtract(mode, a, b, dst, accumulate, 0);
}

/// `dst = a - b`, or `dst += a - b` when the instruction accumulates.
pub fn eltwise_sub(mode: FpuMode, a: &Tile, b: &Tile, dst: &mut Tile, accumulate: bool) {
    add_or_subtract(mode, a, b, dst, accumulate, 0x8000_0000);
}

/// `dst += a * b`, phase by phase, rounded to Dst after each. With `dst_is_zero` the caller promises
/// that Dst reads as zero (undefined rows); its words are then ignored.
pub fn eltwise_mul(mode: FpuMode, a: &Tile, b: &Tile, dst: &mut Tile, dst_is_zero: bool) {
    for ((d, &a), &b) in dst.0.iter_mut().zip(&a.0).zip(&b.0) {
        *d = plain::elwmul(mode, a, b, if dst_is_zero { 0 } else { *d });
    }
}

fn add_or_subtract(mode: FpuMode, a: &Tile, b: &Tile, dst: &mut Tile, accumulate: bool, flip: u32) {
    for ((d, &a), &b) in dst.0.iter_mut().zip(&a.0).zip(&b.0) {
        *d = plain::elwadd(mode, a, b ^ flip, if accumulate { *d } else { 0 });
    }
}
