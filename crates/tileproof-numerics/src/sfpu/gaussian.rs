//! The error function and gelu; softplus and mish beside them.
//!
//! Sources: llk_sfpu/ckernel_sfpu_gelu.h, ckernel_sfpu_erf.h, ckernel_sfpu_erfc.h,
//! ckernel_sfpu_piecewise_rational.h, ckernel_sfpu_softplus.h, ckernel_sfpu_mish.h, as built for
//! tt-metal's plain kernels (without INP_FLOAT32, which ttnn defines for fp32 inputs); must never
//! mix in the coefficients of the other build. Start reading at [`gelu`].

#![allow(clippy::excessive_precision, reason = "constants as the kernels spell them")]

use super::activation::{rounded, tanh_fp32};
use super::bounds::{Polynomial, Range};
use super::call::{Call, NO_STEPS, Ran};
use super::compare::above;
use super::exponential::{HALF_LN_2, exp_21f, exp_21f_split, exp_fp32};
use super::lreg::{LReg, Register};
use super::op::SfpuOp;
use super::reciprocal::reciprocal;
use super::swift::swiftly;
use super::unit::Sfpu;
use crate::chip::Reciprocal;

const ZERO: u32 = 0;
const ONE: f32 = 1.0;

/// SFPLUTFP32 with six lines between 0, 0.5, 1, 1.5, 2 and 3, fp16 slopes and offsets
/// (ISA documentation, `TensixCoprocessor/SFPLUTFP32.md`); no sign is put back.
#[inline(always)]
fn lut_six<R: Register>(unit: Sfpu, x: R, slopes: [f32; 6], offsets: [f32; 6]) -> R {
    const LIMITS: [f32; 5] = [0.5, 1.0, 1.5, 2.0, 3.0];
    let magnitude = x.magnitude();
    let pick = |values: [f32; 6]| {
        (0..5).rev().fold(R::float(values[5]), |above, k| {
            R::float(values[k]).where_(magnitude.ilt(LIMITS[k].to_bits() as i32), above)
        })
    };
    unit.mad(pick(slopes), magnitude, pick(offsets))
}

/// `gelu_tile<true>`.
#[inline(always)]
pub(super) fn gelu_fast<R: Register>(unit: Sfpu, x: R) -> R {
    unit.mad(x, R::float(0.5), lut_six(unit, x, GELU_SLOPES, GELU_OFFSETS))
}

/// fp16 nearest to what the kernel asks for.
const GELU_SLOPES: [f32; 6] = [0.19274902, 0.49389648, 0.61865234, 0.6098633, 0.54003906, 0.5];
const GELU_OFFSETS: [f32; 6] = [-0.00010442734, -0.16040039, -0.27954102, -0.26342773, -0.119384766, 0.0];

/// `gelu_tile<false>`.
#[inline(always)]
pub(super) fn gelu<R: Register>(unit: Sfpu, x: R) -> R {
    if unit.dst_32 { gelu_fp32(unit, x) } else { gelu_bf16(unit, x).round_to_bf16() }
}

#[inline(always)]
fn gelu_bf16<R: Register>(unit: Sfpu, x: R) -> R {
    let x2 = unit.mul(x, x);
    let v = unit.mad(x2, R::float(-0.721_347_520_44), R::float(127.0));
    let exp = exp_21f_split(unit, v, 1.001_724_8);
    let correction =
        unit.polynomial(x, [7.595_047_936_8e-4, 1.380_998_361_9e-2, 9.541_338_682_2e-2, 3.036_999_106_4e-1]);
    let h = unit.mul(exp, correction);
    let grid = R::float(0.375);
    let tail = unit.mul(x, unit.sub(unit.add(h, grid), grid));
    let odd = unit.polynomial(
        x2,
        [
            7.982_141_386_8e-8,
            -3.808_205_720_9e-6,
            8.181_215_981_2e-5,
            -1.071_780_632_2e-3,
            9.772_005_061_5e-3,
            -6.636_104_148_8e-2,
            3.989_422_781_8e-1,
        ],
    );
    let core = unit.mul(x, unit.mad(x, odd, R::float(0.5)));
    let at_least = |limit: f32| !unit.below(x, R::float(limit));
    let active = unit.exceeds(x, R::float(-5.542_594_43));
    let core_active = active & at_least(-3.125);
    let result = tail.where_(active, R::splat(ZERO));
    let result = core.where_(core_active, result);
    x.where_(core_active & at_least(2.781_25), result)
}

#[inline(always)]
fn gelu_fp32<R: Register>(unit: Sfpu, x: R) -> R {
    let scaled = unit.mul(x, R::float(0.707_106_781_186_547_5)).min(R::float(10.0));
    let x2 = unit.mul(scaled, scaled);
    let numerator = unit.polynomial(
        x2,
        [
            -2.863_206_338_7e-10,
            2.738_464_743_9e-8,
            1.767_832_145_6e-5,
            6.130_704_423_4e-4,
            5.623_043_514_8e-3,
            6.213_343_516_0e-2,
            2.147_743_254_9e-1,
            1.128_379_106_5,
        ],
    );
    let denominator = unit.polynomial(
        x2,
        [
            -6.735_072_569_1e-12,
            -3.515_388_868_9e-9,
            1.315_634_449_4e-6,
            1.317_905_698_7e-4,
            1.954_555_511_5e-3,
            1.964_257_098_7e-2,
            1.296_170_651_9e-1,
            5.236_727_595_3e-1,
            1.0,
        ],
    );
    let numerator = unit.mul(numerator, scaled);
    let erf = unit.mul(numerator, reciprocal(unit, denominator, 2));
    let erf = erf.max(R::float(-1.0)).min(R::float(ONE));
    let half = R::float(0.5);
    let result = unit.mul(x, unit.mad(half, erf, half));
    let at_end = erf.same((-1.0f32).to_bits());
    let result = unit.mul(x, R::float(2.980_232_238_769_531_3e-8)).where_(at_end, result);
    result.where_(unit.exceeds(x, R::float(-5.542_594_43)), R::splat(ZERO))
}

/// `gelu_tanh_tile`.
#[inline(always)]
pub(super) fn gelu_tanh<R: Register>(unit: Sfpu, x: R) -> R {
    let p = unit.mad(R::float(0.044_715), unit.mul(x, x), R::float(ONE));
    let u = unit.mul(R::float(0.797_884_560_802_865_4), unit.mul(x, p));
    let t = tanh_fp32(unit, u);
    let half = unit.mul(R::float(0.5), x);
    rounded(unit, unit.residual(half, t, half))
}

/// `erf_tile`.
#[inline(always)]
pub(super) fn erf<R: Register>(unit: Sfpu, x: R, fast: bool) -> R {
    let x = x.abs().min(R::float(10.0)).with_sign_of(x);
    let x2 = unit.mul(x, x);
    let numerator = unit.polynomial(x2, [7.448_118_442_5e-4, 4.540_028_173_8e-2, 2.760_921_227_9e-1, 1.128_093_244_7]);
    let denominator =
        unit.polynomial(x2, [2.481_386_214_5e-5, 8.284_460_678_4e-3, 1.367_576_481_0e-1, 5.743_918_833_4e-1, 1.0]);
    let numerator = unit.mul(numerator, x);
    let result = unit.mul(numerator, reciprocal(unit, denominator, if fast { 0 } else { 2 }));
    result.max(R::float(-1.0)).min(R::float(ONE))
}

/// Horner's rule with other coefficients where the argument is far. A step has the hazards of both.
#[inline(always)]
fn near_far<R: Register, const N: usize>(unit: Sfpu, (x, far): (R, R), [near, beyond]: [Polynomial<N>; 2]) -> R {
    let coefficient = |k: usize| R::float(beyond.coefficients[k]).where_(far, R::float(near.coefficients[k]));
    let mut sum = coefficient(0);
    // Without a loop, as in `Sfpu::polynomial`.
    macro_rules! steps {
        ($($k:literal)*) => {
            $(if $k < N {
                let c = coefficient($k);
                sum = R::mad_within(unit.rules.multiply_add, sum, x, c, near.hazards[$k].or(beyond.hazards[$k]));
            })*
        };
    }
    const { assert!(N <= 6) };
    steps!(1 2 3 4 5);
    sum
}

/// Where [`erfc`] has one polynomial, and where the other.
const NEAR: Range = Range::new(0.0, 2.5);
const FAR: Range = Range::new(2.5, 5.0);
const ERFC_NUMERATOR: [Polynomial<5>; 2] = [
    Polynomial::of(
        NEAR,
        [1.374_674_495_3e-2, -1.569_198_221_0e-1, 6.818_554_401_4e-1, -1.337_567_567_8, 1.000_023_365_0],
    ),
    Polynomial::of(
        FAR,
        [-4.738_718_217_8e-8, 9.143_976_740_2e-7, -6.616_215_614_5e-6, 2.127_557_672_8e-5, -2.565_523_755_0e-5],
    ),
];
const ERFC_DENOMINATOR: [Polynomial<6>; 2] = [
    Polynomial::of(
        NEAR,
        [2.837_553_247_8e-2, 2.510_477_416_2e-2, -3.456_866_834_3e-3, 4.366_708_695_9e-1, -2.080_151_736_7e-1, 1.0],
    ),
    Polynomial::of(
        FAR,
        [-2.137_539_163_2e-2, 1.267_709_732_1e-1, -1.388_863_623_1e-1, -2.057_218_402_6e-1, -1.645_720_899_1e-1, 1.0],
    ),
];

/// `erfc_tile`.
#[inline(always)]
pub(super) fn erfc<R: Register>(unit: Sfpu, x: R) -> R {
    let a = x.abs().min(R::float(5.0)).within(Range::new(0.0, 5.0));
    let far = !unit.below(a, R::float(2.5));
    let numerator = near_far(unit, (a, far), ERFC_NUMERATOR);
    let denominator = near_far(unit, (a, far), ERFC_DENOMINATOR);
    let r = unit.mul(numerator, reciprocal(unit, denominator, 0));
    unit.sub(R::float(2.0), r).where_(x.negative(), r)
}

/// `softplus_tile` with beta and its inverse, and whether the compiler sees them: lanes to store, and what to store.
#[inline(always)]
pub(super) fn softplus<R: Register>(unit: Sfpu, x: R, beta: [R; 2], threshold: R, seen: [bool; 2]) -> (R, R) {
    let t = unit.times(beta[0], x, seen[0]);
    let stored = !above(unit, t, threshold);
    let a = t.magnitude();
    let residual = unit.polynomial(
        a,
        [
            -3.127_346_685_1e-5,
            5.015_296_808_8e-4,
            -1.862_792_329_1e-3,
            -1.300_058_406_9e-2,
            1.427_909_548_6e-1,
            -5.093_242_042_4e-1,
            6.942_398_472_9e-1,
        ],
    );
    let residual = R::splat(ZERO).where_(unit.exceeds(a, R::float(5.0)), residual);
    let sum = unit.add(t.max(R::splat(ZERO)), residual);
    (stored, rounded(unit, unit.times(beta[1], sum, seen[1])))
}

/// `mish_tile<false>`.
#[inline(always)]
pub(super) fn mish<R: Register>(unit: Sfpu, x: R) -> R {
    let u = if unit.dst_32 { exp_fp32(unit, x) } else { exp_21f(unit, x).round_to_bf16() };
    let one_more = unit.add(u, R::float(ONE));
    let denominator = unit.mad(one_more, one_more, R::float(ONE));
    let inverse = reciprocal(unit, denominator, if unit.dst_32 { 2 } else { 1 });
    let numerator = unit.mul(u, unit.add(u, R::float(2.0)));
    let mut result = unit.mul(x, unit.mul(numerator, inverse));
    if unit.rules.reciprocal == Reciprocal::Estimate {
        // A factor that a coarse reciprocal is only a small part of, where x is not negative.
        let rest = unit.less_product(R::float(ONE), inverse, R::float(2.0));
        result = result.where_(x.negative(), unit.mul(x, rest));
    }
    rounded(unit, result.where_(unit.below(x, R::float(8.0)), x))
}

/// x times the exponential of a number that is not above 0, without the exponential's own rounding to zero; zero below normal numbers.
#[inline(always)]
fn times_exponential<R: Register>(unit: Sfpu, x: R, t: R) -> R {
    let shift = R::splat(0x4b40_0000);
    let t = t.within(Range::new(-90.0, -4.0));
    let sum = unit.corrected(t, R::float(1.442_695_040_888_963_4), shift);
    let steps = unit.sub_ordinary(sum, shift);
    // An integer of 8 bits times a number of 12, and t is within a factor of two of that.
    let left = unit.exact(steps, R::float(-0.693_115_234_375), t);
    let left = unit.mad(steps, R::float(-3.194_618_329_87e-5), left);
    const SERIES: Polynomial<6> =
        Polynomial::of(HALF_LN_2, [0.008_333_333_33, 0.041_666_666_7, 0.166_666_667, 0.5, 1.0, 1.0]);
    let series = unit.polynomial_within(left, SERIES);
    let product = unit.mul(x, series);
    let exponent = product.exponent_field().iadd(sum.isub(shift));
    product.with_exponent(exponent).where_(!exponent.ilt(1), R::splat(0))
}

/// The coefficients of what the derivative of gelu takes times x from -3 to 3.1719, of x^2.
const SLOPE: Polynomial<9> = Polynomial::of(
    Range::new(0.0, 10.0625),
    [
        4.273_498_888_1e-9,
        -2.376_403_074_3e-7,
        6.092_147_486_9e-6,
        -9.744_859_562_5e-5,
        1.106_138_806_8e-3,
        -9.414_209_984_2e-3,
        5.976_617_336_3e-2,
        -2.659_355_402_0e-1,
        7.978_830_933_6e-1,
    ],
);

/// `gelu_derivative_tile`: by a polynomial of x^2 from -3 on, by the tail's series below it, which the fast form cuts off.
#[inline(always)]
fn gelu_derivative<R: Register>(unit: Sfpu, x: R, fast: bool) -> R {
    let one = R::float(1.0);
    let square = unit.mul(x, x);
    let slope = unit.polynomial_within(square, SLOPE);
    let core = unit.mad_of_peers(x, slope, R::float(0.5));
    let tail = times_exponential(unit, x, unit.mul(square, R::float(-0.5)));
    let tail = unit.mul(tail, R::float(0.398_942_280_401_432_7));
    let tail = if fast {
        tail
    } else {
        let inverse = reciprocal(unit, square, if unit.dst_32 { 2 } else { 1 });
        unit.mul(tail, unit.mad(inverse, inverse, unit.sub(one, inverse)))
    };
    let below = tail.where_(unit.below(R::float(-13.375), x), R::splat(0));
    let middle = core.where_(!unit.below(x, R::float(-3.0)), below);
    rounded(unit, one.where_(!unit.below(x, R::float(3.1719)), middle))
}

/// Runs one of these operations.
pub(super) fn run(call: &mut Call<'_>) -> Ran {
    use SfpuOp::*;
    let unit = call.unit;
    match call.op {
        GeluFast => swiftly!(call, |unit, x| gelu_fast(unit, x)),
        Gelu => swiftly!(call, |unit, x| gelu(unit, x)),
        GeluTanh => swiftly!(call, |unit, x| gelu_tanh(unit, x)),
        Erf => swiftly!(call, |unit, x| erf(unit, x, false)),
        ErfFast => swiftly!(call, |unit, x| erf(unit, x, true)),
        Erfc => swiftly!(call, |unit, x| erfc(unit, x)),
        Softplus => {
            let [beta, inverse, threshold, _] = *call.params;
            let seen = [call.sees(0), call.sees(1)];
            // What the output holds is an input here, and denormals of it would be stored as zeros.
            let denormal = |word: &u32| word & 0x7f80_0000 == 0 && word & 0x7f_ffff != 0;
            if call.dst.tile(call.output).0.iter().fold(false, |any, word| any | denormal(word)) {
                let scalars = [beta, inverse].map(LReg::splat);
                call.unary_masked(|x| softplus(unit, x, scalars, LReg::splat(threshold), seen));
            } else {
                call.inputs[1] = call.output;
                swiftly!(call, |unit, x, held| {
                    let (stored, result) = softplus(unit, x, [beta, inverse].map(R::splat), R::splat(threshold), seen);
                    result.where_(stored, held)
                });
            }
        }
        Mish => swiftly!(call, |unit, x| mish(unit, x)),
        GeluDerivative => swiftly!(call, |unit, x| gelu_derivative(unit, x, false)),
        GeluDerivativeFast => swiftly!(call, |unit, x| gelu_derivative(unit, x, true)),
        _ => return Err(NO_STEPS),
    }
    Ok(())
}
