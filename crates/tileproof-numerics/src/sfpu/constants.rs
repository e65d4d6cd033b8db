//! What the vector unit keeps for an operation from its init on: registers 12 to 14, the macros of SFPLOADMACRO and tables in
//! registers 0 to 6.
//!
//! All operations share them, so that the init of one may take them from another. Kernels of ttnn 0.79 on Wormhole; must never
//! speak for a chip or a generation whose inits load something else. Sources: the `*_init` functions of llk_sfpu/ckernel_sfpu_*.h
//! and tt_llk_wormhole_b0 common/inc/sfpu; measured: ttsim 1.10.0 (a reciprocal after `log_tile_init`, exponentials after the
//! init of the other form). Start reading at [`Constants::needs`].

#![allow(
    clippy::excessive_precision,
    clippy::approx_constant,
    clippy::unreadable_literal,
    reason = "constants as the kernels spell them"
)]

use super::mode::SfpuMode;

/// Words of registers 12 to 14; `None` where the register does not matter.
pub type Programmable = [Option<u32>; 3];

/// Which constants an operation keeps in registers 12 to 14.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Constants {
    /// None.
    Own,
    /// Of the reciprocal, and of all that divides by it.
    Reciprocal,
    /// Of the exponential of a 16-bit Dst. That of a 32-bit one loads those of the reciprocal, and reads none.
    Exponential,
    /// Of the fast exponential. The scale is left out: a call is told its init's.
    ExponentialFast,
    /// Of the fast exponential without clamping, scale left out.
    ExponentialUnclamped,
    /// Of the logarithm, and of ln(1 + x).
    Logarithm,
    /// Those of the logarithm of a 16-bit Dst, whatever Dst is.
    LogarithmNarrow,
    /// Of the older logarithm.
    LogarithmOlder,
    /// Of square roots, of either kind.
    Root,
    /// Of the cube root.
    CubeRoot,
    /// Of the sine.
    Sine,
    /// Of the cosine.
    Cosine,
    /// Of the tangent.
    Tangent,
    /// Of arcsine and arccosine, with a 32-bit Dst alone: those of a root that is not approximate.
    Arcsine,
    /// Of the hyperbolic cosine.
    Cosh,
    /// Of the hyperbolic sine.
    Sinh,
    /// Of the arctangent.
    Arctangent,
    /// Of the hyperbolic tangent.
    Tanh,
    /// Of the hyperbolic tangent in 32 bits, whatever the width of Dst.
    TanhWide,
    /// Of powers of two, with a 32-bit Dst alone.
    Exp2,
    /// Of exp(x) - 1.
    Expm1,
    /// Of powers of a tile by a tile.
    PowerBinary,
    /// Of powers of a tile by a number.
    Power,
    /// Of the hard sigmoid.
    Hardsigmoid,
    /// Of gelu by table.
    GeluFast,
    /// Of gelu with a 32-bit Dst alone: those of the reciprocal.
    GeluWide,
    /// The mask of a magnitude.
    Magnitude,
    /// Of quotients and remainders of integers.
    DivInt,
    /// Masks and shifts of the product of 32-bit integers.
    MulInt,
    /// The same of UInt16.
    MulUInt16,
    /// Rounding of a float to bf16.
    ToFloat16b,
    /// The mask of the low byte.
    ToUInt8,
    /// The masks of a byte and of 16 bits.
    IntToUInt8,
    /// The shift that mends the sign of a converted integer.
    SignFix,
    /// A number that the call itself puts into register 12.
    Scalar,
}

const fn floats(words: [f32; 3]) -> Programmable {
    [Some(words[0].to_bits()), Some(words[1].to_bits()), Some(words[2].to_bits())]
}

const NONE: Programmable = [None; 3];
const RECIPROCAL: Programmable = floats([0.3232325017452239990234375, 1.4545459747314453125, 2.121212482452392578125]);
const LOG_TWO: f32 = 0.693147182 * 1.19209290e-7;
/// Those of the logarithm of a 16-bit Dst.
const LOG_NARROW: [f32; 3] = [LOG_TWO, 0.363525391, -0.500976563];

impl Constants {
    /// What a call reads, and its init has to have loaded.
    pub fn needs(self, mode: &SfpuMode) -> Programmable {
        match self {
            // Measured: right without any init.
            Constants::Exponential if mode.dst_32 => NONE,
            Constants::Scalar => NONE,
            _ => self.loads(mode),
        }
    }

    /// What an init loads.
    pub fn loads(self, mode: &SfpuMode) -> Programmable {
        let wide = mode.dst_32;
        let either = |w: [f32; 3], n: [f32; 3]| floats(if wide { w } else { n });
        let two = |a: f32, b: f32| [Some(a.to_bits()), Some(b.to_bits()), None];
        match self {
            Constants::Own | Constants::Scalar => NONE,
            Constants::Reciprocal => RECIPROCAL,
            Constants::GeluWide if wide => RECIPROCAL,
            Constants::GeluWide => NONE,
            Constants::Exponential if wide => RECIPROCAL,
            Constants::Exponential => two(1.4426950216293334961, 4.791750143340323e-15),
            Constants::ExponentialFast => floats([369.329925537109375, 32500.818359375, -88.5]),
            Constants::ExponentialUnclamped => [Some(0x43b8_aa3b), Some(0x46fd_e9a3), Some(15)],
            Constants::Logarithm => either([LOG_TWO, -0.250000387, 0.33333376], LOG_NARROW),
            Constants::LogarithmNarrow => floats(LOG_NARROW),
            Constants::LogarithmOlder => floats([0.69314718, 0.10968964, -0.72910421]),
            Constants::Root if mode.approx => [Some(0x5f0b_3892), Some(1.89099014875f32.to_bits()), None],
            Constants::Root => [Some(0x5f11_10a0), Some(2.2825186f32.to_bits()), Some(2.2533049f32.to_bits())],
            Constants::CubeRoot => floats([1.75231969, -1.2509525, 0.5093818]),
            Constants::Sine => floats([-6.27711415e-7, -1.2154201e-10, 0.31830987334251404]),
            Constants::Cosine => floats([-3.13855708e-7, -6.07710052e-11, 0.31830987334251404]),
            Constants::Tangent => floats([-3.13855708e-7, -6.07710052e-11, 0.6366197466850281]),
            Constants::Arcsine if wide => {
                [Some(0x5f11_10a0), Some(2.2825186f32.to_bits()), Some(2.2533049f32.to_bits())]
            }
            Constants::Arcsine => NONE,
            Constants::Cosh => {
                either([1.442695, -0.693145752, 4.99999851e-1], [1.442695, -0.6931471805599453, 0.500122011])
            }
            Constants::Sinh => {
                either([1.442695, -0.693145752, 1.666667163e-1], [1.442695, -0.6931471805599453, 1.666259766e-1])
            }
            Constants::Arctangent if wide => {
                [Some(0xfef3_92e0), Some(0.199988395f32.to_bits()), Some((-0.333333284f32).to_bits())]
            }
            Constants::Arctangent => RECIPROCAL,
            Constants::Tanh if wide => Constants::TanhWide.loads(mode),
            Constants::Tanh => {
                floats([5.876733921468257904052734375e-3, -6.6649019718170166015625e-2, 0.281917631626129150390625])
            }
            Constants::TanhWide => floats([2.0 * 1.442695, -0.6931471805599453, 1.666667163e-1]),
            Constants::Exp2 if wide => floats([0.693147123, 0.24022603, 0.05550377]),
            Constants::Exp2 => NONE,
            Constants::Expm1 => {
                either([1.442695, -0.693145752, 1.666667163e-1], [1.442695, -0.6931471805599453, 1.666259766e-1])
            }
            Constants::PowerBinary => two(1.442695, -127.0),
            Constants::Power => [Some(1.4426950408889634f32.to_bits()), Some((-127.0f32).to_bits()), Some(0x7fc0_0000)],
            Constants::Hardsigmoid => two(0.1666666716337204, 0.5),
            Constants::GeluFast => [Some(0.5f32.to_bits()), None, None],
            Constants::Magnitude => [Some(0x7fff_ffff), None, None],
            Constants::DivInt => floats([17_179_869_184.0, 0.470588266849517822265625, 1.41176474094390869140625]),
            Constants::MulInt => [Some(0x7ff), Some((-11i32).cast_unsigned()), Some(8_388_608.0f32.to_bits())],
            Constants::MulUInt16 => [Some(0xff), Some(8_388_608.0f32.to_bits()), None],
            Constants::ToFloat16b => [Some(1), Some(0x7fff), Some(0xffff_0000)],
            Constants::ToUInt8 => [Some(0xff), None, None],
            Constants::IntToUInt8 => [Some(0xff), Some(0xffff), None],
            Constants::SignFix => [Some((-31i32).cast_unsigned()), None, None],
        }
    }

    /// Which of the registers the call itself takes, so that an init of before has lost them.
    pub const fn takes(self) -> [bool; 3] {
        [matches!(self, Constants::Scalar), false, false]
    }
}
