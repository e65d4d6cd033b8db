//! Logarithms.
//!
//! Sources: llk_sfpu/ckernel_sfpu_log.h, ckernel_sfpu_log1p.h, sfpu/ckernel_sfpu_log.h. Must never
//! call the host's `ln`. Start reading at [`log`].

#![allow(clippy::excessive_precision, reason = "constants as the kernels spell them")]

use super::activation::rounded;
use super::bounds::{Polynomial, Range};
use super::call::{Call, NO_STEPS, Ran};
use super::lreg::Register;
use super::op::SfpuOp;
use super::swift::swiftly;
use super::unit::Sfpu;

pub(super) const NAN: u32 = 0x7fc0_0000;
const INF: u32 = 0x7f80_0000;
const THREE_QUARTERS: f32 = 0.75;
/// ln 2 over 2^23: exponents are multiplied in place, 23 bits up.
const LN2_STEP: f32 = 0.693_147_182 * 1.192_092_90e-7;

/// The exponent that brings a number to [0.75, 1.5), 23 bits up.
#[inline(always)]
fn exponent_in_place<R: Register>(x: R) -> R {
    x.isub(R::float(THREE_QUARTERS)) & R::splat(0xff80_0000)
}

/// That exponent as a float.
#[inline(always)]
fn exponent_float<R: Register>(e: R) -> R {
    e.iabs().to_float().with_sign_of(e)
}

/// The polynomial r of ln(1 + m) = m + r m^2.
#[inline(always)]
fn polynomial<R: Register>(unit: Sfpu, m: R, wide: bool) -> R {
    if wide {
        const SERIES: Polynomial<9> = Polynomial::of(
            Range::around_zero(0.5),
            [-0.04916382, 0.10748291, -0.13098145, 0.14416504, -0.1665039, 0.19995117, -0.2500004, 0.33333376, -0.5],
        );
        unit.polynomial_within(m, SERIES)
    } else {
        const SERIES: Polynomial<3> = Polynomial::of(Range::around_zero(0.5), [-0.25, 0.3635254, -0.50097656]);
        unit.polynomial_within(m, SERIES)
    }
}

/// `log_tile` and, with a scale, `log_with_base_tile`; `fast` leaves denormals and -0 alone.
#[inline(always)]
pub(super) fn log<R: Register>(unit: Sfpu, x: R, scale: Option<R>, fast: bool) -> R {
    rounded(unit, log_of(unit, x, scale, fast, unit.dst_32))
}

/// The logarithm of a 16-bit Dst before rounding, whatever Dst is.
pub(super) fn log_narrow<R: Register>(unit: Sfpu, x: R) -> R {
    log_of(unit, x, None, false, false)
}

#[inline(always)]
fn log_of<R: Register>(unit: Sfpu, x: R, scale: Option<R>, fast: bool, wide: bool) -> R {
    let e = exponent_in_place(x);
    let a = if fast { x } else { unit.mad(x, R::float(1.0), R::splat(0)) };
    let m = unit.sub(a.isub(e), R::float(1.0));
    let s = unit.mul(m, m);
    let r = unit.corrected(polynomial(unit, m, wide), s, m);
    let mut result = unit.mad_of_peers(exponent_float(e), R::float(LN2_STEP), r);
    if let Some(scale) = scale {
        result = unit.mul(result, scale);
    }
    // Half of zero is an infinite pattern here, so that zero and infinity both multiply by infinity.
    let half = a.add_exponent(-1);
    let infinite = half.exponent_field().same(255);
    let result = unit.mul(result, half).where_(infinite, result);
    R::splat(NAN).where_(a.negative(), result)
}

/// `log1p_tile`.
#[inline(always)]
pub(super) fn log1p<R: Register>(unit: Sfpu, a: R) -> R {
    rounded(unit, log1p_of(unit, a))
}

/// ln(1 + a) before rounding.
#[inline(always)]
pub(super) fn log1p_of<R: Register>(unit: Sfpu, a: R) -> R {
    let u = unit.add(a, R::float(1.0));
    let e = exponent_in_place(u);
    let s = R::float(-4.0).isub(e);
    let t = unit.mad(R::float(-0.25), s, R::float(-1.0));
    let m = unit.add(a.isub(e), t);
    let s = unit.mul(m, m);
    let r = unit.corrected(polynomial(unit, m, unit.dst_32), s, m);
    let r = unit.mad_of_peers(exponent_float(e), R::float(LN2_STEP), r);
    let r = r.where_(u.iaddi(-(INF as i32)).negative(), u);
    R::splat(NAN).where_(u.negative(), r)
}

/// The older logarithm, still inside `xlogy_binary_tile`.
#[inline(always)]
fn log_series<R: Register>(unit: Sfpu, x: R) -> R {
    let m = x.with_exponent_of(127);
    let series = unit.polynomial(m, [0.109_689_64, -0.729_104_21, 2.112_632_30, -1.492_776_12]);
    let e = x.exponent().to_sign_magnitude().to_float();
    let result = unit.mad_of_peers(e, R::float(0.693_147_18), series);
    R::float(f32::NEG_INFINITY).where_(x.zero(), result)
}

/// `xlogy_binary_tile`: the logarithm goes through Dst, so it is cut to its width.
#[inline(always)]
pub(super) fn xlogy<R: Register>(unit: Sfpu, x: R, y: R) -> R {
    let log = unit.stored(log_series(unit, y.flushed()));
    // Only the quiet NaN of the comparison itself is found.
    R::splat(NAN).where_(y.negative() | y.same(0x7fc0_0000), unit.mul(log, x))
}

/// Runs one of these operations.
pub(super) fn run(call: &mut Call<'_>) -> Ran {
    use SfpuOp::*;
    let scalar = call.params[0];
    match call.op {
        Log => swiftly!(call, |unit, x| log(unit, x, None, false)),
        LogFast => swiftly!(call, |unit, x| log(unit, x, None, true)),
        LogWithBase => swiftly!(call, |unit, x| log(unit, x, Some(R::splat(scalar)), false)),
        Log1p => swiftly!(call, |unit, x| log1p(unit, x)),
        Xlogy => swiftly!(call, |unit, x, y| xlogy(unit, x, y)),
        _ => return Err(NO_STEPS),
    }
    Ok(())
}
