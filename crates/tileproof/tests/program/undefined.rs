//! Programs that read what nobody wrote, in runs with other bytes there: what shows is told, what does not is not.

use std::fs;

use crate::support;
use tileproof::run_file::{BuildKernels, ChosenChecks, RunOptions, RunResult, run_program_file_with};
use tileproof_build::{BuildError, CompileRequest};
use tileproof_kernel::{DataMovement, TensorAccessor, data_movement_kernel};
use tileproof_model::finding::{Code, Family};
use tileproof_model::kernel::SharedKernel;

type Body = fn(&DataMovement<'_>);

/// A kernel in the place of that of the program file.
struct One(Body);

impl BuildKernels for One {
    fn build(&self, requests: &[CompileRequest]) -> Result<Vec<SharedKernel>, BuildError> {
        Ok(requests.iter().map(|_| data_movement_kernel("one", self.0)).collect())
    }
}

/// The first word of the page to write, which nothing has written.
fn undefined(dm: &DataMovement<'_>) -> u32 {
    let mut word = [0];
    dm.l1_load(dm.get_write_ptr(0), &mut word);
    word[0]
}

/// Writes y, all of whose elements are one.
fn put(dm: &DataMovement<'_>, word: u32) {
    let from = dm.get_write_ptr(0) + 32;
    dm.l1_store(from, &[word; 4]);
    dm.noc_async_write_page(0, &TensorAccessor::new(dm, 0, dm.get_arg_val(0), 16), from);
    dm.noc_async_write_barrier();
}

fn run(name: &str, body: Body, checks: ChosenChecks) -> RunResult {
    let folder = support::folder(&format!("undefined-{name}"));
    fs::write(folder.join("one.cpp"), "").unwrap();
    let text = "[[tensor]]\nname = \"y\"\nshape = [1, 4]\nlayout = \"row_major\"\ndtype = \"float32\"\noutput = true\n\
        [[cb]]\ntotal_size = 64\ncore_ranges = [[[0, 0], [0, 0]]]\n\
        format_descriptors = [{ buffer_index = 0, data_format = \"float32\", page_size = 64 }]\n\
        [[kernel]]\nkernel_source = \"one.cpp\"\ncore_ranges = [[[0, 0], [0, 0]]]\nconfig = \"reader\"\n\
        compile_time_args = [{ tensor_accessor = \"y\" }]\n\
        runtime_args = [{ core = [0, 0], args = [{ address = \"y\" }] }]\n";
    let path = folder.join("program.toml");
    fs::write(&path, text).unwrap();
    let options = RunOptions { checks, ..RunOptions::default() };
    run_program_file_with(&path, &options, &One(body)).unwrap()
}

fn found(result: &RunResult) -> Vec<Code> {
    result.record.findings.iter().map(|finding| finding.code).collect()
}

#[test]
fn what_depends_on_undefined_memory_is_told_where_memory_alone_is_asked_for() {
    let body: Body = |dm| {
        let value: f32 = if undefined(dm) == 0 { 1.0 } else { 2.0 };
        put(dm, value.to_bits());
    };
    for families in [vec![Family::Memory], vec![Family::Memory, Family::Numerics]] {
        let result = run("memory", body, ChosenChecks::Families(families));
        assert_eq!(found(&result), [Code::DEPENDS_ON_UNDEFINED], "{:?}", result.record);
    }
    assert!(found(&run("numerics", body, ChosenChecks::Families(vec![Family::Numerics]))).is_empty());
}

#[test]
fn a_run_that_takes_another_way_to_the_same_values_hides_no_other() {
    let result = run(
        "ways",
        |dm| {
            let word = undefined(dm);
            if word == 0x4242_4242 {
                undefined(dm);
                undefined(dm);
            }
            let value: f32 = if word == 0 { 1.0 } else { 2.0 };
            put(dm, value.to_bits());
        },
        ChosenChecks::All,
    );
    assert_eq!(found(&result), [Code::DEPENDS_ON_UNDEFINED], "{:?}", result.record);
}

#[test]
fn zeros_of_either_sign_are_the_same_result() {
    let body: Body = |dm| {
        let value: f32 = if undefined(dm) == 0 { -0.0 } else { 0.0 };
        put(dm, value.to_bits());
    };
    let result = run("zeros", body, ChosenChecks::All);
    assert!(found(&result).is_empty() && result.pass(), "{:?}", result.record);
}

#[test]
fn a_long_run_names_the_load_that_it_goes_by_as_a_short_one_does() {
    fn goes_by_it(dm: &DataMovement<'_>, rounds: u32) {
        let value: f32 = if undefined(dm) == 0 { 1.0 } else { 2.0 };
        for _ in 0..rounds {
            put(dm, value.to_bits());
        }
    }
    let told = |name, body: Body| {
        let RunResult { record, .. } = run(name, body, ChosenChecks::All);
        let [finding] = &record.findings[..] else { panic!("{record:?}") };
        assert_eq!(finding.code, Code::DEPENDS_ON_UNDEFINED);
        let line = finding.primary.location.as_ref().map(|location| location.line);
        (record.cycles, line, finding.message.clone())
    };
    let short = told("short", |dm| goes_by_it(dm, 1));
    let long = told("long", |dm| goes_by_it(dm, 9_000));
    assert!(long.0 > 3_000_000 && short.0 < 100_000, "{} {}", long.0, short.0);
    assert!(short.1.is_some());
    assert_eq!(long.1, short.1, "{long:?}");
    assert_eq!(long.2, short.2);
}
