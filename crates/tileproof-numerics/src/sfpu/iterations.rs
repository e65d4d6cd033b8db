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

/// One value for each lane. A step of an iteration is a loop of its own: its lanes are independent, so
/// the host works on many at once, where the steps of one lane would wait for each other.
macro_rules! lanes {
    ($i:ident => $value:expr) => {{
        let mut out = [Default::default(); LANES];
        for $i in 0..LANES {
            out[$i] = $value;
        }
        out
    }};
}

/// A kernel in its fast form.
trait Iteration: Copy {
    /// The results, and in each lane 0 if it is not ordinary.
    fn register(self, words: &[u32; LANES]) -> ([u32; LANES], [u32; LANES]);
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
            let words = *register(dst.tile(at.inputs[0]), k);
            let (out, ordinary) = iteration.register(&words);
            // A minimum, because the compiler vectorises that.
            if ordinary.iter().fold(u32::MAX, |least, &lane| least.min(lane)) != 0 {
                *register_mut(dst.tile_mut(at.output), k) = out;
            } else {
                let out = iteration.sequence(unit, LReg(words));
                store(dst.tile_mut(at.output), k, out, Layout::Float, unit.dst_32);
            }
        }
    }
}

/// [`root`] of positive normal numbers.
#[derive(Clone, Copy)]
struct RootOf<const RECIPROCAL: bool, const WIDE: bool>(Root);

impl<const RECIPROCAL: bool, const WIDE: bool> Iteration for RootOf<RECIPROCAL, WIDE> {
    #[inline(always)]
    fn register(self, words: &[u32; LANES]) -> ([u32; LANES], [u32; LANES]) {
        let x: [f32; LANES] = lanes!(i => f32::from_bits(words[i]));
        let y: [f32; LANES] = lanes!(i => f32::from_bits(0x5f11_10a0u32.wrapping_sub(words[i] >> 1)));
        // x * y * y is near 1; the factor near 1, and with it the next x * y * y.
        let c: [f32; LANES] = lanes!(i => y[i] * (x[i] * y[i]));
        let y: [f32; LANES] = lanes!(i => y[i] * minus_product(c[i], 2.253_304_9 - c[i], 2.282_518_6, 8.0));
        let xy: [f32; LANES] = lanes!(i => x[i] * y[i]);
        // A multiple of 2^-26, and small: times a float of 24 bits it is exact beside that float.
        let residual: [f32; LANES] = lanes!(i => minus_product(y[i], xy[i], 1.0, 4.0));
        let out = lanes!(i => {
            let estimate = if RECIPROCAL { y[i] } else { xy[i] };
            let refined = plus_product(residual[i], 0.5 * estimate, estimate) as f32;
            if WIDE { refined.to_bits() } else { to_bf16(refined.to_bits()) }
        });
        (out, lanes!(i => u32::from(words[i].wrapping_sub(0x0080_0000) < 0x7f00_0000)))
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
    fn register(self, words: &[u32; LANES]) -> ([u32; LANES], [u32; LANES]) {
        // The kernel works on -m; y is between 1/2 and 1.2 all along.
        let m: [f32; LANES] = lanes!(i => f32::from_bits(words[i] & FRACTION | 0x3f80_0000));
        let y: [f32; LANES] =
            lanes!(i => plus_product(-0.323_232_501_745_223_999, m[i], 1.454_545_974_731_445_3) as f32);
        let mut y: [f32; LANES] = lanes!(i => minus_product(y[i], m[i], 2.121_212_482_452_392_6, 8.0));
        for _ in 0..if WIDE { 2 } else { 1 } {
            // A multiple of 2^-26 under 1/2.
            let t: [f32; LANES] = lanes!(i => minus_product(m[i], y[i], 1.0, 4.0));
            y = lanes!(i => plus_product(y[i], t[i], y[i]) as f32);
        }
        let out = lanes!(i => {
            let scale = f32::from_bits(!words[i] & 0x7f80_0000) * 0.5;
            let out = (y[i] * scale).to_bits() | words[i] & !ABS;
            if WIDE { out } else { to_bf16(out) }
        });
        // Exponents 1 to 251.
        (out, lanes!(i => u32::from((words[i] & ABS).wrapping_sub(0x0080_0000) < 251 << 23)))
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
    fn register(self, words: &[u32; LANES]) -> ([u32; LANES], [u32; LANES]) {
        let x: [f32; LANES] = lanes!(i => f32::from_bits(words[i]));
        // To the nearest integer, ties away from zero: at most 123.
        let steps: [i32; LANES] = lanes!(i => {
            let v = (1.442_695 * x[i]).to_bits();
            let e = (v >> 23 & 255) as i32 - 127;
            let shift = (23 - e).clamp(7, 24) as u32;
            let magnitude = ((v & FRACTION | 0x0080_0000) >> (shift - 1)).wrapping_add(1) >> 1;
            let magnitude = if e < -1 { 0 } else { magnitude as i32 };
            if (v as i32) < 0 { -magnitude } else { magnitude }
        });
        // An integer of 7 bits times a constant of 15, and x within a factor of two of it or alone:
        // nothing is cut.
        let near: [f32; LANES] = lanes!(i => plus_product(steps[i] as f32, -6.931_457_52e-1, x[i]) as f32);
        let correction: [f64; LANES] = lanes!(i => f64::from(steps[i] as f32) * f64::from(-1.428_606_77e-6f32));
        let mut ordinary: [u32; LANES] = lanes!(i => {
            // A little more than twice, as rounding to f32 could lose some.
            let dominated = ((2.5 * correction[i]) as f32).to_bits() & ABS <= near[i].to_bits() & ABS;
            u32::from((words[i] & ABS <= 0x42aa_0000) & dominated)
        });
        // Multiples of 2^-43 or of a few places more, under 1/2.
        let f: [f32; LANES] = lanes!(i => (correction[i] + f64::from(near[i])) as f32);
        // With |f| < 0.36 each product is under half of the next coefficient.
        let mut y = [1.378_059_39e-3; LANES];
        for coefficient in [8.373_124_52e-3, 4.166_953_64e-2, 1.666_647_20e-1, 4.999_998_51e-1, 1.0, 1.0] {
            for i in 0..LANES {
                let sum = plus_product(y[i], f[i], coefficient);
                ordinary[i] = ordinary[i].min(off_the_middle(sum));
                y[i] = sum as f32;
            }
        }
        (lanes!(i => y[i].to_bits().wrapping_add((steps[i] as u32) << 23)), ordinary)
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
    fn register(self, words: &[u32; LANES]) -> ([u32; LANES], [u32; LANES]) {
        // The product is under 128 and the addend's exponent 6, so the places end at 2^-20: bit 24 on top
        // of 384. A bf16 times the constant ends at 2^-44 or above if not under 2^-14.
        let v: [u32; LANES] = lanes!(i => {
            let product = f64::from(f32::from_bits(words[i])) * f64::from(1.442_695_021_629_333_5f32);
            (((cut_to_odd(384.0 + product) - 384.0) + 127.0) as f32).to_bits()
        });
        // Between 11 and 243: the exponent is 3 to 7, and no limit bites.
        let z: [u32; LANES] = lanes!(i => (v[i] & FRACTION | 0x0080_0000) << ((v[i] >> 23).wrapping_sub(127) & 7));
        let fraction: [f32; LANES] = lanes!(i => (z[i] & FRACTION) as i32 as f32);
        // Positive terms, multiples of 2^-71 and 2^-47, and the product is the smaller one.
        let y: [f32; LANES] =
            lanes!(i => plus_product(4.791_750_143_340_323e-15, fraction[i], 7.839_635_491_371_155e-8) as f32);
        let y: [f32; LANES] = lanes!(i => plus_product(y[i], fraction[i], 1.001_953_125) as f32);
        let out = lanes!(i => to_bf16(y[i].to_bits() & 0x807f_ffff | z[i] & 0x7f80_0000));
        let ordinary = lanes!(i => {
            let magnitude = words[i] & ABS;
            let inside = (magnitude <= 0x42a0_0000) & ((magnitude >= 0x3880_0000) | (magnitude == 0));
            u32::from(inside & (words[i] & 0xffff == 0))
        });
        (out, ordinary)
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
