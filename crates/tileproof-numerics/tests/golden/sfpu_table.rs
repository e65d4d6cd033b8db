//! The table of the vector unit against what is recorded: a row may claim that, and no more.

use std::collections::BTreeSet;

use tileproof_golden as golden;
use tileproof_numerics::chip::{Arithmetic, BLACKHOLE, Recorded, WORMHOLE};
use tileproof_numerics::dst::Dst;
use tileproof_numerics::sfpu::{Keeps, Proof, SfpuMode, SfpuOp, execute};

use crate::sfpu::{Case, cases, digested};
use crate::sfpu_calls::operation;
use crate::{sfpu_integers, sfpu_words};

/// Operations that cases of a chip call: those of this file, and on Wormhole also those of the kernels of several stages,
/// which the library's tests run.
fn recorded(on: Recorded) -> BTreeSet<u16> {
    let groups: &[&str] = match on {
        Recorded::Wormhole => &["base", "sfpu", "int", "typecast", "extra"],
        Recorded::Blackhole => &["base"],
    };
    let cases: Vec<Case> = groups.iter().flat_map(|group| cases(group)).collect();
    let mut codes: BTreeSet<u16> = cases.iter().flat_map(operations).collect();
    if on == Recorded::Blackhole {
        codes.extend(digested_whole());
    }
    if on == Recorded::Wormhole {
        let kernels = ["extra", "packer", "composite"]
            .into_iter()
            .flat_map(golden::group)
            .filter_map(golden::Case::kernel_source);
        let text: String = kernels.collect();
        let by_name =
            SfpuOp::ALL.iter().filter(|op| op.row().keeps != Keeps::Nothing || **op == SfpuOp::CopyDestValues);
        codes.extend(
            by_name
                .filter(|op| ['(', '<'].iter().any(|open| text.contains(&format!("{}{open}", op.name()))))
                .map(|op| op.code()),
        );
    }
    codes
}

/// Digests of programs, which the library's tests run.
const PROGRAMS: &str = include_str!("../../../../tests/golden/program_digests.txt");

/// The operations on moments, if a program with them is recorded on a chip.
fn moments(on: Recorded) -> BTreeSet<u16> {
    let line = format!("{on:?} welford").to_lowercase();
    let recorded = PROGRAMS.lines().any(|recorded| recorded.starts_with(&line));
    let ops = SfpuOp::ALL.iter().filter(|op| recorded && op.row().keeps == Keeps::Moments);
    ops.map(|op| op.code()).collect()
}

/// The operations that a case calls.
fn operations(case: &Case) -> BTreeSet<u16> {
    case.calls.iter().filter_map(|(name, _)| operation(name)).map(SfpuOp::code).collect()
}

/// Operations of which each case that Wormhole's proof is made of has a digest of Blackhole too; block floats differ in what is
/// unpacked alone.
fn digested_whole() -> BTreeSet<u16> {
    let known: BTreeSet<&str> = digested().iter().map(|(case, _)| case.name()).collect();
    let (mut whole, mut open) = (BTreeSet::new(), BTreeSet::new());
    for case in ["sfpu", "int", "typecast", "extra"].iter().flat_map(|group| cases(group)) {
        if known.contains(case.name()) {
            whole.extend(operations(&case));
        } else if !case.name().contains("bfp") {
            open.extend(operations(&case));
        }
    }
    whole.difference(&open).copied().collect()
}

#[test]
fn a_row_claims_what_is_recorded_and_no_more() {
    for on in [Recorded::Wormhole, Recorded::Blackhole] {
        let recorded = recorded(on);
        for op in SfpuOp::ALL {
            let proof = op.row().proof(on);
            let golden = proof == Proof::Golden;
            // On Blackhole some kernels take steps of their own, which stop.
            let stops = on == Recorded::Blackhole && proof == Proof::Stops;
            assert_eq!(golden, recorded.contains(&op.code()) && !stops, "{op:?} on {on:?}: {proof:?}");
            if proof == Proof::Answers && on == Recorded::Blackhole {
                let proven = [sfpu_words::proven(on, false), sfpu_integers::proven(on), moments(on)];
                assert!(proven.iter().any(|codes| codes.contains(&op.code())), "{op:?} has no digests");
            }
            if let Proof::Like(code) = proof {
                let other = SfpuOp::from_code(code).expect("the code of an operation").row().proof(on);
                let proves = matches!(other, Proof::Golden | Proof::Answers);
                assert!(proves, "{op:?} on {on:?} is like one that nothing proves: {other:?}");
            }
        }
    }
}

/// What an operation gives on numbers of many sizes, if it runs.
fn outcome(op: SfpuOp, chip: Arithmetic, dst_32: bool, approx: bool) -> Option<Vec<u32>> {
    let mode = SfpuMode { dst_32, approx, rules: chip.sfpu, src_b_is_fp16: false };
    let mut dst = Dst::default();
    for tile in 0..3 {
        for (at, word) in dst.tile_mut(tile).0.iter_mut().enumerate() {
            let value = (at as f32 + 1.5) * [1e-3, 0.37, 11.0][(at + tile) % 3];
            *word = if at % 5 == 0 { -value } else { value }.to_bits() & 0xffff_0000;
        }
        dst.set_valid(tile, u64::MAX);
    }
    execute(op, &[0; 4], &mode, &mut dst, [0, 1, 2], 3).ok().map(|()| dst.tile(3).0.to_vec())
}

#[test]
fn approximate_steps_run_on_blackhole_only_where_they_are_recorded() {
    let of_others = digested().into_iter().map(|(case, _)| case);
    let approximate = cases("base").into_iter().chain(of_others).filter(|case| case.flag("math_approx_mode"));
    let mut recorded: BTreeSet<u16> = approximate.flat_map(|case| operations(&case)).collect();
    recorded.extend(sfpu_words::proven(Recorded::Blackhole, true));
    // The steps of `Rsqrt` without its last choice.
    assert!(recorded.contains(&SfpuOp::Rsqrt.code()));
    recorded.insert(SfpuOp::RsqrtFastApprox.code());
    let golden = SfpuOp::ALL.iter().filter(|op| op.row().proof(Recorded::Blackhole) == Proof::Golden);
    let differs = |op: &SfpuOp| {
        [false, true].into_iter().any(|dst_32| {
            let [exact, approximate] = [false, true].map(|approx| outcome(*op, BLACKHOLE, dst_32, approx));
            exact.is_some() && exact != approximate
        })
    };
    let unproven: Vec<&SfpuOp> = golden.filter(|op| !recorded.contains(&op.code()) && differs(op)).collect();
    assert!(unproven.is_empty(), "take other steps there: {unproven:?}");
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
            let width = match op {
                SfpuOp::Where => dst_32,
                SfpuOp::WhereFloat16b => !dst_32,
                _ => row.width.allows(dst_32),
            };
            let claimed = width && row.proof(chip.sfpu.recorded).lets_run();
            assert_eq!(ran, claimed, "{op:?}, {mode:?}");
        }
    }
}
