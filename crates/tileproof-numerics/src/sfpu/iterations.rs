//! Roots, reciprocals and exponentials of ordinary numbers: the kernels' iterations on whole tiles.
//!
//! Must never store what the kernels' sequences of SFPMAD would not: each function here says why its
//! host arithmetic gives the same bits for the inputs it takes, and a register with any other input is
//! left to the plain sequence. Start reading at [`minus_product`] and [`plus_product`].
//!
//! SFPMAD cuts a product to 26 binary places below its factors' exponents, the last one sticky, and
//! aligns the smaller term to the larger one's exponent E: it works on multiples of 2^(E - 26), lost
//! bits set the last place (see [`super::fma`]). A product of two floats is exact in f64.

use super::exponential::exp;
use super::lreg::{LANES, LReg, Sfpu};
use super::reciprocal::recip;
use super::root::{Root, root};
use super::tiles::{Layout, Operands, register, register_mut, registers, store};
use crate::dst::Dst;
use crate::simd::{Lanes, vectorized};

const ABS: u32 = 0x7fff_ffff;
const FRACTION: u32 = 0x007f_ffff;

/// `number - x * y` by SFPMAD for a positive constant of exponent E and a positive product under
/// 2^(E + 1); `base` is 2^(E + 2).
///
/// The product has the smaller exponent, so it is aligned to E and cut to multiples of 2^(E - 26). On top
/// of `base` that is bit 24 of an f64, whatever the product; below it 24 more bits must hold all of the
/// product, which is so if its last bit is at or above 2^(E - 50): the callers see to it. The difference is
/// exact, and rounds once.
#[inline(always)]
fn minus_product(x: f32, y: f32, number: f32, base: f64) -> f32 {
    let odd = cut_to_odd(base + f64::from(x) * f64::from(y));
    ((f64::from(number) + base) - odd) as f32
}

/// The low 24 bits of the significand cut, bit 24 set if they were not zero.
#[inline(always)]
fn cut_to_odd(sum: f64) -> f64 {
    const CUT: u64 = 0xff_ffff;
    let bits = sum.to_bits();
    f64::from_bits(bits & !CUT | ((bits & CUT) + CUT) & (CUT + 1))
}

/// `x * y + z` by SFPMAD where the product is at most half of z, or at most z and of the same sign.
///
/// Then the sum is not under half of z's power of two: the cut places are at least two below its last
/// bit, and sticky bits below there do not change a rounding to nearest. It does not reach four times
/// that power either, where Wormhole forgets a bit. The f64 holds the sum exactly, or the caller looks at
/// [`off_the_middle`].
#[inline(always)]
fn plus_product(x: f32, y: f32, z: f32) -> f64 {
    f64::from(x) * f64::from(y) + f64::from(z)
}

/// 0 if a sum lies in the middle between two floats. If the f64 lost bits, those would have decided;
/// nowhere else does losing them matter.
#[inline(always)]
fn off_the_middle(sum: f64) -> u32 {
    sum.to_bits() as u32 & 0x1fff_ffff ^ 0x1000_0000
}

/// SFP_STOCH_RND of a normal number, as [`LReg::round_to_bf16`].
#[inline(always)]
fn to_bf16(word: u32) -> u32 {
    word.wrapping_add(0x8000) & 0xffff_0000
}

/// A kernel in its fast form.
trait Iteration: Copy {
    /// The result of a lane, and 0 if the lane is not ordinary.
    fn lane(self, x: u32) -> (u32, u32);
    /// The kernel's own sequence.
    fn sequence(self, unit: Sfpu, x: LReg) -> LReg;
}

struct Run<'a, I> {
    iteration: I,
    unit: Sfpu,
    dst: &'a mut Dst,
    at: Operands,
}

impl<I: Iteration> Lanes for Run<'_, I> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Run { iteration, unit, dst, at } = self;
        for k in registers(at.faces) {
            let x = *register(dst.tile(at.inputs[0]), k);
            let mut out = [0; LANES];
            // A minimum, because the compiler vectorises that.
            let mut least = u32::MAX;
            for i in 0..LANES {
                let (result, ordinary) = iteration.lane(x[i]);
                out[i] = result;
                least = least.min(ordinary);
            }
            if least != 0 {
                *register_mut(dst.tile_mut(at.output), k) = out;
            } else {
                store(dst.tile_mut(at.output), k, iteration.sequence(unit, LReg(x)), Layout::Float, unit.dst_32);
            }
        }
    }
}

/// [`root`] of positive normal numbers.
#[derive(Clone, Copy)]
struct RootOf<const RECIPROCAL: bool, const WIDE: bool>(Root);

impl<const RECIPROCAL: bool, const WIDE: bool> Iteration for RootOf<RECIPROCAL, WIDE> {
    #[inline(always)]
    fn lane(self, word: u32) -> (u32, u32) {
        let x = f32::from_bits(word);
        let y = f32::from_bits(0x5f11_10a0u32.wrapping_sub(word >> 1));
        // x * y * y is near 1; the factor near 1, and with it the next x * y * y.
        let c = y * (x * y);
        let inner = 2.253_304_9 - c;
        let y = y * minus_product(c, inner, 2.282_518_6, 8.0);
        let xy = x * y;
        // A multiple of 2^-26, and small: times a float of 24 bits it is exact beside that float.
        let residual = minus_product(y, xy, 1.0, 4.0);
        let estimate = if RECIPROCAL { y } else { xy };
        let refined = plus_product(residual, 0.5 * estimate, estimate) as f32;
        let out = if WIDE { refined.to_bits() } else { to_bf16(refined.to_bits()) };
        (out, u32::from(word.wrapping_sub(0x0080_0000) < 0x7f00_0000))
    }

    #[inline(always)]
    fn sequence(self, unit: Sfpu, x: LReg) -> LReg {
        root(unit, x, self.0)
    }
}

/// [`root`] over a tile.
pub(super) fn roots(unit: Sfpu, dst: &mut Dst, at: Operands, which: Root) {
    match (which.reciprocal, unit.dst_32) {
        (true, true) => vectorized(Run { iteration: RootOf::<true, true>(which), unit, dst, at }),
        (true, false) => vectorized(Run { iteration: RootOf::<true, false>(which), unit, dst, at }),
        (false, true) => vectorized(Run { iteration: RootOf::<false, true>(which), unit, dst, at }),
        (false, false) => vectorized(Run { iteration: RootOf::<false, false>(which), unit, dst, at }),
    }
}

/// [`recip`] of normal numbers whose reciprocal is safely normal.
#[derive(Clone, Copy)]
struct ReciprocalOf<const WIDE: bool>;

impl<const WIDE: bool> Iteration for ReciprocalOf<WIDE> {
    #[inline(always)]
    fn lane(self, word: u32) -> (u32, u32) {
        // The kernel works on -m; y is between 1/2 and 1.2 all along.
        let m = f32::from_bits(word & FRACTION | 0x3f80_0000);
        let y = plus_product(-0.323_232_501_745_223_999, m, 1.454_545_974_731_445_3) as f32;
        let mut y = minus_product(y, m, 2.121_212_482_452_392_6, 8.0);
        for _ in 0..if WIDE { 2 } else { 1 } {
            // A multiple of 2^-26 under 1/2.
            let t = minus_product(m, y, 1.0, 4.0);
            y = plus_product(y, t, y) as f32;
        }
        let scale = f32::from_bits(!word & 0x7f80_0000) * 0.5;
        let out = (y * scale).to_bits() | word & !ABS;
        let out = if WIDE { out } else { to_bf16(out) };
        // Exponents 1 to 251.
        (out, u32::from((word & ABS).wrapping_sub(0x0080_0000) < 251 << 23))
    }

    #[inline(always)]
    fn sequence(self, unit: Sfpu, x: LReg) -> LReg {
        recip(unit, x)
    }
}

/// [`recip`] over a tile.
pub(super) fn reciprocals(unit: Sfpu, dst: &mut Dst, at: Operands) {
    if unit.dst_32 {
        vectorized(Run { iteration: ReciprocalOf::<true>, unit, dst, at });
    } else {
        vectorized(Run { iteration: ReciprocalOf::<false>, unit, dst, at });
    }
}

/// The exponential of a 32-bit Dst up to magnitude 85, without a scale.
#[derive(Clone, Copy)]
struct ExpWide;

impl Iteration for ExpWide {
    #[inline(always)]
    fn lane(self, word: u32) -> (u32, u32) {
        let x = f32::from_bits(word);
        // To the nearest integer, ties away from zero: at most 123.
        let v = (1.442_695 * x).to_bits();
        let e = (v >> 23 & 255) as i32 - 127;
        let shift = (23 - e).clamp(7, 24) as u32;
        let magnitude = ((v & FRACTION | 0x0080_0000) >> (shift - 1)).wrapping_add(1) >> 1;
        let magnitude = if e < -1 { 0 } else { magnitude as i32 };
        let steps = if (v as i32) < 0 { -magnitude } else { magnitude };
        let j = steps as f32;
        // An integer of 7 bits times a constant of 15, and x within a factor of two of it or alone:
        // nothing is cut.
        let f = plus_product(j, -6.931_457_52e-1, x) as f32;
        let correction = f64::from(j) * f64::from(-1.428_606_77e-6f32);
        // A little more than twice, as rounding to f32 could lose some.
        let dominated = ((2.5 * correction) as f32).to_bits() & ABS <= f.to_bits() & ABS;
        // Multiples of 2^-43 or of a few places more, under 1/2.
        let f = (correction + f64::from(f)) as f32;
        // With |f| < 0.36 each product is under half of the next coefficient.
        let mut ordinary = u32::from((word & ABS <= 0x42aa_0000) & dominated);
        let mut y = 1.378_059_39e-3;
        for coefficient in [8.373_124_52e-3, 4.166_953_64e-2, 1.666_647_20e-1, 4.999_998_51e-1, 1.0, 1.0] {
            let sum = plus_product(y, f, coefficient);
            ordinary = ordinary.min(off_the_middle(sum));
            y = sum as f32;
        }
        let out = y.to_bits().wrapping_add((steps as u32) << 23);
        (out, ordinary)
    }

    #[inline(always)]
    fn sequence(self, unit: Sfpu, x: LReg) -> LReg {
        exp(unit, x, None, true)
    }
}

/// The exponential of a 16-bit Dst up to magnitude 80, without a scale.
#[derive(Clone, Copy)]
struct ExpNarrow;

impl Iteration for ExpNarrow {
    #[inline(always)]
    fn lane(self, word: u32) -> (u32, u32) {
        let x = f32::from_bits(word);
        // The product is under 128 and the addend's exponent 6, so the places end at 2^-20: bit 24 on top
        // of 384. A bf16 times the constant ends at 2^-44 or above if not under 2^-14.
        let sum = cut_to_odd(384.0 + f64::from(x) * f64::from(1.442_695_021_629_333_5f32));
        let v = ((sum - 384.0) + 127.0) as f32;
        let bits = v.to_bits();
        // Between 11 and 243: the exponent is 3 to 7, and no limit bites.
        let z = (bits & FRACTION | 0x0080_0000) << ((bits >> 23).wrapping_sub(127) & 7);
        let fraction = (z & FRACTION) as i32 as f32;
        // Positive terms, multiples of 2^-71 and 2^-47, and the product is the smaller one.
        let y = plus_product(4.791_750_143_340_323e-15, fraction, 7.839_635_491_371_155e-8) as f32;
        let y = plus_product(y, fraction, 1.001_953_125) as f32;
        let out = to_bf16(y.to_bits() & 0x807f_ffff | z & 0x7f80_0000);
        let magnitude = word & ABS;
        let inside = (magnitude <= 0x42a0_0000) & ((magnitude >= 0x3880_0000) | (magnitude == 0));
        (out, u32::from(inside & (word & 0xffff == 0)))
    }

    #[inline(always)]
    fn sequence(self, unit: Sfpu, x: LReg) -> LReg {
        exp(unit, x, None, true)
    }
}

/// [`exp`] without a scale over a tile. The clamp of negative inputs is beyond what is ordinary, so the
/// caller must ask for it.
pub(super) fn exponentials(unit: Sfpu, dst: &mut Dst, at: Operands) {
    if unit.dst_32 {
        vectorized(Run { iteration: ExpWide, unit, dst, at });
    } else {
        vectorized(Run { iteration: ExpNarrow, unit, dst, at });
    }
}

#[cfg(test)]
mod tests {
    use super::super::run::Faces;
    use super::*;

    /// Reproducible words.
    fn stream() -> impl FnMut() -> u32 {
        let mut s = 0x853c_49e6_748f_ea9bu64;
        move || {
            s ^= s << 13;
            s ^= s >> 7;
            s ^= s << 17;
            (s >> 32) as u32
        }
    }

    /// Runs `fast` and `plain` on tiles of many kinds of words and compares every bit. Ordinary words are
    /// most, so that the fast form decides most registers.
    fn compare(dst_32: bool, fast: impl Fn(Sfpu, &mut Dst, Operands), plain: impl Fn(Sfpu, LReg) -> LReg) {
        let unit = Sfpu { arch: super::super::SfpuArch::Wormhole, dst_32, approx: false };
        let at = Operands { inputs: [0; 3], output: 1, faces: Faces::RC };
        let mut next = stream();
        let mut dst = Dst::default();
        let keep = if dst_32 { u32::MAX } else { 0xffff_0000 };
        for round in 0..2000u32 {
            for (i, word) in dst.tile_mut(0).0.iter_mut().enumerate() {
                let bits = next();
                let kind = (round + i as u32 / 32) % 8;
                *word = keep
                    & match kind {
                        0 => bits,
                        // Few bits of significand.
                        1 => bits & 0x7fff_0000,
                        2 => bits & 0xbff0_0000 | 0x3000_0000,
                        // Near one and near powers of two.
                        3 => 0x3f80_0000u32.wrapping_add((bits as i32 >> (8 + bits % 20)) as u32),
                        4 => (bits & 0x7f80_0000).wrapping_add(((bits << 20) as i32 >> 24) as u32),
                        // What exponentials are made for.
                        5 => bits & 0x83ff_ffff | 0x3c00_0000,
                        6 => ((bits as i32 as f32) * (85.0 / 2_147_483_648.0)).to_bits(),
                        _ => bits & 0x7fff_ffff,
                    };
            }
            fast(unit, &mut dst, at);
            let mut expected = crate::tile::Tile::ZERO;
            for k in registers(Faces::RC) {
                store(&mut expected, k, plain(unit, LReg(*register(dst.tile(0), k))), Layout::Float, dst_32);
            }
            for i in 0..1024 {
                let (ours, theirs) = (dst.tile(1).0[i], expected.0[i]);
                assert_eq!(ours, theirs, "{ours:#x} for {theirs:#x} of {:#x}", dst.tile(0).0[i]);
            }
        }
    }

    #[test]
    fn roots_equal_the_sequence() {
        for dst_32 in [true, false] {
            for reciprocal in [true, false] {
                let which = Root { reciprocal, fast: false };
                compare(dst_32, |unit, dst, at| roots(unit, dst, at, which), |unit, x| root(unit, x, which));
            }
        }
    }

    #[test]
    fn reciprocals_equal_the_sequence() {
        for dst_32 in [true, false] {
            compare(dst_32, reciprocals, recip);
        }
    }

    #[test]
    fn exponentials_equal_the_sequence() {
        for dst_32 in [true, false] {
            compare(dst_32, exponentials, |unit, x| exp(unit, x, None, true));
        }
    }
}
