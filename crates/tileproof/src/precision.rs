//! What the vector unit's functions of one number keep: each beside exact arithmetic, on every number of bfloat16.
//!
//! It must never measure a function whose exact value nobody works out. Start at [`Function::all`].

use tileproof_check::values::shadow::function_of;
use tileproof_model::arch::Arch;
use tileproof_model::numerics::dst::Dst;
use tileproof_model::numerics::error::{difference, in_steps};
use tileproof_model::numerics::format::DataFormat;
use tileproof_model::numerics::sfpu::{Faces, SfpuMode, SfpuOp, execute_faces};
use tileproof_model::numerics::tile::TILE_DATUMS;

/// Numbers up to this size are ordinary ones.
pub const ORDINARY: f64 = 8.0;
const ONE: u32 = 0x3f80_0000;

/// A function of one number, and what it should be.
pub struct Function {
    op: SfpuOp,
    /// The exact value for each word of bfloat16; of those that are no numbers, or whose value is none that float32 has, `None`.
    exact: Vec<Option<f64>>,
}

/// The most that a function loses, in steps of the format of its result at its size, or at 2^-6 if that is larger.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Lost {
    /// Of numbers up to [`ORDINARY`].
    pub ordinary: f64,
    /// Of all numbers.
    pub anywhere: f64,
}

impl Function {
    /// All whose exact value can be worked out, in the order of their codes.
    pub fn all() -> impl Iterator<Item = Function> {
        SfpuOp::ALL.iter().filter_map(|op| Function::of(*op))
    }

    fn of(op: SfpuOp) -> Option<Function> {
        function_of(op, 1.0, parameters(op))?;
        let exact = |word: u32| {
            let x = f32::from_bits(word << 16);
            // The units take denormals for zero, whose sign some functions go by.
            let x = if x.is_normal() || word == 0 { f64::from(x) } else { return None };
            let value = function_of(op, x, parameters(op))?;
            (value.abs() <= f64::from(f32::MAX)).then_some(value)
        };
        Some(Function { op, exact: (0..1 << 16).map(exact).collect() })
    }

    /// Which it is.
    pub fn op(&self) -> SfpuOp {
        self.op
    }

    /// What it loses on a chip, in a Dst of 32 bits or of 16; `None` where the chip is not known to have it.
    pub fn lost(&self, arch: Arch, dst_32: bool) -> Option<Lost> {
        let rules = arch.constants().arithmetic.sfpu;
        let mode = SfpuMode { dst_32, approx: false, rules, src_b_is_fp16: false };
        let format = if dst_32 { DataFormat::Float32 } else { DataFormat::Float16_b };
        let mut dst = Dst::default();
        let mut lost = Lost::default();
        for first in (0..1usize << 16).step_by(TILE_DATUMS) {
            for (at, word) in dst.tile_mut(0).0.iter_mut().enumerate() {
                *word = ((first + at) as u32) << 16;
            }
            execute_faces(self.op, &parameters(self.op), &mode, &mut dst, [0; 3], 0, Faces::RC).ok()?;
            for (at, word) in dst.tile(0).0.iter().enumerate() {
                let Some(exact) = self.exact[first + at] else { continue };
                let found = f64::from(f32::from_bits(*word));
                let steps = in_steps(format, difference(found, exact), exact).unwrap_or(f64::INFINITY);
                lost.anywhere = lost.anywhere.max(steps);
                if f64::from(f32::from_bits(((first + at) as u32) << 16)).abs() <= ORDINARY {
                    lost.ordinary = lost.ordinary.max(steps);
                }
            }
        }
        Some(lost)
    }
}

/// What an operation is measured with: a slope of one where it has one.
fn parameters(op: SfpuOp) -> [u32; 4] {
    if op == SfpuOp::Elu { [ONE, 0, 0, 0] } else { [0; 4] }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lost(op: SfpuOp, dst_32: bool) -> Lost {
        Function::of(op).unwrap().lost(Arch::Wormhole, dst_32).unwrap()
    }

    #[test]
    fn what_is_exact_loses_nothing_and_what_is_rounded_half_a_step() {
        assert_eq!(lost(SfpuOp::Floor, false), Lost::default());
        let sqrt = lost(SfpuOp::Sqrt, false);
        assert!(sqrt.anywhere >= 0.49 && sqrt.anywhere < 2.0, "{sqrt:?}");
        // A polynomial of few terms shows in 32 bits, and not in 16.
        let [narrow, wide] = [false, true].map(|dst_32| lost(SfpuOp::Tanh, dst_32).ordinary);
        assert!(narrow < 3.0 && wide > narrow, "{narrow} {wide}");
    }

    #[test]
    fn functions_of_two_numbers_and_choices_are_none_of_these() {
        for op in [SfpuOp::AddBinary, SfpuOp::UnaryMax, SfpuOp::TypecastFloatToInt32, SfpuOp::Where] {
            assert!(Function::of(op).is_none(), "{op:?}");
        }
    }
}
