//! LayerNorm forward against float64, and the same to the bit whatever runs it.

use tileproof::Nobody;
use tileproof::device::execute;
use tileproof::fill::Fill;
use tileproof::layernorm::{ForwardRequest, LayerNormResult, forward};
use tileproof::ops::layernorm_fused_rm::{self, Arguments, Memory, PathChoice};
use tileproof::run_file::ChosenChecks;
use tileproof_check::Checks;
use tileproof_model::numerics::error::close;
use tileproof_model::numerics::format::DataFormat;
use tileproof_model::program::Layout;

const BF16: DataFormat = DataFormat::Float16_b;
const FP32: DataFormat = DataFormat::Float32;

fn passes(request: &ForwardRequest) -> LayerNormResult {
    let result = forward(request).expect("a request that can be carried out");
    let found = (&result.record.findings, &result.record.notes);
    assert!(result.pass() && found.1.is_empty(), "{:?}: {:?} {found:?}", request.shape, result.outputs);
    result
}

/// y within one step of bf16.
fn within_one_ulp(request: &ForwardRequest) {
    let result = passes(request);
    assert!(result.outputs[0].max_ulp.unwrap() <= 1.0, "{:?}: {:?}", result.shape, result.outputs);
}

/// The tolerances of fp32: 1e-5 relative plus 1e-6.
fn fp32(shape: &[u32]) -> ForwardRequest {
    ForwardRequest { format: FP32, rtol: 1e-5, atol: 1e-6, ..ForwardRequest::new(shape) }
}

/// The bits of all outputs of `arguments` on the data of `request`, with checks on and nothing found.
fn bits(arguments: &Arguments, x: &[f32]) -> Vec<Vec<u32>> {
    let width = *arguments.x.shape.last().unwrap() as usize;
    let gamma: Vec<f32> = (0..width).map(|i| 0.5 + (i % 7) as f32 * 0.125).collect();
    let beta: Vec<f32> = (0..width).map(|i| (i % 5) as f32 * 0.25 - 0.5).collect();
    let plan = layernorm_fused_rm::plan(arguments).unwrap();
    let program = layernorm_fused_rm::program(&plan);
    let run = execute::<Checks>(&program, &[("x", x), ("gamma", &gamma), ("beta", &beta)], 1, &Nobody).unwrap();
    assert!(run.record.is_clean(), "{:?}", run.record.findings);
    run.outputs.iter().map(|(_, values)| values.iter().map(|v| v.to_bits()).collect()).collect()
}

/// Reproducible values of a few bits, exact in bf16.
fn values(count: usize) -> Vec<f32> {
    (0..count).map(|i| ((i * 7919 + i / 13) % 251) as f32 * 0.0625 - 3.0).collect()
}

#[test]
fn random_data_is_right_to_one_ulp_at_the_public_shapes() {
    for shape in [[1, 1, 32, 128], [1, 1, 32, 1024], [1, 1, 64, 128], [1, 1, 64, 2048]] {
        within_one_ulp(&ForwardRequest::new(shape));
    }
}

#[test]
fn long_rows_are_right_to_one_ulp() {
    for shape in [[1, 1, 32, 8192], [1, 1, 96, 8462]] {
        within_one_ulp(&ForwardRequest {
            checks: if shape[3] == 8462 { ChosenChecks::All } else { ChosenChecks::None },
            ..ForwardRequest::new(shape)
        });
    }
}

#[test]
fn shapes_that_fill_no_tile_are_right_to_one_ulp_in_both_layouts_and_on_both_paths() {
    let shapes: [&[u32]; 6] = [&[2, 3, 5, 7], &[1, 1, 33, 100], &[1, 1], &[3, 31], &[2, 45, 77], &[1, 1, 40, 300]];
    for shape in shapes {
        for layout in [Layout::RowMajor, Layout::Tile] {
            for path in [PathChoice::L1, PathChoice::Block] {
                let beta = Some(Fill::Uniform { lo: -1.0, hi: 1.0 });
                within_one_ulp(&ForwardRequest { layout, path, beta, ..ForwardRequest::new(shape) });
            }
        }
    }
}

#[test]
fn gamma_and_beta_may_be_absent() {
    for (gamma, beta) in [(false, false), (true, false), (false, true)] {
        let fill = |given: bool| given.then_some(Fill::Uniform { lo: -2.0, hi: 2.0 });
        let request = ForwardRequest { gamma: fill(gamma), beta: fill(beta), ..ForwardRequest::new([1, 1, 33, 100]) };
        within_one_ulp(&request);
        passes(&ForwardRequest { format: FP32, rtol: 1e-5, atol: 1e-6, ..request });
    }
}

#[test]
fn rows_far_from_zero_are_right_to_one_ulp() {
    for (shape, mean) in [([1, 1, 64, 2048], 100.0), ([1, 1, 32, 8192], 10.0), ([1, 1, 32, 100], 1e4)] {
        within_one_ulp(&ForwardRequest { x: Fill::Normal { mean, std: 1.0 }, ..ForwardRequest::new(shape) });
    }
}

#[test]
fn constant_rows_give_beta_to_the_bit_although_rstd_is_316() {
    for value in [0.5, 100.0, -12344.0] {
        let request = ForwardRequest { x: Fill::Constant(value), ..ForwardRequest::new([1, 1, 32, 1000]) };
        assert_eq!(passes(&request).outputs[0].max_diff, Some(0.0));
        assert_eq!(passes(&ForwardRequest { format: FP32, ..request }).outputs[0].max_diff, Some(0.0));
    }
}

#[test]
fn fp32_is_right_to_1e_5_in_both_layouts_and_on_both_paths() {
    for layout in [Layout::RowMajor, Layout::Tile] {
        for path in [PathChoice::L1, PathChoice::Block] {
            passes(&ForwardRequest { layout, path, ..fp32(&[1, 2, 33, 700]) });
        }
    }
    passes(&fp32(&[1, 1, 32, 8192]));
}

#[test]
fn fp32_keeps_what_lies_behind_a_million() {
    // 1e6 + 0..31: a mean of fp32 alone is off by up to 1/32, and the data vary by 9.
    passes(&ForwardRequest { x: Fill::Ramp { lo: 1e6, hi: 1e6 + 31.0 }, ..fp32(&[1, 1, 32, 32]) });
    passes(&ForwardRequest { x: Fill::Ramp { lo: 1e6, hi: 1e6 + 31.0 }, ..fp32(&[1, 1, 32, 3000]) });
    passes(&ForwardRequest { x: Fill::Normal { mean: 1e6, std: 1.0 }, ..fp32(&[1, 1, 32, 1000]) });
}

#[test]
fn first_columns_that_mislead_the_centre_do_no_harm() {
    let width = 2048;
    let mut x: Vec<f32> = (0..32 * width).map(|i| 1.0 + (i % 37) as f32 * 1e-4).collect();
    for row in x.chunks_exact_mut(width) {
        row[..128].fill(1e6);
    }
    let arguments = Arguments { gamma: None, beta: None, ..Arguments::new(&[32, 2048], FP32, Layout::RowMajor) };
    let plan = layernorm_fused_rm::plan(&arguments).unwrap();
    let run = execute::<Checks>(&layernorm_fused_rm::program(&plan), &[("x", &x)], 1, &Nobody).unwrap();
    let reference = layernorm_fused_rm::reference::forward(&x, width, None, None, arguments.eps);
    assert_eq!(run.outputs[0].1.len(), reference.y.len());
    let mut pairs = run.outputs[0].1.iter().zip(&reference.y);
    assert!(pairs.all(|(y, exact)| close(f64::from(*y), *exact, 1e-5, 1e-6)));
}

#[test]
fn mean_and_rstd_come_out_on_request_in_fp32() {
    for layout in [Layout::RowMajor, Layout::Tile] {
        let request = ForwardRequest {
            statistics: true,
            layout,
            x: Fill::Normal { mean: 3.0, std: 0.5 },
            rtol: 1e-6,
            atol: 1e-2,
            ..ForwardRequest::new([2, 3, 37, 50])
        };
        let outputs = passes(&request).outputs;
        let names: Vec<&str> = outputs.iter().map(|o| o.name.as_str()).collect();
        assert_eq!(names, ["y", "mean", "rstd"]);
        assert!(outputs[1..].iter().all(|output| output.max_diff.unwrap() < 1e-6), "{outputs:?}");
    }
}

#[test]
fn neither_cores_nor_path_change_a_bit() {
    for (format, layout) in [(BF16, Layout::RowMajor), (FP32, Layout::RowMajor), (BF16, Layout::Tile)] {
        let shape = [2, 1, 150, 1500];
        let x = values(300 * 1500);
        let base = Arguments { statistics: true, cores: Some(1), ..Arguments::new(&shape, format, layout) };
        let one = bits(&Arguments { path: PathChoice::L1, ..base.clone() }, &x);
        assert_eq!(one.len(), 3);
        // Ten tile rows on three cores do not come out even.
        assert_eq!(one, bits(&Arguments { path: PathChoice::L1, cores: Some(3), ..base.clone() }, &x));
        assert_eq!(one, bits(&Arguments { path: PathChoice::Block, cores: Some(4), ..base }, &x));
    }
}

#[test]
fn both_layouts_give_the_same_bits() {
    let x = values(64 * 700);
    for format in [BF16, FP32] {
        let sticks = bits(&Arguments::new(&[64, 700], format, Layout::RowMajor), &x);
        assert_eq!(sticks, bits(&Arguments::new(&[64, 700], format, Layout::Tile), &x));
    }
}

#[test]
fn a_tolerance_below_the_format_is_missed_and_the_rounding_to_it_is_named() {
    let tight = ForwardRequest { rtol: 0.0, atol: 0.0, ..ForwardRequest::new([1, 1, 32, 64]) };
    let result = forward(&tight).unwrap();
    assert!(!result.pass());
    let [finding] = &result.record.findings[..] else { panic!("{:#?}", result.record.findings) };
    assert!(finding.message.ends_with("packing to c_16 rounds to Float16_b, 8 bits"), "{finding:#?}");
}

#[test]
fn any_number_of_dimensions_is_right_and_is_the_same_rows() {
    for layout in [Layout::RowMajor, Layout::Tile] {
        for memory_config in [Memory::InterleavedDram, Memory::InterleavedL1] {
            let of = |shape: &[u32]| {
                let request = ForwardRequest { layout, memory_config, statistics: true, ..fp32(shape) };
                passes(&request).outputs
            };
            // Elements of a fill follow each other, so that the rows of these are the same ones.
            let rows = of(&[6, 1, 100]);
            assert_eq!(of(&[1, 2, 1, 3, 1, 1, 1, 100]), rows);
            assert_eq!(of(&[1, 3, 2, 1, 100]), rows);
            assert_eq!(of(&[100]), of(&[1, 1, 1, 100]));
        }
    }
}

#[test]
fn tensors_in_l1_give_the_bits_of_those_in_dram() {
    for layout in [Layout::RowMajor, Layout::Tile] {
        let of = |memory: Memory| {
            let mut arguments = Arguments { statistics: true, ..Arguments::new(&[2, 45, 77], BF16, layout) };
            arguments.output_memory = memory;
            for tensor in
                [Some(&mut arguments.x), arguments.gamma.as_mut(), arguments.beta.as_mut()].into_iter().flatten()
            {
                tensor.memory = memory;
            }
            bits(&arguments, &values(2 * 45 * 77))
        };
        assert!(of(Memory::InterleavedDram) == of(Memory::InterleavedL1), "{layout:?}");
    }
}
