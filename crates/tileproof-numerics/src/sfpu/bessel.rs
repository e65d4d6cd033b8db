//! Modified Bessel functions of orders 0 and 1, and the inverse of the error function.
//!
//! Sources: llk_sfpu/ckernel_sfpu_i0.h, ckernel_sfpu_i1.h (as built for plain kernels, without INP_FLOAT32), ckernel_sfpu_erfinv.h,
//! ckernel_sfpu_sqrt_custom.h. Must never take the width of Dst for that of the logarithm in [`erfinv`], which is the narrow one
//! always. Start reading at [`run`].

#![allow(clippy::excessive_precision, reason = "constants as the kernels spell them")]

use std::sync::OnceLock;

use super::call::{Call, NO_STEPS, Ran};
use super::exponential::exp_21f_split;
use super::lane::Lane;
use super::logarithm::{NAN, log_narrow};
use super::lreg::{LReg, Register};
use super::op::SfpuOp;
use super::reciprocal::reciprocal;
use super::root::{estimates, refined_reciprocal, short_root};
use super::swift::swiftly;
use super::unit::Sfpu;
use crate::chip::WORMHOLE;

/// `i0_tile`: a series in x^2, stored as it is.
#[inline(always)]
fn i0<R: Register>(unit: Sfpu, x: R) -> R {
    let series = [
        1.50e-22,
        7.24e-20,
        2.90e-17,
        9.39e-15,
        2.40e-12,
        4.71e-10,
        6.78e-8,
        0.000_006_781_684_028,
        0.000_434_027_777_8,
        0.015_625,
        0.25,
        1.0,
    ];
    unit.polynomial(unit.mul(x, x), series)
}

/// `i1_tile`: a quotient of polynomials, and beyond 10 an asymptotic series.
#[inline(always)]
fn i1<R: Register>(unit: Sfpu, x: R) -> R {
    let magnitude = x.abs().min(R::float(88.5));
    let x = magnitude.with_sign_of(x);
    let magnitude = x.abs();
    let t = unit.mul(x, x);
    let numerator =
        unit.polynomial(t, [2.022_349_913_0e-5, 1.612_629_163_0e-3, 5.450_359_460_0e-2, 4.999_273_774_0e-1]);
    let denominator = unit.polynomial(t, [-2.507_613_299_0e-7, 1.033_366_075_0e-4, -1.624_259_107_0e-2, 1.0]);
    let near = unit.mul(unit.mul(numerator, x), reciprocal(unit, denominator, if unit.approx { 0 } else { 2 }));
    let beyond = unit.below(R::float(10.0), magnitude);
    i1_far(unit, magnitude).with_sign_of(x).where_(beyond, near).round_to_bf16()
}

/// exp(a) / sqrt(a) and a polynomial in 1/a.
#[inline(always)]
fn i1_far<R: Register>(unit: Sfpu, a: R) -> R {
    let exponential = unit.mad(a, R::float(1.442_695_021_629_333_5), R::float(127.0));
    let exponential = exp_21f_split(unit, exponential, 1.001_724_8);
    let y = refined_reciprocal(unit, estimates(unit, a));
    let inverse = unit.mul(y, y);
    let correction = unit.polynomial(
        inverse,
        [
            -3.346_792_291_4e-1,
            -1.974_832_231_4e-2,
            -4.367_459_156_0e-2,
            -4.665_292_532_0e-2,
            -1.496_049_544_4e-1,
            3.989_422_896_7e-1,
        ],
    );
    unit.mul(unit.mul(exponential, y), correction)
}

/// `erfinv_tile`, after Winitzki.
#[inline(always)]
fn erfinv<R: Register>(unit: Sfpu, x: R) -> R {
    erfinv_of_log(unit, log_narrow(unit, one_less_square(unit, x))).with_sign_of(x)
}

/// 1 - x * x.
#[inline(always)]
fn one_less_square<R: Register>(unit: Sfpu, x: R) -> R {
    unit.sub(R::float(1.0), unit.mul(x, x))
}

/// The magnitude, from the logarithm of 1 - x * x.
#[inline(always)]
fn erfinv_of_log<R: Register>(unit: Sfpu, log: R) -> R {
    let t = unit.mad(R::float(-0.5), log, R::float(-4.330_746_750_799_873));
    let inner = unit.mad_of_peers(t, t, unit.mul(log, R::float(6.802_721_088_435_375)).negate());
    short_root(unit, unit.add(t, short_root(unit, inner)))
}

/// What the NaN of a logarithm becomes, on units that have lanes.
fn beyond_one(dst_32: bool) -> u32 {
    static KEPT: [OnceLock<u32>; 2] = [const { OnceLock::new() }; 2];
    let unit = Sfpu { rules: WORMHOLE.sfpu, dst_32, approx: false };
    *KEPT[usize::from(dst_32)].get_or_init(|| erfinv_of_log(unit, LReg::splat(NAN)).first())
}

/// The same by a lane. Beyond 1 the logarithm is one NaN, whatever x is, and so is what becomes of it: `beyond`.
#[inline(always)]
fn erfinv_by_lane(unit: Sfpu, x: Lane, beyond: u32) -> Lane {
    let rest = one_less_square(unit, x);
    let outside = rest.negative() & !rest.zero();
    let inside = erfinv_of_log(unit, log_narrow(unit, Lane::float(0.5).where_(outside, rest)));
    Lane::splat(beyond).where_(outside, inside).with_sign_of(x)
}

/// Runs one of these operations.
pub(super) fn run(call: &mut Call<'_>) -> Ran {
    match call.op {
        SfpuOp::I0 => swiftly!(call, |unit, x| i0(unit, x)),
        SfpuOp::I1 => swiftly!(call, |unit, x| i1(unit, x)),
        SfpuOp::Erfinv => {
            let beyond = beyond_one(call.unit.dst_32);
            let lanes = {
                #[inline(always)]
                move |unit: Sfpu, [x]: [Lane; 1]| erfinv_by_lane(unit, x, beyond)
            };
            call.swiftly(lanes, move |unit, [x]: [LReg; 1]| erfinv(unit, x));
        }
        _ => return Err(NO_STEPS),
    }
    Ok(())
}
