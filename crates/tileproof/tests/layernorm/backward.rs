//! LayerNorm backward against float64, and the same to the bit whatever runs it.

use crate::given::saved;
use tileproof::fill::Fill;
use tileproof::layernorm::{BackwardRequest, LayerNormResult, backward};
use tileproof::ops::layernorm_bw::{Memory, PathChoice};
use tileproof_model::numerics::format::DataFormat;
use tileproof_model::program::Layout;

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
        assert!(output.max_ulp.unwrap() <= 1.0, "{:?}: {output:?}", result.shape);
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
    assert!(result.outputs[0].max_diff.unwrap() <= 1e-3, "{:?}", result.outputs[0]);
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
fn a_tolerance_below_the_format_is_missed_and_the_rounding_to_it_is_named() {
    let tight = BackwardRequest { rtol: 0.0, atol: 0.0, ..request([1, 1, 32, 64]) };
    let result = backward(&tight).unwrap();
    assert!(!result.pass() && !result.record.findings.is_empty());
    for finding in &result.record.findings {
        assert!(finding.message.ends_with("rounds to Float16_b, 8 bits"), "{finding:#?}");
    }
}

#[test]
fn several_tile_rows_on_a_core_leave_no_remark() {
    // L1 accumulation over rows that are not handed over in between is TP0507.
    for (shape, cores) in [([64, 1, 64, 96], None), ([1, 1, 4096, 64], None), ([1, 1, 150, 100], Some(1))] {
        for path in [PathChoice::L1, PathChoice::Block] {
            let result = passes(&BackwardRequest { path, cores, ..request(shape) });
            assert!(result.record.notes.is_empty(), "{shape:?}: {:#?}", result.record.notes);
        }
    }
}

#[test]
fn row_major_tensors_give_the_bits_of_tiles() {
    for (shape, format) in [
        ([1, 1, 13, 20], DataFormat::Float16_b),
        ([1, 1, 150, 77], DataFormat::Float16_b),
        ([1, 1, 70, 33], DataFormat::Float32),
        ([1, 1, 1, 1], DataFormat::Float16_b),
    ] {
        for path in [PathChoice::L1, PathChoice::Block] {
            let of = |layout| {
                saved(&format!("layout-{shape:?}-{path:?}-{layout:?}"), |folder| {
                    let save = Some(folder);
                    let result = passes(&BackwardRequest { layout, format, path, save, ..request(shape) });
                    assert!(result.record.notes.is_empty(), "{:#?}", result.record.notes);
                })
            };
            // One matrix: the rows of both forms are the same tile rows, so that their sums are made in one order.
            assert!(of(Layout::Tile) == of(Layout::RowMajor), "{shape:?} {format:?} {path:?}");
        }
    }
    // The rows of several matrices share tiles.
    let of = |layout| passes(&BackwardRequest { layout, ..request([3, 7, 5, 129]) }).cores;
    assert_eq!((of(Layout::Tile), of(Layout::RowMajor)), (21, 4));
}

#[test]
fn outputs_in_l1_have_the_bits_of_those_in_dram() {
    for layout in [Layout::Tile, Layout::RowMajor] {
        let of = |memory_config| {
            saved(&format!("memory-{layout:?}-{memory_config:?}"), |folder| {
                let save = Some(folder);
                passes(&BackwardRequest { layout, memory_config, save, ..request([2, 2, 45, 77]) });
            })
        };
        assert!(of(Memory::InterleavedDram) == of(Memory::InterleavedL1), "{layout:?}");
    }
    let sharded = backward(&BackwardRequest { memory_config: Memory::Sharded, ..request([1, 1, 32, 32]) });
    assert_eq!(
        sharded.unwrap_err().to_string(),
        "memory_config sharded: layernorm_bw gives interleaved tensors; use dram or l1"
    );
}

#[test]
fn mean_and_rstd_that_are_given_take_the_place_of_those_of_x() {
    // With x = 1 everywhere, mean 0 and rstd 2: x_hat = 2, and dgamma = 2 dbeta.
    let given = BackwardRequest {
        x: Fill::Constant(1.0),
        dy: Fill::Constant(0.5),
        mean: Some(Fill::Constant(0.0)),
        rstd: Some(Fill::Constant(2.0)),
        ..request([1, 1, 8, 32])
    };
    let files = saved("statistics", |folder| {
        passes(&BackwardRequest { save: Some(folder), ..given.clone() });
    });
    // 8.0 and 4.0 in bf16.
    assert!(files["dgamma.npy"].ends_with(&[0x00, 0x41].repeat(32)));
    assert!(files["dbeta.npy"].ends_with(&[0x80, 0x40].repeat(32)));
    // One that is left out is that of x: with eps 0.25 its rstd is 2.
    let rstd_of_x = BackwardRequest { rstd: None, eps: 0.25, ..given.clone() };
    let own = saved("statistics-own", |folder| {
        passes(&BackwardRequest { save: Some(folder), ..rstd_of_x });
    });
    assert!(own == files);
    let nowhere = BackwardRequest { rstd: Some(Fill::Npy("nope.npy".into())), ..given };
    assert!(backward(&nowhere).unwrap_err().to_string().starts_with("rstd: nope.npy: "));
}
