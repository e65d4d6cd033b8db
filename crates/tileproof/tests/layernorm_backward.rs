//! LayerNorm backward against float64, and the same to the bit whatever runs it.

mod specimens;

use specimens::saved;
use tileproof::fill::Fill;
use tileproof::layernorm::{BackwardRequest, LayerNormResult, backward};
use tileproof::ops::layernorm_bw::PathChoice;
use tileproof_model::numerics::format::DataFormat;

fn request(shape: [u32; 4]) -> BackwardRequest {
    BackwardRequest::new(shape)
}

fn passes(request: &BackwardRequest) -> LayerNormResult {
    let result = backward(request).expect("a request that can be carried out");
    assert!(result.pass(), "{:?}: {:?} {:?}", request.shape, result.outputs, result.record.findings);
    result
}

/// Every output within one step of bf16.
fn within_one_ulp(result: &LayerNormResult) {
    for output in &result.outputs {
        assert!(output.max_ulp <= 1.0, "{:?}: {output:?}", result.shape);
    }
}

#[test]
fn random_data_is_right_to_one_ulp_at_the_public_shapes() {
    for shape in [[1, 1, 13, 20], [1, 1, 32, 33], [1, 1, 19, 213], [1, 1, 64, 2048]] {
        within_one_ulp(&passes(&request(shape)));
    }
}

#[test]
fn odd_shapes_are_right_to_one_ulp_on_both_paths() {
    for shape in [[1, 1, 1, 1], [1, 3, 7, 1], [1, 1, 1, 31], [2, 2, 45, 77], [1, 1, 40, 300]] {
        for path in [PathChoice::L1, PathChoice::Block] {
            within_one_ulp(&passes(&BackwardRequest { path, ..request(shape) }));
        }
    }
}

#[test]
fn constant_data_gives_no_gradient_although_rstd_is_1000() {
    let constant = BackwardRequest {
        x: Fill::Constant(0.5),
        gamma: Fill::Constant(1.0),
        dy: Fill::Constant(1.0),
        ..request([1, 1, 100, 2048])
    };
    let result = passes(&constant);
    assert!(result.outputs[0].max_diff <= 1e-3, "{:?}", result.outputs[0]);
}

#[test]
fn offset_data_is_right() {
    // A mean far from zero is what a sum of 11 bits cannot take.
    let offset = BackwardRequest {
        x: Fill::Normal { mean: 100.0, std: 1.0 },
        dy: Fill::Uniform { lo: 0.0, hi: 1.0 },
        ..request([1, 1, 64, 512])
    };
    passes(&offset);
}

#[test]
fn fp32_tensors_are_right_on_both_paths() {
    for path in [PathChoice::L1, PathChoice::Block] {
        let fp32 = BackwardRequest { format: DataFormat::Float32, path, ..request([1, 2, 33, 100]) };
        let result = passes(&BackwardRequest { rtol: 1e-4, atol: 1e-4, ..fp32 });
        assert_eq!(result.outputs.len(), 3);
    }
}

#[test]
fn the_number_of_cores_changes_neither_dx_nor_the_verdict() {
    let on = |cores: u32| {
        let mut result = None;
        let files = saved(&format!("cores-{cores}"), |folder| {
            let request = BackwardRequest { cores: Some(cores), save: Some(folder), ..request([1, 1, 160, 100]) };
            result = Some(passes(&request));
        });
        (result.expect("a run"), files)
    };
    let ((one, files_of_one), (many, files_of_many)) = (on(1), on(4));
    assert_eq!((one.cores, many.cores), (1, 4));
    // dgamma and dbeta are added in another order, and may differ.
    assert!(files_of_one["dx.npy"] == files_of_many["dx.npy"], "the bits of dx differ");
    assert_eq!(files_of_one.keys().collect::<Vec<_>>(), files_of_many.keys().collect::<Vec<_>>());
    assert!(many.record.cycles < one.record.cycles);
}

#[test]
fn the_same_request_gives_the_same_cycles_and_outputs() {
    let first = passes(&request([1, 1, 70, 200]));
    let second = passes(&request([1, 1, 70, 200]));
    assert_eq!(first.record.cycles, second.record.cycles);
    assert_eq!(first.outputs, second.outputs);
}

#[test]
fn a_tolerance_that_is_missed_is_a_failure_without_a_finding() {
    let tight = BackwardRequest { rtol: 0.0, atol: 0.0, ..request([1, 1, 32, 64]) };
    let result = backward(&tight).unwrap();
    assert!(!result.pass() && result.record.is_clean());
}
