//! LayerNorm backward in C++ for the op's own host side: the bits of the Rust kernels, on both paths, in both formats.

use std::path::{Path, PathBuf};

use crate::given::{self, builder, saved};
use tileproof::kernel_folder::KernelFolder;
use tileproof::layernorm::{
    BackwardHost, BackwardRequest, GivenKernels, LayerNormError, LayerNormResult, backward, backward_given,
};
use tileproof::ops::layernorm_bw::PathChoice;
use tileproof_model::numerics::format::DataFormat;

/// Where the kernels are.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tileproof-ops/src/layernorm_bw/cpp")
}

fn cpp() -> GivenKernels {
    GivenKernels { folder: KernelFolder::find(&folder()).expect("six kernels"), include_dirs: Vec::new() }
}

/// Runs the call in Rust and in C++ with checks on; both must pass, say the same and give the same bits.
fn same_bits(name: &str, request: &BackwardRequest, path: &str, cores: u32) {
    let run = |kernels: &str, run: &dyn Fn(&BackwardRequest) -> Result<LayerNormResult, LayerNormError>| {
        let mut notes = Vec::new();
        let outputs = saved(&format!("backward-cpp-{name}-{kernels}"), |to| {
            let result =
                run(&BackwardRequest { save: Some(to), ..request.clone() }).expect("a request that can be run");
            assert!(result.pass(), "{name} in {kernels}: {:?} {:#?}", result.outputs, result.record.findings);
            assert_eq!((result.path, result.cores), (path, cores), "{name}");
            notes = result.record.notes.iter().map(|note| note.code).collect();
        });
        (outputs, notes)
    };
    let (in_rust, notes_in_rust) = run("rust", &backward);
    let (in_cpp, notes_in_cpp) =
        run("cpp", &|request| backward_given(request, cpp(), Some(BackwardHost::Op), builder()));
    assert_eq!(in_rust.keys().collect::<Vec<_>>(), ["dbeta.npy", "dgamma.npy", "dx.npy"], "{name}");
    assert!(in_rust == in_cpp, "{name}: other bits");
    assert_eq!(notes_in_rust, notes_in_cpp, "{name}");
}

#[test]
fn bf16_with_rows_in_l1() {
    for width in [20, 33, 100] {
        let request = BackwardRequest { path: PathChoice::L1, ..BackwardRequest::new([1, 1, 40, width]) };
        same_bits(&format!("l1-{width}"), &request, "l1", 2);
    }
}

#[test]
fn bf16_streamed_in_blocks() {
    // Two matrices whose last tile rows are short, on fewer cores than tile rows.
    for width in [20, 33, 100, 300] {
        let request =
            BackwardRequest { path: PathChoice::Block, cores: Some(3), ..BackwardRequest::new([2, 1, 70, width]) };
        same_bits(&format!("block-{width}"), &request, "block", 3);
    }
}

#[test]
fn bf16_of_8462_features_which_do_not_fit_in_l1() {
    same_bits("8462", &BackwardRequest::new([1, 1, 40, 8462]), "block", 2);
}

#[test]
fn fp32_on_both_paths() {
    for (path, name, width) in [(PathChoice::L1, "l1", 33), (PathChoice::Block, "block", 300)] {
        let base = BackwardRequest::new([1, 2, 40, width]);
        let request = BackwardRequest { format: DataFormat::Float32, path, ..base };
        same_bits(&format!("fp32-{name}"), &request, name, 4);
    }
}

#[test]
fn more_tile_rows_than_a_core_keeps_the_statistics_of() {
    // 33 tile rows on one core: a second group of rows, which leaves partial sums of its own.
    let request =
        BackwardRequest { path: PathChoice::Block, cores: Some(1), ..BackwardRequest::new([1, 1, 33 * 32, 20]) };
    same_bits("groups", &request, "block", 1);
}

#[test]
fn the_host_side_is_told_by_the_kernels_of_a_second_program() {
    let request = BackwardRequest::new([1, 1, 32, 64]);
    let own = backward_given(&request, cpp(), None, builder()).unwrap();
    assert!(own.pass(), "{:#?}", own.record.findings);
    // The public host side leaves dgamma and dbeta of each row; its own files say which ran.
    let public = saved("backward-cpp-auto", |to| {
        let request = BackwardRequest { save: Some(to), ..request.clone() };
        backward_given(&request, given::kernels("mended"), None, builder()).unwrap();
    });
    assert!(public.contains_key("dgamma_components.npy"), "{:?}", public.keys());
    // Told to be for the other side, they cannot be built, and the error names the argument.
    let wrong = backward_given(&request, cpp(), Some(BackwardHost::Public), builder()).unwrap_err();
    assert!(wrong.to_string().contains("compile-time argument"), "{wrong}");
}

#[test]
fn a_second_program_that_is_not_given_is_the_shipped_one() {
    let mut given = cpp();
    given.folder.finish = None;
    let result = backward_given(&BackwardRequest::new([1, 1, 40, 33]), given, Some(BackwardHost::Op), builder());
    assert!(result.unwrap().pass());
}
