//! What roots, reciprocals and exponentials of ordinary numbers have in common: the kernels' iterations on whole tiles.
//!
//! Must never store what the kernels' sequences of SFPMAD would not: each function here says why its
//! host arithmetic gives the same bits for the inputs it takes, and a register with any other input is
//! left to the plain sequence. Start reading at [`minus_product`] and [`plus_product`].
//!
//! SFPMAD cuts a product to 26 binary places below its factors' exponents, the last one sticky, and
//! aligns the smaller term to the larger one's exponent E: it works on multiples of 2^(E - 26), lost
//! bits set the last place (see [`super::fma`]). A product of two floats is exact in f64.

use super::call::Call;
use super::lreg::{LANES, LReg};
use super::tiles::{Layout, register, register_mut, registers, store};
use super::unit::Sfpu;
use crate::simd::Lanes;

pub(super) const ABS: u32 = 0x7fff_ffff;
pub(super) const FRACTION: u32 = 0x007f_ffff;

/// `number - x * y` by SFPMAD for a positive constant of exponent E and a positive product under
/// 2^(E + 1); `base` is 2^(E + 2).
///
/// The product has the smaller exponent, so it is aligned to E and cut to multiples of 2^(E - 26). On top
/// of `base` that is bit 24 of an f64, whatever the product; below it 24 more bits must hold all of the
/// product, which is so if its last bit is at or above 2^(E - 50): the callers see to it. The difference is
/// exact, and rounds once.
#[inline(always)]
pub(super) fn minus_product(x: f32, y: f32, number: f32, base: f64) -> f32 {
    let odd = cut_to_odd(base + f64::from(x) * f64::from(y));
    ((f64::from(number) + base) - odd) as f32
}

/// The low 24 bits of the significand cut, bit 24 set if they were not zero.
#[inline(always)]
pub(super) fn cut_to_odd(sum: f64) -> f64 {
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
pub(super) fn plus_product(x: f32, y: f32, z: f32) -> f64 {
    f64::from(x) * f64::from(y) + f64::from(z)
}

/// 0 if a sum lies in the middle between two floats. If the f64 lost bits, those would have decided;
/// nowhere else does losing them matter.
#[inline(always)]
pub(super) fn off_the_middle(sum: f64) -> u32 {
    sum.to_bits() as u32 & 0x1fff_ffff ^ 0x1000_0000
}

/// SFP_STOCH_RND of a normal number, as [`LReg::round_to_bf16`].
#[inline(always)]
pub(super) fn to_bf16(word: u32) -> u32 {
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
pub(super) use lanes;

/// A kernel in its fast form.
pub(super) trait Iteration: Copy {
    /// The results, and in each lane 0 if it is not ordinary.
    fn register(self, words: &[u32; LANES]) -> ([u32; LANES], [u32; LANES]);
    /// The kernel's own sequence.
    fn sequence(self, unit: Sfpu, x: LReg) -> LReg;
}

/// An iteration over the tiles of a call.
pub(super) struct Tiles<'a, 'b, I> {
    pub(super) iteration: I,
    pub(super) call: &'a mut Call<'b>,
}

impl<I: Iteration> Lanes for Tiles<'_, '_, I> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Tiles { iteration, call } = self;
        for k in registers(call.part) {
            let words = *register(call.dst.tile(call.inputs[0]), k);
            let (out, ordinary) = iteration.register(&words);
            // A minimum, because the compiler vectorises that.
            if ordinary.iter().fold(u32::MAX, |least, &lane| least.min(lane)) != 0 {
                *register_mut(call.dst.tile_mut(call.output), k) = out;
            } else {
                let out = iteration.sequence(call.unit, LReg(words));
                store(call.dst.tile_mut(call.output), k, out, Layout::Float, call.unit.dst_32);
            }
        }
    }
}

/// Runs `fast` and `plain` on tiles of many kinds of words and compares every bit. Ordinary words are
/// most, so that the fast form decides most registers.
#[cfg(test)]
pub(super) fn compare(dst_32: bool, fast: impl Fn(&mut Call<'_>), plain: impl Fn(Sfpu, LReg) -> LReg) {
    use super::op::SfpuOp;
    use super::tiles::Part;
    use crate::chip::WORMHOLE;
    use crate::dst::Dst;

    let unit = Sfpu { rules: WORMHOLE.sfpu, dst_32, approx: false };
    let mut s = 0x853c_49e6_748f_ea9bu64;
    let mut next = || {
        s ^= s << 13;
        s ^= s >> 7;
        s ^= s << 17;
        (s >> 32) as u32
    };
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
        let (op, part) = (SfpuOp::Identity, Part::ALL);
        fast(&mut Call { op, unit, dst: &mut dst, inputs: [0; 3], output: 1, part, params: &[0; 4] });
        let mut expected = crate::tile::Tile::ZERO;
        for k in registers(Part::ALL) {
            store(&mut expected, k, plain(unit, LReg(*register(dst.tile(0), k))), Layout::Float, dst_32);
        }
        for i in 0..1024 {
            let (ours, theirs) = (dst.tile(1).0[i], expected.0[i]);
            assert_eq!(ours, theirs, "{ours:#x} for {theirs:#x} of {:#x}", dst.tile(0).0[i]);
        }
    }
}
