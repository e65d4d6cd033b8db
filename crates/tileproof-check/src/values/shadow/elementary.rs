//! Functions of the vector unit in float64.
//!
//! Series of our own: a record must not depend on the library of the host, and no digit beyond the fifteenth matters here.
//! Functions that are not here are not followed. Start at [`function`].

use tileproof_numerics::format::DataFormat;
use tileproof_numerics::sfpu::SfpuOp;

const LN2: f64 = std::f64::consts::LN_2;

/// e to the power of x.
pub(super) fn exp(x: f64) -> f64 {
    if !(-745.0..=709.0).contains(&x) {
        return if x.is_nan() {
            x
        } else if x < 0.0 {
            0.0
        } else {
            f64::INFINITY
        };
    }
    let k = (x / LN2).round();
    let r = x - k * LN2;
    let mut term = 1.0;
    let mut sum = 1.0;
    for n in 1..22 {
        term *= r / f64::from(n);
        sum += term;
    }
    sum * power_of_two(k as i32)
}

fn power_of_two(k: i32) -> f64 {
    if k < -1022 {
        return f64::from_bits(1 << (k + 1074).max(0));
    }
    f64::from_bits(((k + 1023) as u64) << 52)
}

/// The natural logarithm.
pub(super) fn ln(x: f64) -> f64 {
    if x <= 0.0 || !x.is_finite() {
        return if x == 0.0 {
            f64::NEG_INFINITY
        } else if x < 0.0 {
            f64::NAN
        } else {
            x
        };
    }
    let bits = x.to_bits();
    let mut e = (bits >> 52 & 0x7ff) as i32 - 1023;
    let mut m = f64::from_bits(bits & !(0x7ff << 52) | 1023 << 52);
    if m > std::f64::consts::SQRT_2 {
        m /= 2.0;
        e += 1;
    }
    let z = (m - 1.0) / (m + 1.0);
    let (mut power, mut sum) = (z, 0.0);
    for n in 0..24 {
        sum += power / f64::from(2 * n + 1);
        power *= z * z;
    }
    2.0 * sum + f64::from(e) * LN2
}

fn tanh(x: f64) -> f64 {
    let e = exp(-2.0 * x.abs());
    ((1.0 - e) / (1.0 + e)).copysign(x)
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + exp(-x))
}

fn flag(condition: bool) -> f64 {
    f64::from(u8::from(condition))
}

fn float(bits: u32) -> f64 {
    f32::from_bits(bits).into()
}

/// The function of an operation on the datums that it reads, or `None` where it is not followed.
pub(super) fn function(op: SfpuOp, [x, y, z]: [f64; 3], p: [u32; 4]) -> Option<f64> {
    arithmetic(op, [x, y, z], p).or_else(|| one_number(op, x, p)).or_else(|| compared(op, [x, y, z], p))
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
        LeakyRelu | Prelu => {
            if x < 0.0 {
                x * s
            } else {
                x
            }
        }
        UnaryMax => x.max(s),
        UnaryMin => x.min(s),
        BinaryMax => x.max(y),
        BinaryMin => x.min(y),
        Eqz => flag(x == 0.0),
        Nez => flag(x != 0.0),
        Ltz => flag(x < 0.0),
        Gtz => flag(x > 0.0),
        Lez => flag(x <= 0.0),
        Gez => flag(x >= 0.0),
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

/// Whether the least difference of an operand may make a large one of the result.
pub(super) fn jumps(op: SfpuOp) -> bool {
    use SfpuOp::*;
    let compares = matches!(op, Eqz | Nez | Ltz | Gtz | Lez | Gez | Where | WhereFloat16b);
    compares || matches!(op, Trunc | Floor | Ceil | Frac) || integers(op).is_some()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_series_are_good_to_twelve_digits() {
        for x in [-20.0, -1.0, -1e-9, 0.5, 1.0, 3.7, 40.0] {
            let close = |a: f64, b: f64| assert!((a - b).abs() <= 1e-12 * b.abs(), "{x}: {a} {b}");
            // Powers of numbers whose logarithms are known.
            close(exp(ln(2.0 + x * x)), 2.0 + x * x);
            close(exp(x) * exp(-x), 1.0);
        }
        assert!((exp(1.0) - std::f64::consts::E).abs() < 1e-14);
        assert!((ln(10.0) - std::f64::consts::LN_10).abs() < 1e-14);
    }
}
