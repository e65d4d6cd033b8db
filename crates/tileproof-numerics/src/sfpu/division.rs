//! Division of integers: quotients, remainders, and the quotient as a float.
//!
//! Sources: llk_sfpu/ckernel_sfpu_div_int32.h, ckernel_sfpu_div_int32_floor.h, ckernel_sfpu_binary_remainder.h,
//! ckernel_sfpu_binary_fmod.h, ckernel_sfpu_remainder.h of ttnn 0.79. The kernels begin with a reciprocal and correct it until
//! quotient and remainder are exact, whatever the integers; by 0 must be what they make of it, which is no quotient. Start
//! reading at [`run`].

use super::call::{Call, NO_STEPS, Ran, WORDS};
use super::lreg::Register;
use super::op::SfpuOp;
use super::reciprocal::reciprocal;
use super::swift::swiftly;
use super::unit::Sfpu;
use crate::chip::MultiplyAdd;

/// `div_int32_tile`: a float, by the reciprocal and one correction; equal numbers other than 0 give 1. Of the least integer sign
/// and magnitude are 0 where the load converts, and -0 where SFPCAST does.
#[inline(always)]
fn quotient_as_float<R: Register>(unit: Sfpu, x: R, y: R) -> R {
    let by_load = unit.rules.multiply_add == MultiplyAdd::Leaking;
    let (x, y) = if by_load {
        (x.to_twos_complement(), y.to_twos_complement())
    } else {
        (x.to_sign_magnitude(), y.to_sign_magnitude())
    };
    let (dividend, divisor) = (x.to_float(), y.to_float());
    let inverse = reciprocal(unit, divisor, 2);
    let quotient = unit.mul(dividend, inverse);
    let corrected = unit.corrected(unit.less_product(dividend, quotient, divisor), inverse, quotient);
    let quotient = quotient.where_(y.zero(), corrected);
    quotient.where_(x.zero() | !(x ^ y).zero(), R::float(1.0))
}

/// What `div_int32_floor_tile` and `div_int32_trunc_tile` make of a magnitude over 0, before its sign (measured: ttsim 1.10.0): the
/// largest 16-bit correction and one more, unless the reciprocal, a last place below 2^127 where SFPMAD loses bits, leaves a product finite.
const fn magnitude_over_zero(magnitude: u32, rules: MultiplyAdd) -> u32 {
    match (magnitude, rules) {
        (0x8000_0000, _) => 0xfffe,
        (0, MultiplyAdd::Leaking) => 3,
        (1, MultiplyAdd::Leaking) => 0xffff_f803,
        (2, MultiplyAdd::Leaking) => 0xf800,
        _ => 0x1_0000,
    }
}

/// The quotient toward zero, or toward minus infinity.
fn quotient(unit: Sfpu, x: u32, y: u32, down: bool) -> u32 {
    let (dividend, divisor) = (x.cast_signed(), y.cast_signed());
    if divisor != 0 {
        let exact = dividend.wrapping_div(divisor);
        let lost = down && (dividend < 0) != (divisor < 0) && dividend.wrapping_rem(divisor) != 0;
        return exact.wrapping_sub(i32::from(lost)).cast_unsigned();
    }
    let magnitude = magnitude_over_zero(dividend.unsigned_abs(), unit.rules.multiply_add);
    if dividend < 0 { magnitude.wrapping_neg().wrapping_sub(u32::from(down)) } else { magnitude }
}

/// The remainder with the dividend's sign; by 0 it is the dividend.
fn remainder(x: u32, y: u32) -> u32 {
    if y == 0 { x } else { x.cast_signed().wrapping_rem(y.cast_signed()).cast_unsigned() }
}

/// The remainder with the divisor's sign.
fn remainder_of_floor(x: u32, y: u32) -> u32 {
    let r = remainder(x, y);
    let is_other = y != 0 && r != 0 && (r ^ y) >> 31 == 1;
    if is_other { r.wrapping_add(y) } else { r }
}

/// Runs one of these operations.
pub(super) fn run(call: &mut Call<'_>) -> Ran {
    use SfpuOp::*;
    let (unit, scalar) = (call.unit, call.params[0]);
    let unsigned = |x: u32, y: u32| x.checked_rem(y).unwrap_or(x);
    match call.op {
        DivInt32 => swiftly!(call, |unit, x, y| quotient_as_float(unit, x, y)),
        DivInt32Floor => call.words(|x, y| quotient(unit, x, y, true)),
        DivInt32Trunc => call.words(|x, y| quotient(unit, x, y, false)),
        RemainderInt32 => call.words(remainder_of_floor),
        FmodInt32 => call.words(remainder),
        RemainderUInt32 => call.words(unsigned),
        RemainderUnaryUInt32 => call.unary_as(WORDS, |x| x.map(|x| unsigned(x, scalar))),
        _ => return Err(NO_STEPS),
    }
    Ok(())
}
