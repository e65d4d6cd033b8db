//! The published LayerNorm backward and its mended twin, in words of our own: the recorded bits of the public kernels, the
//! public numbers on constant data, and the two faults on their lines.
//!
//! Expected values are recorded ones (`tests/golden`, group `public`) and published ones; none is Tileproof's.

use crate::given::{self, builder, kernels, marked_in, with};
use crate::recorded::{self, RECORDED};
use crate::support::found::{labelled, line_of};
use tileproof::fill::Fill;
use tileproof::layernorm::{BackwardRequest, LayerNormResult, backward_with};
use tileproof_model::finding::{Certainty, Code};
use tileproof_model::record::RunRecord;

/// Runs a recorded case with the kernels of a folder; all recorded bits must come out.
fn reproduce(name: &str, folder: &str, dx_is_defined: bool) -> RunRecord {
    let case = tileproof_golden::case("public", name).expect(name);
    let outcome = recorded::run(case, &kernels(folder).into(), builder()).expect(name);
    outcome.is_recorded(case, dx_is_defined).unwrap_or_else(|e| panic!("{name}: {e}: {:#?}", outcome.run.findings));
    outcome.run
}

#[test]
fn the_published_specimen_gives_the_recorded_bits_of_the_published_kernel() {
    for (name, dx_is_defined) in RECORDED {
        let run = reproduce(&format!("bw_buggy_{name}"), "published", dx_is_defined);
        // Where the bits are not defined, the run says so: a sum of the vector unit reads what nothing wrote.
        let undefined = with(&run, Code::DST_UNWRITTEN);
        assert!(dx_is_defined || undefined.len() == 1, "{name}: {:#?}", run.findings);
        let line = marked_in(&given::folder("published/compute.cpp"), "undefined sum");
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
        assert_eq!(constant(width, "published").outputs[0].max_diff, Some(published), "{width}");
        assert_eq!(constant(width, "mended").outputs[0].max_diff, Some(mended), "{width}");
    }
}

#[test]
fn the_product_onto_the_copied_mean_is_reported_where_it_accumulates() {
    let run = constant(100, "published").record;
    let found = with(&run, Code::DST_ACCUMULATES);
    assert_eq!((run.findings.len(), found.len()), (1, 1), "{:#?}", run.findings);
    let line = |mark| marked_in(&given::folder("published/compute.cpp"), mark);
    assert_eq!(line_of(found[0]), line("accumulates"));
    assert_eq!(labelled(found[0]), [line("copied mean"), line("mean used")]);
    assert_eq!(found[0].certainty, Certainty::Suspect);
    assert_eq!(found[0].also_on.len(), 0);
}

#[test]
fn the_window_inside_a_window_is_reported_with_both_windows() {
    let run = constant(8192, "published").record;
    let found = with(&run, Code::DST_NESTED);
    assert_eq!(found.len(), 1, "{:#?}", run.findings);
    let line = |mark| marked_in(&given::folder("published/compute.cpp"), mark);
    assert_eq!(line_of(found[0]), line("nested window"));
    assert_eq!(labelled(found[0]), [line("outer window")]);
}

#[test]
fn a_row_that_fits_has_no_window_inside_a_window() {
    assert!(with(&constant(2048, "published").record, Code::DST_NESTED).is_empty());
}
