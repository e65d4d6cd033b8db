//! Rounding to integers and to decimals.
//!
//! Source: sfpu/ckernel_sfpu_rounding_ops.h. Must never use the host's rounding functions; what the
//! masks and the integer comparison of patterns do to -0, denormals and NaN is kept.
//! Start reading at [`trunc`].

use super::activation::rounded;
use super::call::{Call, NO_STEPS, Ran};
use super::lreg::Register;
use super::op::SfpuOp;
use super::reciprocal::reciprocal;
use super::swift::swiftly;
use super::unit::Sfpu;

/// `trunc_tile`: a mask over the mantissa, made of the exponent.
#[inline(always)]
pub(super) fn trunc<R: Register>(x: R) -> R {
    x.map(|a| {
        let e = (a >> 23 & 255) as i32 - 127;
        let within = u32::MAX << ((23 - e) & 31);
        let mask = if e < 0 {
            0x8000_0000
        } else if e <= 23 {
            within
        } else {
            u32::MAX
        };
        a & mask
    })
}

/// `floor_tile`: one less where a negative pattern lost bits.
#[inline(always)]
pub(super) fn floor<R: Register>(unit: Sfpu, x: R) -> R {
    let t = trunc(x);
    let lost = t.isub(x).negative();
    unit.mad(R::float(1.0), t, R::float(-1.0)).where_(x.negative() & lost, t)
}

/// `ceil_tile`.
#[inline(always)]
pub(super) fn ceil<R: Register>(unit: Sfpu, x: R) -> R {
    let t = trunc(x);
    let lost = t.isub(x).negative();
    unit.mad(R::float(1.0), t, R::float(1.0)).where_(!x.negative() & lost, t)
}

/// `frac_tile`.
#[inline(always)]
pub(super) fn frac<R: Register>(unit: Sfpu, x: R) -> R {
    unit.sub(x, trunc(x))
}

/// Nearest even by adding and taking away 2^23.
#[inline(always)]
fn round_even<R: Register>(unit: Sfpu, x: R) -> R {
    let sum = unit.add(x.magnitude(), R::float(8_388_608.0));
    let rounded = unit.add(sum, R::float(-8_388_608.0)).with_sign_of(x);
    rounded.where_(x.exponent().ilt(23), x)
}

/// `round_tile` with the power of ten of the number of decimals, which may be negative, and that of its negative; whether the
/// compiler sees them.
#[inline(always)]
pub(super) fn round<R: Register>(unit: Sfpu, x: R, [up, down]: [f32; 2], seen: bool) -> R {
    let scaled = unit.times(R::float(up), x, seen);
    unit.times(R::float(down), round_even(unit, scaled), seen)
}

/// `fmod_binary_tile` (llk_sfpu/ckernel_sfpu_binary_fmod.h): the quotient truncated, then corrected.
#[inline(always)]
pub(super) fn fmod<R: Register>(unit: Sfpu, a: R, b: R) -> R {
    let zero = R::splat(0);
    let magnitude = b.abs();
    let quotient = trunc(unit.mul(a, reciprocal(unit, b, 2)));
    let r = unit.less_product(a, quotient, b);
    let too_large = !unit.below(r.abs(), magnitude);
    let moved = unit.sub(r, magnitude).where_(!r.negative(), unit.add(r, magnitude));
    let r = moved.where_(too_large, r);
    let up = !a.negative() & r.negative();
    let down = a.negative() & r.positive();
    let corrected = unit.add(r, magnitude).where_(up, unit.sub(r, magnitude));
    let r = corrected.where_(up | down, r);
    let r = zero.where_((a ^ b).zero(), r);
    let r = R::splat(0x7fc0_0000).where_(b.zero(), r);
    if unit.dst_32 { r } else { r.round_to_bf16() }
}

/// `remainder_binary_tile` (llk_sfpu/ckernel_sfpu_binary_remainder.h): the quotient rounded down, then corrected; the divisor's sign.
#[inline(always)]
fn remainder<R: Register>(unit: Sfpu, a: R, b: R) -> R {
    let quotient = floor(unit, unit.mul(a, reciprocal(unit, b, 2)));
    let r = unit.less_product(a, quotient, b);
    let r = unit.add(r, b).where_(!r.zero() & (r ^ b).negative(), r);
    let left = unit.sub(r, b);
    let r = left.where_(b.positive() & a.positive() & !left.negative(), r);
    let left = unit.sub(r, b);
    let r = left.where_(b.negative() & a.negative() & !left.positive(), r);
    rounded(unit, R::splat(0x7fc0_0000).where_(b.zero(), r))
}

/// `rdiv_tile` (llk_sfpu/ckernel_sfpu_rdiv.h): the reciprocal by as many steps as Dst is wide, times the number.
#[inline(always)]
fn divided_by<R: Register>(unit: Sfpu, number: R, x: R, seen: bool) -> R {
    let inverse = match (unit.approx, unit.dst_32) {
        (true, _) => reciprocal(unit, x, 0),
        (false, true) => reciprocal(unit, x, 2),
        (false, false) => reciprocal(unit, x, 1).round_to_bf16(),
    };
    unit.times(number, inverse, seen)
}

/// The kernel's table of powers of ten, 0 and infinity beyond it.
fn power_of_ten(n: i32) -> f32 {
    match usize::try_from(n.saturating_add(45)) {
        Ok(k) => *POWERS_OF_TEN.get(k).unwrap_or(&f32::INFINITY),
        Err(_) => 0.0,
    }
}

/// 10^-45 to 10^38.
const POWERS_OF_TEN: [f32; 84] = [
    1e-45, 1e-44, 1e-43, 1e-42, 1e-41, 1e-40, 1e-39, 1e-38, 1e-37, 1e-36, 1e-35, 1e-34, 1e-33, 1e-32, 1e-31, 1e-30,
    1e-29, 1e-28, 1e-27, 1e-26, 1e-25, 1e-24, 1e-23, 1e-22, 1e-21, 1e-20, 1e-19, 1e-18, 1e-17, 1e-16, 1e-15, 1e-14,
    1e-13, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1e0, 1e1, 1e2, 1e3, 1e4, 1e5,
    1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22, 1e23, 1e24, 1e25,
    1e26, 1e27, 1e28, 1e29, 1e30, 1e31, 1e32, 1e33, 1e34, 1e35, 1e36, 1e37, 1e38,
];

/// Runs one of these operations.
pub(super) fn run(call: &mut Call<'_>) -> Ran {
    use SfpuOp::*;
    let decimals = call.params[0] as i32;
    match call.op {
        Trunc => call.unary(trunc),
        Floor => swiftly!(call, |unit, x| floor(unit, x)),
        Ceil => swiftly!(call, |unit, x| ceil(unit, x)),
        Frac => swiftly!(call, |unit, x| frac(unit, x)),
        Round => {
            let powers = [decimals, decimals.saturating_neg()].map(power_of_ten);
            let seen = call.sees(0) && call.unit.rules.sees_powers_of_ten;
            swiftly!(call, |unit, x| round(unit, x, powers, seen));
        }
        Rdiv | RdivTrunc | RdivFloor => {
            let (number, seen, op) = (f32::from_bits(call.params[0]), call.sees(0), call.op);
            swiftly!(call, |unit, x| {
                let quotient = divided_by(unit, R::float(number), x, seen);
                match op {
                    RdivTrunc => trunc(quotient),
                    RdivFloor => floor(unit, quotient),
                    _ => quotient,
                }
            });
        }
        RemainderBinary => swiftly!(call, |unit, x, y| remainder(unit, x, y)),
        FmodBinary => swiftly!(call, |unit, x, y| fmod(unit, x, y)),
        _ => return Err(NO_STEPS),
    }
    Ok(())
}
