//! The vector unit's multiply-add, bit for bit: SFPMAD, SFPADD and SFPMUL as one function.
//!
//! Must never use a fused or library multiply-add of the host: the hardware keeps only 28 bits of
//! the product, drops addends shifted out of its window, has no denormals and makes its own NaNs.
//! Start reading at [`mad`], the plain function; [`mad_lanes`] is the same for 32 lanes at once.

use super::lreg::{LANES, LReg};
use crate::chip::MultiplyAdd;
use crate::simd::{Lanes, vectorized};

/// Infinity.
const INF: u32 = 0x7f80_0000;
/// What Wormhole makes of an invalid operation before mantissa bits leak into it.
const LEAKING_NAN: u32 = 0x7f80_0001;
/// What Blackhole makes of an invalid operation.
const CANONICAL_NAN: u32 = 0x7fc0_0000;

const fn exponent(x: u32) -> i32 {
    (x >> 23 & 255) as i32
}

/// The 24-bit significand; denormals count as zero.
const fn significand(x: u32) -> u32 {
    if exponent(x) == 0 { 0 } else { x & 0x7f_ffff | 0x80_0000 }
}

/// Right shift that keeps lost bits in bit 0, unless nothing else is left
/// (`width` is the width of the hardware's register).
const fn shift_semi_sticky(value: u32, shift: i32, width: i32) -> u32 {
    if shift >= width || shift >= 32 {
        return 0;
    }
    let kept = value >> shift;
    let lost = kept << shift != value;
    kept | (kept != 0 && lost) as u32
}

/// `x * y + z` as the vector unit computes it
/// (ttsim's bit-exact model of the unit; measured: golden vectors).
pub fn mad(rules: MultiplyAdd, x: u32, y: u32, z: u32) -> u32 {
    let leaking = match rules {
        MultiplyAdd::Leaking => true,
        MultiplyAdd::Canonical => false,
    };
    let (xe, ye, ze) = (exponent(x), exponent(y), exponent(z));
    let (xm, ym) = (significand(x), significand(y));
    let mut zm = significand(z) << 3;
    let product_sign = (x ^ y) & 0x8000_0000;
    let z_sign = z & 0x8000_0000;
    let zero = z_sign & product_sign & rules.sign_of_zero();

    let full = (u64::from(xm) * u64::from(ym)) << 3;
    let mut pm = (full >> 23) as u32 | u32::from(full & 0x7f_ffff != 0);
    let mut pe = xe + ye - 127;

    let mut nan = 0;
    if xe == 255 || ye == 255 || ze == 255 || pe >= 255 {
        match special(rules, [x, y, z], pe >= 255) {
            Special::Result(word) => return word,
            Special::Leaks(pattern) => nan = pattern,
        }
        pe = pe.min(255);
    }
    if pm == 0 || pe < 0 {
        if nan == 0 {
            return if zm != 0 { z } else { zero };
        }
        pm = 0;
        pe = 0;
    }

    let mut e = pe.max(ze);
    pm = shift_semi_sticky(pm, e - pe, 64);
    zm = shift_semi_sticky(zm, e - ze, 32);
    let sign = if pm >= zm { product_sign } else { z_sign };
    let mut r = if product_sign == z_sign { pm + zm } else { pm.abs_diff(zm) };
    if r == 0 {
        return if nan != 0 { nan } else { zero };
    }
    let mut n = 5 - r.leading_zeros() as i32;
    e += n;
    if e >= 255 {
        return if nan != 0 { nan } else { sign | INF };
    }
    if leaking {
        if e < 0 {
            return nan;
        }
        // Only bit 0 stays sticky: a shift by two forgets bit 1.
        r = if n <= 0 { r << -n } else { r >> n | r & 1 };
    } else {
        if e <= 0 {
            n += 1;
            e = 0;
        }
        r = if n <= 0 { r << -n } else { r >> n | u32::from(r & (n as u32 | 1) != 0) };
    }
    let mut out = ((e as u32) << 23) + (r >> 3 & 0x7f_ffff);
    out += u32::from((r & 7) + (out & 1) > 4);
    if out >> 23 == 0 {
        return if leaking { nan } else { sign };
    }
    if nan != 0 { nan | out } else { sign | out }
}

/// What infinities, NaNs and products that overflow come to.
enum Special {
    /// The result.
    Result(u32),
    /// A NaN that the sum's mantissa is or-ed to.
    Leaks(u32),
}

fn special(rules: MultiplyAdd, [x, y, z]: [u32; 3], overflows: bool) -> Special {
    let (xe, ye, ze) = (exponent(x), exponent(y), exponent(z));
    let (xm, ym, zm) = (significand(x), significand(y), significand(z));
    let (product_sign, z_sign) = ((x ^ y) & 0x8000_0000, z & 0x8000_0000);
    let invalid_product = (xe == 255 && (xm != 0x80_0000 || ym == 0)) || (ye == 255 && (ym != 0x80_0000 || xm == 0));
    let z_infinite = ze == 255 && zm == 0x80_0000;
    let z_nan = ze == 255 && zm != 0x80_0000;
    // Whether a finite product that overflows is an infinite operand for the rule of inf - inf.
    let infinite_product = match rules {
        MultiplyAdd::Leaking => xe == 255 || ye == 255 || overflows,
        MultiplyAdd::Canonical => xe == 255 || ye == 255,
    };
    let opposed = z_infinite && infinite_product && z_sign != product_sign;
    let finite = Special::Result(if z_infinite { z } else { product_sign | INF });
    match rules {
        MultiplyAdd::Canonical if invalid_product || z_nan || opposed => Special::Result(CANONICAL_NAN),
        MultiplyAdd::Leaking if invalid_product || opposed => Special::Leaks(product_sign | LEAKING_NAN),
        MultiplyAdd::Leaking if z_nan => Special::Leaks(z_sign | LEAKING_NAN),
        MultiplyAdd::Canonical | MultiplyAdd::Leaking => finite,
    }
}

/// [`mad`] on 32 lanes: without branches, then special lanes one by one.
#[inline(never)]
pub(super) fn mad_lanes(rules: MultiplyAdd, x: &LReg, y: &LReg, z: &LReg) -> LReg {
    vectorized(Mad { rules, x, y, z })
}

struct Mad<'a> {
    rules: MultiplyAdd,
    x: &'a LReg,
    y: &'a LReg,
    z: &'a LReg,
}

impl Lanes for Mad<'_> {
    type Output = LReg;
    #[inline(always)]
    fn run(self) -> LReg {
        mad_register(self.rules, self.x, self.y, self.z)
    }
}

/// The upper 28 of the 48 bits of the product of two significands, bit 0 sticky.
///
/// The low 32 bits come from an integer product. The upper 16 are how much the product in f32 is above
/// them: it is off by less than 2^-8 of 2^32, so the nearest integer is the right one. Lanes of 32 bits
/// throughout, which a 64-bit product would halve.
#[inline(always)]
fn product_of_significands(x: u32, y: u32) -> u32 {
    let (xm, ym) = (x & 0x7f_ffff | 0x80_0000, y & 0x7f_ffff | 0x80_0000);
    let low = xm.wrapping_mul(ym);
    // xm and ym over 2^23, and ym down by another 2^-14 * 2^28: the product over 2^32.
    let scaled = f32::from_bits(xm | 0x3f00_0000) * f32::from_bits(ym | 0x4600_0000);
    let fraction = (low >> 8) as i32 as f32 * (1.0 / 16_777_216.0);
    // An integer below 2^16 on top of 1.5 * 2^23.
    let high = ((scaled - fraction) + 12_582_912.0).to_bits();
    high << 12 | low >> 20 | u32::from(low & 0xf_ffff != 0)
}

#[inline(always)]
fn mad_register(rules: MultiplyAdd, x: &LReg, y: &LReg, z: &LReg) -> LReg {
    let mut out = LReg([0; LANES]);
    let mut special = [0u32; LANES];
    let mut any = 0u32;
    // Which results under the normal range are rounded in another way, and left to `mad`; which bits are forgotten.
    let (least_field, forgotten) = match rules {
        MultiplyAdd::Leaking => (i32::MIN, 2),
        MultiplyAdd::Canonical => (2, 0),
    };
    let keep_zero_sign = rules.sign_of_zero();
    for i in 0..LANES {
        let (x, y, z) = (x.0[i], y.0[i], z.0[i]);
        let (xe, ye, ze) = (exponent(x), exponent(y), exponent(z));
        let pe = xe + ye - 127;
        let no_product = (xe == 0) | (ye == 0) | (pe < 0);
        let infinite = (xe == 255) | (ye == 255) | (ze == 255) | (pe >= 255);

        let pm = product_of_significands(x, y);
        let zm = if ze == 0 { 0 } else { (z & 0x7f_ffff | 0x80_0000) << 3 };

        // Only the term with the smaller exponent moves.
        let product_smaller = pe < ze;
        let (big, small) = if product_smaller { (zm, pm) } else { (pm, zm) };
        let distance = (if product_smaller { ze - pe } else { pe - ze }).min(31) as u32;
        let kept = small >> distance;
        let lost = u32::from((kept != 0) & (kept << distance != small));
        let small = kept | lost;

        let product_sign = ((x ^ y) as i32) >> 31;
        let z_sign = (z as i32) >> 31;
        let (big_sign, small_sign) = if product_smaller { (z_sign, product_sign) } else { (product_sign, z_sign) };
        let sum = ((big as i32 ^ big_sign) - big_sign) + ((small as i32 ^ small_sign) - small_sign);
        // The carry into bit 28 makes the unit shift by two, and forget bit 1 (Wormhole).
        let magnitude = sum.unsigned_abs() & !(sum.unsigned_abs() >> 27 & forgotten);

        // 24 bits to nearest even out of a 29-bit integer: exactly what the conversion does.
        let rounded = (magnitude as i32 as f32).to_bits();
        let e = pe.max(ze);
        let field = (rounded >> 23) as i32 + e - 153;
        let sign = sum as u32 & 0x8000_0000;
        let normal = ((field as u32) << 23) | rounded & 0x7f_ffff | sign;
        let bounded = if field >= 255 { sign | INF } else { normal };
        special[i] = u32::from(infinite | ((field < least_field) & (sum != 0) & !no_product));
        any |= special[i];
        let zero = (product_sign & z_sign) as u32 & keep_zero_sign;
        let summed = if (field <= 0) | (sum == 0) { zero } else { bounded };
        let addend = if ze == 0 { zero } else { z };
        out.0[i] = if no_product { addend } else { summed };
    }
    if any != 0 {
        for i in 0..LANES {
            if special[i] != 0 {
                out.0[i] = mad(rules, x.0[i], y.0[i], z.0[i]);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// xorshift, to have a reproducible stream without a dependency.
    fn stream() -> impl FnMut() -> u32 {
        let mut s = 0x2545_f491_4f6c_dd1du64;
        move || {
            s ^= s << 13;
            s ^= s >> 7;
            s ^= s << 17;
            (s >> 32) as u32
        }
    }

    const RULES: [MultiplyAdd; 2] = [MultiplyAdd::Leaking, MultiplyAdd::Canonical];

    #[test]
    fn special_values_follow_the_rules_of_each_architecture() {
        let f = f32::to_bits;
        let (wh, bh) = (MultiplyAdd::Leaking, MultiplyAdd::Canonical);
        assert_eq!(mad(wh, f(-0.0), f(1.0), f(-0.0)), 0);
        assert_eq!(mad(bh, f(-0.0), f(1.0), f(-0.0)), 0x8000_0000);
        // inf - inf (observed on Wormhole: 0x7f800001 with what leaks in).
        assert_eq!(mad(wh, INF, f(1.0), INF | 1 << 31), 0x7f80_0001);
        assert_eq!(mad(bh, INF, f(1.0), INF | 1 << 31), 0x7fc0_0000);
        // The product overflows before the addend could bring it back.
        assert_eq!(mad(wh, f(f32::MAX), f(2.0), f(f32::MIN)), INF);
        // Denormals are zero, on the way in and on the way out.
        assert_eq!(mad(wh, 1, f(1.0), 0), 0);
        assert_eq!(mad(wh, f(1.5e-38), f(0.25), 0), 0);
    }

    #[test]
    fn additions_and_multiplications_of_normal_numbers_are_ieee() {
        let mut next = stream();
        for _ in 0..200_000 {
            // Exponents in the middle, so that nothing leaves the normal range.
            let mut number = || next() & 0x8fff_ffff | 0x3800_0000;
            let (x, y) = (number(), number());
            let (fx, fy) = (f32::from_bits(x), f32::from_bits(y));
            for rules in RULES {
                assert_eq!(mad(rules, x, 0x3f80_0000, y), (fx + fy).to_bits());
                assert_eq!(mad(rules, x, y, 0), (fx * fy).to_bits());
            }
        }
    }

    #[test]
    fn lanes_equal_the_plain_function() {
        let mut next = stream();
        for round in 0..60_000u32 {
            let mut number = |i: u32| {
                let bits = next();
                match (round + i) % 4 {
                    0 => bits,
                    1 => bits & 0x83ff_ffff | 0x3c00_0000,
                    2 => bits & 0x80ff_ffff | 0x3f00_0000,
                    _ => bits & 0x83ff_ffff | if bits & 64 == 0 { 0 } else { 0x3e00_0000 },
                }
            };
            let mut x = LReg([0; LANES]);
            let mut y = x;
            let mut z = x;
            for i in 0..LANES {
                let k = (round / 4) % 4;
                x.0[i] = number(k);
                y.0[i] = number(k / 2);
                z.0[i] = number(round / 16 % 4);
            }
            for rules in RULES {
                let out = mad_lanes(rules, &x, &y, &z);
                for i in 0..LANES {
                    assert_eq!(
                        out.0[i],
                        mad(rules, x.0[i], y.0[i], z.0[i]),
                        "{rules:?} {:#x} * {:#x} + {:#x}",
                        x.0[i],
                        y.0[i],
                        z.0[i]
                    );
                }
            }
        }
    }
}
