//! Functions of the vector unit in float64.
//!
//! Functions that are not here are not followed. It must never call the library of the host, on which no record depends. Start at
//! [`function`].

use tileproof_numerics::format::DataFormat;
use tileproof_numerics::sfpu::SfpuOp;

use super::series::{exp, ln, tanh};
use super::special;

const LN2: f64 = std::f64::consts::LN_2;

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + exp(-x))
}

fn flag(condition: bool) -> f64 {
    f64::from(u8::from(condition))
}

fn float(bits: u32) -> f64 {
    f32::from_bits(bits).into()
}

/// The function of an operation of one number, with its parameters; `None` where it is not followed, or only chooses or converts.
pub fn function_of(op: SfpuOp, x: f64, parameters: [u32; 4]) -> Option<f64> {
    let is_function = op.row().inputs == 1 && integers(op).is_none() && moves(op).is_none();
    if !is_function || op.row().name.starts_with("typecast") {
        return None;
    }
    one_number(op, x, parameters).or_else(|| of_angles(op, [x, 0.0]))
}

/// The function of an operation on the datums that it reads, or `None` where it is not followed.
pub(super) fn function(op: SfpuOp, [x, y, z]: [f64; 3], p: [u32; 4]) -> Option<f64> {
    arithmetic(op, [x, y, z], p)
        .or_else(|| one_number(op, x, p))
        .or_else(|| of_angles(op, [x, y]))
        .or_else(|| compared(op, [x, y, z], p))
}

/// Sums, products, constants.
fn arithmetic(op: SfpuOp, [x, y, z]: [f64; 3], p: [u32; 4]) -> Option<f64> {
    use SfpuOp::*;
    let s = float(p[0]);
    Some(match op {
        AddBinary => x + y,
        SubBinary => x - y,
        RsubBinary => y - x,
        MulBinary => x * y,
        DivBinary => x / y,
        AddUnary => x + s,
        SubUnary => x - s,
        RsubUnary => s - x,
        MulUnary | DivUnary => x * s,
        Fill | FillBitcast => s,
        FillInt => f64::from(p[0].cast_signed()),
        Square => x * x,
        Abs => x.abs(),
        Negative => -x,
        Mac => x * y + z,
        Addcmul => x + s * y * z,
        Addcdiv => x + s * y / z,
        Lerp => x + z * (y - x),
        _ => return None,
    })
}

/// Functions of one number, conversions among them.
fn one_number(op: SfpuOp, x: f64, p: [u32; 4]) -> Option<f64> {
    use SfpuOp::*;
    let s = float(p[0]);
    Some(match op {
        Identity | CopyDestValues | TypecastNone => x,
        Sqrt | SqrtFastApprox => x.sqrt(),
        Rsqrt | RsqrtFastApprox | RsqrtLegacy => 1.0 / x.sqrt(),
        Recip | RecipLegacy => 1.0 / x,
        Exp if p[0] == 0 => exp(x),
        ExpFast | ExpFastUnclamped => exp(x * if p[0] == 0 { 1.0 } else { s }),
        Exp2 => exp(x * LN2),
        Expm1 => exp(x) - 1.0,
        Log | LogFast => ln(x),
        Log1p => ln(1.0 + x),
        Sigmoid | SigmoidFast => sigmoid(x),
        Silu => x * sigmoid(x),
        Tanh | TanhFast => tanh(x),
        Trunc => x.trunc(),
        Floor => x.floor(),
        Ceil => x.ceil(),
        Frac => x - x.trunc(),
        Softsign => x / (1.0 + x.abs()),
        Elu => {
            if x < 0.0 {
                s * (exp(x) - 1.0)
            } else {
                x
            }
        }
        // To an integer: the number is what it was, and its conversion is what rounds.
        TypecastFloatToInt32
        | TypecastFloatToUInt32
        | TypecastFloatToUInt16
        | TypecastFloatToUInt8
        | TypecastFloat32ToFloat16b
        | TypecastInt32ToFloat32
        | TypecastInt32ToFloat16b
        | TypecastInt32ToUInt16
        | TypecastUInt32ToFloat32
        | TypecastUInt32ToFloat16b
        | TypecastUInt32ToUInt16
        | TypecastIntToUInt8
        | TypecastUInt16ToFloat32
        | TypecastUInt16ToFloat16b
        | TypecastUInt16ToUInt32
        | TypecastUInt16ToUInt8 => x,
        _ => return None,
    })
}

/// Angles, the error function and their kin.
fn of_angles(op: SfpuOp, [x, y]: [f64; 2]) -> Option<f64> {
    use SfpuOp::*;
    Some(match op {
        Sin => special::sin(x),
        Cos => special::cos(x),
        Tan => special::sin(x) / special::cos(x),
        Asin => special::asin(x),
        Acos => special::acos(x),
        Atan => special::atan(x),
        Atan2 => special::atan2(x, y),
        Sinh => special::sinh(x),
        Cosh => special::cosh(x),
        Asinh => special::asinh(x),
        Acosh => special::acosh(x),
        Atanh => special::atanh(x),
        Erf | ErfFast => special::erf(x),
        Erfc => special::erfc(x),
        Gelu | GeluFast => special::gelu(x),
        GeluTanh => special::gelu_tanh(x),
        Mish => special::mish(x),
        Cbrt => special::cbrt(x),
        Xlogy if x == 0.0 => 0.0,
        Xlogy => x * ln(y),
        _ => return None,
    })
}

/// What chooses between numbers.
fn compared(op: SfpuOp, [x, y, z]: [f64; 3], p: [u32; 4]) -> Option<f64> {
    use SfpuOp::*;
    let s = float(p[0]);
    Some(match op {
        Mask => {
            if y == 0.0 {
                0.0
            } else {
                x
            }
        }
        Relu => x.max(0.0),
        ReluMin => x.max(s),
        ReluMax => x.clamp(0.0, s.max(0.0)),
        Clamp | Hardtanh => x.max(s).min(float(p[1])),
        Sign if x == 0.0 => 0.0,
        Sign => 1.0f64.copysign(x),
        LeakyRelu | Prelu => {
            if x < 0.0 {
                x * s
            } else {
                x
            }
        }
        UnaryMax => x.max(s),
        UnaryMin => x.min(s),
        BinaryMax | MaxTile => x.max(y),
        BinaryMin => x.min(y),
        Eqz => flag(x == 0.0),
        Nez => flag(x != 0.0),
        Ltz => flag(x < 0.0),
        Gtz => flag(x > 0.0),
        Lez => flag(x <= 0.0),
        Gez => flag(x >= 0.0),
        UnaryEq => flag(x == s),
        UnaryNe => flag(x != s),
        UnaryLt => flag(x < s),
        UnaryGt => flag(x > s),
        UnaryLe => flag(x <= s),
        UnaryGe => flag(x >= s),
        EqBinary => flag(x == y),
        NeBinary => flag(x != y),
        LtBinary => flag(x < y),
        GtBinary => flag(x > y),
        LeBinary => flag(x <= y),
        GeBinary => flag(x >= y),
        Where | WhereFloat16b => {
            if x != 0.0 {
                y
            } else {
                z
            }
        }
        _ => return None,
    })
}

/// The format of the integers that a conversion leaves in Dst.
pub(super) fn integers(op: SfpuOp) -> Option<DataFormat> {
    use SfpuOp::*;
    match op {
        TypecastFloatToUInt16 | TypecastInt32ToUInt16 | TypecastUInt32ToUInt16 => Some(DataFormat::UInt16),
        TypecastFloatToInt32 => Some(DataFormat::Int32),
        TypecastFloatToUInt32 | TypecastUInt16ToUInt32 => Some(DataFormat::UInt32),
        TypecastFloatToUInt8 | TypecastIntToUInt8 | TypecastUInt16ToUInt8 => Some(DataFormat::UInt8),
        _ => None,
    }
}

/// Whether an operation is a conversion to bfloat16.
pub(super) fn is_to_bfloat16(op: SfpuOp) -> bool {
    use SfpuOp::*;
    matches!(
        op,
        TypecastFloat32ToFloat16b | TypecastInt32ToFloat16b | TypecastUInt32ToFloat16b | TypecastUInt16ToFloat16b
    )
}

/// Whether an operation computes with its operands as floats.
pub(super) fn takes_floats(op: SfpuOp) -> bool {
    let is_move = moves(op).is_some() || op.row().name.starts_with("typecast");
    op.inputs() > 0 && !is_move && function(op, [1.0; 3], [0; 4]).is_some()
}

/// Whether the least difference of an operand may make a large one of the result.
pub(super) fn jumps(op: SfpuOp) -> bool {
    use SfpuOp::*;
    let compares = matches!(op, Eqz | Nez | Ltz | Gtz | Lez | Gez | Where | WhereFloat16b | Sign)
        || matches!(op, UnaryEq | UnaryNe | UnaryLt | UnaryGt | UnaryLe | UnaryGe)
        || matches!(op, EqBinary | NeBinary | LtBinary | GtBinary | LeBinary | GeBinary);
    compares || matches!(op, Trunc | Floor | Ceil | Frac | Tan) || integers(op).is_some()
}

/// Which operand an operation moves as it is, whatever its format.
pub(super) fn moves(op: SfpuOp) -> Option<usize> {
    use SfpuOp::*;
    match op {
        Identity | CopyDestValues | TypecastNone | Mask | MaskInt => Some(0),
        Where | WhereFloat16b => Some(1),
        _ => None,
    }
}
