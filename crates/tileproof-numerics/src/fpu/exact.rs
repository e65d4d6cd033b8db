//! ELWADD and ELWMUL in host f32 where f32 provably has the same bits: the usual range of exponents.
//!
//! Sums and products of 11-bit significands are exact in f32, so only the roundings of the matrix unit
//! need care, and each of those is an addition to a large power of two (rounding at its unit) or of a
//! half in the bit pattern. Where exponents leave the safe range a tile, and then a row, is refused; what [`FastMul::large_row`] does
//! not take either must be done by [`lanes`](super::lanes). Start at [`FastAdd::tile`].

use crate::tile::{ROW_DATUMS, TILE_DATUMS};

type Row = [u32; ROW_DATUMS];
type Datums = [u32; TILE_DATUMS];

const EXPONENT: u32 = 0x7F80_0000;

/// 1.5 * 2^23 units, where the unit is 2^-10 of the value 2^`exponent` (exponent field in place).
/// Adding a value rounds it to that unit.
#[inline(always)]
fn rounding_at(exponent: u32) -> f32 {
    f32::from_bits((exponent + (13 << 23)) | 0x40_0000)
}

/// An f32 with few significant bits rounded to bf16, ties away from zero.
#[inline(always)]
fn to_bf16(value: f32) -> u32 {
    value.to_bits().wrapping_add(0x8000) & 0xFFFF_0000
}

/// ELWADD that overwrites Dst.
pub(crate) struct FastAdd<const DST_32: bool>;

impl<const DST_32: bool> FastAdd<DST_32> {
    /// The sums of masked operands, or false when a datum needs the general route: exponents beyond
    /// 240, and results below the smallest normal.
    #[inline(always)]
    pub(crate) fn row(a: &Row, b: &Row, out: &mut Row) -> bool {
        let mut refused = [0; ROW_DATUMS];
        *out = Self::step(a, b, &mut refused);
        refused == [0; ROW_DATUMS]
    }

    /// The sums of a tile, whose operands are masked here and the second's sign changed by `flip`; false where a row of it is refused, and
    /// `out` holds nothing then.
    #[inline(always)]
    pub(crate) fn tile(a: &Datums, b: &Datums, masks: [u32; 2], flip: u32, out: &mut Datums) -> bool {
        let mut refused = [0; ROW_DATUMS];
        let operands = a.as_chunks::<ROW_DATUMS>().0.iter().zip(b.as_chunks::<ROW_DATUMS>().0);
        for (out, (a, b)) in out.as_chunks_mut::<ROW_DATUMS>().0.iter_mut().zip(operands) {
            *out = Self::step(&a.map(|a| a & masks[0]), &b.map(|b| b & masks[1] ^ flip), &mut refused);
        }
        refused == [0; ROW_DATUMS]
    }

    #[inline(always)]
    fn step(a: &Row, b: &Row, refused: &mut Row) -> Row {
        let mut out = [0; ROW_DATUMS];
        for i in 0..ROW_DATUMS {
            let exponent = (a[i] & EXPONENT).max(b[i] & EXPONENT);
            refused[i] |= u32::from(exponent > 240 << 23);
            let exponent = exponent.min(240 << 23);
            let large = rounding_at(exponent);
            // The bit 2^-16 below the value moves ties outward and cannot make one.
            let nudged = |x: u32| if x & EXPONENT == 0 { 0 } else { x | 0x80 };
            let aligned = |x: u32| (f32::from_bits(nudged(x)) + large) - large;
            let sum = aligned(a[i]) + aligned(b[i]);
            let magnitude = sum.to_bits() & 0x7FFF_FFFF;
            refused[i] |= u32::from(magnitude.wrapping_sub(1) < 0x7F_FFFF);
            let bits = if DST_32 { sum.to_bits() } else { to_bf16(sum) };
            out[i] = if magnitude == 0 { 0 } else { bits };
        }
        out
    }
}

/// Smallest exponent of a product: the last phase is 12 below it, and [`FastMul`] works 21 below.
const SMALLEST: u32 = 24;

/// ELWMUL onto a Dst of zeros.
pub(crate) struct FastMul<const DST_32: bool, const PHASES: u32>;

impl<const DST_32: bool, const PHASES: u32> FastMul<DST_32, PHASES> {
    /// The products of a tile, whose operands are masked here; false where a row of it is refused, and `out` holds nothing then.
    #[inline(always)]
    pub(crate) fn tile(a: &Datums, b: &Datums, masks: [u32; 2], out: &mut Datums) -> bool {
        let mut refused = [0; ROW_DATUMS];
        let operands = a.as_chunks::<ROW_DATUMS>().0.iter().zip(b.as_chunks::<ROW_DATUMS>().0);
        for (out, (a, b)) in out.as_chunks_mut::<ROW_DATUMS>().0.iter_mut().zip(operands) {
            *out = Self::step(&a.map(|a| a & masks[0]), &b.map(|b| b & masks[1]), &mut refused);
        }
        refused == [0; ROW_DATUMS]
    }

    /// The products of masked operands, or false when a datum needs the general route: a phase whose
    /// exponent would not be positive, a result near overflow, and exponent 255, a number here.
    #[inline(always)]
    pub(crate) fn row(a: &Row, b: &Row, out: &mut Row) -> bool {
        let mut refused = [0; ROW_DATUMS];
        *out = Self::step(a, b, &mut refused);
        refused == [0; ROW_DATUMS]
    }

    /// The same for exponents that are as large as they come, as those of padding are that nobody has written: the product of the
    /// significands, whose exponent is put in place afterwards. False for small exponents, for products of numbers so large that a later
    /// phase would leave nothing of an infinity, and for a 16-bit Dst.
    #[inline(always)]
    pub(crate) fn large_row(a: &Row, b: &Row, out: &mut Row) -> bool {
        const ONE: u32 = 127 << 23;
        if !DST_32 {
            return false;
        }
        let mut refused = false;
        for i in 0..ROW_DATUMS {
            let fields = (a[i] & EXPONENT, b[i] & EXPONENT);
            let is_number = fields.0.min(fields.1) != 0;
            let distance = (fields.0 + fields.1).wrapping_sub((127 + SMALLEST) << 23);
            refused |= is_number & (distance > (255 - SMALLEST) << 23);
            let significand = |word: u32| f32::from_bits(word & !EXPONENT | ONE);
            let product = Self::datum(significand(a[i]), significand(b[i]));
            // Phases have one sign: no sum before the last is larger, and what is too large for the last was or is infinite.
            let exponent = (product & EXPONENT).wrapping_add(fields.0 + fields.1).wrapping_sub(2 * ONE);
            let magnitude = if exponent >= EXPONENT { EXPONENT } else { product & 0x7F_FFFF | exponent };
            out[i] = if is_number { product & 0x8000_0000 | magnitude } else { 0 };
        }
        !refused
    }

    #[inline(always)]
    fn step(a: &Row, b: &Row, refused: &mut Row) -> Row {
        let mut out = [0; ROW_DATUMS];
        for i in 0..ROW_DATUMS {
            let fields = (a[i] & EXPONENT, b[i] & EXPONENT);
            let is_number = if fields.0.min(fields.1) == 0 { 0 } else { u32::MAX };
            // The fields stay in place: their sum fits in 32 bits.
            let distance = (fields.0 + fields.1).wrapping_sub((127 + SMALLEST) << 23);
            let outside = distance > (240 - SMALLEST) << 23 || fields.0.max(fields.1) == EXPONENT;
            refused[i] |= is_number & if outside { u32::MAX } else { 0 };
            out[i] = is_number & Self::datum(f32::from_bits(a[i]), f32::from_bits(b[i]));
        }
        out
    }

    #[inline(always)]
    fn datum(a: f32, b: f32) -> u32 {
        let cut = |x: f32, mask: u32| f32::from_bits(x.to_bits() & mask);
        // SrcA: five bits, then five more; its last bit is never used. SrcB: seven bits, then four.
        let (a_high, a_both) = (cut(a, 0xFFF8_0000), cut(a, 0xFFFF_C000));
        let b_high = cut(b, 0xFFFE_0000);
        let b_low = b - b_high;
        if DST_32 {
            // Every phase is exact in 24 bits, so they add up to the product of the parts used.
            return match PHASES {
                1 => a_high * b_high,
                2 => a_both * b_high,
                3 => a_both * b_high + a_high * b_low,
                _ => a_both * b,
            }
            .to_bits();
        }
        let a_low = a_both - a_high;
        let mut dst = to_bf16(a_high * b_high);
        if PHASES > 1 {
            dst = Self::add_phase(dst, a_low * b_high);
        }
        if PHASES > 2 {
            dst = Self::add_phase(dst, a_high * b_low);
        }
        if PHASES > 3 {
            dst = Self::add_phase(dst, a_low * b_low);
        }
        dst
    }

    /// Adds the product of a later phase, which is smaller, to a bf16 Dst: the product is rounded to
    /// 2^-10 of the power of two in Dst with ties toward plus infinity, the sum to bf16.
    #[inline(always)]
    fn add_phase(dst: u32, product: f32) -> u32 {
        let exponent = dst & EXPONENT;
        let large = rounding_at(exponent.min(241 << 23));
        // 2^-21 of Dst's power of two: less than any bit of the product.
        let upward = f32::from_bits(exponent.max(21 << 23) - (21 << 23));
        let aligned = ((product + upward) + large) - large;
        to_bf16(f32::from_bits(dst) + aligned)
    }
}
