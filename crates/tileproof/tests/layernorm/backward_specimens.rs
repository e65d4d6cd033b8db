//! Kernels with one fault each, in Rust and in C++: each is reported for the right reason on the right line, and the right
//! kernels beside them are right and silent.

use std::path::PathBuf;

use crate::given::{self, builder, marked_in, of_ops, saved, with};
use crate::support::found::{labelled, line_of};
use tileproof::fill::Fill;
use tileproof::layernorm::{BackwardRequest, LayerNormResult, backward_specimen};
use tileproof::ops::Kernels;
use tileproof::ops::layernorm_bw::specimens::{Specimen, kernels};
use tileproof_model::finding::{Code, Finding};
use tileproof_model::record::Status;
use tileproof_model::thread::Thread;

/// A way to write a kernel, and where its texts are.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Language {
    Rust,
    Cpp,
}
use Language::{Cpp, Rust};

impl Language {
    fn kernels(self) -> Kernels {
        match self {
            Rust => kernels(),
            Cpp => given::kernels("single").into(),
        }
    }

    /// The file of a role.
    fn file(self, role: &str) -> PathBuf {
        match (self, role) {
            (Cpp, _) => given::folder("single").join(format!("{role}.cpp")),
            (Rust, "compute") => of_ops("layernorm_bw/specimens/compute.rs"),
            (Rust, _) => of_ops("layernorm_bw/specimens/dataflow.rs"),
        }
    }

    fn marked(self, role: &str, mark: &str) -> u32 {
        marked_in(&self.file(role), mark)
    }

    fn run(self, request: &BackwardRequest, specimen: Specimen) -> LayerNormResult {
        backward_specimen(request, specimen, self.kernels(), builder()).expect("a request that can be carried out")
    }
}

/// dy = gamma = 1 and x = 0.5: rstd is 1000 and the right dx is 0. Three blocks and a masked tile.
fn constant() -> BackwardRequest {
    BackwardRequest {
        x: Fill::Constant(0.5),
        dy: Fill::Constant(1.0),
        gamma: Fill::Constant(1.0),
        ..BackwardRequest::new([1, 1, 40, 300])
    }
}

/// The one finding with a code.
fn only(result: &LayerNormResult, code: Code) -> &Finding {
    let found = with(&result.record, code);
    assert_eq!(found.len(), 1, "{code}: {:#?}", result.record.findings);
    found[0]
}

#[test]
fn the_right_kernels_are_right_and_silent() {
    let offset = BackwardRequest { x: Fill::Normal { mean: 100.0, std: 1.0 }, ..BackwardRequest::new([1, 1, 40, 300]) };
    let narrow = BackwardRequest::new([1, 2, 13, 20]);
    let whole = BackwardRequest::new([1, 1, 32, 512]);
    for request in [constant(), offset, narrow, whole] {
        for language in [Rust, Cpp] {
            let result = language.run(&request, Specimen::Right);
            assert!(result.pass(), "{language:?}: {:?} {:#?}", result.outputs, result.record.findings);
            assert!(result.outputs.iter().all(|o| o.max_ulp.unwrap() <= 1.0), "{language:?}: {:?}", result.outputs);
            assert!(result.record.notes.is_empty(), "{language:?}: {:#?}", result.record.notes);
        }
    }
}

#[test]
fn rust_and_cpp_give_the_same_numbers() {
    let of = |language: Language| {
        saved(&format!("specimen-{language:?}"), |folder| {
            let request = BackwardRequest { save: Some(folder), ..BackwardRequest::new([1, 1, 40, 300]) };
            language.run(&request, Specimen::Right);
        })
    };
    let (rust, cpp) = (of(Rust), of(Cpp));
    let names: Vec<&str> = rust.keys().map(String::as_str).collect();
    assert_eq!(names, ["dbeta.npy", "dbeta_components.npy", "dgamma.npy", "dgamma_components.npy", "dx.npy"]);
    assert!(rust == cpp, "the bits differ");
}

#[test]
fn the_product_onto_the_copied_mean_is_reported_where_it_accumulates() {
    for language in [Rust, Cpp] {
        let result = language.run(&constant(), Specimen::AccumulatesOntoMean);
        let finding = only(&result, Code::DST_ACCUMULATES);
        assert_eq!(line_of(finding), language.marked("compute", "accumulates"), "{language:?}");
        assert!(labelled(finding).contains(&language.marked("compute", "mean used")), "{finding:#?}");
        assert_eq!(result.record.findings.len(), 1);
        // The mean is not subtracted: rstd times it is left.
        assert_eq!(result.outputs[0].max_diff, Some(1000.0), "{language:?}");
    }
}

#[test]
fn the_nested_window_is_reported_with_both_windows() {
    for language in [Rust, Cpp] {
        let result = language.run(&constant(), Specimen::NestedWindow);
        let finding = only(&result, Code::DST_NESTED);
        assert_eq!(line_of(finding), language.marked("compute", "nested window"), "{language:?}");
        assert_eq!(labelled(finding), [language.marked("compute", "outer window")], "{language:?}");
        assert!(!result.pass());
        // What follows from it: sums that read what was cleared. That what lies behind the inner commit is outside of any
        // window is said once, not for each of its operations.
        assert!(!with(&result.record, Code::DST_UNWRITTEN).is_empty(), "{language:?}");
        only(&result, Code::DST_NOT_ACQUIRED);
    }
}

#[test]
fn a_sum_of_which_the_last_block_survives_is_reported_where_it_is_packed_for_nobody() {
    for language in [Rust, Cpp] {
        let result = language.run(&constant(), Specimen::OverwrittenSum);
        assert_eq!(result.record.status, Status::Completed);
        // s1 and s2 of all blocks but the last.
        let line = language.marked("compute", "lost sum");
        let lost: Vec<u32> = with(&result.record, Code::WORK_LOST).into_iter().map(line_of).collect();
        assert_eq!(lost, [line, line + 1], "{language:?}: {:#?}", result.record.findings);
        assert_eq!(result.record.findings.len(), 2, "{language:?}: {:#?}", result.record.findings);
        // 44 of 300 columns are in the last block: dx is 1000 (1 - 44 / 300) instead of 0.
        let dx = &result.outputs[0];
        assert!(!dx.pass && (dx.max_diff.unwrap() - 853.3).abs() < 4.0, "{language:?}: {dx:?}");
        // The sums of the blocks before are packed, and popped unread.
        let lost = with(&result.record, Code::WORK_LOST);
        assert_eq!(lost.len(), 2, "{language:?}: {:#?}", result.record.findings);
        assert!(lost.iter().all(|finding| finding.message.contains("are popped")), "{lost:#?}");
    }
}

#[test]
fn a_missing_push_is_a_deadlock_that_names_who_waits_and_who_did_not_push() {
    for language in [Rust, Cpp] {
        let result = language.run(&constant(), Specimen::MissingPush);
        assert_eq!(result.record.status, Status::Deadlock);
        let finding = only(&result, Code::DEADLOCK);
        assert!(!result.pass());
        let wait = language.marked("writer", "waits for totals");
        let places: Vec<u32> = std::iter::once(line_of(finding)).chain(labelled(finding)).collect();
        assert!(places.contains(&wait), "{language:?}: {finding:#?}");
        assert!(format!("{finding:?}").contains("c_7"), "{finding:#?}");
    }
}

#[test]
fn a_scaler_that_is_cut_off_misses_the_tolerance_and_breaks_no_rule() {
    let request = BackwardRequest { shape: vec![1, 1, 32, 100], ..constant() };
    for language in [Rust, Cpp] {
        let result = language.run(&request, Specimen::TruncatedScaler);
        // That dx is wrong is said, with how it came about; no call is.
        let codes: Vec<Code> = result.record.findings.iter().map(|finding| finding.code).collect();
        assert_eq!(codes, [Code::OTHER_FUNCTION], "{:#?}", result.record.findings);
        // 1/100 in bf16 is 0.00994873 when it is cut off: 0.5127 % of the mean is left, and rstd is 1000.
        let dx = &result.outputs[0];
        assert!(!dx.pass && (dx.max_diff.unwrap() - 5.127).abs() < 0.02, "{language:?}: {dx:?}");
        assert!(!result.pass());
    }
}

#[test]
fn a_missing_start_up_is_reported_at_the_first_call_that_needs_it() {
    for language in [Rust, Cpp] {
        let result = language.run(&constant(), Specimen::MissingStartup);
        let found = with(&result.record, Code::NOT_STARTED);
        assert!(!found.is_empty() && !result.pass(), "{language:?}: {:#?}", result.record.findings);
        let line = language.marked("compute", "first call without start-up");
        assert_eq!(line_of(found[0]), line, "{language:?}: {:#?}", found[0]);
        assert_ne!(found[0].primary.thread, Thread::Brisc);
    }
}
