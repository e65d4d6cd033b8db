//! LayerNorm forward in C++ for the same host side: the bits of the Rust kernels, in every form of the op.

use std::path::Path;

use crate::given::{builder, with};
use crate::support::found::line_of;
use tileproof::Nobody;
use tileproof::device::{Output, execute};
use tileproof::kernel_folder::KernelFolder;
use tileproof::layernorm::GivenKernels;
use tileproof::ops::layernorm_fused_rm::{self, Arguments, Kernels, PathChoice};
use tileproof_check::Checks;
use tileproof_model::finding::Code;
use tileproof_model::numerics::format::DataFormat;
use tileproof_model::observe::Unobserved;
use tileproof_model::program::Layout;
use tileproof_model::record::Status;

/// Where the kernels are, from this crate.
const RIGHT: &str = "../tileproof-ops/src/layernorm_fused_rm/cpp";
const NO_STARTUP: &str = "../../specimens/layernorm_fused_rm/no_startup";

fn cpp(folder: &str) -> Kernels {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    GivenKernels { folder: KernelFolder::find(&folder).expect("three kernels"), include_dirs: Vec::new() }.into()
}

/// Runs the call in Rust and in C++, with checks on; both must be clean and give the same bits.
fn same_bits(arguments: &Arguments) {
    let shape = &arguments.x.shape;
    let width = *shape.last().unwrap() as usize;
    let rows: u32 = shape[..shape.len() - 1].iter().product();
    let values = |count: usize, m: usize| -> Vec<f32> {
        (0..count).map(|i| ((i * 7919 + i / 13) % m) as f32 * 0.0625 - m as f32 / 40.0).collect()
    };
    let (x, gamma, beta) = (values(rows as usize * width, 251), values(width, 31), values(width, 17));
    let plan = layernorm_fused_rm::plan(arguments).unwrap();
    let mut inputs = vec![("x", &x[..])];
    inputs.extend(arguments.gamma.iter().map(|_| ("gamma", &gamma[..])));
    inputs.extend(arguments.beta.iter().map(|_| ("beta", &beta[..])));
    let in_rust = execute::<Checks>(&layernorm_fused_rm::program(&plan), &inputs, 1, &Nobody).unwrap();
    let program = layernorm_fused_rm::program_with(&plan, &cpp(RIGHT));
    let in_cpp = execute::<Checks>(&program, &inputs, 1, builder()).unwrap();
    for run in [&in_rust, &in_cpp] {
        assert!(run.record.is_clean() && run.record.notes.is_empty(), "{:?}", run.record);
    }
    let bits = |outputs: &[Output]| -> Vec<Vec<u32>> {
        outputs.iter().map(|(_, values)| values.iter().map(|v| v.to_bits()).collect()).collect()
    };
    assert_eq!(in_rust.outputs.len(), if arguments.statistics { 3 } else { 1 });
    assert_eq!(bits(&in_rust.outputs), bits(&in_cpp.outputs), "{shape:?}");
}

#[test]
fn bf16_sticks_with_gamma_beta_and_statistics() {
    let shape = [2, 3, 11, 1100];
    same_bits(&Arguments { statistics: true, ..Arguments::new(&shape, DataFormat::Float16_b, Layout::RowMajor) });
}

#[test]
fn fp32_sticks_streamed_without_beta() {
    let base = Arguments::new(&[33, 600], DataFormat::Float32, Layout::RowMajor);
    same_bits(&Arguments { path: PathChoice::Block, beta: None, ..base });
}

#[test]
fn bf16_tiles_without_gamma() {
    let base = Arguments::new(&[2, 40, 70], DataFormat::Float16_b, Layout::Tile);
    same_bits(&Arguments { gamma: None, statistics: true, ..base });
}

#[test]
fn fp32_tiles_streamed() {
    let base = Arguments::new(&[1, 2, 33, 600], DataFormat::Float32, Layout::Tile);
    same_bits(&Arguments { path: PathChoice::Block, statistics: true, ..base });
}

#[test]
fn without_start_up_the_first_compute_call_is_reported_with_and_without_checks() {
    let arguments = Arguments::new(&[32, 64], DataFormat::Float16_b, Layout::RowMajor);
    let plan = layernorm_fused_rm::plan(&Arguments { gamma: None, beta: None, ..arguments }).unwrap();
    let program = layernorm_fused_rm::program_with(&plan, &cpp(NO_STARTUP));
    let x = vec![1.0; 32 * 64];
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(RIGHT).join("compute.cpp")).unwrap();
    // Each thread is blamed for the first call that programs its unit; the run ends where UNPACK or PACK first runs.
    let line = |call: &str| text.lines().position(|line| line.trim_start().starts_with(call)).unwrap() as u32 + 1;
    let first = [line("reconfig_data_format_srca(STICKS"), line("pack_reconfig_data_format(X")];
    for checks in [true, false] {
        let run = if checks { execute::<Checks> } else { execute::<Unobserved> };
        let run = run(&program, &[("x", &x)], 1, builder()).unwrap();
        assert_eq!(run.record.status, Status::Stopped);
        let found = with(&run.record, Code::NOT_STARTED);
        assert!(
            !found.is_empty() && found.iter().all(|finding| first.contains(&line_of(finding))),
            "{:#?}",
            run.record.findings
        );
    }
}
