//! One call of the kernel API on Dst.
//!
//! Must never write a tile of an operation or mode that is not modelled: the caller gets an error
//! instead of a guess. Start reading at [`execute`].

use super::call::{Call, Ran};
use super::missing::{Unimplemented, known};
use super::mode::{Faces, SfpuMode};
use super::op::SfpuOp;
use super::row::Family;
use super::unit::Sfpu;
use super::{
    activation, arcsine, basic, bessel, compare, convert, division, exponential, gaussian, hyperbolic, integer, limits,
    logarithm, power, reciprocal,
};
use super::{reduce, root, rounding, running, shrink, ternary, trigonometry, word_tables};
use crate::dst::Dst;

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
    known(op, mode)?;
    let mut call = Call { op, unit: Sfpu::new(mode), dst, inputs, output, part: faces.into(), params };
    let steps = |call: &mut Call<'_>| run(op.row().family, call);
    let ran = word_tables::look_up(&mut call, steps).unwrap_or_else(|| steps(&mut call));
    ran.map_err(|what| Unimplemented { op, what })?;
    // Without an instruction there is no store.
    if op.row().slots != [0; 2] {
        validate(dst, output, faces);
    }
    Ok(())
}

fn run(family: Family, call: &mut Call<'_>) -> Ran {
    match family {
        Family::Activation => activation::run(call),
        Family::Arcsine => arcsine::run(call),
        Family::Basic => basic::run(call),
        Family::Bessel => bessel::run(call),
        Family::Compare => compare::run(call),
        Family::Convert => convert::run(call),
        // Such code is no call: `custom.rs` runs it.
        Family::Custom => Err("custom vector code as a call"),
        Family::Division => division::run(call),
        Family::Exponential => exponential::run(call),
        Family::Gaussian => gaussian::run(call),
        Family::Hyperbolic => hyperbolic::run(call),
        Family::Integer => integer::run(call),
        Family::Limits => limits::run(call),
        Family::Logarithm => logarithm::run(call),
        Family::Power => power::run(call),
        Family::Reciprocal => reciprocal::run(call),
        Family::Reduce => reduce::run(call),
        Family::Root => root::run(call),
        Family::Rounding => rounding::run(call),
        Family::Running => running::run(call),
        Family::Shrink => shrink::run(call),
        Family::Ternary => ternary::run(call),
        Family::Trigonometry => trigonometry::run(call),
    }
}

/// A store writes the row whole as soon as its second half of columns is stored.
fn validate(dst: &mut Dst, output: usize, faces: Faces) {
    for face in 0..4 {
        if faces.contains(face) {
            dst.set_valid(output, 0xffff << (16 * face));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chip::WORMHOLE;

    /// One datum of each of two tiles through a call; UInt16 words stand in the high half of a 16-bit Dst.
    fn answer(op: SfpuOp, x: u32, y: u32) -> u32 {
        let low_16 = format!("{op:?}").ends_with("UInt16");
        let mode = SfpuMode { dst_32: !low_16, approx: false, rules: WORMHOLE.sfpu, src_b_is_fp16: false };
        let place = if low_16 { 16 } else { 0 };
        let mut dst = Dst::default();
        dst.tile_mut(0).0.fill(x << place);
        dst.tile_mut(1).0.fill(y << place);
        let inputs = [0, if op.inputs() == 2 { 1 } else { 0 }, 0];
        execute(op, &[y, 0, 0, 0], &mode, &mut dst, inputs, 0).unwrap();
        dst.tile(0).0[0] >> place
    }

    /// What the kernels of ttnn 0.79 do by their text in the corners in which they differ from arithmetic and from one
    /// another; ttsim 1.10.0 gave the same for tiles of such numbers.
    #[test]
    fn integer_operations_answer_at_the_corners_as_their_kernels_do() {
        use SfpuOp::*;
        for (op, x, y, expected) in [
            (NegativeInt32, 0x8000_0000, 0, 0x8000_0000),
            (NegativeInt32, 5, 0, 0xffff_fffb),
            (UnaryEqInt32, 0x8000_0000, 0, 1),
            (UnaryEqInt32, 0x8000_0000, 0x8000_0000, 0),
            (UnaryNeInt32, 0xffff_fff9, 0xffff_fff9, 0),
            (UnaryRightShift, 0x8000_0000, 40, 0xffff_ffff),
            (UnaryRightShiftUInt32, 0x8000_0000, 40, 1),
            (UnaryLeftShift, 1, 32, 0),
            (UnaryLeftShiftUInt16, 0x8001, 1, 2),
            (UnaryRightShiftUInt16, 0x8001, 40, 0),
            (RightShift, 0x8000_0000, 32, 0),
            (RightShiftUInt32, 0x8000_0000, 32, 1),
            (RightShiftUInt16, 0x8000, 15, 1),
            (LeftShiftUInt16, 0x8001, 33, 0),
            (RsubUInt16, 1, 0, 0xffff),
            (LtUInt16, 1, 0x8000, 1),
            (GeUInt16, 0x8000, 0x8000, 1),
            (NeUInt16, 0x8000, 0, 1),
            (UnaryMaxUInt32, 0x8000_0000, 5, 0x8000_0000),
            (UnaryMinInt32, 0x8000_0000, 0xffff_fff9, 0x8000_0000),
            (RsubUnaryInt32, 5, 3, 0xffff_fffe),
            (ReluInt32, 0x8000_0000, 0, 0),
        ] {
            assert_eq!(answer(op, x, y), expected, "{op:?} of {x:08x}, {y:08x}");
        }
    }
}
