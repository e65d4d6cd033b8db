//! What the float64 shadow alone says of the published LayerNorm backward, whose two faults the rules would name too: the
//! rules of other families are switched off.

use crate::given::{self, builder, kernels, marked_in};
use crate::support::found::line_of;
use tileproof::fill::Fill;
use tileproof::layernorm::{BackwardRequest, LayerNormResult, backward_with};
use tileproof::model::finding::Code;
use tileproof::ops::PathChoice;
use tileproof::run_file::ChosenChecks;

fn values_alone(request: BackwardRequest, folder: &str) -> LayerNormResult {
    let request = BackwardRequest { checks: ChosenChecks::parse("values").unwrap(), ..request };
    backward_with(&request, kernels(folder), builder()).expect("a request that can be carried out")
}

/// The lines that a finding about dx names, each with the share of the error that it gives.
fn shares(result: &LayerNormResult) -> Vec<(u32, f64)> {
    let of_dx = |finding: &&tileproof::model::finding::Finding| finding.facts.get("output").is_some_and(|o| o == "dx");
    let found = result.record.findings.iter().find(of_dx).unwrap_or_else(|| panic!("{:#?}", result.record.findings));
    assert_eq!(found.code, Code::OTHER_FUNCTION, "{found:#?}");
    let first = (line_of(found), found.facts["share"].parse::<f64>().unwrap());
    let others = found.labels.iter().filter_map(|label| {
        let (share, _) = label.text.split_once(" %: ")?;
        Some((label.place.location.as_ref()?.line, share.parse::<f64>().ok()? / 100.0))
    });
    std::iter::once(first).chain(others).collect()
}

#[test]
fn the_sum_onto_the_mean_and_the_lost_sums_are_the_two_causes_each_with_its_share() {
    let line = |mark| marked_in(&given::folder("published/compute.cpp"), mark);
    let in_blocks = BackwardRequest { path: PathChoice::Block, ..BackwardRequest::new([1, 1, 32, 300]) };
    let mut found = shares(&values_alone(in_blocks, "published"));
    found.sort_by_key(|(line, _)| *line);
    let lines: Vec<u32> = found.iter().map(|(line, _)| *line).collect();
    assert_eq!(lines, [line("undefined sum"), line("accumulates")], "{found:?}");
    assert!(found.iter().all(|(_, share)| (0.1..0.9).contains(share)), "{found:?}");
    let sum: f64 = found.iter().map(|(_, share)| share).sum();
    assert!((0.9..1.01).contains(&sum), "{found:?}");
}

#[test]
fn a_row_that_fits_and_constant_data_have_the_sum_onto_the_mean_alone() {
    let line = marked_in(&given::folder("published/compute.cpp"), "accumulates");
    let constant = BackwardRequest {
        x: Fill::Constant(0.5),
        dy: Fill::Constant(1.0),
        gamma: Fill::Constant(1.0),
        path: PathChoice::Block,
        ..BackwardRequest::new([1, 1, 32, 100])
    };
    for request in [BackwardRequest::new([1, 1, 32, 33]), constant] {
        let found = shares(&values_alone(request, "published"));
        assert!(matches!(found[..], [(at, share)] if at == line && share > 0.9), "{found:?}");
    }
}

/// With both faults mended the arithmetic of the public kernels is left: 1/N in bfloat16, and sums of the matrix unit.
#[test]
fn of_the_public_arithmetic_the_scaler_and_the_sum_are_the_two_largest_causes_and_a_run_without_the_first_agrees() {
    let line = marked_in(&given::folder("published/compute.cpp"), "total of a row");
    for width in [8462, 100] {
        let constant = BackwardRequest {
            x: Fill::Constant(0.5),
            dy: Fill::Constant(1.0),
            gamma: Fill::Constant(1.0),
            path: PathChoice::Block,
            ..BackwardRequest::new([1, 1, 32, width])
        };
        let result = values_alone(constant, "mended");
        let found = &result.record.findings[0];
        assert_eq!((found.code, line_of(found)), (Code::DIGITS_LOST, line), "{found:#?}");
        assert!(found.message.contains(&format!("c_0 holds 1/{width} in bfloat16")), "{}", found.message);
        let fact = |name: &str| found.facts[name].parse::<f64>().unwrap();
        let (share, largest) = (fact("share"), fact("largest"));
        assert!(share > 0.5 && largest > 5.0, "{found:#?}");
        // To first order, and in a run.
        let (estimated, run) = (fact("largest_without"), fact("largest_in_a_run"));
        assert!(run < 0.5 * largest && estimated < 0.5 * largest, "{width}: {estimated} {run}");
        if width == 8462 {
            assert!((0.5..=2.0).contains(&(run / estimated)), "{estimated} {run}");
            let other = found.labels.iter().find(|label| label.text.contains("matmul keeps 10 bits")).expect("the sum");
            assert!(other.text.starts_with("31 %") && other.place.location.as_ref().unwrap().line == line, "{other:?}");
        }
    }
}

#[test]
fn nothing_is_said_of_the_mended_kernel() {
    for path in [PathChoice::L1, PathChoice::Block] {
        let result = values_alone(BackwardRequest { path, ..BackwardRequest::new([1, 1, 32, 300]) }, "mended");
        let of_dx = result.record.findings.iter().filter(|f| f.facts.get("output").is_some_and(|o| o == "dx"));
        assert_eq!(of_dx.count(), 0, "{:#?}", result.record.findings);
    }
}
