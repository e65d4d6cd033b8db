//! The matrix unit datum by datum: the model that decides what the right bits are.
//!
//! One function an instruction and datum, in integer arithmetic only, after the formulas of ttsim's
//! `tensix.cpp` and the ISA documentation (`TensixCoprocessor/{MVMUL,ELWMUL,ELWADD,GMPOOL}.md`),
//! checked against the golden vectors. It must stay slow and obvious. Start at [`accumulate`], the
//! back end that all arithmetic instructions share.

use super::mode::{Class, FpuMode, operand_mask};

/// A fixed-point term on its way into Dst: bit 23 of the mantissa is the unit at `exponent`.
#[derive(Clone, Copy, Default, Debug)]
pub struct Term {
    /// 1 for negative.
    pub sign: u32,
    /// Biased exponent.
    pub exponent: i32,
    /// Magnitude, up to 28 bits.
    pub mantissa: u32,
}

/// Shifts right, rounding half up on the magnitude of positives and half down on that of negatives.
fn align(mantissa: u32, sign: u32, distance: i32) -> u32 {
    match distance {
        ..=0 => mantissa,
        1..31 => (mantissa + (1 << (distance - 1)) - sign) >> distance,
        _ => 0,
    }
}

/// Aligns two terms and the old Dst value, adds, renormalises and encodes. Works on fp32 words; an
/// fp16 Dst value has its five exponent bits at bit 23.
pub fn accumulate(mode: FpuMode, first: Term, second: Term, dst: u32) -> u32 {
    let class_b = mode.class() == Class::B;
    let dst_exponent = (dst >> 23 & 255) as i32;
    let mut dst_mantissa = if dst_exponent == 0 { 0 } else { dst & 0x7F_FFFF | 0x80_0000 };
    let exponent = first.exponent.max(second.exponent).max(dst_exponent);
    if exponent <= 0 {
        return 0;
    }
    let mut first_mantissa = align(first.mantissa, first.sign, exponent - first.exponent);
    let mut second_mantissa = align(second.mantissa, second.sign, exponent - second.exponent);
    dst_mantissa = align(dst_mantissa, 0, exponent - dst_exponent);
    if !mode.dst_32 {
        first_mantissa = (first_mantissa + 4096 - first.sign) & !8191;
        second_mantissa = (second_mantissa + 4096 - second.sign) & !8191;
        dst_mantissa = (dst_mantissa + 4096) & !8191;
    }

    let mut sign = dst >> 31;
    let toward = |term_sign: u32, m: u32| {
        if term_sign == sign { m as i32 } else { -(m as i32) }
    };
    let sum = dst_mantissa as i32 + toward(first.sign, first_mantissa) + toward(second.sign, second_mantissa);
    if sum == 0 {
        return 0;
    }
    if sum < 0 {
        sign ^= 1;
    }
    renormalise(mode, class_b, sign, exponent, sum.unsigned_abs())
}

/// Brings the leading one to bit 23, rounds to the precision of Dst and encodes.
fn renormalise(mode: FpuMode, class_b: bool, sign: u32, exponent: i32, mantissa: u32) -> u32 {
    let mut shift = mantissa.leading_zeros() as i32 - 8;
    if mode.rules.miscounts_minus_one && sign == 1 && mantissa == 1 {
        // The leading sign count of -1 sees all ones; the shift comes out as -4, not 23.
        shift -= 27;
    }
    let mut exponent = exponent - shift;
    let dropped = match (mode.dst_32, class_b) {
        (true, _) => 0,
        (false, true) => 16,
        (false, false) => 13,
    };
    shift -= dropped;
    let mut m = if shift < 0 { (mantissa + (1 << (-shift - 1))) >> -shift } else { mantissa << shift };
    m <<= dropped;
    if m & 0x100_0000 != 0 {
        exponent += 1;
    }
    m &= 0x7F_FFFF;
    let limit = if mode.dst_32 || class_b { 255 } else { 32 };
    if exponent <= 0 {
        0
    } else if exponent >= limit {
        let saturated = if limit == 255 { 255 << 23 } else { 31 << 23 | 0x3FF << 13 };
        sign << 31 | saturated
    } else {
        sign << 31 | (exponent as u32) << 23 | m
    }
}

/// Dst as the arithmetic sees it, from the word of a Dst tile.
pub fn read_dst(mode: FpuMode, word: u32) -> u32 {
    match (mode.dst_32, mode.class()) {
        (false, Class::A) => word & 0x8000_0000 | (word & 0x7FFF_0000) >> 3,
        _ => word,
    }
}

/// The word of a Dst tile for a result.
pub fn write_dst(mode: FpuMode, result: u32) -> u32 {
    match (mode.dst_32, mode.class()) {
        (true, _) => result,
        (false, Class::A) => result & 0x8000_0000 | (result & 0x0FFF_E000) << 3,
        (false, _) => result & 0xFFFF_0000,
    }
}

/// What is added to the sum of the operands' exponents in a phase.
fn product_exponent_offset(mode: FpuMode, phase: u32) -> i32 {
    let rebias = match (mode.class(), mode.dst_32) {
        (Class::B, _) => -127,
        (_, true) => 127 - 30,
        (_, false) => -15,
    };
    rebias - if phase & 1 != 0 { 5 } else { 0 } - if phase & 2 != 0 { 7 } else { 0 }
}

/// One product of a phase: sign, biased exponent, magnitude with bit 10 the unit. None when an
/// operand has exponent 0.
fn product(mode: FpuMode, a: u32, b: u32, phase: u32) -> Option<(u32, i32, u32)> {
    let (a, b) = (a & operand_mask(mode.src_a), b & operand_mask(mode.src_b));
    let (a_exponent, b_exponent) = ((a >> 23 & 255) as i32, (b >> 23 & 255) as i32);
    if a_exponent == 0 || b_exponent == 0 {
        return None;
    }
    let (a_mantissa, b_mantissa) = (a >> 13 & 0x3FF | 0x400, b >> 13 & 0x3FF | 0x400);
    let a_part = if phase & 1 != 0 { a_mantissa >> 1 & 31 } else { a_mantissa >> 6 };
    let b_part = if phase & 2 != 0 { (b_mantissa & 15) << 3 } else { b_mantissa >> 4 };
    let exponent = a_exponent + b_exponent + product_exponent_offset(mode, phase);
    Some(((a ^ b) >> 31, exponent, a_part * b_part))
}

/// ELWMUL, all phases. Always accumulates.
pub fn elwmul(mode: FpuMode, a: u32, b: u32, dst: u32) -> u32 {
    let mut dst = dst;
    for phase in 0..mode.fidelity.phases() {
        if mode.class() == Class::Integer {
            let product =
                integer_part(a, phase & 1 != 0, INTEGER_A_PARTS) * integer_part(b, phase & 2 != 0, INTEGER_B_PARTS);
            dst = add_sign_magnitude(dst, product);
            continue;
        }
        let term = match product(mode, a, b, phase) {
            Some((sign, exponent, mantissa)) if exponent > 0 => Term { sign, exponent, mantissa: mantissa << 13 },
            _ => Term { exponent: product_exponent_offset(mode, phase).max(0), ..Term::default() },
        };
        dst = write_dst(mode, accumulate(mode, term, Term::default(), read_dst(mode, dst)));
    }
    dst
}

/// ELWADD; pass `b` with its sign flipped for ELWSUB. `dst` is the value to add to, 0 when the
/// instruction overwrites.
pub fn elwadd(mode: FpuMode, a: u32, b: u32, dst: u32) -> u32 {
    if mode.class() == Class::Integer {
        return add_sign_magnitude(dst, integer(a) + integer(b));
    }
    let flush = |x: u32| if x >> 23 & 255 == 0 { 0 } else { x };
    let a = flush(a & operand_mask(mode.src_a));
    let b = flush(b & operand_mask(mode.src_b));
    let (large, small) = if a & 0x7FFF_FFFF < b & 0x7FFF_FFFF { (b, a) } else { (a, b) };
    let mantissa = |x: u32| if x == 0 { 0 } else { x >> 13 & 0x3FF | 0x400 };
    let exponent = (large >> 23 & 255) as i32;
    let distance = exponent - (small >> 23 & 255) as i32;
    let small_mantissa = if distance < 12 { align(mantissa(small), 0, distance) } else { 0 };
    let sum = if (a ^ b) >> 31 == 0 { mantissa(large) + small_mantissa } else { mantissa(large) - small_mantissa };
    let exponent = match (mode.class(), mode.dst_32) {
        (Class::A, true) if exponent == 0 => 127 - 30,
        (Class::A, true) => exponent + 112,
        _ => exponent,
    };
    let term = Term { sign: large >> 31, exponent, mantissa: sum << 13 };
    write_dst(mode, accumulate(mode, term, Term::default(), read_dst(mode, dst)))
}

/// One output datum of MVMUL or GAPOOL in one phase: 16 products in two groups of eight.
pub fn mvmul(mode: FpuMode, a: &[u32; 16], b: &[u32; 16], dst: u32, phase: u32) -> u32 {
    if mode.class() == Class::Integer {
        let sum = (0..16)
            .map(|k| {
                integer_part(a[k], phase & 1 != 0, INTEGER_A_PARTS)
                    * integer_part(b[k], phase & 2 != 0, INTEGER_B_PARTS)
            })
            .sum();
        return add_sign_magnitude(dst, sum);
    }
    let zero_exponent = product_exponent_offset(mode, phase).max(0);
    let mut terms = [Term::default(); 2];
    for (group, term) in terms.iter_mut().enumerate() {
        let products: [(u32, i32, u32); 8] = std::array::from_fn(|i| {
            let k = 8 * group + i;
            product(mode, a[k], b[k], phase).unwrap_or((0, zero_exponent, 0))
        });
        let exponent = products.iter().map(|p| p.1).max().unwrap_or(0);
        if exponent <= 0 {
            continue;
        }
        let mut sum = 0i32;
        for (sign, product_exponent, mantissa) in products {
            let distance = (exponent - product_exponent).min(30);
            let aligned = ((2 * mantissa + (1 << distance)) >> (distance + 1)) as i32;
            sum += if sign == 1 { -aligned } else { aligned };
        }
        *term = Term { sign: u32::from(sum < 0), exponent, mantissa: sum.unsigned_abs() << 13 };
    }
    write_dst(mode, accumulate(mode, terms[0], terms[1], read_dst(mode, dst)))
}

/// One column of GMPOOL: the largest of 16 SrcA datums and the old Dst value, in the total order of
/// sign-magnitude patterns. An undefined Dst row reads as all ones, the smallest.
pub fn gmpool(mode: FpuMode, a: &[u32; 16], dst: u32) -> u32 {
    let order = |x: u32| {
        if x >> 31 == 1 { (x ^ 0x7FFF_FFFF) as i32 } else { x as i32 }
    };
    let mut max = dst & if mode.dst_32 { 0xFFFF_E000 } else { 0xFFFF_0000 };
    for &datum in a {
        let masked = datum & operand_mask(mode.src_a);
        let value = if masked & 0x7F80_0000 == 0 { 0 } else { masked };
        if order(value) > order(max) {
            max = value;
        }
    }
    max
}

/// Masks of the high and low part of an INT8 operand in its Src word.
const INTEGER_A_PARTS: [u32; 2] = [0x801C_0000, 0x8003_E000];
const INTEGER_B_PARTS: [u32; 2] = [0x807E_0000, 0x8001_E000];

/// The value of an INT8 overlay: sign and ten bits of magnitude; exponent 0 is zero.
fn integer(word: u32) -> i32 {
    if word & 0x7F80_0000 == 0 {
        return 0;
    }
    let magnitude = (word >> 13 & 0x3FF) as i32;
    if word >> 31 == 1 { -magnitude } else { magnitude }
}

fn integer_part(word: u32, low: bool, parts: [u32; 2]) -> i32 {
    if word & 0x7F80_0000 == 0 {
        return 0;
    }
    integer(word & parts[usize::from(low)] | 1 << 27)
}

/// Adds to a sign-magnitude word, saturating at the largest magnitude.
fn add_sign_magnitude(word: u32, value: i32) -> u32 {
    let magnitude = i64::from(word & 0x7FFF_FFFF);
    let old = if word >> 31 == 1 { -magnitude } else { magnitude };
    let sum = (old + i64::from(value)).clamp(-0x7FFF_FFFF, 0x7FFF_FFFF);
    if sum < 0 { 0x8000_0000 | sum.unsigned_abs() as u32 } else { sum as u32 }
}
