//! The tests that the public op has, under their names, with the tolerances that they should have had: 1e-2, eps 1e-6.
//!
//! Constant data is what a mean subtracted twice cannot pass: the exact dx is 0 and rstd is 1000.

#![allow(non_snake_case, reason = "the names of the public tests")]

use tileproof::fill::Fill;
use tileproof::layernorm::{BackwardRequest, LayerNormResult, backward};

/// Seeded data as the public tests draw it.
fn random(shape: [u32; 4]) -> BackwardRequest {
    BackwardRequest { seed: 42, ..BackwardRequest::new(shape) }
}

fn constant(shape: [u32; 4], dy: f64, gamma: f64, x: f64) -> BackwardRequest {
    BackwardRequest { x: Fill::Constant(x), gamma: Fill::Constant(gamma), dy: Fill::Constant(dy), ..random(shape) }
}

/// Passes, with no finding, and every output within one step of bf16.
fn passes(request: &BackwardRequest) -> LayerNormResult {
    let result = backward(request).expect("a request that can be carried out");
    assert!(result.pass(), "{:?}: {:?} {:?}", request.shape, result.outputs, result.record.findings);
    result
}

fn within_one_ulp(request: &BackwardRequest) {
    for output in &passes(request).outputs {
        assert!(output.max_ulp <= 1.0, "{:?}: {output:?}", request.shape);
    }
}

#[test]
fn OneTile() {
    within_one_ulp(&random([1, 1, 13, 20]));
}

#[test]
fn TwoIncompleteTiles() {
    within_one_ulp(&random([1, 1, 32, 33]));
}

#[test]
fn OneTilePerRow() {
    within_one_ulp(&random([1, 1, 19, 213]));
}

#[test]
fn DoesNotFitInL1_WtNotDivisibleBy4() {
    let request = random([3, 1, 100, 8191]);
    within_one_ulp(&request);
    assert_eq!(passes(&request).path, "block");
}

#[test]
fn NIGHTLY_LargeFeatures_NoL1Fit() {
    within_one_ulp(&random([3, 1, 273, 8462]));
}

#[test]
fn BugRepro_Deterministic_2048Features() {
    passes(&constant([1, 1, 100, 2048], 1.0, 1.0, 0.5));
}

#[test]
fn BugRepro_Deterministic_128Tiles() {
    passes(&constant([1, 1, 100, 4096], 1.0, 1.0, 0.5));
}

#[test]
fn BugRepro_Deterministic_256Tiles() {
    passes(&constant([1, 1, 100, 8192], 1.0, 1.0, 0.5));
}

#[test]
fn BugRepro_Deterministic_8462Features() {
    passes(&constant([3, 1, 273, 8462], 1.0, 1.0, 0.5));
}

#[test]
fn BugRepro_Deterministic_DifferentValues() {
    passes(&constant([1, 1, 100, 8192], 0.5, 2.0, 1.0));
}

#[test]
fn BugRepro_TightTolerance_8192Features() {
    within_one_ulp(&random([1, 1, 100, 8192]));
}

#[test]
fn BugRepro_TightTolerance_8462Features() {
    within_one_ulp(&random([1, 1, 100, 8462]));
}
