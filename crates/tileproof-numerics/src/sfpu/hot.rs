//! Sums, differences and products of whole tiles, in host arithmetic.
//!
//! Must never store what [`super::arith`] would not: registers of 32 lanes beside one with an infinity, a NaN or a
//! product at the lower edge of the normal range go there. Start reading at [`arithmetic`].

use super::arith;
use super::call::Call;
use super::lreg::{LANES, LReg, Register};
use super::tiles::{Part, register, register_mut, registers};
use super::unit::Sfpu;
use crate::simd::{Lanes, vectorized};
use crate::tile::TILE_DATUMS;

const SIGN: u32 = 0x8000_0000;
const INF: u32 = 0x7f80_0000;
const LEAST_NORMAL: u32 = 0x0080_0000;

/// The second operand.
#[derive(Clone, Copy)]
pub(super) enum Term {
    /// A tile of Dst.
    Tile(usize),
    /// The same word in every lane.
    Scalar(u32),
}

/// What is done.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Operation {
    Add,
    Sub,
    Mul,
}

/// The two operands, and whether the kernel rounds to bf16, ties to even, before it stores. Products are then those of
/// `mul_binary_tile`.
#[derive(Clone, Copy)]
pub(super) struct Terms {
    pub(super) first: usize,
    pub(super) second: Term,
    pub(super) even: bool,
}

/// `first OP second` into the output of a call.
pub(super) fn arithmetic(operation: Operation, call: &mut Call<'_>, terms: Terms) {
    match (operation, terms.even) {
        (Operation::Add, false) => vectorized(Loop::<ADD, false>(call, terms)),
        (Operation::Add, true) => vectorized(Loop::<ADD, true>(call, terms)),
        (Operation::Sub, false) => vectorized(Loop::<SUB, false>(call, terms)),
        (Operation::Sub, true) => vectorized(Loop::<SUB, true>(call, terms)),
        (Operation::Mul, false) => vectorized(Loop::<MUL, false>(call, terms)),
        (Operation::Mul, true) => vectorized(Loop::<MUL, true>(call, terms)),
    }
}

const ADD: u8 = 0;
const SUB: u8 = 1;
const MUL: u8 = 2;

/// Lanes that are done at a time; a register is two such steps.
const STEP: usize = 16;

/// Lanes of whole tiles that are done before they are looked at and stored: registers of the host hold them.
const BLOCK: usize = 64;

struct Loop<'a, 'b, const OPERATION: u8, const EVEN: bool>(&'a mut Call<'b>, Terms);

/// Where the vector unit may differ: the largest magnitude of a result, and the least of what must not be small, lane by lane.
struct Extremes {
    largest: [u32; STEP],
    least: [u32; STEP],
}

impl Extremes {
    const NONE: Extremes = Extremes { largest: [0; STEP], least: [u32::MAX; STEP] };

    /// Whether one is beyond: a result that is no number, or what must not be small below a bound.
    #[inline(always)]
    fn are_beyond(&self, bound: u32) -> bool {
        let lanes = self.largest.iter().zip(&self.least);
        lanes.fold(false, |any, (largest, least)| any | (*largest >= INF) | (*least < bound))
    }
}

/// What the kernels' software rounding leaves, as [`LReg::round_to_bf16_even`].
#[inline(always)]
fn rounded(word: u32) -> u32 {
    word.wrapping_add(0x7fff).wrapping_add(word >> 16 & 1) & 0xffff_0000
}

impl<const OPERATION: u8, const EVEN: bool> Loop<'_, '_, OPERATION, EVEN> {
    /// What must not be below this: the product of two numbers, which must be above the least normal one; and, doubled and less one so that
    /// zero is none of them, a term, which must be at least 2^23 times the least normal number: then sums are its multiples, none denormal.
    const BOUND: u32 = if OPERATION == MUL { LEAST_NORMAL + 1 } else { (LEAST_NORMAL + (23 << 23)) * 2 - 1 };

    /// A few lanes, before they are stored.
    #[inline(always)]
    fn step(x: &[u32; STEP], y: &[u32; STEP], zero: f32, seen: &mut Extremes) -> [u32; STEP] {
        let mut out = [0; STEP];
        for i in 0..STEP {
            let (a, b) = (x[i], if OPERATION == SUB { y[i] ^ SIGN } else { y[i] });
            let result = if OPERATION == MUL {
                let product = (f32::from_bits(a) * f32::from_bits(b)).to_bits();
                // Denormals count as zero. An infinity or a NaN among the factors is one in the product, beside a zero too.
                let are_normal = a & !SIGN >= LEAST_NORMAL && b & !SIGN >= LEAST_NORMAL;
                let small = if are_normal { product & !SIGN } else { u32::MAX };
                seen.least[i] = seen.least[i].min(small);
                seen.largest[i] = seen.largest[i].max(product & !SIGN);
                if are_normal { product } else { 0 }
            } else {
                let sum = (f32::from_bits(a) + f32::from_bits(b) + zero).to_bits();
                let small = (a << 1).wrapping_sub(1).min((b << 1).wrapping_sub(1));
                seen.least[i] = seen.least[i].min(small);
                seen.largest[i] = seen.largest[i].max(sum & !SIGN);
                sum
            };
            out[i] = if EVEN { rounded(result) } else { result };
        }
        out
    }

    #[inline(always)]
    fn tile<const DST_32: bool>(self) {
        let Loop(Call { unit, dst, output, part, .. }, Terms { first, second, .. }) = self;
        let (unit, output) = (*unit, *output);
        let scalar = match second {
            Term::Scalar(word) => [word; BLOCK],
            Term::Tile(_) => [0; BLOCK],
        };
        if *part != Part::ALL {
            for k in registers(*part) {
                let x = register(dst.tile(first), k);
                let y = if let Term::Tile(tile) = second { register(dst.tile(tile), k) } else { &[scalar[0]; LANES] };
                let out = Self::lanes::<LANES, DST_32>(unit, x, y);
                *register_mut(dst.tile_mut(output), k) = out;
            }
            return;
        }
        for block in 0..TILE_DATUMS / BLOCK {
            let of = |tile: usize| &dst.tile(tile).0.as_chunks::<BLOCK>().0[block];
            let y = if let Term::Tile(tile) = second { of(tile) } else { &scalar };
            let out = Self::lanes::<BLOCK, DST_32>(unit, of(first), y);
            dst.tile_mut(output).0.as_chunks_mut::<BLOCK>().0[block] = out;
        }
    }

    /// What is stored of some registers.
    #[inline(always)]
    fn lanes<const N: usize, const DST_32: bool>(unit: Sfpu, x: &[u32; N], y: &[u32; N]) -> [u32; N] {
        let keep = if DST_32 { u32::MAX } else { 0xffff_0000 };
        let zero = unit.rules.multiply_add.neutral();
        let mut out = [0; N];
        let mut seen = Extremes::NONE;
        let steps = x.as_chunks::<STEP>().0.iter().zip(y.as_chunks::<STEP>().0);
        for (out, (x, y)) in out.as_chunks_mut::<STEP>().0.iter_mut().zip(steps) {
            *out = Self::step(x, y, zero, &mut seen).map(|word| word & keep);
        }
        if seen.are_beyond(Self::BOUND) {
            let registers = x.as_chunks::<LANES>().0.iter().zip(y.as_chunks::<LANES>().0);
            for (out, (x, y)) in out.as_chunks_mut::<LANES>().0.iter_mut().zip(registers) {
                *out = lane_exact::<OPERATION, EVEN>(unit, &LReg(*x), &LReg(*y), keep);
            }
        }
        out
    }
}

impl<const OPERATION: u8, const EVEN: bool> Lanes for Loop<'_, '_, OPERATION, EVEN> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        if self.0.unit.dst_32 { self.tile::<true>() } else { self.tile::<false>() }
    }
}

#[cold]
#[inline(never)]
fn lane_exact<const OPERATION: u8, const EVEN: bool>(unit: Sfpu, x: &LReg, y: &LReg, keep: u32) -> [u32; LANES] {
    let result = match OPERATION {
        ADD => arith::add(unit.rules.multiply_add, x, y),
        SUB => arith::sub(unit.rules.multiply_add, x, y),
        // The kernel that rounds a product makes it 0 if a factor is +0, whatever the other is.
        _ if EVEN => LReg::splat(0).where_(x.zero() | y.zero(), arith::mul(unit.rules.multiply_add, x, y)),
        _ => arith::mul(unit.rules.multiply_add, x, y),
    };
    let result = if EVEN { result.round_to_bf16_even() } else { result };
    (result.flushed() & LReg::splat(keep)).0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chip::{BLACKHOLE, WORMHOLE};
    use crate::dst::Dst;
    use crate::sfpu::mode::Faces;
    use crate::sfpu::op::SfpuOp;

    #[test]
    fn loops_equal_the_lane_exact_registers() {
        let mut s = 0x9e37_79b9_7f4a_7c15u64;
        let mut next = || {
            s ^= s << 13;
            s ^= s >> 7;
            s ^= s << 17;
            (s >> 32) as u32
        };
        let mut dst = Dst::default();
        for round in 0..3000 {
            for tile in 0..2 {
                for (i, word) in dst.tile_mut(tile).0.iter_mut().enumerate() {
                    let bits = next();
                    *word = match (round + i / 32) % 8 {
                        0 => bits,
                        1 => bits & 0x81ff_ffff,
                        2 => bits & 0x81ff_ffff | 0x2000_0000,
                        3 => bits & 0x807f_ffff | 0x1fc0_0000 | (bits & 3) << 23,
                        4 => bits & 0x80ff_0000 | if bits & 1 == 0 { 0 } else { 0x3f00_0000 },
                        // Zeros beside infinities, NaNs and denormals.
                        5 => [0, SIGN, INF, INF | SIGN, INF | 1, 1, LEAST_NORMAL, bits][bits as usize % 8],
                        _ => bits & 0x87ff_ffff | 0x3c00_0000,
                    };
                }
            }
            let rules = if round % 2 == 0 { WORMHOLE.sfpu } else { BLACKHOLE.sfpu };
            let dst_32 = round % 3 != 0;
            let unit = Sfpu { rules, dst_32, approx: false };
            let keep = if dst_32 { u32::MAX } else { 0xffff_0000 };
            let second = if round % 5 == 0 { Term::Scalar(next() & 0xffff_0000) } else { Term::Tile(1) };
            // A face of a few, and whole tiles, of which more is done at a time.
            let part = if round % 7 == 0 { Part::from(Faces::C) } else { Part::ALL };
            for operation in [Operation::Add, Operation::Sub, Operation::Mul] {
                for even in [false, true] {
                    let op = SfpuOp::AddBinary;
                    let before = dst.tile(2).clone();
                    let mut call = Call { op, unit, dst: &mut dst, inputs: [0; 3], output: 2, part, params: &[0; 4] };
                    arithmetic(operation, &mut call, Terms { first: 0, second, even });
                    for k in registers(Part::ALL) {
                        if !registers(part).any(|of_part| of_part == k) {
                            assert_eq!(register(dst.tile(2), k), register(&before, k), "round {round} register {k}");
                            continue;
                        }
                        let x = LReg(*register(dst.tile(0), k));
                        let y = match second {
                            Term::Tile(tile) => LReg(*register(dst.tile(tile), k)),
                            Term::Scalar(word) => LReg::splat(word),
                        };
                        let expected = match (operation, even) {
                            (Operation::Add, false) => lane_exact::<ADD, false>(unit, &x, &y, keep),
                            (Operation::Add, true) => lane_exact::<ADD, true>(unit, &x, &y, keep),
                            (Operation::Sub, false) => lane_exact::<SUB, false>(unit, &x, &y, keep),
                            (Operation::Sub, true) => lane_exact::<SUB, true>(unit, &x, &y, keep),
                            (Operation::Mul, false) => lane_exact::<MUL, false>(unit, &x, &y, keep),
                            (Operation::Mul, true) => lane_exact::<MUL, true>(unit, &x, &y, keep),
                        };
                        assert_eq!(*register(dst.tile(2), k), expected, "round {round} register {k}");
                    }
                }
            }
        }
    }
}
