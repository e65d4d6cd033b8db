//! Comparisons and tests that answer 1 or 0.
//!
//! Sources: llk_sfpu/ckernel_sfpu_comp.h, ckernel_sfpu_unary_comp.h, ckernel_sfpu_binary_comp.h,
//! ckernel_sfpu_sign.h, sfpu/ckernel_sfpu_isinf_isnan.h. Must never use a host comparison of floats:
//! NaN and -0 answer differently from call to call. Start reading at [`run`].

use super::call::{Call, LOW_16, NO_STEPS, Ran, WORDS};
use super::lreg::{LReg, Lanes, Register, total_order};
use super::op::SfpuOp;
use super::tiles::Layout;
use super::unit::Sfpu;

const INF: u32 = 0x7f80_0000;

/// What is asked about two numbers.
#[derive(Clone, Copy)]
pub(super) enum Relation {
    Eq,
    Ne,
    Lt,
    Gt,
    Le,
    Ge,
}

/// 1.0 where the condition holds, else 0.0.
#[inline(always)]
pub(super) fn one(condition: Lanes) -> LReg {
    LReg::float(1.0) & condition
}

/// Integer 1 where the condition holds, else 0.
#[inline(always)]
fn one_int(condition: Lanes) -> LReg {
    LReg::splat(1) & condition
}

/// `eqz_tile` and the like: NaN answers no, except to `nez`.
#[inline(always)]
pub(super) fn with_zero(relation: Relation, x: LReg) -> LReg {
    let nonzero = !x.magnitude().zero();
    let number = !LReg::splat(INF).isub(x.magnitude()).negative();
    one(match relation {
        Relation::Eq => !nonzero,
        Relation::Ne => nonzero,
        Relation::Lt => x.negative() & nonzero & number,
        Relation::Gt => !x.negative() & nonzero & number,
        Relation::Ge => !(x.negative() & nonzero) & number,
        Relation::Le => !(!x.negative() & nonzero) & number,
    })
}

/// `logical_not_tile` of floats, by the word: -0 and denormals are not zero (llk_sfpu/ckernel_sfpu_logical_not.h).
#[inline(always)]
pub(super) fn logical_not(x: LReg) -> LReg {
    one(x.zero())
}

/// [`logical_not`] of integers.
#[inline(always)]
pub(super) fn logical_not_int(x: LReg) -> LReg {
    one_int(x.zero())
}

/// `unary_gt_tile` and the like: the sign of a difference, so NaNs answer by their sign;
/// equality is that of patterns.
#[inline(always)]
pub(super) fn with_scalar(unit: Sfpu, relation: Relation, x: LReg, scalar: LReg) -> LReg {
    one(match relation {
        Relation::Eq => (x ^ scalar).zero(),
        Relation::Ne => !(x ^ scalar).zero(),
        Relation::Lt => unit.below(x, scalar),
        Relation::Gt => above(unit, x, scalar),
        Relation::Le => !above(unit, x, scalar),
        Relation::Ge => !unit.below(x, scalar),
    })
}

/// `v > s` of a kernel. The unit has no test for above zero, so the compiler
/// makes `s - v < 0` of it, which matters for inf - inf: its NaN has the sign of the product that SFPMAD
/// makes (disassembly of `ckernel_sfpu_unary_comp.h` of ttnn 0.79; measured: ttsim 1.10.0).
#[inline(always)]
pub(super) fn above<R: Register>(unit: Sfpu, x: R, scalar: R) -> R {
    unit.below(scalar, x)
}

/// `unary_lt_tile` with a zero that the compiler sees: it leaves the subtraction out, so that -0 and
/// negative denormals are below zero (the same disassembly; measured: ttsim 1.10.0).
#[inline(always)]
pub(super) fn below_constant_zero(x: LReg) -> LReg {
    one(x.negative())
}

/// `eq_binary_tile` and the like: by sign and magnitude; the sum of magnitudes finds zeros and NaNs.
#[inline(always)]
pub(super) fn binary(unit: Sfpu, relation: Relation, x: LReg, y: LReg) -> LReg {
    let sum = unit.add(x.magnitude(), y.magnitude());
    let zeros = sum.zero();
    let number = !LReg::splat(INF).isub(sum).negative();
    let less = |a: LReg, b: LReg| a.zip(b, |a, b| u32::from(total_order(a) < total_order(b)).wrapping_neg()) & !zeros;
    let equal = zeros | (number & (x ^ y).zero());
    one(match relation {
        Relation::Eq => equal,
        Relation::Ne => !equal,
        Relation::Lt => less(x, y) & number,
        Relation::Gt => less(y, x) & number,
        Relation::Ge => !less(x, y) & number,
        Relation::Le => !less(y, x) & number,
    })
}

/// Comparisons of signed integers.
#[inline(always)]
pub(super) fn signed(relation: Relation, x: LReg, y: LReg) -> LReg {
    let lt = |a: LReg, b: LReg| a.zip(b, |a, b| u32::from((a as i32) < b as i32).wrapping_neg());
    ordered(relation, x, y, lt)
}

/// Comparisons of unsigned integers.
#[inline(always)]
pub(super) fn unsigned(relation: Relation, x: LReg, y: LReg) -> LReg {
    let lt = |a: LReg, b: LReg| a.zip(b, |a, b| u32::from(a < b).wrapping_neg());
    ordered(relation, x, y, lt)
}

#[inline(always)]
fn ordered(relation: Relation, x: LReg, y: LReg, lt: impl Fn(LReg, LReg) -> Lanes) -> LReg {
    one_int(match relation {
        Relation::Eq => (x ^ y).zero(),
        Relation::Ne => !(x ^ y).zero(),
        Relation::Lt => lt(x, y),
        Relation::Gt => lt(y, x),
        Relation::Le => !lt(y, x),
        Relation::Ge => !lt(x, y),
    })
}

/// `eqz_tile_int32` and the like, of what the load makes of an integer; the answer, 0 or 1, is the same either way back.
#[inline(always)]
pub(super) fn int_with_zero(relation: Relation, x: LReg) -> LReg {
    // By the sign of a difference that wraps: the least number is above zero too.
    let above = LReg::splat(0).isub(x).negative();
    one_int(match relation {
        Relation::Eq => x.zero(),
        Relation::Ne => !x.zero(),
        Relation::Lt => x.negative(),
        Relation::Gt => above,
        Relation::Le => !above,
        Relation::Ge => !x.negative(),
    })
}

/// `isinf_tile`, `isposinf_tile`, `isneginf_tile`, `isnan_tile`, `isfinite_tile`.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    Inf,
    PosInf,
    NegInf,
    Nan,
    Finite,
}

#[inline(always)]
pub(super) fn is(kind: Kind, x: LReg) -> LReg {
    let infinite = x.magnitude().same(INF);
    let top = x.exponent_field().same(255);
    one(match kind {
        Kind::Inf => infinite,
        Kind::PosInf => infinite & !x.negative(),
        Kind::NegInf => infinite & x.negative(),
        Kind::Nan => top & !infinite,
        Kind::Finite => !top,
    })
}

/// `sign_tile`: 1 or -1 by the sign bit, 0 for +0 only.
#[inline(always)]
pub(super) fn sign(x: LReg) -> LReg {
    LReg::splat(0).where_(x.zero(), LReg::float(1.0).with_sign_of(x))
}

/// `heaviside_tile`: 0, 1, or the scalar for +0.
#[inline(always)]
pub(super) fn heaviside(x: LReg, scalar: LReg) -> LReg {
    scalar.where_(x.zero(), one(!x.negative()))
}

/// What an operation asks.
fn relation_of(op: SfpuOp) -> Relation {
    use SfpuOp::*;
    match op {
        Eqz | UnaryEq | EqBinary | EqInt | EqzInt32 | EqzUInt32 | EqzUInt16 | UnaryEqInt32 | EqUInt16 => Relation::Eq,
        Nez | UnaryNe | NeBinary | NeInt | NezInt32 | NezUInt32 | NezUInt16 | UnaryNeInt32 | NeUInt16 => Relation::Ne,
        Ltz | UnaryLt | LtBinary | LtInt | LtUInt32 | LtzInt32 | UnaryLtInt32 | LtUInt16 => Relation::Lt,
        Gtz | UnaryGt | GtBinary | GtInt | GtUInt32 | GtzInt32 | UnaryGtInt32 | GtUInt16 => Relation::Gt,
        Lez | UnaryLe | LeBinary | LeInt | LeUInt32 | LezInt32 | UnaryLeInt32 | LeUInt16 => Relation::Le,
        _ => Relation::Ge,
    }
}

/// `isclose_binary_tile`: whether two numbers differ by no more than a factor of the second and a number; infinities are close to
/// themselves, and NaNs to NaNs if they are to be (llk_sfpu/ckernel_sfpu_isclose.h).
fn is_close(unit: Sfpu, a: LReg, b: LReg, [factor, least]: [LReg; 2], equal_nan: bool) -> LReg {
    const INFINITE: i32 = 0x7f80_0000;
    let (x, y) = (a.magnitude(), b.magnitude());
    let tolerance = unit.mad(factor, b.abs(), least);
    let near = one(!unit.below(tolerance, unit.sub(a, b).abs()));
    let same = one(x.same(INFINITE.cast_unsigned()) & (a ^ b).zero());
    let nan = |magnitude: LReg| !magnitude.ilt(INFINITE + 1);
    let special = if equal_nan { one(nan(x) & nan(y)) | same } else { same };
    special.where_(!x.ilt(INFINITE) | !y.ilt(INFINITE), near)
}

/// Runs one of these operations.
pub(super) fn run(call: &mut Call<'_>) -> Ran {
    use SfpuOp::*;
    let unit = call.unit;
    let scalar = call.scalar(0);
    let relation = relation_of(call.op);
    match call.op {
        Eqz | Nez | Ltz | Gtz | Lez | Gez => call.unary(|x| with_zero(relation, x)),
        UnaryLt if call.params[0] == 0 && call.sees(0) => call.unary(below_constant_zero),
        UnaryEq | UnaryNe | UnaryLt | UnaryGt | UnaryLe | UnaryGe => {
            call.unary(|x| with_scalar(unit, relation, x, scalar));
        }
        EqBinary | NeBinary | LtBinary | GtBinary | LeBinary | GeBinary => {
            call.binary(|x, y| binary(unit, relation, x, y));
        }
        LogicalNot => call.unary(logical_not),
        IsInf => call.unary(|x| is(Kind::Inf, x)),
        IsPosInf => call.unary(|x| is(Kind::PosInf, x)),
        IsNegInf => call.unary(|x| is(Kind::NegInf, x)),
        IsNan => call.unary(|x| is(Kind::Nan, x)),
        IsFinite => call.unary(|x| is(Kind::Finite, x)),
        Sign => call.unary(sign),
        Signbit => call.unary(|x| one(x.negative())),
        Heaviside => call.unary(|x| heaviside(x, scalar)),
        _ => return run_on_integers(call, relation),
    }
    Ok(())
}

fn run_on_integers(call: &mut Call<'_>, relation: Relation) -> Ran {
    use SfpuOp::*;
    let scalar = call.scalar(0);
    match call.op {
        EqInt | NeInt | LtInt | GtInt | LeInt | GeInt => {
            call.binary_as(Layout::Int32, |x, y| signed(relation, x, y));
        }
        LtUInt32 | GtUInt32 | LeUInt32 | GeUInt32 => {
            call.binary_as(Layout::Int32, |x, y| unsigned(relation, x, y));
        }
        EqUInt16 | NeUInt16 | LtUInt16 | GtUInt16 | LeUInt16 | GeUInt16 => {
            call.binary_as(Layout::Low16, |x, y| unsigned(relation, x, y));
        }
        EqzInt32 | NezInt32 | LtzInt32 | GtzInt32 | LezInt32 | GezInt32 => {
            let turns = call.unit.rules.turns_integers;
            call.unary_as(WORDS, |x| int_with_zero(relation, if turns { x.to_twos_complement() } else { x }));
        }
        EqzUInt32 | NezUInt32 => call.unary_as(WORDS, |x| unsigned(relation, x, LReg::splat(0))),
        EqzUInt16 | NezUInt16 => call.unary_as(LOW_16, |x| unsigned(relation, x, LReg::splat(0))),
        Isclose | IscloseNan => {
            let (unit, tolerances) = (call.unit, [call.scalar(0), call.scalar(1)]);
            let equal_nan = call.op == IscloseNan;
            call.binary(|x, y| is_close(unit, x, y, tolerances, equal_nan));
        }
        SignbitInt32 => call.unary_as(WORDS, |x| x.shr(31)),
        LogicalNotInt32 => call.unary_as(WORDS, logical_not_int),
        LogicalNotUInt16 => call.unary_as(LOW_16, logical_not_int),
        // The load turns sign and magnitude into two's complement, and then the kernel does (llk_sfpu/ckernel_sfpu_comp.h;
        // disassembly): twice is not at all, but the least number comes out as 0.
        UnaryEqInt32 | UnaryNeInt32 if call.unit.rules.turns_integers => {
            let turned = |x: LReg| x.to_twos_complement().to_twos_complement();
            call.unary_as(WORDS, |x| signed(relation, turned(x), scalar));
        }
        UnaryEqInt32 | UnaryNeInt32 | UnaryLtInt32 | UnaryGtInt32 | UnaryLeInt32 | UnaryGeInt32 => {
            call.unary_as(WORDS, |x| signed(relation, x, scalar));
        }
        _ => return Err(NO_STEPS),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chip::WORMHOLE;

    const NEG_INF: u32 = 0xff80_0000;
    const QUIET: u32 = 0x7fc0_0000;

    /// Answers that ttsim 1.10.0 gave kernels of ttnn 0.79, beside what the two instructions make of them.
    #[test]
    fn comparisons_with_a_scalar_answer_by_the_sign_of_the_difference_that_the_compiler_makes() {
        let unit = Sfpu { rules: WORMHOLE.sfpu, dst_32: true, approx: false };
        for (x, scalar, [lt, gt, le, ge]) in [
            (INF, INF, [1.0, 1.0, 0.0, 0.0]),
            (NEG_INF, NEG_INF, [0.0, 0.0, 1.0, 1.0]),
            (QUIET, 0, [0.0, 1.0, 0.0, 1.0]),
            (0x8000_0000, 0, [0.0, 0.0, 1.0, 1.0]),
            (0, 0x8000_0000, [0.0, 0.0, 1.0, 1.0]),
            (0xbf80_0000, 0, [1.0, 0.0, 1.0, 0.0]),
        ] {
            for (relation, expected) in [(Relation::Lt, lt), (Relation::Gt, gt), (Relation::Le, le), (Relation::Ge, ge)]
            {
                let answer = with_scalar(unit, relation, LReg::splat(x), LReg::splat(scalar));
                assert_eq!(f32::from_bits(answer.0[0]), expected, "{x:08x}, {scalar:08x}");
            }
        }
    }

    /// Answers of ttsim 1.10.0 with kernels of ttnn 0.79: those of floats, and of integers.
    #[test]
    fn only_the_word_0_is_logically_false() {
        for x in [0x8000_0000, 1, 0x007f_ffff, QUIET, NEG_INF, 0xffff_ffff, 0x3f80_0000] {
            assert_eq!(logical_not(LReg::splat(x)).0[0], 0, "{x:08x}");
            assert_eq!(logical_not_int(LReg::splat(x)).0[0], 0, "{x:08x}");
        }
        assert_eq!(logical_not(LReg::splat(0)).0[0], 0x3f80_0000);
        assert_eq!(logical_not_int(LReg::splat(0)).0[0], 1);
    }

    #[test]
    fn below_a_zero_that_the_compiler_sees_is_the_sign() {
        for (x, expected) in [(0x8000_0000, 1.0), (0x8000_0001, 1.0), (0xffc0_0000, 1.0), (0, 0.0), (1, 0.0)] {
            assert_eq!(f32::from_bits(below_constant_zero(LReg::splat(x)).0[0]), expected, "{x:08x}");
        }
    }
}
