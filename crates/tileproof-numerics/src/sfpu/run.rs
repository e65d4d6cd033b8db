//! One call of the kernel API on Dst.
//!
//! Must never write a tile of an operation or mode that is not modelled: the caller gets an error
//! instead of a guess. Start reading at [`execute`].

use super::compare::{self, Kind, Relation};
use super::hot::{self, Operation, Term};
use super::lreg::{LReg, Sfpu, is_sign};
use super::reduce::{self, Datum, Pool};
use super::root::{Root, root, rsqrt_legacy};
use super::tiles::{Layout, Operands, binary, binary_as, fill, ternary_as, unary, unary_as, unary_masked, words};
use super::{SfpuArch, SfpuMode, SfpuOp, Unimplemented};
use super::{activation, basic, exponential, gaussian, integer, iterations, limits, logarithm, power, reciprocal};
use super::{rounding, ternary, trigonometry};
use crate::dst::Dst;

/// The faces that a call works on (`VectorMode`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Faces {
    /// All four.
    RC,
    /// The upper two.
    R,
    /// The left two.
    C,
    /// The first.
    One,
}

impl Faces {
    /// Whether face `face` is worked on.
    pub const fn contains(self, face: usize) -> bool {
        match self {
            Faces::RC => true,
            Faces::R => face < 2,
            Faces::C => face == 0 || face == 2,
            Faces::One => face == 0,
        }
    }
}

/// Words in, words out.
const WORDS: [Layout; 2] = [Layout::Int32; 2];
/// 16-bit words in and out.
const LOW_16: [Layout; 2] = [Layout::Low16; 2];
/// Floats in, words out.
const TO_WORDS: [Layout; 2] = [Layout::Float, Layout::Int32];
/// Words in, floats out.
const TO_FLOATS: [Layout; 2] = [Layout::Int32, Layout::Float];

/// Whether the kernel of an operation stores or loads words of another width than Dst has then.
fn needs_other_width(op: SfpuOp, dst_32: bool) -> bool {
    let code = op.code();
    let low_16 = matches!(
        op,
        SfpuOp::AddUInt16
            | SfpuOp::SubUInt16
            | SfpuOp::MulUInt16
            | SfpuOp::TypecastUInt16ToFloat16b
            | SfpuOp::FillUInt16
            | SfpuOp::RsubUInt16
            | SfpuOp::EqzUInt16
            | SfpuOp::LogicalNotUInt16
            | SfpuOp::NezUInt16
            | SfpuOp::EqUInt16
            | SfpuOp::NeUInt16
            | SfpuOp::LtUInt16
            | SfpuOp::GtUInt16
            | SfpuOp::LeUInt16
            | SfpuOp::GeUInt16
            | SfpuOp::BitwiseAndUInt16
            | SfpuOp::BitwiseOrUInt16
            | SfpuOp::BitwiseXorUInt16
            | SfpuOp::LeftShiftUInt16
            | SfpuOp::RightShiftUInt16
            | SfpuOp::LogicalRightShiftUInt16
            | SfpuOp::UnaryLeftShiftUInt16
            | SfpuOp::UnaryRightShiftUInt16
            | SfpuOp::UnaryBitwiseAndUInt16
            | SfpuOp::UnaryBitwiseOrUInt16
            | SfpuOp::UnaryBitwiseXorUInt16
    );
    let either = matches!(op, SfpuOp::TypecastNone | SfpuOp::TypecastFloatToUInt16 | SfpuOp::Reduce) || code > 1700;
    if low_16 { dst_32 } else { code >= 1400 && !either && !dst_32 }
}

/// Operations with a recorded result on Blackhole (measured: golden vectors of both): reciprocals and
/// quotients of their own, the others Wormhole's kernels with Blackhole's arithmetic. Nobody has looked
/// at the rest, nor at the reciprocal in approximate mode.
fn proven_on_blackhole(op: SfpuOp, mode: &SfpuMode) -> bool {
    use SfpuOp::*;
    match op {
        AddBinary | SubBinary | MulBinary | DivBinary | AddUnary | SubUnary | MulUnary => true,
        Fill | Mask | Square | Abs | Negative => true,
        Sqrt | Rsqrt | RsqrtFastApprox | RsqrtLegacy | RecipLegacy | Exp | ExpFast => true,
        Recip => !mode.approx,
        _ => false,
    }
}

/// What a comparison asks.
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

/// Runs an operation on whole tiles of Dst.
///
/// Tile indexes are physical; `inputs` holds as many as [`SfpuOp::inputs`] says. Rows that hold
/// nothing must have been given a value with [`Dst::materialize`]; the output's rows become valid.
///
/// # Errors
///
/// [`Unimplemented`] if the operation is not modelled in this mode; Dst is then unchanged.
pub fn execute(
    op: SfpuOp,
    params: &[u32; 4],
    mode: &SfpuMode,
    dst: &mut Dst,
    inputs: [usize; 3],
    output: usize,
) -> Result<(), Unimplemented> {
    execute_faces(op, params, mode, dst, inputs, output, Faces::RC)
}

/// [`execute`] on some of the faces.
///
/// # Errors
///
/// As [`execute`].
pub fn execute_faces(
    op: SfpuOp,
    params: &[u32; 4],
    mode: &SfpuMode,
    dst: &mut Dst,
    inputs: [usize; 3],
    output: usize,
    faces: Faces,
) -> Result<(), Unimplemented> {
    use SfpuOp::*;
    if mode.src_b_is_fp16 && !mode.dst_32 {
        return Err(Unimplemented { op, what: "a 16-bit Dst of Float16" });
    }
    if needs_other_width(op, mode.dst_32) {
        return Err(Unimplemented { op, what: "words of another width than Dst" });
    }
    if mode.arch == SfpuArch::Blackhole && !proven_on_blackhole(op, mode) {
        return Err(Unimplemented { op, what: "the Blackhole kernel" });
    }
    let unit = Sfpu::new(mode);
    let at = Operands { inputs, output, faces };
    let (scalar, second) = (LReg::splat(params[0]), LReg::splat(params[1]));
    // The fast exponential's scale belongs to its init; an init without one leaves 1.
    let scale = if params[0] == 0 { 1.0 } else { f32::from_bits(params[0]) };
    // Template argument DstRoundingMode::NearestEven, which only a 16-bit Dst looks at.
    let even = params[0] == 1 && !mode.dst_32;
    let hot = |operation, dst: &mut Dst, first, second, even| {
        hot::arithmetic(operation, hot::Call { unit, dst, first, second, output, faces, even });
    };
    // Which of the first three parameters the compiler sees, where that changes what it makes.
    let seen = |parameter: u32| params[3] >> parameter & 1 == 1;
    // The iterations follow Wormhole's kernels in full precision.
    let exact = !mode.approx && mode.arch == SfpuArch::Wormhole;
    match op {
        AddBinary => hot(Operation::Add, dst, at.inputs[0], Term::Tile(at.inputs[1]), even),
        SubBinary => hot(Operation::Sub, dst, at.inputs[0], Term::Tile(at.inputs[1]), even),
        RsubBinary => hot(Operation::Sub, dst, at.inputs[1], Term::Tile(at.inputs[0]), even),
        // With a 16-bit Dst the kernel rounds, and looks for zeros.
        MulBinary => hot(Operation::Mul, dst, at.inputs[0], Term::Tile(at.inputs[1]), !mode.dst_32),
        DivBinary => binary(unit, dst, at, |x, y| basic::divide(unit, x, y)),
        AddUnary => hot(Operation::Add, dst, at.inputs[0], Term::Scalar(params[0]), false),
        SubUnary => hot(Operation::Sub, dst, at.inputs[0], Term::Scalar(params[0]), false),
        MulUnary | DivUnary if seen(0) && is_sign(scalar) => unary(unit, dst, at, |x| unit.times(scalar, x, true)),
        MulUnary | DivUnary => hot(Operation::Mul, dst, at.inputs[0], Term::Scalar(params[0]), false),
        RsubUnary => unary(unit, dst, at, |x| basic::reverse_subtract(unit, x, scalar)),
        Fill | FillBitcast => fill(unit, dst, at, scalar, Layout::Float),
        FillInt => fill(unit, dst, at, scalar, Layout::Int32),
        FillUInt16 => fill(unit, dst, at, scalar, Layout::Low16),
        // Lanes that the condition leaves out are not stored: raw words, no denormal is flushed.
        Mask | MaskInt => words(dst, at, |x, mask| if mask == 0 { 0 } else { x }),
        MaskPosInf => words(dst, at, |x, mask| if mask == 0 { 0x7f80_0000 } else { x }),
        Square => hot(Operation::Mul, dst, at.inputs[0], Term::Tile(at.inputs[0]), false),
        Abs => unary(unit, dst, at, LReg::abs),
        Negative => unary(unit, dst, at, LReg::negate),
        Identity => unary(unit, dst, at, |x| x),
        // SFPLOAD and SFPSTORE of the format alone (llk_sfpu/ckernel_sfpu_copy_dest_values.h).
        CopyDestValues => match (params[0], mode.dst_32) {
            (0, true) | (5, false) | (255, _) => unary(unit, dst, at, |x| x),
            (8 | 24, true) => unary_as(unit, dst, at, WORDS, |x| x),
            _ => return Err(Unimplemented { op, what: "a data format of another width than Dst" }),
        },
        Sqrt | SqrtFastApprox | Rsqrt | RsqrtFastApprox => {
            let reciprocal = matches!(op, Rsqrt | RsqrtFastApprox);
            let which = Root { reciprocal, fast: matches!(op, SqrtFastApprox | RsqrtFastApprox) };
            if mode.approx {
                unary(unit, dst, at, |x| root(unit, x, which));
            } else {
                iterations::roots(unit, dst, at, which);
            }
        }
        RsqrtLegacy => unary(unit, dst, at, |x| rsqrt_legacy(unit, x)),
        Recip if exact => iterations::reciprocals(unit, dst, at),
        Recip => unary(unit, dst, at, |x| reciprocal::recip(unit, x)),
        RecipLegacy => unary(unit, dst, at, |x| reciprocal::recip_legacy(unit, x)),
        Exp if exact && params[0] != 1 && params[2] != 1 => iterations::exponentials(unit, dst, at),
        Exp => {
            let factor = (params[0] == 1).then_some(params[1]);
            unary(unit, dst, at, |x| exponential::exp(unit, x, factor, params[2] != 1));
        }
        ExpFast => unary(unit, dst, at, |x| exponential::exp_fast(unit, x, scale)),
        ExpFastUnclamped => unary(unit, dst, at, |x| exponential::exp_fast_unclamped(unit, x, scale)),
        Eqz | Nez | Ltz | Gtz | Lez | Gez => {
            let relation = relation_of(op);
            unary(unit, dst, at, |x| compare::with_zero(relation, x));
        }
        UnaryLt if params[0] == 0 && seen(0) => unary(unit, dst, at, compare::below_constant_zero),
        UnaryEq | UnaryNe | UnaryLt | UnaryGt | UnaryLe | UnaryGe => {
            let relation = relation_of(op);
            unary(unit, dst, at, |x| compare::with_scalar(unit, relation, x, scalar));
        }
        EqBinary | NeBinary | LtBinary | GtBinary | LeBinary | GeBinary => {
            let relation = relation_of(op);
            binary(unit, dst, at, |x, y| compare::binary(unit, relation, x, y));
        }
        LogicalNot => unary(unit, dst, at, compare::logical_not),
        IsInf => unary(unit, dst, at, |x| compare::is(Kind::Inf, x)),
        IsPosInf => unary(unit, dst, at, |x| compare::is(Kind::PosInf, x)),
        IsNegInf => unary(unit, dst, at, |x| compare::is(Kind::NegInf, x)),
        IsNan => unary(unit, dst, at, |x| compare::is(Kind::Nan, x)),
        IsFinite => unary(unit, dst, at, |x| compare::is(Kind::Finite, x)),
        Sign => unary(unit, dst, at, compare::sign),
        Signbit => unary(unit, dst, at, |x| compare::one(x.negative())),
        Heaviside => unary(unit, dst, at, |x| compare::heaviside(x, scalar)),
        Relu => unary(unit, dst, at, |x| x.max(LReg::splat(0))),
        ReluMin | UnaryMax => unary(unit, dst, at, |x| x.max(scalar)),
        UnaryMin => unary(unit, dst, at, |x| x.min(scalar)),
        ReluMax => unary(unit, dst, at, |x| limits::relu_max(unit, x, scalar)),
        LeakyRelu | Prelu => unary(unit, dst, at, |x| limits::leaky_relu(unit, x, scalar, seen(0))),
        Clamp => unary(unit, dst, at, |x| limits::clamp(unit, x, scalar, second)),
        Hardtanh => unary(unit, dst, at, |x| x.max(scalar).min(second)),
        Threshold => {
            unary_masked(unit, dst, at, |x| (!compare::above(unit, x, scalar), second));
        }
        BinaryMax => binary(unit, dst, at, |x, y| y.max(x)),
        BinaryMin => binary(unit, dst, at, |x, y| x.min(y)),
        Trunc => unary(unit, dst, at, rounding::trunc),
        Floor => unary(unit, dst, at, |x| rounding::floor(unit, x)),
        Ceil => unary(unit, dst, at, |x| rounding::ceil(unit, x)),
        Frac => unary(unit, dst, at, |x| rounding::frac(unit, x)),
        Round => unary(unit, dst, at, |x| rounding::round(unit, x, params[0] as i32)),
        Sigmoid => unary(unit, dst, at, |x| activation::sigmoid(unit, x)),
        SigmoidFast => unary(unit, dst, at, |x| activation::sigmoid_fast(unit, x)),
        Silu => unary(unit, dst, at, |x| activation::silu(unit, x)),
        Tanh => unary(unit, dst, at, |x| activation::tanh(unit, x)),
        TanhFast => unary(unit, dst, at, |x| activation::tanh_fast(unit, x)),
        Elu => unary(unit, dst, at, |x| activation::elu(unit, x, scalar, seen(0))),
        Selu => {
            let (scale, alpha) = (f32::from_bits(params[0]), f32::from_bits(params[1]));
            unary(unit, dst, at, |x| activation::selu(unit, x, scale, alpha, [seen(0), seen(0) && seen(1)]));
        }
        Hardsigmoid => unary(unit, dst, at, |x| activation::hardsigmoid(unit, x)),
        Softsign => unary(unit, dst, at, |x| activation::softsign(unit, x)),
        Where | WhereFloat16b if mode.dst_32 == (op == WhereFloat16b) => {
            return Err(Unimplemented { op, what: "a data format of another width than Dst" });
        }
        Where | WhereFloat16b => {
            ternary_as(unit, dst, at, Layout::Int32, |c, x, y| y.where_(c.zero(), x));
        }
        Mac => ternary_as(unit, dst, at, Layout::Float, |x, y, z| ternary::mac(unit, x, y, z)),
        Addcmul => ternary_as(unit, dst, at, Layout::Float, |x, y, z| ternary::addcmul(unit, x, y, z, scalar)),
        Addcdiv => {
            ternary_as(unit, dst, at, Layout::Float, |x, y, z| ternary::addcdiv(unit, x, y, z, (scalar, seen(0))));
        }
        Lerp => ternary_as(unit, dst, at, Layout::Float, |x, y, z| ternary::lerp(unit, x, y, z)),
        Log => unary(unit, dst, at, |x| logarithm::log(unit, x, None, false)),
        LogFast => unary(unit, dst, at, |x| logarithm::log(unit, x, None, true)),
        LogWithBase => unary(unit, dst, at, |x| logarithm::log(unit, x, Some(scalar), false)),
        Log1p => unary(unit, dst, at, |x| logarithm::log1p(unit, x)),
        Xlogy => binary(unit, dst, at, |x, y| logarithm::xlogy(unit, x, y)),
        Exp2 => unary(unit, dst, at, |x| exponential::exp2(unit, x)),
        Expm1 => unary(unit, dst, at, |x| exponential::expm1(unit, x)),
        Power => {
            let exponent = f32::from_bits(params[0]);
            unary(unit, dst, at, |x| power::power_unary(unit, x, exponent));
        }
        PowerIterative => unary(unit, dst, at, |x| power::power_iterative(unit, x, params[0])),
        PowerBinary => binary(unit, dst, at, |x, y| power::power_binary(unit, x, y)),
        Rpow => unary(unit, dst, at, |x| power::power_binary(unit, scalar, x)),
        Cbrt => unary(unit, dst, at, |x| power::cbrt(unit, x)),
        FmodBinary => binary(unit, dst, at, |x, y| rounding::fmod(unit, x, y)),
        Sin => unary(unit, dst, at, |x| trigonometry::sine(unit, x)),
        Cos => unary(unit, dst, at, |x| trigonometry::cosine(unit, x)),
        Tan => unary(unit, dst, at, |x| trigonometry::tangent(unit, x)),
        Atan => unary(unit, dst, at, |x| trigonometry::atan(unit, x)),
        Atan2 => binary(unit, dst, at, |x, y| trigonometry::atan2(unit, x, y)),
        GeluFast => unary(unit, dst, at, |x| gaussian::gelu_fast(unit, x)),
        Gelu => unary(unit, dst, at, |x| gaussian::gelu(unit, x)),
        GeluTanh => unary(unit, dst, at, |x| gaussian::gelu_tanh(unit, x)),
        Erf => unary(unit, dst, at, |x| gaussian::erf(unit, x, false)),
        ErfFast => unary(unit, dst, at, |x| gaussian::erf(unit, x, true)),
        Erfc => unary(unit, dst, at, |x| gaussian::erfc(unit, x)),
        Softplus => {
            let threshold = LReg::splat(params[2]);
            unary_masked(unit, dst, at, |x| {
                gaussian::softplus(unit, x, [scalar, second], threshold, [seen(0), seen(1)])
            });
        }
        Mish => unary(unit, dst, at, |x| gaussian::mish(unit, x)),
        AddInt => binary_as(unit, dst, at, Layout::Int32, LReg::iadd),
        SubInt => binary_as(unit, dst, at, Layout::Int32, LReg::isub),
        RsubInt => binary_as(unit, dst, at, Layout::Int32, |x, y| y.isub(x)),
        MulInt => binary_as(unit, dst, at, Layout::Int32, integer::multiply),
        AddUInt16 => binary_as(unit, dst, at, Layout::Low16, LReg::iadd),
        SubUInt16 => binary_as(unit, dst, at, Layout::Low16, LReg::isub),
        RsubUInt16 => binary_as(unit, dst, at, Layout::Low16, |x, y| y.isub(x)),
        MulUInt16 => binary_as(unit, dst, at, Layout::Low16, integer::multiply),
        AddUnaryInt32 => unary_as(unit, dst, at, WORDS, |x| x.iadd(scalar)),
        SubUnaryInt32 => unary_as(unit, dst, at, WORDS, |x| x.isub(scalar)),
        RsubUnaryInt32 => unary_as(unit, dst, at, WORDS, |x| scalar.isub(x)),
        AbsInt32 => unary_as(unit, dst, at, WORDS, LReg::iabs),
        // The sign of what mode INT32_2S_COMP loads, and back (sfpu/ckernel_sfpu_negative.h): together the negative.
        NegativeInt32 => unary_as(unit, dst, at, WORDS, |x| LReg::splat(0).isub(x)),
        ReluInt32 => unary_as(unit, dst, at, WORDS, |x| LReg::splat(0).where_(x.negative(), x)),
        UnaryMaxInt32 => unary_as(unit, dst, at, WORDS, |x| limits::signed(x, scalar, true)),
        UnaryMinInt32 => unary_as(unit, dst, at, WORDS, |x| limits::signed(x, scalar, false)),
        UnaryMaxUInt32 => unary_as(unit, dst, at, WORDS, |x| limits::unsigned(x, scalar, true)),
        UnaryMinUInt32 => unary_as(unit, dst, at, WORDS, |x| limits::unsigned(x, scalar, false)),
        BinaryMaxInt32 => binary_as(unit, dst, at, Layout::Int32, |x, y| limits::signed(x, y, true)),
        BinaryMinInt32 => binary_as(unit, dst, at, Layout::Int32, |x, y| limits::signed(x, y, false)),
        BinaryMaxUInt32 => binary_as(unit, dst, at, Layout::Int32, |x, y| limits::unsigned(x, y, true)),
        BinaryMinUInt32 => binary_as(unit, dst, at, Layout::Int32, |x, y| limits::unsigned(x, y, false)),
        EqInt | NeInt | LtInt | GtInt | LeInt | GeInt => {
            let relation = relation_of(op);
            binary_as(unit, dst, at, Layout::Int32, |x, y| compare::signed(relation, x, y));
        }
        LtUInt32 | GtUInt32 | LeUInt32 | GeUInt32 => {
            let relation = relation_of(op);
            binary_as(unit, dst, at, Layout::Int32, |x, y| compare::unsigned(relation, x, y));
        }
        EqzInt32 | NezInt32 | LtzInt32 | GtzInt32 | LezInt32 | GezInt32 => {
            let relation = relation_of(op);
            unary_as(unit, dst, at, WORDS, |x| compare::int_with_zero(relation, x));
        }
        LogicalNotInt32 => unary_as(unit, dst, at, WORDS, compare::logical_not_int),
        LogicalNotUInt16 => unary_as(unit, dst, at, LOW_16, compare::logical_not_int),
        EqzUInt32 | NezUInt32 => {
            let relation = relation_of(op);
            unary_as(unit, dst, at, WORDS, |x| compare::unsigned(relation, x, LReg::splat(0)));
        }
        EqzUInt16 | NezUInt16 => {
            let relation = relation_of(op);
            unary_as(unit, dst, at, LOW_16, |x| compare::unsigned(relation, x, LReg::splat(0)));
        }
        EqUInt16 | NeUInt16 | LtUInt16 | GtUInt16 | LeUInt16 | GeUInt16 => {
            let relation = relation_of(op);
            binary_as(unit, dst, at, Layout::Low16, |x, y| compare::unsigned(relation, x, y));
        }
        // The load turns sign and magnitude into two's complement, and then the kernel does (llk_sfpu/ckernel_sfpu_comp.h;
        // disassembly): twice is not at all, but the least number comes out as 0.
        UnaryEqInt32 | UnaryNeInt32 => {
            let relation = relation_of(op);
            let turned = |x: LReg| x.to_twos_complement().to_twos_complement();
            unary_as(unit, dst, at, WORDS, |x| compare::signed(relation, turned(x), scalar));
        }
        UnaryLtInt32 | UnaryGtInt32 | UnaryLeInt32 | UnaryGeInt32 => {
            let relation = relation_of(op);
            unary_as(unit, dst, at, WORDS, |x| compare::signed(relation, x, scalar));
        }
        BitwiseAnd => binary_as(unit, dst, at, Layout::Int32, |x, y| x & y),
        BitwiseOr => binary_as(unit, dst, at, Layout::Int32, |x, y| x | y),
        BitwiseXor => binary_as(unit, dst, at, Layout::Int32, |x, y| x ^ y),
        BitwiseNot => unary_as(unit, dst, at, WORDS, |x| !x),
        LeftShift => binary_as(unit, dst, at, Layout::Int32, integer::left_shift),
        RightShift => binary_as(unit, dst, at, Layout::Int32, integer::right_shift),
        LogicalRightShift => binary_as(unit, dst, at, Layout::Int32, integer::logical_right_shift),
        RightShiftUInt32 => binary_as(unit, dst, at, Layout::Int32, integer::clamped_right_shift),
        BitwiseAndUInt16 => binary_as(unit, dst, at, Layout::Low16, |x, y| x & y),
        BitwiseOrUInt16 => binary_as(unit, dst, at, Layout::Low16, |x, y| x | y),
        BitwiseXorUInt16 => binary_as(unit, dst, at, Layout::Low16, |x, y| x ^ y),
        LeftShiftUInt16 => binary_as(unit, dst, at, Layout::Low16, integer::left_shift),
        RightShiftUInt16 | LogicalRightShiftUInt16 => {
            binary_as(unit, dst, at, Layout::Low16, integer::logical_right_shift);
        }
        UnaryLeftShift => unary_as(unit, dst, at, WORDS, |x| integer::left_shift(x, scalar)),
        UnaryLeftShiftUInt16 => unary_as(unit, dst, at, LOW_16, |x| integer::left_shift(x, scalar)),
        UnaryRightShift => unary_as(unit, dst, at, WORDS, |x| integer::arithmetic_shift_by(x, params[0])),
        UnaryRightShiftUInt32 => unary_as(unit, dst, at, WORDS, |x| integer::clamped_right_shift(x, scalar)),
        UnaryRightShiftUInt16 => unary_as(unit, dst, at, LOW_16, |x| integer::clamped_right_shift(x, scalar)),
        UnaryBitwiseAnd => unary_as(unit, dst, at, WORDS, |x| x & scalar),
        UnaryBitwiseOr => unary_as(unit, dst, at, WORDS, |x| x | scalar),
        UnaryBitwiseXor => unary_as(unit, dst, at, WORDS, |x| x ^ scalar),
        UnaryBitwiseAndUInt16 => unary_as(unit, dst, at, LOW_16, |x| x & scalar),
        UnaryBitwiseOrUInt16 => unary_as(unit, dst, at, LOW_16, |x| x | scalar),
        UnaryBitwiseXorUInt16 => unary_as(unit, dst, at, LOW_16, |x| x ^ scalar),
        TypecastNone => return Ok(()),
        TypecastFloatToUInt16 => {
            unary_as(unit, dst, at, [Layout::Float, Layout::Low16], integer::to_uint16);
        }
        TypecastFloatToInt32 => unary_as(unit, dst, at, TO_WORDS, integer::to_int32),
        TypecastFloatToUInt32 => unary_as(unit, dst, at, TO_WORDS, integer::to_uint32),
        TypecastFloatToUInt8 => unary_as(unit, dst, at, TO_WORDS, integer::to_uint8),
        TypecastFloat32ToFloat16b => unary(unit, dst, at, LReg::round_to_bf16_even),
        TypecastInt32ToFloat32 => unary_as(unit, dst, at, TO_FLOATS, |x| integer::int32_to_float(unit, x)),
        TypecastInt32ToFloat16b => {
            unary_as(unit, dst, at, TO_FLOATS, |x| integer::int32_to_float(unit, x).round_to_bf16());
        }
        // The cast takes two's complement for sign and magnitude; only the sign matters below zero.
        TypecastInt32ToUInt16 => {
            unary_as(unit, dst, at, [Layout::Int32, Layout::Low16], |x| integer::to_uint16(x.to_float()))
        }
        TypecastUInt32ToFloat32 => {
            unary_as(unit, dst, at, TO_FLOATS, |x| integer::uint32_to_float(unit, x));
        }
        TypecastUInt32ToFloat16b => {
            unary_as(unit, dst, at, TO_FLOATS, |x| integer::uint32_to_float(unit, x).round_to_bf16());
        }
        TypecastUInt32ToUInt16 => {
            unary_as(unit, dst, at, [Layout::Int32, Layout::Low16], integer::uint32_to_uint16);
        }
        TypecastIntToUInt8 => unary_as(unit, dst, at, WORDS, |x| x & LReg::splat(0xff)),
        TypecastUInt16ToFloat16b => {
            unary_as(unit, dst, at, [Layout::Low16, Layout::Float], |x| x.to_float().round_to_bf16())
        }
        TypecastUInt16ToFloat32 => {
            unary_as(unit, dst, at, TO_FLOATS, |x| (x & LReg::splat(0xffff)).to_float());
        }
        TypecastUInt16ToUInt32 => unary_as(unit, dst, at, WORDS, |x| x & LReg::splat(0xffff)),
        TypecastUInt16ToUInt8 => unary_as(unit, dst, at, WORDS, |x| x & LReg::splat(0xff)),
        // They keep what they have in the unit, which one call alone does not see.
        Cumsum
        | WelfordClear
        | WelfordUpdate
        | WelfordSaveState
        | WelfordRestoreState
        | WelfordFinalizeToRow
        | WelfordFinalizeToFace => return Err(Unimplemented { op, what: "a call without those before it" }),
        Reduce => {
            let pool = match params[0] {
                0 => Pool::Sum,
                1 => Pool::Avg,
                2 => Pool::Max,
                3 => Pool::Min,
                _ => return Err(Unimplemented { op, what: "this pool" }),
            };
            let rows = params[1] == 1;
            let datum = match (params[2], mode.dst_32) {
                (0, true) | (5, false) => Datum::Float,
                (8, true) if !(rows && pool == Pool::Avg) => Datum::Int32,
                _ => return Err(Unimplemented { op, what: "this data format" }),
            };
            reduce::reduce(unit, dst.tile_mut(output), pool, datum, rows);
        }
    }
    // A store writes the row whole as soon as its second half of columns is stored.
    for face in 0..4 {
        if faces.contains(face) {
            dst.set_valid(output, 0xffff << (16 * face));
        }
    }
    Ok(())
}
