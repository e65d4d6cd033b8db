//! Sums, differences and products of whole tiles, in host arithmetic.
//!
//! Must never store what [`super::arith`] would not: a register of 32 lanes with an infinity, a NaN or a
//! product at the lower edge of the normal range goes there. Start reading at [`arithmetic`].

use super::arith;
use super::call::Call;
use super::lreg::{LANES, LReg, Register};
use super::tiles::{register, register_mut, registers};
use super::unit::Sfpu;
use crate::simd::{Lanes, vectorized};

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

struct Loop<'a, 'b, const OPERATION: u8, const EVEN: bool>(&'a mut Call<'b>, Terms);

#[inline(always)]
fn all_ones(condition: bool) -> u32 {
    u32::from(condition).wrapping_neg()
}

/// All ones for a normal number, an infinity or a NaN.
#[inline(always)]
fn not_flushed(word: u32) -> u32 {
    all_ones((word & !SIGN) as i32 >= LEAST_NORMAL as i32)
}

/// What the kernels' software rounding leaves, as [`LReg::round_to_bf16_even`].
#[inline(always)]
fn rounded(word: u32) -> u32 {
    word.wrapping_add(0x7fff).wrapping_add(word >> 16 & 1) & 0xffff_0000
}

impl<const OPERATION: u8, const EVEN: bool> Loop<'_, '_, OPERATION, EVEN> {
    /// A few lanes, before they are stored. `outside` gets bits for those where the vector unit may differ.
    #[inline(always)]
    fn step(x: &[u32; STEP], y: &[u32; STEP], zero: f32, outside: &mut [u32; STEP]) -> [u32; STEP] {
        let mut out = [0; STEP];
        for i in 0..STEP {
            let (a, b) = (x[i], if OPERATION == SUB { y[i] ^ SIGN } else { y[i] });
            let result = if OPERATION == MUL {
                let product = (f32::from_bits(a) * f32::from_bits(b)).to_bits();
                let normal = not_flushed(a) & not_flushed(b);
                let magnitude = (product & !SIGN) as i32;
                // An infinity or a NaN among the factors is one in the product, beside a zero too. The product of two
                // numbers must be above the least normal one.
                outside[i] |= all_ones(magnitude >= INF as i32);
                outside[i] |= all_ones(magnitude <= LEAST_NORMAL as i32) & normal;
                product & normal
            } else {
                let sum = (f32::from_bits(a) + f32::from_bits(b) + zero).to_bits();
                // Terms are zero or at least 2^23 times the least normal number: then sums are its multiples, none
                // denormal.
                let least = (a << 1).wrapping_sub(1).min((b << 1).wrapping_sub(1));
                outside[i] |= all_ones((sum & !SIGN) as i32 >= INF as i32);
                outside[i] |= all_ones(least < (LEAST_NORMAL + (23 << 23)) * 2 - 1);
                sum
            };
            out[i] = if EVEN { rounded(result) } else { result };
        }
        out
    }

    #[inline(always)]
    fn registers<const DST_32: bool>(self) {
        let Loop(Call { unit, dst, output, part, .. }, Terms { first, second, .. }) = self;
        let (unit, output) = (*unit, *output);
        let keep = if DST_32 { u32::MAX } else { 0xffff_0000 };
        let zero = unit.rules.multiply_add.neutral();
        let scalar = match second {
            Term::Scalar(word) => [word; LANES],
            Term::Tile(_) => [0; LANES],
        };
        for k in registers(*part) {
            let x = register(dst.tile(first), k);
            let y = if let Term::Tile(tile) = second { register(dst.tile(tile), k) } else { &scalar };
            let mut out = [0; LANES];
            let mut outside = [0; STEP];
            let steps = x.as_chunks::<STEP>().0.iter().zip(y.as_chunks::<STEP>().0);
            for (out, (x, y)) in out.as_chunks_mut::<STEP>().0.iter_mut().zip(steps) {
                *out = Self::step(x, y, zero, &mut outside).map(|word| word & keep);
            }
            if outside.iter().fold(0, |any, lane| any | lane) != 0 {
                out = lane_exact::<OPERATION, EVEN>(unit, &LReg(*x), &LReg(*y), keep);
            }
            *register_mut(dst.tile_mut(output), k) = out;
        }
    }
}

impl<const OPERATION: u8, const EVEN: bool> Lanes for Loop<'_, '_, OPERATION, EVEN> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        if self.0.unit.dst_32 { self.registers::<true>() } else { self.registers::<false>() }
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
    use crate::sfpu::op::SfpuOp;
    use crate::sfpu::tiles::Part;

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
            for operation in [Operation::Add, Operation::Sub, Operation::Mul] {
                for even in [false, true] {
                    let (op, part) = (SfpuOp::AddBinary, Part::ALL);
                    let mut call = Call { op, unit, dst: &mut dst, inputs: [0; 3], output: 2, part, params: &[0; 4] };
                    arithmetic(operation, &mut call, Terms { first: 0, second, even });
                    for k in registers(Part::ALL) {
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
