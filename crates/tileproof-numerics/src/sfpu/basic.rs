//! Arithmetic with a second tile or a scalar, and the operations of one instruction.
//!
//! Sources: llk_sfpu/ckernel_sfpu_binary.h, ckernel_sfpu_binop_with_unary.h, ckernel_sfpu_mask.h,
//! ckernel_sfpu_square.h, ckernel_sfpu_abs.h, ckernel_sfpu_negative.h. These functions must stay
//! free of rounding that the kernels leave out: a 16-bit Dst truncates what they store.
//! Start reading at [`run`].

use super::call::{Call, NO_STEPS, OTHER_WIDTH, Ran, WORDS};
use super::hot::{self, Operation, Term, Terms};
use super::lreg::{LReg, Register};
use super::op::SfpuOp;
use super::reciprocal::reciprocal;
use super::swift::swiftly;
use super::tiles::Layout;
use super::unit::Sfpu;
use super::unit::is_sign;

const NAN: u32 = 0x7fc0_0000;
const INF: u32 = 0x7f80_0000;

/// `div_binary_tile`: the reciprocal, with a 32-bit Dst one correction by the residual, which is
/// one SFPMAD where that can negate a factor.
#[inline(always)]
pub(super) fn divide<R: Register>(unit: Sfpu, x: R, y: R) -> R {
    let r = reciprocal(unit, y, 2);
    let mut quotient = unit.mul(x, r);
    if unit.dst_32 {
        let finite = !quotient.exponent_field().same(255);
        let corrected = unit.mad(unit.less_product(x, quotient, y), r, quotient);
        quotient = corrected.where_(finite, quotient);
    }
    let by_zero = R::splat(NAN).where_(x.zero(), R::splat(INF).with_sign_of(x));
    let quotient = by_zero.where_(y.zero(), quotient);
    if unit.dst_32 { quotient } else { quotient.round_to_bf16_even() }
}

/// `rsub_unary_tile`: scalar minus datum, with a 16-bit Dst rounded to nearest even.
#[inline(always)]
pub(super) fn reverse_subtract<R: Register>(unit: Sfpu, x: R, scalar: R) -> R {
    let difference = unit.sub(scalar, x);
    if unit.dst_32 { difference } else { difference.round_to_bf16_even() }
}

/// Runs one of these operations.
pub(super) fn run(call: &mut Call<'_>) -> Ran {
    use SfpuOp::*;
    let unit = call.unit;
    let scalar = call.scalar(0);
    match call.op {
        AddBinary | SubBinary | RsubBinary | MulBinary | AddUnary | SubUnary | Square => arithmetic(call),
        DivBinary => swiftly!(call, |unit, x, y| divide(unit, x, y)),
        MulUnary | DivUnary if call.sees(0) && is_sign(scalar) => {
            if !unit.rules.moves_for_one {
                return Err("a factor of 1 or -1 that the compiler sees");
            }
            call.unary(|x| unit.times(scalar, x, true));
        }
        MulUnary | DivUnary => arithmetic(call),
        RsubUnary => call.unary(|x| reverse_subtract(unit, x, scalar)),
        Fill | FillBitcast => call.fill(scalar, Layout::Float),
        FillInt => call.fill(scalar, Layout::Int32),
        FillUInt16 => call.fill(scalar, Layout::Low16),
        // Lanes that the condition leaves out are not stored: raw words, no denormal is flushed.
        Mask | MaskInt => call.words(|x, mask| if mask == 0 { 0 } else { x }),
        MaskPosInf => call.words(|x, mask| if mask == 0 { INF } else { x }),
        Abs => call.unary(LReg::abs),
        Negative => call.unary(LReg::negate),
        Identity => call.unary(|x| x),
        // SFPLOAD and SFPSTORE of the format alone (llk_sfpu/ckernel_sfpu_copy_dest_values.h).
        CopyDestValues => match (call.params[0], unit.dst_32) {
            (0, true) | (5, false) | (255, _) => call.unary(|x| x),
            (8 | 24, true) => call.unary_as(WORDS, |x| x),
            _ => return Err(OTHER_WIDTH),
        },
        _ => return Err(NO_STEPS),
    }
    Ok(())
}

/// A sum, difference or product, of which the host can do most.
fn arithmetic(call: &mut Call<'_>) {
    use SfpuOp::*;
    let [first, second, _] = call.inputs;
    let scalar = Term::Scalar(call.params[0]);
    // Template argument DstRoundingMode::NearestEven, which only a 16-bit Dst looks at.
    let narrow = !call.unit.dst_32;
    let even = narrow && call.params[0] == 1;
    let (operation, first, second, even) = match call.op {
        AddBinary => (Operation::Add, first, Term::Tile(second), even),
        SubBinary => (Operation::Sub, first, Term::Tile(second), even),
        RsubBinary => (Operation::Sub, second, Term::Tile(first), even),
        // With a 16-bit Dst the kernel rounds, and looks for zeros.
        MulBinary => (Operation::Mul, first, Term::Tile(second), narrow),
        Square => (Operation::Mul, first, Term::Tile(first), false),
        AddUnary => (Operation::Add, first, scalar, false),
        SubUnary => (Operation::Sub, first, scalar, false),
        _ => (Operation::Mul, first, scalar, false),
    };
    hot::arithmetic(operation, call, Terms { first, second, even });
}
