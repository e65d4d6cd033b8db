//! C++ kernels that call things by the names of generation 0.79, and kernels that call what is not modelled.

use std::fs;
use std::path::PathBuf;

use crate::support;
use tileproof::npy;
use tileproof::run_file::{RunOptions, RunResult, run_program_file};
use tileproof_model::finding::Code;
use tileproof_model::record::Status;
use tileproof_numerics::format::DataFormat;

const READER: &str = r#"
#include "api/dataflow/dataflow_api.h"
#include "api/dataflow/dataflow_buffer.h"
#include "api/dataflow/noc.h"
#include "api/tensor/noc_traits.h"
#include "experimental/kernel_args.h"
void kernel_main() {
    constexpr uint32_t pages = get_arg(args::pages);
    const uint32_t first = get_arg(args::first);
    TensorAccessor source(tensor::source);
    DataflowBuffer in(dfb::in);
    Noc noc;
    for (const auto& page : source.pages(first, first + pages)) {
        in.reserve_back(1);
        noc.async_read(page, in, in.get_entry_size(), {}, {.offset_bytes = 0});
        noc.async_read_barrier();
        in.push_back(1);
    }
}
"#;
const COMPUTE: &str = r#"
#include "api/compute/tile_move_copy.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/dataflow/dataflow_buffer.h"
#include "experimental/kernel_args.h"
void kernel_main() {
    DataflowBuffer in(dfb::in), out(dfb::out);
    compute_kernel_hw_startup(dfb::in, dfb::out);
    copy_init(dfb::in);
    for (uint32_t i = 0; i < get_arg(args::pages); i++) {
        in.wait_front(1);
        out.reserve_back(1);
        tile_regs_acquire();
        copy_tile(in.get_id(), 0, 0);
        EXTRA
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, out.get_id());
        tile_regs_release();
        in.pop_front(1);
        out.push_back(1);
    }
}
"#;
const WRITER: &str = r#"
#include "api/dataflow/dataflow_api.h"
#include "api/dataflow/dataflow_buffer.h"
#include "api/dataflow/noc.h"
#include "api/tensor/noc_traits.h"
void kernel_main() {
    const TensorAccessor target(tensor::target);
    DataflowBuffer out(dfb::out);
    Noc noc;
    for (uint32_t i = 0; i < get_vararg(0); i++) {
        out.wait_front(1);
        noc.async_write(out, target, out.get_entry_size(), {}, {.page_id = i});
        noc.async_write_barrier();
        out.pop_front(1);
    }
}
"#;
const PROGRAM: &str = r#"
api = "0.79"
[[tensor]]
name = "x"
shape = [64, 64]
dtype = "bfloat16"
layout = "tile"
fill = "ramp:-1,1"
[[tensor]]
name = "y"
shape = [64, 32]
dtype = "bfloat16"
layout = "tile"
output = true
[[cb]]
total_size = 4096
core_ranges = [[[0, 0], [0, 0]]]
format_descriptors = [{ buffer_index = 3, data_format = "Float16_b", page_size = 2048 }]
[[cb]]
total_size = 4096
core_ranges = [[[0, 0], [0, 0]]]
format_descriptors = [{ buffer_index = 7, data_format = "Float16_b", page_size = 2048 }]
[[kernel]]
kernel_source = "reader.cpp"
core_ranges = [[[0, 0], [0, 0]]]
config = "reader"
compile_time_args = [{ tensor_accessor = "x" }]
named_compile_time_args = [["args::pages", 2], ["rta::first", 0], ["dfb::in", 3], ["tensor::source", 0]]
runtime_args = [{ core = [0, 0], args = [1] }]
common_runtime_args = [{ address = "x" }]
[[kernel]]
kernel_source = "compute.cpp"
core_ranges = [[[0, 0], [0, 0]]]
config = { compute = {} }
named_compile_time_args = [["args::pages", 2], ["dfb::in", 3], ["dfb::out", 7]]
[[kernel]]
kernel_source = "writer.cpp"
core_ranges = [[[0, 0], [0, 0]]]
config = "writer"
compile_time_args = [{ tensor_accessor = "y" }]
named_compile_time_args = [["dfb::out", 7], ["tensor::target", 0]]
runtime_args = [{ core = [0, 0], args = [2] }]
common_runtime_args = [{ address = "y" }]
"#;

/// The result of the program whose compute kernel does `extra` on each tile, and the folder of its output.
fn run(name: &str, extra: &str) -> (RunResult, PathBuf) {
    let folder = support::folder(&format!("names-{name}"));
    let compute = COMPUTE.replace("EXTRA", extra);
    for (file, text) in
        [("reader.cpp", READER), ("compute.cpp", &compute), ("writer.cpp", WRITER), ("program.toml", PROGRAM)]
    {
        fs::write(folder.join(file), text).unwrap();
    }
    let options = RunOptions { save: Some(folder.clone()), ..RunOptions::default() };
    (run_program_file(&folder.join("program.toml"), &options).unwrap(), folder)
}

#[test]
fn objects_and_named_arguments_move_the_pages_that_they_name() {
    let (result, folder) = run("objects", "");
    assert!(result.record.is_clean(), "{:#?}", result.record);
    let (_, y) = npy::read_elements(&folder.join("y.npy"), &[64, 32], DataFormat::Float16_b).unwrap();
    // Pages 1 and 2 of x: the right half of its upper rows, then the left half of its lower rows.
    let x = |column: usize| -1.0 + 2.0 * column as f64 / 63.0;
    for (at, word) in y.iter().enumerate() {
        let (row, column) = (at / 32, at % 32);
        let expected = x(if row < 32 { 32 + column } else { column });
        let got = f64::from(f32::from_bits(word << 16));
        assert!((got - expected).abs() <= 0.004, "row {row}, column {column}: {got}, expected {expected}");
    }
}

#[test]
fn a_call_without_a_model_is_named_on_its_line() {
    let (result, _) = run("unmodelled", "digamma_tile(0);");
    assert_ne!(result.record.status, Status::Completed);
    let finding = result.record.findings.iter().find(|f| f.code == Code::UNIMPLEMENTED).expect("a finding TP9001");
    assert!(finding.message.contains("digamma_tile"), "{}", finding.message);
    let line = 1 + COMPUTE.lines().position(|line| line.contains("EXTRA")).unwrap() as u32;
    let place = finding.primary.location.as_ref().expect("a line");
    assert!(place.file.ends_with("compute.cpp") && place.line == line, "{place:?}, expected line {line}");
}

#[test]
fn a_call_without_a_model_that_is_not_reached_says_nothing() {
    let (result, _) = run("unreached", "if (get_arg(args::pages) > 5) { digamma_tile(0); }");
    assert!(result.record.is_clean(), "{:#?}", result.record);
}
