//! Tensors in L1, interleaved and sharded: what accessors reach, and circular buffers that they back.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support;
use tileproof::npy::write_elements;
use tileproof::run_file::{RunError, RunOptions, RunResult, run_program_file};
use tileproof_model::arch::Arch;
use tileproof_model::observe::Unobserved;
use tileproof_model::program::{Argument, Layout, MemoryConfig, TensorDescriptor};
use tileproof_model::record::Status;
use tileproof_numerics::format::DataFormat;
use tileproof_sim::Machine;

/// A folder of this test with the files of a program.
fn program(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = support::folder(&format!("l1-tensors-{name}"));
    for (file, text) in files {
        fs::write(folder.join(file), text).unwrap();
    }
    folder.join("program.toml")
}

fn run(path: &Path) -> Result<RunResult, RunError> {
    run_program_file(path, &RunOptions::default())
}

fn passes(path: &Path) {
    let result = run(path).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(result.record.status, Status::Completed, "{:?}", result.record.findings);
    assert!(result.record.findings.is_empty(), "{:?}", result.record.findings);
    assert!(result.record.notes.is_empty(), "{:?}", result.record.notes);
    assert!(result.outputs.iter().all(|output| output.pass), "{:?}", result.outputs);
}

/// Every core copies some pages of `in` to `out`, page by page.
const COPY: &str = r#"
#include <cstdint>
#include "dataflow_api.h"

void kernel_main() {
    constexpr auto in_args = TensorAccessorArgs<0>();
    constexpr auto out_args = TensorAccessorArgs<in_args.next_compile_time_args_offset()>();
    const uint32_t page_bytes = get_arg_val<uint32_t>(2);
    const auto in = TensorAccessor(in_args, get_arg_val<uint32_t>(0), page_bytes);
    const auto out = TensorAccessor(out_args, get_arg_val<uint32_t>(1), page_bytes);
    cb_reserve_back(0, 1);
    for (uint32_t page = get_arg_val<uint32_t>(3); page < get_arg_val<uint32_t>(4); ++page) {
        noc_async_read_page(page, in, get_write_ptr(0));
        noc_async_read_barrier();
        noc_async_write_page(page, out, get_write_ptr(0));
        noc_async_write_barrier();
    }
}
"#;

/// `in` is copied to `mid` by one core and `mid` to `out` by another, in two launches. Page after page of `mid` in DRAM must
/// be what page after page of `in` is by the host's order, and `out` must be `in`: a place that is wrong alike for reads and
/// writes shows in `mid`.
fn there_and_back(shape: &str, layout: &str, memory: &str, page_bytes: u32, pages: u32) -> String {
    let launch = |core: &str, from: &str, to: &str| {
        format!(
            r#"
[[launch]]
[[launch.cb]]
total_size = 4096
core_ranges = [[{core}, {core}]]
format_descriptors = [{{ buffer_index = 0, data_format = "bfloat16", page_size = 4096 }}]
[[launch.kernel]]
kernel_source = "copy.cpp"
core_ranges = [[{core}, {core}]]
config = "reader"
compile_time_args = [{{ tensor_accessor = "{from}" }}, {{ tensor_accessor = "{to}" }}]
runtime_args = [{{ core = {core}, args = [{{ address = "{from}" }}, {{ address = "{to}" }}, {page_bytes}, 0, {pages}] }}]
"#
        )
    };
    // A page of DRAM is a whole stick: there, pieces of sticks are sticks of their own.
    let in_dram = if layout == "tile" { shape.to_string() } else { format!("[{pages}, {}]", page_bytes / 2) };
    let tensor = |name: &str, shape: &str, memory: &str, rest: &str| {
        format!(
            "[[tensor]]\nname = \"{name}\"\nshape = {shape}\ndtype = \"bfloat16\"\nlayout = \"{layout}\"\nmemory = {memory}\n{rest}\n"
        )
    };
    let tensors = [
        tensor("in", shape, memory, "fill = \"npy:in.npy\""),
        tensor("mid", &in_dram, "\"dram\"", "output = true"),
        tensor("out", shape, memory, "output = true"),
    ];
    let expect = ["mid", "out"]
        .map(|name| format!("[[expect]]\ntensor = \"{name}\"\nfile = \"{name}.npy\"\nbits = true\n"))
        .concat();
    [tensors.concat(), launch("[5, 6]", "in", "mid"), launch("[0, 3]", "mid", "out"), expect].concat()
}

/// Runs it on numbers that are all different from their neighbours. A tensor of tiles has them in the same order in DRAM; of
/// sticks, `mid` has the pieces that are pages: as the elements of `in` follow each other, row by row.
fn survives(name: &str, shape: &[u32], layout: &str, memory: &str, page_bytes: u32, pages: u32) {
    let text = there_and_back(&format!("{shape:?}"), layout, memory, page_bytes, pages);
    let path = program(name, &[("copy.cpp", COPY), ("program.toml", &text)]);
    let count: u32 = shape.iter().product();
    // Patterns of positive normal numbers.
    let words: Vec<u32> = (0..count).map(|i| 0x0080 + i % 0x7000).collect();
    let in_dram = if layout == "tile" { shape.to_vec() } else { vec![pages, page_bytes / 2] };
    for (name, shape) in [("in", shape), ("out", shape), ("mid", &in_dram)] {
        write_elements(&path.with_file_name(format!("{name}.npy")), shape, DataFormat::Float16_b, &words).unwrap();
    }
    passes(&path);
}

#[test]
fn an_interleaved_tensor_in_l1_is_read_and_written_page_by_page() {
    survives("interleaved", &[70, 32, 32], "tile", "\"l1\"", 2048, 70);
}

#[test]
fn a_sharded_tensor_of_tiles_is_read_and_written_page_by_page() {
    // Three rows of shards, two columns, the last row half empty; four cores for six shards.
    let memory =
        r#"{ buffer = "l1", shard_shape = [64, 96], core_ranges = [[[1, 1], [2, 2]]], orientation = "col_major" }"#;
    survives("tiles", &[5, 32, 192], "tile", memory, 2048, 30);
}

#[test]
fn a_sharded_row_major_tensor_has_pages_as_long_as_a_shard_is_wide() {
    let memory = r#"{ buffer = "l1", shard_shape = [8, 64], core_ranges = [[[0, 0], [3, 0]]] }"#;
    survives("sticks", &[16, 128], "row_major", memory, 128, 32);
}

/// Each core finds its shard in a circular buffer and writes it to its pages of `out`.
const FROM_SHARD: &str = r#"
#include <cstdint>
#include "dataflow_api.h"

void kernel_main() {
    const auto out = TensorAccessor(TensorAccessorArgs<0>(), get_arg_val<uint32_t>(0), 2048);
    cb_reserve_back(0, 2);
    cb_push_back(0, 2);
    cb_wait_front(0, 2);
    const uint32_t first = get_arg_val<uint32_t>(1);
    for (uint32_t page = 0; page < 2; ++page) {
        noc_async_write_page(first + page, out, get_read_ptr(0) + 2048 * page);
    }
    noc_async_write_barrier();
    cb_pop_front(0, 2);
}
"#;

fn backed(total_size: u32, tensor: &str) -> String {
    format!(
        r#"
[[tensor]]
name = "in"
shape = [4, 32, 32]
dtype = "bfloat16"
layout = "tile"
memory = {{ buffer = "l1", shard_shape = [64, 32], core_ranges = [[[2, 0], [3, 0]]] }}
fill = "npy:in.npy"
[[tensor]]
name = "plain"
shape = [4, 32, 32]
dtype = "bfloat16"
layout = "tile"
[[tensor]]
name = "out"
shape = [4, 32, 32]
dtype = "bfloat16"
layout = "tile"
output = true
[[cb]]
total_size = {total_size}
core_ranges = [[[2, 0], [3, 0]]]
tensor = "{tensor}"
format_descriptors = [{{ buffer_index = 0, data_format = "bfloat16", page_size = 2048 }}]
[[kernel]]
kernel_source = "writer.cpp"
core_ranges = [[[2, 0], [3, 0]]]
config = "writer"
compile_time_args = [{{ tensor_accessor = "out" }}]
runtime_args = [{{ core = [2, 0], args = [{{ address = "out" }}, 0] }}, {{ core = [3, 0], args = [{{ address = "out" }}, 2] }}]
[[expect]]
tensor = "out"
file = "in.npy"
bits = true
"#
    )
}

/// Patterns of positive normal numbers, no two alike.
fn write_distinct(path: &Path) {
    let words: Vec<u32> = (0..4096).map(|i| 0x0080 + i).collect();
    write_elements(&path.with_file_name("in.npy"), &[4, 32, 32], DataFormat::Float16_b, &words).unwrap();
}

#[test]
fn a_circular_buffer_can_be_the_shard_of_a_tensor() {
    let path = program("backed", &[("writer.cpp", FROM_SHARD), ("program.toml", &backed(4096, "in"))]);
    write_distinct(&path);
    passes(&path);
}

/// Each core writes the pages of the shards that it finds in its circular buffer to where they belong in `out`.
const FROM_SHARDS: &str = r#"
#include <cstdint>
#include "dataflow_api.h"

void kernel_main() {
    const auto out = TensorAccessor(TensorAccessorArgs<0>(), get_arg_val<uint32_t>(0), 2048);
    cb_reserve_back(0, 12);
    cb_push_back(0, 12);
    cb_wait_front(0, 12);
    for (uint32_t shard = 0; shard < get_arg_val<uint32_t>(1); ++shard) {
        const uint32_t first = get_arg_val<uint32_t>(2 + 2 * shard), rows = get_arg_val<uint32_t>(3 + 2 * shard);
        for (uint32_t row = 0; row < rows; ++row) {
            for (uint32_t column = 0; column < 3; ++column) {
                const uint32_t from = get_read_ptr(0) + 2048 * (6 * shard + 3 * row + column);
                noc_async_write_page(first + 6 * row + column, out, from);
            }
        }
    }
    noc_async_write_barrier();
    cb_pop_front(0, 12);
}
"#;

#[test]
fn shards_go_round_the_cores_in_the_order_of_the_orientation() {
    // Five rows of six tiles in shards of two by three: shards 0 to 5 row by row. Column by column the cores are (1,1), (1,2),
    // (2,1), (2,2), and shards 4 and 5, of which half is there, begin again (tt-metal `tensor_accessor.h`, `dspec.h`).
    let cores =
        [("[1, 1]", "2, 0, 2, 24, 1"), ("[1, 2]", "2, 3, 2, 27, 1"), ("[2, 1]", "1, 12, 2"), ("[2, 2]", "1, 15, 2")];
    let arguments: String = cores
        .map(|(core, shards)| format!("    {{ core = {core}, args = [{{ address = \"out\" }}, {shards}] }},\n"))
        .concat();
    let tensor = "shape = [5, 32, 192]\ndtype = \"bfloat16\"\nlayout = \"tile\"\n";
    let text = format!(
        r#"
[[tensor]]
name = "in"
{tensor}memory = {{ buffer = "l1", shard_shape = [64, 96], core_ranges = [[[1, 1], [2, 2]]], orientation = "col_major" }}
fill = "npy:in.npy"
[[tensor]]
name = "out"
{tensor}output = true
[[cb]]
total_size = 24576
core_ranges = [[[1, 1], [2, 2]]]
tensor = "in"
format_descriptors = [{{ buffer_index = 0, data_format = "bfloat16", page_size = 2048 }}]
[[kernel]]
kernel_source = "writer.cpp"
core_ranges = [[[1, 1], [2, 2]]]
config = "writer"
compile_time_args = [{{ tensor_accessor = "out" }}]
runtime_args = [
{arguments}]
[[expect]]
tensor = "out"
file = "in.npy"
bits = true
"#
    );
    let path = program("round", &[("writer.cpp", FROM_SHARDS), ("program.toml", &text)]);
    let words: Vec<u32> = (0..5 * 32 * 192).map(|i| 0x0080 + i % 0x7000).collect();
    write_elements(&path.with_file_name("in.npy"), &[5, 32, 192], DataFormat::Float16_b, &words).unwrap();
    passes(&path);
}

#[test]
fn a_buffer_larger_than_the_shard_or_on_no_shard_is_refused() {
    let cases = [
        (6144, "in", "more than the 4096 that tensor in has on a core"),
        (4096, "plain", "tensor \"plain\" is not sharded"),
    ];
    for (total_size, tensor, expected) in cases {
        let text = backed(total_size, tensor);
        let path = program(&format!("refused-{tensor}"), &[("writer.cpp", FROM_SHARD), ("program.toml", &text)]);
        write_distinct(&path);
        let error = run(&path).expect_err("refused").to_string();
        assert!(error.contains(expected), "{error}");
    }
}

/// Copies a page of `in`, which lies in another core's L1, to a page of `out`.
const NEIGHBOURS: &str = r#"
#include <cstdint>
#include "dataflow_api.h"

void kernel_main() {
    constexpr auto in_args = TensorAccessorArgs<0>();
    const auto in = TensorAccessor(in_args, get_arg_val<uint32_t>(0), 2048);
    const auto out = TensorAccessor(
        TensorAccessorArgs<in_args.next_compile_time_args_offset()>(), get_arg_val<uint32_t>(1), 2048);
    cb_reserve_back(0, 1);
    noc_async_read_page(get_arg_val<uint32_t>(2), in, get_write_ptr(0));
    noc_async_read_barrier();
    noc_async_write_page(get_arg_val<uint32_t>(3), out, get_write_ptr(0));
    noc_async_write_barrier();
}
"#;

#[test]
fn a_tensor_in_l1_outlives_a_trial_on_host_threads_that_fails() {
    // Each core reads the other's shard: they cannot run apart, and what the trial did is taken back.
    let text = r#"
[[tensor]]
name = "in"
shape = [2, 32, 32]
dtype = "bfloat16"
layout = "tile"
memory = { buffer = "l1", shard_shape = [32, 32], core_ranges = [[[0, 0], [1, 0]]] }
fill = "constant:3"
[[tensor]]
name = "out"
shape = [2, 32, 32]
dtype = "bfloat16"
layout = "tile"
output = true
[[cb]]
total_size = 2048
core_ranges = [[[0, 0], [1, 0]]]
format_descriptors = [{ buffer_index = 0, data_format = "bfloat16", page_size = 2048 }]
[[kernel]]
kernel_source = "neighbours.cpp"
core_ranges = [[[0, 0], [1, 0]]]
config = "reader"
compile_time_args = [{ tensor_accessor = "in" }, { tensor_accessor = "out" }]
runtime_args = [
    { core = [0, 0], args = [{ address = "in" }, { address = "out" }, 1, 0] },
    { core = [1, 0], args = [{ address = "in" }, { address = "out" }, 0, 1] },
]
[[expect]]
tensor = "out"
file = "three.npy"
bits = true
"#;
    let path = program("trial", &[("neighbours.cpp", NEIGHBOURS), ("program.toml", text)]);
    write_elements(&path.with_file_name("three.npy"), &[2, 32, 32], DataFormat::Float16_b, &[0x4040; 2048]).unwrap();
    for threads in [1, 2] {
        let options = RunOptions { threads: Some(threads), ..RunOptions::default() };
        let result = run_program_file(&path, &options).unwrap_or_else(|error| panic!("{error}"));
        assert!(result.record.findings.is_empty(), "{:?}", result.record.findings);
        assert!(result.outputs.iter().all(|output| output.pass), "{threads}: {:?}", result.outputs);
    }
}

#[test]
fn tensors_in_l1_lie_as_the_devices_allocator_lays_them() {
    // tt-metal `bank_manager.cpp`: aligned as in DRAM, 32 bytes on Wormhole and 64 on Blackhole, also where a page has 16 bytes.
    for (arch, alignment) in [(Arch::Wormhole, 32), (Arch::Blackhole, 64)] {
        let mut machine = Machine::<Unobserved>::new(arch);
        let addresses = ["a", "b", "c"].map(|name| {
            let tensor = TensorDescriptor {
                name: name.into(),
                shape: vec![1, 8],
                format: DataFormat::Float16_b,
                layout: Layout::RowMajor,
                memory: MemoryConfig::L1,
                output: false,
            };
            machine.allocate(&tensor).unwrap();
            machine.resolve(&[Argument::Address(name.into())]).unwrap()[0]
        });
        assert!(addresses.iter().all(|address| address % alignment == 0), "{addresses:x?}");
        assert!(addresses.is_sorted_by(|a, b| a > b), "from the top downward: {addresses:x?}");
    }
}
