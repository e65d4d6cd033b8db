//! The published LayerNorm backward and its mended twin, in words of our own: the recorded bits of the public kernels, the
//! public numbers on constant data, and the two faults on their lines.
//!
//! Expected values are recorded ones (`tests/golden`, group `public`) and published ones; none is Tileproof's.

mod specimens;

use specimens::{builder, kernels, labels_of, line_of, marked, with};
use tileproof::check::Checks;
use tileproof::device::Device;
use tileproof::fill::Fill;
use tileproof::layernorm::{BackwardRequest, LayerNormResult, backward_with};
use tileproof::ops::layernorm_bw::{Arguments, public_layout};
use tileproof_golden::Case;
use tileproof_model::finding::{Certainty, Code};
use tileproof_model::numerics::format::DataFormat;
use tileproof_model::record::{RunRecord, Status};

/// Rows of every recorded case: one tile row.
const ROWS: u32 = 32;

fn widen(bits: &[u8]) -> Vec<f32> {
    bits.chunks_exact(2).map(|b| f32::from_bits(u32::from(u16::from_le_bytes([b[0], b[1]])) << 16)).collect()
}

fn narrow(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|v| ((v.to_bits() >> 16) as u16).to_le_bytes()).collect()
}

/// An input of a case: an array, or one value for all elements.
fn input(case: &Case, name: &str, elements: usize) -> Vec<f32> {
    match case.meta["inputs"][name].as_f64() {
        Some(value) => vec![value as f32; elements],
        None => widen(&case.raw(case.meta["inputs"][name].as_str().expect("a file"))),
    }
}

/// Runs a recorded case with the kernels of a folder; outputs are checked bit by bit, all of dgamma and, unless it was
/// undefined on the recording stack, all of dx.
fn reproduce(name: &str, folder: &str, dx_is_defined: bool) -> RunRecord {
    let case = tileproof_golden::case("public", name).expect(name);
    let width = case.meta["program"]["N"].as_u64().expect("N") as u32;
    let plan = public_layout::plan(&Arguments::new(&[1, 1, ROWS, width], DataFormat::Float16_b)).expect("a plan");
    assert_eq!(Some(plan.l1_path), case.meta["program"]["L1"].as_bool(), "{name}: the path of the public factory");
    let program = public_layout::program(&plan, &kernels(folder).into());
    let mut device = Device::<Checks>::new(&program, 1).expect("a device");
    let elements = (ROWS * width) as usize;
    for (tensor, elements) in [("x", elements), ("dy", elements), ("gamma", width as usize), ("mean", 32), ("rstd", 32)]
    {
        device.write(tensor, &input(case, tensor, elements)).expect(tensor);
    }
    let kernels = device.build(&program, builder()).expect("kernels that can be built");
    let run = device.run_built(&program, &kernels).expect("a run");
    assert_eq!(run.status, Status::Completed, "{name}: {:#?}", run.findings);
    let same = |tensor: &str| {
        let values = device.read(tensor).expect(tensor);
        case.check(&format!("{tensor}.npy"), &narrow(&values)).unwrap_or_else(|e| panic!("{name}: {tensor}: {e}"));
    };
    if dx_is_defined {
        same("dx");
    }
    if case.file_names().any(|file| file == "dgamma_components.npy") {
        same("dgamma_components");
    }
    run
}

/// Recorded cases without `bw_buggy_` and `bw_fixed_`, and whether dx of the published kernel is defined: on the block path s2 is
/// read from a Dst section that was cleared and not written, which shows unless x_hat is 0.
const RECORDED: [(&str, bool); 15] = [
    ("det1_20", true),
    ("det1_32", true),
    ("det1_33", true),
    ("det1_46", true),
    ("det1_64", true),
    ("det1_78", true),
    ("det1_2048", true),
    ("det1_4096", true),
    ("det1_8192", true),
    ("det1_8462", true),
    ("det2_8192", true),
    ("rand_33", true),
    ("rand_2048", true),
    ("rand_8462", false),
    ("dep_8448", false),
];

#[test]
fn the_published_specimen_gives_the_recorded_bits_of_the_published_kernel() {
    for (name, dx_is_defined) in RECORDED {
        let run = reproduce(&format!("bw_buggy_{name}"), "published", dx_is_defined);
        // Where the bits are not defined, the run says so: a sum of the vector unit reads what nothing wrote.
        let undefined = with(&run, Code::DST_UNWRITTEN);
        assert!(dx_is_defined || undefined.len() == 1, "{name}: {:#?}", run.findings);
        let line = marked("published/compute.cpp", "undefined sum");
        assert!(undefined.iter().all(|f| line_of(f) == line && f.message.starts_with("add_binary_tile")), "{name}");
    }
}

#[test]
fn the_mended_specimen_gives_the_recorded_bits_of_the_mended_kernel_and_no_finding() {
    for (name, _) in RECORDED {
        let run = reproduce(&format!("bw_fixed_{name}"), "mended", true);
        assert!(run.findings.is_empty() && run.notes.is_empty(), "{name}: {:#?} {:#?}", run.findings, run.notes);
    }
}

/// dy = gamma = 1 and x = 0.5: rstd is 1000 and the right dx is 0.
fn constant(width: u32, folder: &str) -> LayerNormResult {
    let request = BackwardRequest {
        x: Fill::Constant(0.5),
        dy: Fill::Constant(1.0),
        gamma: Fill::Constant(1.0),
        ..BackwardRequest::new([1, 1, 32, width])
    };
    backward_with(&request, kernels(folder), builder()).expect("a request that can be carried out")
}

#[test]
fn constant_data_gives_the_numbers_that_devices_gave() {
    // Published measurements: as published, and with both faults mended.
    for (width, published, mended) in
        [(20, 992.0, 3.90625), (32, 1000.0, 0.0), (100, 988.0, 5.375), (2048, 1000.0, 0.0), (8192, 1000.0, 0.0)]
    {
        assert_eq!(constant(width, "published").outputs[0].max_diff, published, "{width}");
        assert_eq!(constant(width, "mended").outputs[0].max_diff, mended, "{width}");
    }
}

#[test]
fn the_product_onto_the_copied_mean_is_reported_where_it_accumulates() {
    let run = constant(100, "published").record;
    let found = with(&run, Code::DST_ACCUMULATES);
    assert_eq!((run.findings.len(), found.len()), (1, 1), "{:#?}", run.findings);
    let line = |mark| marked("published/compute.cpp", mark);
    assert_eq!(line_of(found[0]), line("accumulates"));
    assert_eq!(labels_of(found[0]), [line("copied mean"), line("mean used")]);
    assert_eq!(found[0].certainty, Certainty::Suspect);
    assert_eq!(found[0].also_on.len(), 0);
}

#[test]
fn the_window_inside_a_window_is_reported_with_both_windows() {
    let run = constant(8192, "published").record;
    let found = with(&run, Code::DST_NESTED);
    assert_eq!(found.len(), 1, "{:#?}", run.findings);
    let line = |mark| marked("published/compute.cpp", mark);
    assert_eq!(line_of(found[0]), line("nested window"));
    assert_eq!(labels_of(found[0]), [line("outer window")]);
}

#[test]
fn a_row_that_fits_has_no_window_inside_a_window() {
    assert!(with(&constant(2048, "published").record, Code::DST_NESTED).is_empty());
}
