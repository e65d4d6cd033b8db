//! The table of the vector unit against what is recorded: an operation runs where its answers are known, and nowhere else.
//!
//! Start at [`every_operation_is_recorded_on_every_chip_that_runs_it`].

use std::collections::BTreeSet;

use tileproof_numerics::chip::{BLACKHOLE, Recorded, WORMHOLE};
use tileproof_numerics::dst::Dst;
use tileproof_numerics::sfpu::{Keeps, SfpuMode, SfpuOp, Width, execute};

use crate::sfpu::{Case, cases, digested};
use crate::sfpu_calls::operation;
use crate::{sfpu_integers, sfpu_words};

/// Whether each recorded case of an operation in a width of Dst is recorded on a chip, and there is one.
fn has_cases(op: SfpuOp, on: Recorded, dst_32: bool) -> bool {
    let calls = |case: &Case| case.calls.iter().any(|(name, _)| operation(name) == Some(op));
    let of = |case: &Case| calls(case) && case.flag("fp32_dest_acc_en") == dst_32;
    let on_wormhole: BTreeSet<&str> = cases("extra").iter().filter(|case| of(case)).map(Case::name).collect();
    let on_blackhole: BTreeSet<&str> = digested().iter().map(|(case, _)| case.name()).collect();
    !on_wormhole.is_empty() && (on == Recorded::Wormhole || on_wormhole.is_subset(&on_blackhole))
}

/// Digests of programs, which the library's tests run.
const PROGRAMS: &str = include_str!("../../../../tests/golden/program_digests.txt");

/// Digests of vector code that is drawn, which the library's tests run.
const DRAWN: &str = include_str!("../../../../tests/golden/vector_digests.txt");

/// The exceptions: operations that words and integers of tiles do not show, and whether what does is recorded.
fn elsewhere(op: SfpuOp, on: Recorded, dst_32: bool) -> Option<bool> {
    use SfpuOp::*;
    Some(match op {
        // Which tiles there are before matters, or which side is reduced: cases of either chip.
        Reduce | Cumsum => has_cases(op, on, dst_32),
        // They answer with what several calls left in registers: a program of both widths.
        _ if op.row().keeps == Keeps::Moments => {
            let line = format!("{on:?} welford {} ", if dst_32 { 32 } else { 16 }).to_lowercase();
            PROGRAMS.lines().any(|recorded| recorded.starts_with(&line))
        }
        // A kernel's own code, which is drawn.
        CustomOfNone | CustomOfOne | CustomOfTwo | CustomOfThree => {
            let of_chip = |line: &&str| line.starts_with(&format!("{on:?} ").to_lowercase());
            let bits = if dst_32 { " 32 " } else { " 16 " };
            DRAWN.lines().filter(of_chip).filter(|line| line.contains(bits)).count() >= 90
        }
        // No instruction, so nothing that a chip could do otherwise.
        TypecastNone => true,
        _ => return None,
    })
}

/// The mark of a table of operations: an operation runs where its answers are recorded, on each chip and in each width of Dst that
/// it works on: to all words of bf16, or to integers.
#[test]
fn every_operation_is_recorded_on_every_chip_that_runs_it() {
    let mut missing = Vec::new();
    for on in [Recorded::Wormhole, Recorded::Blackhole] {
        let integers = sfpu_integers::proven(on);
        for dst_32 in [false, true] {
            let words = sfpu_words::recorded_on(on, dst_32, false);
            for op in SfpuOp::ALL.iter().filter(|op| sfpu_words::widths(**op).contains(&dst_32)) {
                let of_integers = op.row().width != Width::Any && integers.contains(&op.code());
                let recorded = elsewhere(*op, on, dst_32).unwrap_or(words.contains(&op.code()) || of_integers);
                let custom = op.name() == SfpuOp::CustomOfOne.name();
                if recorded != (op.row().runs_on(on) || custom) {
                    missing.push(format!("{op:?} on {on:?}, 32 bits: {dst_32}, recorded: {recorded}"));
                }
            }
        }
    }
    assert!(missing.is_empty(), "{} of the table are not as recorded:\n{}", missing.len(), missing.join("\n"));
}

/// Where kernels that are compiled for approximate steps answer otherwise to some word, that is recorded as well.
#[test]
fn approximate_steps_are_recorded_where_they_show() {
    let mut missing = Vec::new();
    for on in [WORMHOLE, BLACKHOLE] {
        for dst_32 in [false, true] {
            let recorded = sfpu_words::recorded_on(on.sfpu.recorded, dst_32, true);
            for line in sfpu_words::exact(on.sfpu.recorded, dst_32) {
                if !recorded.contains(&line.op.code()) && line.approximate_differs() {
                    missing.push(format!("{:?} on {:?}, 32 bits: {dst_32}", line.op, on.sfpu.recorded));
                }
            }
        }
    }
    assert!(missing.is_empty(), "{} are not recorded:\n{}", missing.len(), missing.join("\n"));
}

#[test]
fn what_a_row_lets_run_has_steps_and_the_rest_stops() {
    for (chip, approx, dst_32) in [WORMHOLE, BLACKHOLE]
        .into_iter()
        .flat_map(|chip| [(false, false), (false, true), (true, false), (true, true)].map(|(a, w)| (chip, a, w)))
    {
        for op in SfpuOp::ALL.iter().filter(|op| op.row().keeps == Keeps::Nothing) {
            let mode = SfpuMode { dst_32, approx, rules: chip.sfpu, src_b_is_fp16: false };
            let format = if dst_32 { 0 } else { 5 };
            let params = match op {
                SfpuOp::CopyDestValues => [format, 0, 0, 0],
                SfpuOp::Reduce => [0, 1, format, 0],
                _ => [0; 4],
            };
            let mut dst = Dst::default();
            (0..4).for_each(|tile| dst.materialize(tile, 0));
            let ran = execute(*op, &params, &mode, &mut dst, [0, 1, 2], 3).is_ok();
            let row = op.row();
            let claimed = sfpu_words::widths(*op).contains(&dst_32) && row.runs_on(chip.sfpu.recorded);
            assert_eq!(ran, claimed, "{op:?}, {mode:?}");
        }
    }
}
