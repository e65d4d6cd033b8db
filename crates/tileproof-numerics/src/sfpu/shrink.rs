//! Shrinks, and what else ends in a straight line: softshrink, hardshrink, tanhshrink, hardmish, the logarithm of a sigmoid, and
//! the derivative of the hyperbolic tangent.
//!
//! Sources: llk_sfpu/ckernel_sfpu_softshrink.h, ckernel_sfpu_hardshrink.h, ckernel_sfpu_tanhshrink.h, ckernel_sfpu_hardmish.h,
//! ckernel_sfpu_logsigmoid.h, ckernel_sfpu_tanh_derivative.h of ttnn 0.79. Must never take a comparison for a clamp: what they make
//! of NaN differs, and the chips' kernels take one each. Start reading at [`run`].

#![allow(clippy::excessive_precision, reason = "constants as the kernels spell them")]

use super::activation::rounded;
use super::bounds::{Polynomial, Range};
use super::call::{Call, NO_STEPS, Ran};
use super::exponential::{HALF_LN_2, exp_fp32_unguarded};
use super::lreg::Register;
use super::op::SfpuOp;
use super::reciprocal::reciprocal;
use super::swift::swiftly;
use super::unit::Sfpu;

/// `softshrink_tile`: what a clamp leaves, or by comparisons where the chip orders floats.
#[inline(always)]
fn softshrink<R: Register>(unit: Sfpu, x: R, lambda: R) -> R {
    let below = lambda.negate();
    if !unit.rules.orders_floats {
        return unit.sub(x, x.max(below).min(lambda));
    }
    let left = unit.add(x, lambda).where_(unit.below(x, below), R::splat(0));
    unit.sub(x, lambda).where_(unit.below(lambda, x), left)
}

/// `hardmish_tile`.
#[inline(always)]
fn hardmish<R: Register>(unit: Sfpu, x: R) -> R {
    let slope = unit.mad(x, R::float(0.5), R::float(1.0));
    unit.mul(x, slope.max(R::splat(0)).min(R::float(1.0)))
}

/// `tanhshrink_tile`: x - tanh(x), by a series of what that loses where |x| is up to 1.
#[inline(always)]
fn tanhshrink<R: Register>(unit: Sfpu, x: R) -> R {
    let (magnitude, one) = (x.magnitude(), R::float(1.0));
    let square = unit.mul(x, x);
    let (series, line) = if unit.dst_32 {
        let series = unit.polynomial(
            square,
            [
                4.207_926_977_0e-4,
                -2.510_752_528_9e-3,
                8.219_253_271_8e-3,
                -2.166_028_879_6e-2,
                5.393_483_117_2e-2,
                -1.333_312_839_3e-1,
                3.333_333_134_7e-1,
            ],
        );
        let exp = exp_fp32_unguarded(unit, unit.mul(R::float(-2.0), magnitude.min(R::float(9.0))));
        let sigmoid = reciprocal(unit, unit.add(one, exp), 2);
        let tanh = unit.mad(R::float(2.0), sigmoid, one.negate());
        (series, unit.sub(magnitude, tanh).with_sign_of(x))
    } else {
        let series =
            unit.polynomial(square, [-1.076_292_526_0e-2, 4.807_655_140_8e-2, -1.322_316_080_3e-1, 3.332_993_686_2e-1]);
        let tanh =
            unit.polynomial(magnitude, [5.334_840_933_3e-2, -4.085_928_375_3e-1, 1.056_130_314_3, 6.182_900_089_3e-2]);
        (series, unit.sub(x, tanh.min(one).with_sign_of(x)))
    };
    let near = unit.mul(unit.mul(x, square), series);
    rounded(unit, line.where_(unit.below(one, magnitude), near))
}

/// The coefficients of 1 - tanh(x)^2 up to 3, of 2/9 x^2 - 1.
const CORE: Polynomial<11> = Polynomial::of(
    Range::around_zero(1.0),
    [
        6.338_403_430_773_875_690_82e-2,
        -1.463_461_361_321_605_480_60e-1,
        6.003_165_237_980_127_855_18e-2,
        5.004_655_124_201_139_171_36e-2,
        3.595_055_155_702_564_508_86e-2,
        -1.430_499_155_743_196_748_60e-1,
        1.476_920_449_716_672_967_27e-1,
        -1.401_623_032_894_164_076_98e-1,
        1.415_785_564_344_591_296_32e-1,
        -1.151_512_019_755_568_799_75e-1,
        5.589_718_693_983_349_723_23e-2,
    ],
);

/// `tanh_derivative_tile`: 1 - tanh(x)^2, by a polynomial up to 3 and by an exponential up to 45.
#[inline(always)]
fn tanh_derivative<R: Register>(unit: Sfpu, x: R) -> R {
    const SERIES: Polynomial<5> = Polynomial::of(HALF_LN_2, [0.041_666_666_7, 0.166_666_667, 0.5, 1.0, 1.0]);
    let magnitude = x.abs();
    let argument = unit.residual(unit.mul(magnitude, magnitude), R::float(2.0 / 9.0), R::float(-1.0));
    let core = unit.polynomial_within(argument, CORE);
    // 4 exp(-2 |x|), by its exponent and what is left.
    let t = unit.mad(magnitude, R::float(-2.0), R::float(1.386_294_361_119_890_6)).within(Range::new(-90.0, -4.0));
    let shift = R::splat(0x4b40_0000);
    let sum = unit.corrected(t, R::float(1.442_695_040_888_963_4), shift);
    let steps = unit.sub_ordinary(sum, shift);
    // An integer of 8 bits times a number of 12, and t is within a factor of two of that.
    let left = unit.exact(steps, R::float(-0.693_115_234_375), t);
    let left = unit.mad(steps, R::float(-3.194_618_329_87e-5), left);
    let series = unit.polynomial_within(left, SERIES);
    let exponent = series.exponent_field().iadd(sum.isub(shift));
    let tail = series.with_exponent(exponent).where_(!exponent.ilt(1), R::splat(0));
    let outer = tail.where_(unit.below(magnitude, R::float(45.0)), R::splat(0));
    rounded(unit, core.where_(unit.below(magnitude, R::float(3.0)), outer))
}

/// `logsigmoid_tile`: of a number and the exponential of its negative.
#[inline(always)]
fn log_sigmoid<R: Register>(unit: Sfpu, x: R, exp_of_negative: R) -> R {
    let (negative, four) = (x.negate(), R::float(4.0));
    let series = unit.polynomial(
        negative,
        [
            7.496_111_464_888_6e-8,
            7.185_354_661_487_508_6e-6,
            5.318_540_934_240_445_5e-5,
            -2.879_406_674_766_750_5e-4,
            -3.308_072_453_364_73e-3,
            3.110_280_958_935_618_4e-3,
            1.214_238_181_702_464_8e-1,
            4.927_570_819_854_736_33e-1,
            6.924_354_434_013_367e-1,
        ],
    );
    let is_small = unit.below(negative, four.negate());
    let inner = series.negate().where_(unit.below(negative, four), x);
    exp_of_negative.negate().where_(is_small, inner)
}

/// Runs one of these operations.
pub(super) fn run(call: &mut Call<'_>) -> Ran {
    use SfpuOp::*;
    let (unit, lambda) = (call.unit, f32::from_bits(call.params[0]));
    match call.op {
        Softshrink => swiftly!(call, |unit, x| softshrink(unit, x, R::float(lambda))),
        // What is beyond lambda is not stored, and keeps its bits.
        Hardshrink => {
            let lambda = call.scalar(0);
            call.unary_masked(|x| (!unit.below(lambda, x.magnitude()), Register::splat(0)));
        }
        Hardmish => swiftly!(call, |unit, x| hardmish(unit, x)),
        Tanhshrink => swiftly!(call, |unit, x| tanhshrink(unit, x)),
        TanhDerivative => swiftly!(call, |unit, x| tanh_derivative(unit, x)),
        Logsigmoid => swiftly!(call, |unit, x, y| log_sigmoid(unit, x, y)),
        _ => return Err(NO_STEPS),
    }
    Ok(())
}
