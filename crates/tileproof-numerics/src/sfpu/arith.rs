//! Addition, subtraction and multiplication of whole registers: the hot arithmetic.
//!
//! Must never return what SFPADD or SFPMUL would not: host arithmetic is used where the rules of
//! [`super::fma`] reduce to IEEE single precision, and [`mad`] wherever a lane is special.
//! Start reading at [`add`].

use super::fma::mad;
use super::lreg::{LANES, LReg, Register};
use crate::chip::MultiplyAdd;

const ONE: u32 = 0x3f80_0000;
const LEAST_NORMAL: u32 = 0x0080_0000;

/// Denormals as zeros of the same sign.
#[inline(always)]
fn flush(x: u32) -> u32 {
    if x & 0x7f80_0000 == 0 { x & 0x8000_0000 } else { x }
}

#[inline(always)]
fn is_special(x: u32) -> bool {
    x & 0x7f80_0000 == 0x7f80_0000
}

/// SFPADD.
///
/// With `y = 1` the product is exact, the unit keeps guard, round and sticky bits, and what it
/// drops without a sticky bit is too small to matter beside an operand of 24 bits: the result is
/// the IEEE sum, except that the denormal range is zero, and zero is +0 on Wormhole.
#[inline(always)]
pub(super) fn add(rules: MultiplyAdd, x: &LReg, y: &LReg) -> LReg {
    let mut out = LReg([0; LANES]);
    let mut special = 0;
    let zero_sign = rules.sign_of_zero();
    for i in 0..LANES {
        let (a, b) = (x.0[i], y.0[i]);
        special |= u32::from(is_special(a) | is_special(b));
        let sum = (f32::from_bits(flush(a)) + f32::from_bits(flush(b))).to_bits();
        out.0[i] = if sum & 0x7fff_ffff < LEAST_NORMAL { sum & zero_sign } else { sum };
    }
    if special != 0 {
        for i in 0..LANES {
            if is_special(x.0[i]) | is_special(y.0[i]) {
                out.0[i] = mad(rules, x.0[i], ONE, y.0[i]);
            }
        }
    }
    out
}

/// The subtraction as compiled for Wormhole, which cannot negate an operand: SFPMAD of `-1 * y + x`,
/// and that product is y with its sign flipped in every case of [`mad`].
#[inline(always)]
pub(super) fn sub(rules: MultiplyAdd, x: &LReg, y: &LReg) -> LReg {
    add(rules, &y.negate(), x)
}

/// SFPMUL.
///
/// The unit rounds the product once, from 28 bits of which the last is sticky: the IEEE product.
/// Products at the lower edge of the normal range are left to [`mad`], because IEEE rounds there
/// to a coarser grid; zero operands give +0.
#[inline(always)]
pub(super) fn mul(rules: MultiplyAdd, x: &LReg, y: &LReg) -> LReg {
    let mut out = LReg([0; LANES]);
    let mut special = [0; LANES];
    let mut any = 0;
    for i in 0..LANES {
        let (a, b) = (x.0[i], y.0[i]);
        let product = (f32::from_bits(flush(a)) * f32::from_bits(flush(b))).to_bits();
        let zero = (a & 0x7f80_0000 == 0) | (b & 0x7f80_0000 == 0);
        let tiny = (product & 0x7fff_ffff <= LEAST_NORMAL) & !zero;
        special[i] = u32::from(is_special(a) | is_special(b) | tiny);
        any |= special[i];
        out.0[i] = if zero { 0 } else { product };
    }
    if any != 0 {
        for i in 0..LANES {
            if special[i] != 0 {
                out.0[i] = mad(rules, x.0[i], y.0[i], 0);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fast_routes_equal_the_plain_function_on_every_kind_of_number() {
        let mut s = 0x9e37_79b9_7f4a_7c15u64;
        let mut next = || {
            s ^= s << 13;
            s ^= s >> 7;
            s ^= s << 17;
            (s >> 32) as u32
        };
        for round in 0..40_000 {
            let mut number = || {
                let bits = next();
                match round % 5 {
                    0 => bits,
                    1 => bits & 0x80ff_ffff | 0x3f00_0000,
                    // Around the lower edge, where sums cancel and products vanish.
                    2 => bits & 0x81ff_ffff,
                    3 => bits & 0x81ff_ffff | 0x2000_0000,
                    _ => bits & 0x807f_ffff | 0x1fc0_0000 | (bits & 3) << 23,
                }
            };
            let mut x = LReg([0; LANES]);
            let mut y = x;
            for i in 0..LANES {
                x.0[i] = number();
                y.0[i] = number();
            }
            for rules in [MultiplyAdd::Leaking, MultiplyAdd::Canonical] {
                let (sum, product) = (add(rules, &x, &y), mul(rules, &x, &y));
                let difference = sub(rules, &x, &y);
                for i in 0..LANES {
                    let (a, b) = (x.0[i], y.0[i]);
                    assert_eq!(sum.0[i], mad(rules, a, ONE, b), "{rules:?} {a:#x} + {b:#x}");
                    assert_eq!(product.0[i], mad(rules, a, b, 0), "{rules:?} {a:#x} * {b:#x}");
                    let minus_one = 0xbf80_0000;
                    assert_eq!(difference.0[i], mad(rules, b, minus_one, a), "{rules:?} {a:#x} - {b:#x}");
                }
            }
        }
    }
}
