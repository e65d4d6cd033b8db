//! A plain LayerNorm forward with one fault each: reported for the right reason on the right line, or measured where the
//! fault is arithmetic; and the right one beside them is right and silent.

use std::path::PathBuf;

use crate::given::{marked_in, of_ops};
use crate::support::found::{line_of, only};
use tileproof::Nobody;
use tileproof::device::execute;
use tileproof::fill::Fill;
use tileproof::ops::layernorm_fused_rm::specimens::{self, Specimen};
use tileproof::ops::layernorm_fused_rm::{self, Arguments, PathChoice};
use tileproof_check::Checks;
use tileproof_model::finding::{Code, Finding};
use tileproof_model::numerics::error::{ErrorMeasures, measure};
use tileproof_model::numerics::format::DataFormat;
use tileproof_model::program::Layout;
use tileproof_model::record::{RunRecord, Status};

const BF16: DataFormat = DataFormat::Float16_b;
/// Twelve tile columns, of which the last is short; two tile rows on one core.
const SHAPE: [u32; 2] = [40, 380];

fn source() -> PathBuf {
    of_ops("layernorm_fused_rm/specimens/compute.rs")
}

/// The line of the specimens on which `// MARK mark` stands.
fn marked(mark: &str) -> u32 {
    marked_in(&source(), mark)
}

/// Runs a specimen with checks on: the run, and y against float64 if it completed.
fn run(specimen: Specimen, shape: [u32; 2], x: &Fill) -> (RunRecord, Option<ErrorMeasures>) {
    let row = [1, 1, 1, shape[1]];
    let gamma = Fill::Uniform { lo: 0.5, hi: 1.5 }.values(&row, BF16, 0, 1).unwrap();
    let beta = Fill::Uniform { lo: -1.0, hi: 1.0 }.values(&row, BF16, 0, 3).unwrap();
    let x = x.values(&shape, BF16, 0, 0).unwrap();
    let arguments =
        Arguments { path: PathChoice::L1, cores: Some(1), ..Arguments::new(&shape, BF16, Layout::RowMajor) };
    let plan = layernorm_fused_rm::plan(&arguments).unwrap();
    let inputs = [("x", &x[..]), ("gamma", &gamma[..]), ("beta", &beta[..])];
    let program = specimens::program(&plan, specimen);
    let run = execute::<Checks>(&program, &inputs, 1, &Nobody).unwrap();
    let y = layernorm_fused_rm::reference::forward(&x, shape[1] as usize, Some(&gamma), Some(&beta), 1e-5).y;
    let measures = run.outputs.first().map(|(_, values)| measure(BF16, values, &y).unwrap());
    (run.record, measures)
}

fn uniform() -> Fill {
    Fill::Uniform { lo: -1.0, hi: 1.0 }
}

fn normal(mean: f64) -> Fill {
    Fill::Normal { mean, std: 1.0 }
}

/// A specimen that completes without a finding; its measures.
fn silent(specimen: Specimen, shape: [u32; 2], x: &Fill) -> ErrorMeasures {
    let (record, measures) = run(specimen, shape, x);
    assert!(record.is_clean() && record.notes.is_empty(), "{specimen:?}: {:#?}", record.findings);
    println!("{specimen:?} {shape:?} {x:?}: {measures:?}");
    measures.expect("y")
}

#[test]
fn the_right_kernel_is_right_and_silent() {
    for (shape, x) in [(SHAPE, uniform()), ([32, 2048], normal(1.0)), ([33, 7], uniform())] {
        let measures = silent(Specimen::Right, shape, &x);
        assert!(measures.max_ulp <= 1.0, "{shape:?}: {measures:?}");
    }
}

#[test]
fn no_start_up_is_reported_at_the_first_compute_call() {
    let (record, _) = run(Specimen::MissingStartup, SHAPE, &uniform());
    assert_eq!(record.status, Status::Stopped);
    assert_eq!(line_of(only(&record, Code::NOT_STARTED)), marked("first call without start-up"));
}

#[test]
fn pages_counted_as_sticks_are_a_wait_beyond_the_capacity() {
    let (record, _) = run(Specimen::SticksForTiles, SHAPE, &uniform());
    let finding = only(&record, Code::BEYOND_CAPACITY);
    assert_eq!(line_of(finding), marked("waits for sticks"));
    // Two chunks of twelve tiles, where 32 sticks are waited for.
    assert!(finding.message.contains("32") && finding.message.contains("24"), "{}", finding.message);
    assert_eq!(record.status, Status::Deadlock);
}

#[test]
fn a_window_wider_than_dst_is_reported_where_it_untilizes() {
    let (record, _) = run(Specimen::WideUntilize, SHAPE, &uniform());
    let found: Vec<&Finding> = record.findings.iter().filter(|f| f.code == Code::DST_INDEX).collect();
    assert!(!found.is_empty() && found.iter().all(|f| line_of(f) == marked("untilizes")), "{found:#?}");
    assert!(found[0].message.contains("holds 8 tiles"), "{}", found[0].message);
}

#[test]
fn a_gamma_and_a_beta_that_are_popped_unused_are_reported_where_they_are_popped() {
    // All pages are pushed, waited for and popped: the credits are in order, the numbers are not.
    let (record, measures) = run(Specimen::AffineUnused, SHAPE, &uniform());
    assert!(record.findings.iter().all(|finding| finding.code == Code::PAGES_UNREAD), "{:#?}", record.findings);
    let lines: Vec<u32> = record.findings.iter().map(line_of).collect();
    assert_eq!(lines, [marked("pops gamma"), marked("pops beta")]);
    let measures = measures.expect("y");
    assert!(measures.max_diff > 1.0, "{measures:?}");
}

#[test]
fn squares_minus_the_square_hide_at_mean_0_and_fail_far_from_it() {
    let near = silent(Specimen::SquaresMinusSquare, [32, 2048], &normal(0.0));
    let far = silent(Specimen::SquaresMinusSquare, [32, 2048], &normal(1000.0));
    assert!(near.max_ulp <= 1.0, "{near:?}");
    assert!(far.max_ulp > 5.0, "{far:?}");
    assert!(silent(Specimen::Right, [32, 2048], &normal(1000.0)).max_ulp <= 1.0);
}

#[test]
fn padding_that_counts_hides_where_there_is_none() {
    let full = silent(Specimen::PaddingCounts, [32, 384], &normal(1.0));
    let short = silent(Specimen::PaddingCounts, SHAPE, &normal(1.0));
    assert!(full.max_ulp <= 1.0, "{full:?}");
    assert!(short.max_ulp > 1.0, "{short:?}");
}

#[test]
fn a_dst_of_16_bits_loses_rows_far_from_zero() {
    let near = silent(Specimen::NarrowDst, [32, 2048], &normal(0.0));
    let far = silent(Specimen::NarrowDst, [32, 2048], &normal(100.0));
    assert!(near.max_diff < 0.5 && far.max_diff > 1.0, "{near:?} {far:?}");
}
