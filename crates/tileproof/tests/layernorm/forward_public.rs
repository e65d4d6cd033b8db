//! The public fused LayerNorm in words of our own, on its own host side: the recorded bits of the public kernels.
//!
//! Expected values are recorded ones (`tests/golden`, group `public`); none is Tileproof's. Of the recorded `frm_full` bits none
//! are demanded: that kernel reads the mean of a row before it waits for it (docs/layernorm.md).

use std::path::Path;

use crate::given::builder;
use tileproof::check::Checks;
use tileproof::device::Device;
use tileproof::kernel_folder::KernelFolder;
use tileproof::layernorm::{ForwardHost, ForwardRequest, GivenKernels, forward_given};
use tileproof::ops::layernorm_fused_rm::public_layout::{self, OutPages};
use tileproof::ops::layernorm_fused_rm::{Arguments, Kernels, Tensors};
use tileproof_model::numerics::format::DataFormat;
use tileproof_model::program::Layout;
use tileproof_model::record::Status;

fn kernels(folder: &str) -> Kernels {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
    GivenKernels { folder: KernelFolder::find(&folder).expect("three kernels"), include_dirs: Vec::new() }.into()
}

const PUBLISHED: &str = "specimens/layernorm_fused_rm/published";

/// Runs the published kernels on the inputs of a recorded case: every bit must be the recorded one, and nothing be found.
fn reproduce(name: &str) {
    let case = tileproof_golden::case("public", name).expect(name);
    let values = |file: &str| -> Vec<f32> {
        let value = |b: &[u8]| f32::from_bits(u32::from(u16::from_le_bytes([b[0], b[1]])) << 16);
        case.raw(file).chunks_exact(2).map(value).collect()
    };
    let (x, gamma, beta) = (values("x.npy"), values("gamma.npy"), values("beta.npy"));
    let shape = [(x.len() / gamma.len()) as u32, gamma.len() as u32];
    let arguments = Arguments::new(&shape, DataFormat::Float16_b, Layout::RowMajor);
    let plan = public_layout::plan(&arguments, OutPages::Sticks).expect("a plan");
    let program = public_layout::program(&plan, &kernels(PUBLISHED));
    let mut device = Device::<Checks>::new(&program, 1).expect("a device");
    for (tensor, values) in [(Tensors::X, x), (Tensors::GAMMA, gamma), (Tensors::BETA, beta)] {
        device.write(tensor, &values).expect(tensor);
    }
    let built = device.build(&program, builder()).expect("kernels that can be built");
    let record = device.run_built(&program, &built).expect("a run");
    assert_eq!(record.status, Status::Completed, "{name}");
    assert!(record.is_clean() && record.notes.is_empty(), "{name}: {:#?} {:#?}", record.findings, record.notes);
    let y = device.read(Tensors::Y).expect("y");
    let bits: Vec<u8> = y.iter().flat_map(|v| ((v.to_bits() >> 16) as u16).to_le_bytes()).collect();
    case.check("out.npy", &bits).unwrap_or_else(|error| panic!("{name}: {error}"));
}

#[test]
fn the_recorded_bits_come_out_one_row_of_tiles_and_several() {
    for name in ["frm_final_32x32", "frm_final_128x64"] {
        reproduce(name);
    }
}

#[test]
fn kernels_are_run_on_the_host_side_that_they_were_written_for() {
    let request = ForwardRequest::new([32, 64]);
    let own = "crates/tileproof-ops/src/layernorm_fused_rm/cpp";
    for (folder, host) in [(PUBLISHED, ForwardHost::Public(OutPages::Sticks)), (own, ForwardHost::Op)] {
        let found = forward_given(&request, kernels(folder), None, builder()).expect("a run");
        let told = forward_given(&request, kernels(folder), Some(host), builder()).expect("a run");
        assert!(found.pass(), "{folder}: {:?} {:#?}", found.outputs, found.record.findings);
        assert_eq!((found.record.cycles, &found.outputs), (told.record.cycles, &told.outputs), "{folder}");
    }
    // A request that the public host side refuses does not change which it is.
    let ragged = ForwardRequest::new([33, 65]);
    let refused = forward_given(&ragged, kernels(PUBLISHED), None, builder()).unwrap_err().to_string();
    assert!(refused.contains("multiples of 32"), "{refused}");
    assert!(forward_given(&ragged, kernels(own), None, builder()).expect("a run").pass());
}
