//! The tests that the public op has, under their names, with the tolerances that they should have had: 1e-2, eps 1e-6.
//!
//! Constant data is what a mean subtracted twice cannot pass: the exact dx is 0 and rstd is 1000. A test is worth what it
//! catches: each is also given the published kernels and one kernel for each fault, and must fail on them as expected.

#![allow(non_snake_case, reason = "the names of the public tests")]

use crate::given::{self, builder};
use tileproof::fill::Fill;
use tileproof::layernorm::{BackwardRequest, LayerNormResult, backward, backward_specimen, backward_with};
use tileproof::ops::layernorm_bw::specimens::{Specimen, kernels};
use tileproof_model::finding::Code;

/// Data of a public test.
#[derive(Clone, Copy, PartialEq)]
enum Data {
    /// Seeded.
    Random,
    /// dy, gamma and x of one value each.
    Constant(f64, f64, f64),
}
use Data::{Constant, Random};

const TESTS: [(&str, Data, [u32; 4]); 12] = [
    ("OneTile", Random, [1, 1, 13, 20]),
    ("TwoIncompleteTiles", Random, [1, 1, 32, 33]),
    ("OneTilePerRow", Random, [1, 1, 19, 213]),
    ("DoesNotFitInL1_WtNotDivisibleBy4", Random, [3, 1, 100, 8191]),
    ("NIGHTLY_LargeFeatures_NoL1Fit", Random, [3, 1, 273, 8462]),
    ("BugRepro_Deterministic_2048Features", Constant(1.0, 1.0, 0.5), [1, 1, 100, 2048]),
    ("BugRepro_Deterministic_128Tiles", Constant(1.0, 1.0, 0.5), [1, 1, 100, 4096]),
    ("BugRepro_Deterministic_256Tiles", Constant(1.0, 1.0, 0.5), [1, 1, 100, 8192]),
    ("BugRepro_Deterministic_8462Features", Constant(1.0, 1.0, 0.5), [3, 1, 273, 8462]),
    ("BugRepro_Deterministic_DifferentValues", Constant(0.5, 2.0, 1.0), [1, 1, 100, 8192]),
    ("BugRepro_TightTolerance_8192Features", Random, [1, 1, 100, 8192]),
    ("BugRepro_TightTolerance_8462Features", Random, [1, 1, 100, 8462]),
];

fn request(data: Data, shape: [u32; 4]) -> BackwardRequest {
    let random = BackwardRequest { seed: 42, ..BackwardRequest::new(shape) };
    match data {
        Random => random,
        Constant(dy, gamma, x) => {
            BackwardRequest { x: Fill::Constant(x), gamma: Fill::Constant(gamma), dy: Fill::Constant(dy), ..random }
        }
    }
}

/// Passes, with no finding; on random data every output is within one step of bf16.
fn passes(name: &str) -> LayerNormResult {
    let (_, data, shape) = TESTS.into_iter().find(|test| test.0 == name).expect(name);
    let result = backward(&request(data, shape)).expect("a request that can be carried out");
    assert!(result.pass(), "{:?} {:?}", result.outputs, result.record.findings);
    for output in result.outputs.iter().filter(|_| data == Random) {
        assert!(output.max_ulp.unwrap() <= 1.0, "{output:?}");
    }
    result
}

#[test]
fn OneTile() {
    passes("OneTile");
}

#[test]
fn TwoIncompleteTiles() {
    passes("TwoIncompleteTiles");
}

#[test]
fn OneTilePerRow() {
    passes("OneTilePerRow");
}

#[test]
fn DoesNotFitInL1_WtNotDivisibleBy4() {
    assert_eq!(passes("DoesNotFitInL1_WtNotDivisibleBy4").path, "block");
}

#[test]
fn NIGHTLY_LargeFeatures_NoL1Fit() {
    passes("NIGHTLY_LargeFeatures_NoL1Fit");
}

#[test]
fn BugRepro_Deterministic_2048Features() {
    passes("BugRepro_Deterministic_2048Features");
}

#[test]
fn BugRepro_Deterministic_128Tiles() {
    passes("BugRepro_Deterministic_128Tiles");
}

#[test]
fn BugRepro_Deterministic_256Tiles() {
    passes("BugRepro_Deterministic_256Tiles");
}

#[test]
fn BugRepro_Deterministic_8462Features() {
    passes("BugRepro_Deterministic_8462Features");
}

#[test]
fn BugRepro_Deterministic_DifferentValues() {
    passes("BugRepro_Deterministic_DifferentValues");
}

#[test]
fn BugRepro_TightTolerance_8192Features() {
    passes("BugRepro_TightTolerance_8192Features");
}

#[test]
fn BugRepro_TightTolerance_8462Features() {
    passes("BugRepro_TightTolerance_8462Features");
}

fn codes(result: &LayerNormResult) -> Vec<Code> {
    let mut codes: Vec<Code> = result.record.findings.iter().map(|finding| finding.code).collect();
    codes.sort_unstable();
    codes.dedup();
    codes
}

/// Names that the whole tensors of each test are run on kernels with faults.
const WHOLE: &str = "TILEPROOF_WHOLE_TENSORS";

/// The tests for kernels with faults: what a fault does it does in each row, so that of three matrices two tile rows are enough.
fn tests() -> impl Iterator<Item = (&'static str, Data, [u32; 4])> {
    let is_whole = std::env::var_os(WHOLE).is_some();
    TESTS.into_iter().map(move |(name, data, shape)| {
        let is_part = shape[0] > 1 && !is_whole;
        (name, data, if is_part { [1, 1, 64, shape[3]] } else { shape })
    })
}

#[test]
fn every_public_test_fails_on_the_published_kernels_with_the_findings_of_their_faults() {
    for (name, data, shape) in tests() {
        let result = backward_with(&request(data, shape), given::kernels("published"), builder()).unwrap();
        let found = codes(&result);
        assert!(!result.pass() && !result.outputs[0].pass, "{name}: {:?}", result.outputs);
        assert!(found.contains(&Code::DST_ACCUMULATES), "{name}: {found:?}");
        // A row that does not fit in L1 is summed in blocks, with a window inside a window.
        let in_blocks = result.path == "block";
        assert_eq!(in_blocks, shape[3] > 162 * 32, "{name}");
        assert_eq!(found.contains(&Code::DST_NESTED), in_blocks, "{name}: {found:?}");
        assert_eq!(found.contains(&Code::DST_UNWRITTEN), in_blocks, "{name}: {found:?}");
    }
}

/// What a fault must come to in a test: a finding, or without one an output that misses the tolerance; `None` where the data
/// cannot show it.
fn expected(specimen: Specimen, data: Data, width: u32) -> Option<Option<Code>> {
    match specimen {
        Specimen::Right => None,
        Specimen::AccumulatesOntoMean => Some(Some(Code::DST_ACCUMULATES)),
        Specimen::NestedWindow => Some(Some(Code::DST_NESTED)),
        Specimen::MissingPush => Some(Some(Code::DEADLOCK)),
        Specimen::MissingStartup => Some(Some(Code::NOT_STARTED)),
        // A row of one block has no sum to lose.
        Specimen::OverwrittenSum => (width > 4 * 32).then_some(Some(Code::WORK_LOST)),
        // Random data has a mean near 0, and bf16 holds the reciprocal of a power of two.
        Specimen::TruncatedScaler => (data != Random && !width.is_power_of_two()).then_some(None),
    }
}

/// The fault that a public test is there to catch; the small ones must catch all.
fn fitting(name: &str) -> Vec<Specimen> {
    let one = match name {
        "DoesNotFitInL1_WtNotDivisibleBy4" | "BugRepro_Deterministic_256Tiles" => Specimen::NestedWindow,
        "NIGHTLY_LargeFeatures_NoL1Fit" | "BugRepro_TightTolerance_8192Features" => Specimen::OverwrittenSum,
        "BugRepro_TightTolerance_8462Features" => Specimen::OverwrittenSum,
        "BugRepro_Deterministic_2048Features" => Specimen::AccumulatesOntoMean,
        "BugRepro_Deterministic_DifferentValues" => Specimen::AccumulatesOntoMean,
        "BugRepro_Deterministic_128Tiles" => Specimen::MissingPush,
        "BugRepro_Deterministic_8462Features" => Specimen::TruncatedScaler,
        _ => return Specimen::WRONG.to_vec(),
    };
    vec![one]
}

#[test]
fn every_public_test_fails_on_the_kernels_with_one_fault_as_the_fault_demands() {
    let mut caught = Vec::new();
    for (name, data, shape) in tests() {
        for specimen in fitting(name) {
            let Some(code) = expected(specimen, data, shape[3]) else { continue };
            let result = backward_specimen(&request(data, shape), specimen, kernels(), builder()).unwrap();
            assert!(!result.pass(), "{name}, {specimen:?}: {:?}", result.outputs);
            match code {
                Some(code) => assert!(codes(&result).contains(&code), "{name}, {specimen:?}: {:?}", codes(&result)),
                None => assert!(result.outputs.iter().any(|o| !o.pass), "{name}, {specimen:?}: {:?}", result.outputs),
            }
            caught.push((name, specimen));
        }
    }
    for (name, ..) in TESTS {
        assert!(caught.iter().any(|(of, _)| *of == name), "{name} was given nothing to catch");
    }
    for specimen in Specimen::WRONG {
        assert!(caught.iter().any(|(_, of)| *of == specimen), "{specimen:?} was caught by none");
    }
}

#[test]
fn the_right_kernels_beside_those_with_a_fault_pass() {
    for (name, data, shape) in tests() {
        let result = backward_specimen(&request(data, shape), Specimen::Right, kernels(), builder()).unwrap();
        assert!(result.pass(), "{name}: {:?} {:#?}", result.outputs, result.record.findings);
    }
}
